//! The scenario in real time: each station has a driver and a thread of its own, and cables are pairs of sockets.

use std::collections::VecDeque;
use std::io;
use std::ops::ControlFlow;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixDatagram;
use std::sync::atomic::{AtomicBool, Ordering};

use basis::{Duration, Instant};
use live::{Driver, Interface, Offload};
use node::{Burst, Discarded, Port, Station};
use wire::Packet;

use crate::scenario::{Built, Outcome, Scenario};

/// The time after which a run is considered hung.
const LONGEST: Instant = Instant::from_microseconds(30_000_000);
/// The time between two looks at whether everything is done.
const LOOK: Duration = Duration::from_microseconds(2000);
/// The number of such looks in a row after which nothing more is on its way.
const QUIET: u32 = 10;

/// One end of a cable: a socket that preserves frame boundaries.
struct End {
    socket: UnixDatagram,
    frame: Vec<u8>,
}

impl Interface for End {
    fn name(&self) -> &str {
        "a cable"
    }

    fn offload(&self) -> Offload {
        Offload::default()
    }

    fn receive(&mut self, limit: usize, into: &mut Burst, _: &mut Vec<Discarded>) -> io::Result<()> {
        self.frame.resize(2000, 0);
        for _ in 0..limit {
            match self.socket.recv(&mut self.frame) {
                Ok(length) => into.push(Packet::of_bytes(&self.frame[..length])),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn send(&mut self, packets: &mut VecDeque<Packet>, sent: &mut Burst, _: &mut Vec<Discarded>) -> io::Result<()> {
        while let Some(packet) = packets.front() {
            self.frame.clear();
            packet.append_to(&mut self.frame);
            match self.socket.send(&self.frame) {
                Ok(_) => sent.extend(packets.pop_front()),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn descriptor(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

pub fn run(scenario: &Scenario) -> Outcome {
    let Built { topology, stations, logs, program } = scenario.build();
    let mut ends: Vec<Vec<(Port, End)>> = stations.iter().map(|_| Vec::new()).collect();
    // Sockets stay open until all drivers have ended: nobody's last packet is refused.
    let mut kept = Vec::new();
    for cable in &topology.cables {
        let sockets = UnixDatagram::pair().expect("sockets can be made");
        for ((station, port), socket) in cable.ends.into_iter().zip([sockets.0, sockets.1]) {
            socket.set_nonblocking(true).expect("a socket can be");
            kept.push(socket.try_clone().expect("a socket can be cloned"));
            ends[station].push((Port(port), End { socket, frame: Vec::new() }));
        }
    }
    // Whether each host has nothing left to do. It may get packets after that, so it goes on until all are done.
    let done: Vec<AtomicBool> = stations.iter().map(|_| AtomicBool::new(false)).collect();
    let ended: Vec<(Box<dyn Station>, Instant)> = std::thread::scope(|scope| {
        let threads: Vec<_> = stations
            .into_iter()
            .zip(ends)
            .enumerate()
            .map(|(own, (station, ends))| {
                let done = &done;
                let all_arrived = {
                    let (log, messages) = (logs.get(own).cloned(), scenario.messages);
                    move || {
                        let log = log.as_ref().map(|log| log.lock().expect("nobody panics"));
                        log.is_none_or(|log| {
                            log.len() + 1 == crate::HOSTS && log.values().all(|flow| flow.len() == messages)
                        })
                    }
                };
                scope.spawn(move || drive(own, station, ends, done, all_arrived))
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().expect("a driver has not panicked")).collect()
    });
    let now = ended.iter().map(|(_, now)| *now).max().expect("there are stations");
    let stations: Vec<&dyn Station> = ended.iter().map(|(station, _)| &**station).collect();
    Outcome::of(now, &stations, &logs, program.as_ref())
}

/// Drives a station until all stations are done.
fn drive(
    own: usize,
    station: Box<dyn Station>,
    ends: Vec<(Port, End)>,
    done: &[AtomicBool],
    all_arrived: impl Fn() -> bool,
) -> (Box<dyn Station>, Instant) {
    let mut driver = Driver::new(station, ends).expect("a driver can be made");
    let mut looks = 0;
    loop {
        let until = driver.now() + LOOK;
        driver.wake_by(Some(until));
        let look = |_: &mut Box<dyn Station>, now: Instant, _: &mut node::Outbox| {
            if now >= until { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        driver.run(look).expect("the sockets stay");
        let now = driver.now();
        let is_done = all_arrived() && driver.node().waiting(now).is_empty() && driver.node().account().held == 0;
        done[own].store(is_done, Ordering::Release);
        looks = if done.iter().all(|done| done.load(Ordering::Acquire)) { looks + 1 } else { 0 };
        if looks == QUIET {
            return (driver.replace_node(Box::new(Nothing)), now);
        }
        assert!(now <= LONGEST, "station {own} still waits: {:?}", driver.node().waiting(now));
    }
}

/// A station in the place of one that was taken out.
struct Nothing;

impl node::Node for Nothing {
    fn receive(&mut self, _: Instant, _: Port, _: &mut Burst, _: &mut node::Outbox) {}

    fn wake(&mut self, _: Instant, _: &mut node::Outbox) {}

    fn control(&mut self, _: Instant, _: node::Control, _: &mut node::Outbox) {}
}

impl Station for Nothing {
    fn account(&self) -> node::Account {
        node::Account::default()
    }
}

basis::snapshot!(Nothing {});
