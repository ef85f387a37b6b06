//! Two hosts and the packets between them, for tests that call TCP directly.

use std::collections::VecDeque;

use basis::{Duration, Instant, Random};
use transports::tcp::{Socket, Tcp, TcpParameters};
use transports::{Endpoint, Notice};
use wire::{Ipv4, Packet};

use crate::network::{address, microseconds};

/// The port at which the second host listens.
pub const PORT: u16 = 80;

/// Two hosts and the packets between them. Transmissions take no time.
pub struct Pair {
    pub hosts: [Tcp; 2],
    pub now: Instant,
    /// The packets in flight to each host, in order of time.
    flying: [VecDeque<(Instant, Packet)>; 2],
    random: Random,
    loss: f64,
    /// The ECN fields of all packets that the first host has sent (RFC 3168, section 5).
    pub fields: Vec<u8>,
    /// The notices of each host.
    pub notices: [Vec<Notice>; 2],
}

const DELAY: Duration = microseconds(50);
impl Pair {
    pub fn new(parameters: [TcpParameters; 2], loss: f64, seed: u64) -> Self {
        let host = |host: usize| Tcp::new(address(host), parameters[host], seed);
        let mut hosts = [host(0), host(1)];
        hosts[1].listen(PORT);
        let random = Random::new(seed);
        Self {
            hosts,
            now: Instant::ZERO,
            flying: Default::default(),
            random,
            loss,
            fields: Vec::new(),
            notices: Default::default(),
        }
    }

    /// Sends all packets that can be sent, and advances to the next event; returns false if there is none.
    pub fn step(&mut self) -> bool {
        for from in 0..2 {
            while let Some(packet) = self.hosts[from].transmit(self.now) {
                if from == 0 {
                    self.fields.extend(Ipv4::new(&packet.head.bytes()[14..]).map(|ipv4| ipv4.ecn()));
                }
                if !self.random.chance(self.loss) {
                    self.flying[1 - from].push_back((self.now + DELAY, packet));
                }
            }
        }
        let arrivals = self.flying.iter().filter_map(|flying| flying.front()).map(|&(at, _)| at);
        let Some(next) = arrivals.chain(self.hosts.iter().filter_map(Tcp::deadline)).min() else { return false };
        self.now = next.max(self.now);
        let each = self.hosts.iter_mut().zip(&mut self.flying).zip(&mut self.notices);
        for ((host, flying), notices) in each {
            while let Some((_, packet)) = flying.pop_front_if(|(at, _)| *at <= self.now) {
                host.receive(self.now, packet, notices).expect("it is for this host");
            }
            if host.deadline().is_some_and(|deadline| deadline <= self.now) {
                host.wake(self.now, notices);
            }
        }
        true
    }

    pub fn open(&mut self) -> Socket {
        self.hosts[0].open(self.now, address(1), PORT).expect("ports are free")
    }

    /// Advances until the second host has accepted the connection.
    pub fn accepted(&mut self) -> Socket {
        loop {
            if let Some((socket, port)) = self.hosts[1].accept() {
                assert_eq!(port, PORT);
                return socket;
            }
            assert!(self.step(), "no connection was opened");
        }
    }
}
