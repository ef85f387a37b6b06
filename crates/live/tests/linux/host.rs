//! Our side: a host with TCP, and an application on its sockets.

use std::io;
use std::net::Ipv4Addr;
use std::ops::ControlFlow;

use basis::{Instant, Rate};
use demand::{Application, Wanted};
use live::{Driver, Tap};
use node::{Link, Outbox, Port, Station};
use transports::tcp::{Socket, Status, Tcp, TcpParameters};
use transports::{HostParameters, HostWith};

use crate::faults::{Done, Faults, Faulty};
use crate::namespace::{ip, set};
use crate::ticker::Ticker;

/// The address of the kernel.
pub const LINUX: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 1);
/// Our address.
pub const OURS: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 2);

/// An application that asks for nothing by itself.
struct Silent;

impl Application for Silent {
    fn deadline(&self) -> Option<Instant> {
        None
    }

    fn wake(&mut self, _now: Instant, _wanted: &mut Vec<Wanted>) {}

    fn remaining(&self) -> Option<u64> {
        Some(0)
    }
}

basis::snapshot!(Silent {});

pub type TcpHost = HostWith<Tcp>;

/// A host on a TAP interface with faults, with the kernel at the other end.
pub struct Live {
    pub driver: Driver<TcpHost, Faulty<Tap>>,
}

impl Live {
    /// Creates the interface and configures the kernel's address. There is no address resolution: both sides know each
    /// other.
    pub fn new(parameters: TcpParameters, incoming: Faults, outgoing: Faults, seed: u64) -> Self {
        let tap = Tap::open("tap0").expect("a TAP interface can be made");
        // Suppress what the kernel would send by itself.
        set("ipv6/conf/all/disable_ipv6", "1");
        set("ipv6/conf/default/disable_ipv6", "1");
        ip("link set tap0 address 02:00:0a:00:00:01 txqueuelen 10000 up");
        // This precedes the address; otherwise the kernel would resolve our address for connections of an earlier
        // transfer.
        ip("neigh replace 10.0.0.2 lladdr 02:00:0a:00:00:02 dev tap0 nud permanent");
        ip("address add 10.0.0.1/24 dev tap0");
        let host = HostWith::new(HostParameters {
            address: OURS.to_bits(),
            link: Link::new(Rate::from_gigabits_per_second(10), Link::ETHERNET_FRAMING),
            transport: Box::new(Tcp::new(OURS.to_bits(), parameters, seed)),
            application: Box::new(Silent),
        });
        let driver = Driver::new(host, [(Port(0), Faulty::new(tap, incoming, outgoing, seed))]);
        Self { driver: driver.expect("a descriptor is left") }
    }

    /// Returns the discarded packets.
    pub fn discarded(&self) -> u64 {
        self.driver.tally().discarded.values().sum()
    }

    /// Runs until `turn` breaks, which is called often even if nothing happens on the interface.
    pub fn run<R>(&mut self, mut turn: impl FnMut(&mut Tcp, Instant) -> ControlFlow<R>) -> R {
        let turn =
            |host: &mut TcpHost, now: Instant, out: &mut Outbox| host.with_transport(now, out, |tcp| turn(tcp, now));
        let _ticker = Ticker::new(self.driver.waker());
        let result: io::Result<R> = self.driver.run(turn);
        result.expect("the interface exists throughout the test")
    }

    /// Returns a counter of TCP.
    pub fn counter(&self, name: &str) -> u64 {
        let mut value = None;
        self.driver.node().counters(&mut |counter| {
            if counter.name == name {
                value = Some(counter.value);
            }
        });
        value.unwrap_or_else(|| panic!("no counter {name}"))
    }

    /// Returns the faults of incoming and of outgoing frames.
    pub fn done(&self) -> (Done, Done) {
        self.driver.interface(node::Port(0)).done()
    }
}

/// An application that sends given bytes, receives until the peer has ended, and closes when all of its own bytes are
/// sent.
pub struct Exchange<'a> {
    pub socket: Socket,
    to_send: &'a [u8],
    pub received: Vec<u8>,
}

impl<'a> Exchange<'a> {
    pub fn new(socket: Socket, to_send: &'a [u8]) -> Self {
        Self { socket, to_send, received: Vec::new() }
    }

    /// Does whatever is possible now.
    pub fn turn(&mut self, tcp: &mut Tcp, now: Instant) -> Status {
        let sent = tcp.send(now, self.socket, self.to_send);
        self.to_send = &self.to_send[sent..];
        tcp.receive_bytes(now, self.socket, &mut self.received);
        if self.to_send.is_empty() {
            tcp.close(now, self.socket);
        }
        tcp.status(self.socket)
    }
}
