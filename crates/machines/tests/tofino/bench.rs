//! A chip that runs a P4 program, and the packets that it is given.

use std::sync::Arc;

use basis::Instant;
use control::{CloneSession, Replica, ReplicationRequest, Request};
use ir::interpret::PacketInterpreter;
use machines::tofino::{Tofino, TofinoParameters};
use machines::{Device, Unsuitable};
use measure::Interest;
use node::{Node, Outbox, Port, Reason, Station};
use wire::Packet;

/// A program whose packets say what becomes of them.
pub const ACTOR: &str = include_str!("actor.p4");

/// The bits of the flags of [`ACTOR`]'s packets.
pub mod flag {
    pub const DROP: u8 = 1;
    pub const NO_COPY_TO_CPU: u8 = 2;
    pub const COPY_TO_CPU: u8 = 4;
    pub const BYPASS_EGRESS: u8 = 8;
    pub const RESUBMIT: u8 = 16;
    pub const MIRROR_IN_INGRESS: u8 = 32;
    pub const MIRROR_IN_EGRESS: u8 = 64;
    pub const DROP_IN_EGRESS: u8 = 128;
}

/// What [`ACTOR`]'s packets ask for.
#[derive(Clone, Copy, Debug)]
pub struct Order {
    pub flags: u8,
    pub port: u16,
    pub group: u16,
    pub session: u8,
    pub again: u8,
}

impl Default for Order {
    /// The packet goes nowhere.
    fn default() -> Self {
        Self { flags: 0, port: 0x1FF, group: 0, session: 0, again: 0 }
    }
}

impl Order {
    /// The length of the header.
    pub const LENGTH: usize = 7;

    /// Returns a packet with this header and a payload of `payload` bytes of 0xEE.
    pub fn packet(self, payload: usize) -> Vec<u8> {
        let [port, group] = [self.port, self.group].map(u16::to_be_bytes);
        let header = [&[self.flags][..], &port, &group, &[self.session, self.again]].concat();
        header.into_iter().chain(std::iter::repeat_n(0xEE, payload)).collect()
    }
}

/// A packet that the chip is done with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    Sent(u16, Vec<u8>),
    Discarded(Reason),
}

pub struct Bench {
    pub chip: Tofino<PacketInterpreter>,
    pub out: Outbox,
    received: u64,
    sent: u64,
    discarded: u64,
}

pub fn chip(program: &str) -> Tofino<PacketInterpreter> {
    chip_with(program, TofinoParameters::default()).unwrap()
}

/// Returns a chip that runs a program, or why it cannot.
pub fn chip_with(program: &str, parameters: TofinoParameters) -> Result<Tofino<PacketInterpreter>, Unsuitable> {
    let mut sources = diagnostics::Sources::new();
    let main = sources.add("test.p4", program);
    let preprocessed = p4::preprocess(&mut sources, main, &p4::Disk, &p4::Options::default());
    let (program, found) = p4::parse(&preprocessed.tokens);
    assert!(!found.has_errors(), "{}", found.render(&sources, false));
    let (checked, found) = p4::check(&program);
    assert!(!found.has_errors(), "{}", found.render(&sources, false));
    let lowered = p4::lower(&program, checked).unwrap_or_else(|found| panic!("{}", found.render(&sources, false)));
    ir::verify::program(&lowered.program).unwrap_or_else(|found| panic!("{}", found.join("\n")));
    let executor = PacketInterpreter::new(Arc::new(lowered.program));
    Tofino::new(executor, Arc::new(lowered.info), parameters)
}

impl Bench {
    /// Returns a chip with [`ACTOR`], the multicast group 5 to the ports 1, 2 and 2 with the replicas 10, 20 and 21, and the
    /// mirror session 9 to port 7, cut to 12 bytes.
    pub fn new() -> Self {
        Self::with(TofinoParameters::default())
    }

    /// Returns a chip of other parameters that is otherwise as [`Bench::new`] makes it.
    pub fn with(parameters: TofinoParameters) -> Self {
        let mut bench = Self::of(chip_with(ACTOR, parameters).unwrap());
        let replica = |port, instance| Replica { port, instance };
        let replicas = vec![replica(1, 10), replica(2, 20), replica(2, 21)];
        bench.control(Request::MulticastGroup(5, ReplicationRequest::Insert(replicas.into())));
        let session =
            CloneSession { replicas: vec![replica(7, 0)], maximum_length: Some(12), ..CloneSession::default() };
        bench.control(Request::CloneSession(9, ReplicationRequest::Insert(session)));
        bench
    }

    pub fn of(chip: Tofino<PacketInterpreter>) -> Self {
        Self { chip, out: Outbox::new(Interest::default()), received: 0, sent: 0, discarded: 0 }
    }

    pub fn control(&mut self, request: Request) {
        self.chip.execute(&request).unwrap();
    }

    /// Gives the chip a packet at a time; the outbox has begun then.
    pub fn give(&mut self, now: Instant, port: u16, bytes: &[u8]) {
        self.received += 1;
        self.chip.receive(now, Port(port), &mut vec![Packet::of_bytes(bytes)], &mut self.out);
    }

    /// Gives the chip a packet, and returns what became of it in order.
    pub fn packet(&mut self, port: u16, bytes: &[u8]) -> Vec<End> {
        let now = Instant::from_microseconds(3);
        self.out.begin(now);
        self.give(now, port, bytes);
        self.ends()
    }

    /// Returns what the chip has put out, and checks that no packet was lost.
    pub fn ends(&mut self) -> Vec<End> {
        let discarded = self.out.discarded.drain(..).map(|discarded| End::Discarded(discarded.reason));
        let sent =
            self.out.transmissions.drain(..).map(|sent| End::Sent(sent.port.0, sent.packet.head.bytes().to_vec()));
        let ends: Vec<End> = discarded.chain(sent).collect();
        let sent = ends.iter().filter(|end| matches!(end, End::Sent(..))).count() as u64;
        self.sent += sent;
        self.discarded += ends.len() as u64 - sent;
        let account = self.chip.account();
        let made = account.generated + account.replicated;
        assert_eq!(self.received + made, self.sent + self.discarded + account.held, "{ends:?}");
        let statistics = self.chip.statistics();
        assert_eq!((statistics.transmitted, statistics.discarded.total()), (self.sent, self.discarded));
        ends
    }
}
