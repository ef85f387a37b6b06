//! Datagrams that one guest sends to the other, a thousand in a second, and their answers.

use std::net::UdpSocket;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::guest::Guest;

/// Probes that are under way.
pub struct Probes {
    is_over: Arc<AtomicBool>,
    answered: Arc<AtomicU32>,
    threads: Vec<JoinHandle<Vec<u32>>>,
}

fn socket(guest: &Guest, address: &str) -> UdpSocket {
    let socket = live::namespace::within(Some(&guest.path()), || UdpSocket::bind(address)).expect("a port");
    socket.set_read_timeout(Some(Duration::from_millis(100))).expect("a timeout can be set");
    socket
}

impl Probes {
    /// Sends numbered datagrams from one guest to the other, which returns them.
    pub fn start(one: &Guest, two: &Guest) -> Self {
        let answers = socket(two, "10.0.1.2:7000");
        let mut probes = Self::to_what_returns_them(one, "10.0.1.2:7000");
        let over = Arc::clone(&probes.is_over);
        probes.threads.push(std::thread::spawn(move || {
            let mut bytes = [0; 4];
            while !over.load(Ordering::Acquire) {
                if let Ok((length, from)) = answers.recv_from(&mut bytes) {
                    let _ = answers.send_to(&bytes[..length], from);
                }
            }
            Vec::new()
        }));
        probes
    }

    /// Sends numbered datagrams from a guest to an address, from which they come back.
    pub fn to_what_returns_them(one: &Guest, address: &str) -> Self {
        let asks = socket(one, "10.0.1.1:7000");
        let (is_over, answered) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU32::new(0)));
        asks.connect(address).expect("an address");
        let hears = asks.try_clone().expect("a descriptor is left");
        let mut threads = Vec::new();
        let (over, count) = (Arc::clone(&is_over), Arc::clone(&answered));
        threads.push(std::thread::spawn(move || {
            let (mut heard, mut bytes) = (Vec::new(), [0; 4]);
            while !over.load(Ordering::Acquire) {
                if hears.recv(&mut bytes).is_ok_and(|length| length == 4) {
                    heard.push(u32::from_be_bytes(bytes));
                    count.fetch_add(1, Ordering::AcqRel);
                }
            }
            heard
        }));
        let over = Arc::clone(&is_over);
        threads.push(std::thread::spawn(move || {
            let mut number: u32 = 0;
            while !over.load(Ordering::Acquire) {
                // One that finds no way is one that is lost.
                let _ = asks.send(&number.to_be_bytes());
                number += 1;
                std::thread::sleep(Duration::from_millis(1));
            }
            Vec::new()
        }));
        Self { is_over, answered, threads }
    }

    /// Waits until so many further probes were answered.
    pub fn wait_for(&self, count: u32) {
        let (before, began) = (self.answered.load(Ordering::Acquire), Instant::now());
        while self.answered.load(Ordering::Acquire) < before + count {
            assert!(began.elapsed() < Duration::from_secs(30), "probes are not answered");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Ends the probes. They must have been answered in their order, without a gap of 100 ms, and none twice.
    pub fn end_without_gap(self) {
        let answers = self.end();
        assert!(answers.windows(2).all(|pair| pair[0] < pair[1]), "no duplicates, and in order");
        // A thousand are sent in a second.
        let longest = answers.windows(2).map(|pair| pair[1] - pair[0]).max().expect("there are answers");
        assert!(longest <= 100, "{longest} probes in a row were not answered");
    }

    /// Ends the probes, and returns the numbers of those that were answered, in the order of the answers.
    pub fn end(self) -> Vec<u32> {
        self.is_over.store(true, Ordering::Release);
        self.threads.into_iter().flat_map(|thread| thread.join().expect("no probe fails")).collect()
    }
}
