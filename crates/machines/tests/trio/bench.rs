//! A chip that is driven through virtual time, and what came out of it.

use std::sync::Arc;

use basis::Instant;
use ir::interpret::threads::ThreadCode;
use ir::{Program, parse, verify};
use machines::trio::{Trio, TrioParameters};
use machines::{Device, control_plane_of};
use measure::{Event, Interest};
use node::{Course, Discarded, Limit, Offered, Port, Sink, Station, Transmission};
use wire::Packet;

/// What comes out of a chip.
#[derive(Debug, Default, PartialEq)]
pub struct Seen {
    /// Packets that leave: time in nanoseconds, port, bytes.
    pub sent: Vec<(u64, u16, Vec<u8>)>,
    /// Packets that are discarded: time in nanoseconds, and the reason.
    pub discarded: Vec<(u64, &'static str)>,
    /// The numbers of packets that leave, in order.
    pub numbers: Vec<u64>,
    pub events: Vec<Event>,
}

impl Sink for Seen {
    fn transmitted(&mut self, transmission: Transmission) {
        let mut bytes = Vec::new();
        transmission.packet.append_to(&mut bytes);
        self.numbers.push(transmission.packet.sidecar.id);
        self.sent.push((nanoseconds(transmission.at), transmission.port.0, bytes));
    }

    fn discarded(&mut self, at: Instant, discarded: Discarded) {
        self.discarded.push((nanoseconds(at), discarded.reason.name()));
    }

    fn event(&mut self, _at: Instant, event: Event) {
        self.events.push(event);
    }
}

pub fn nanoseconds(at: Instant) -> u64 {
    at.picoseconds() / 1000
}

pub fn at(nanoseconds: u64) -> Instant {
    Instant::from_picoseconds(nanoseconds * 1000)
}

pub struct Bench {
    pub chip: Trio<ThreadCode>,
    pub seen: Seen,
    course: Course,
}

/// Reads a program, which must be valid.
pub fn program(text: &str) -> Program {
    let program = parse::program("test.ir", text).unwrap_or_else(|error| panic!("{error:?}\n{text}"));
    assert_eq!(verify::program(&program), Ok(()), "{text}");
    program
}

impl Bench {
    pub fn new(text: &str, parameters: TrioParameters) -> Self {
        Self::observed(text, parameters, Interest::default())
    }

    pub fn observed(text: &str, parameters: TrioParameters, interest: Interest) -> Self {
        let program = program(text);
        let info = Arc::new(control_plane_of(&program));
        let chip = Trio::new(ThreadCode::new(Arc::new(program)), info, parameters).expect("the program fits");
        Self { chip, seen: Seen::default(), course: Course::new(Limit::default(), interest) }
    }

    /// Offers a packet at a time in nanoseconds.
    pub fn offer(&mut self, nanoseconds: u64, port: u16, bytes: &[u8]) {
        self.offer_packet(at(nanoseconds), port, Packet::of_bytes(bytes));
    }

    pub fn offer_packet(&mut self, at: Instant, port: u16, packet: Packet) {
        let offered = Offered { at, port: Port(port), packet };
        self.course.offer(&mut self.chip, offered, &mut self.seen).expect("the chip comes to an end");
        self.check_account();
    }

    /// Runs until nothing is left to do.
    pub fn finish(&mut self) {
        self.course.finish(&mut self.chip, &mut self.seen).expect("the chip comes to an end");
        self.check_account();
    }

    /// Checks that no packet is lost.
    pub fn check_account(&self) {
        let (account, statistics) = (self.chip.account(), Device::statistics(&self.chip));
        let discarded: u64 = statistics.discarded.iter().map(|(_, count)| count).sum();
        assert_eq!(
            statistics.received + account.generated + account.replicated,
            statistics.transmitted + discarded + account.consumed + account.held,
            "{account:?} {statistics:?}"
        );
        assert_eq!(discarded, self.seen.discarded.len() as u64);
        assert_eq!(statistics.transmitted, self.seen.sent.len() as u64);
    }

    /// Returns a counter of the chip.
    pub fn counter(&self, name: &str) -> u64 {
        Device::statistics(&self.chip).own(name)
    }
}

/// Returns a program whose threads begin for packets at `start`, with a local memory of 256 bytes, heads of up to 64 bytes at
/// 64, and the variables `a`, `b` and `c` of 64 bits, `length`, `head_length` and `port`.
pub fn text(declarations: &str, instructions: &str) -> String {
    format!(
        "program test\nlocal a: bit<64>\nlocal b: bit<64>\nlocal c: bit<64>\nlocal length: bit<16>\n\
         local head_length: bit<16>\nlocal port: bit<16>\nlocal argument: bit<64>\n\
         intrinsic packet_length = length\nintrinsic head_length = head_length\nintrinsic port = port\n\
         intrinsic argument = argument\nlocal_memory 256\nhead 64 size 64\n\
         {declarations}\n{instructions}\nentrance packet = instruction start\n"
    )
}

/// The last instruction of a thread that sends its packet to the other port of a pair.
pub const SEND: &str = "send 0u8 port port ^ 1u16 queue 0u8 head 64u16, head_length\nend\n";
