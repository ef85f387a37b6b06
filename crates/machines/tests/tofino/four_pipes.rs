//! A chip of four pipes that keeps time, whose queues are full: whatever becomes of packets, none is lost without a reason.

use std::collections::BTreeMap;
use std::fmt::Write;

use basis::{Instant, Random};
use machines::Device;
use machines::tofino::{ChipSettings, TofinoParameters, reasons};
use measure::{Event, Interest};
use node::{Discarded, Offered, Port, Reason, Sink, Station, Transmission};
use wire::Packet;

use crate::bench::{Bench, Order};

const PIPES: u64 = 4;
/// The ports of a pipe that lead outside.
const PORTS: u64 = 4;
/// Groups and sessions have numbers below this, and the last is not there.
const FEW: u64 = 4;

/// What has left a chip, and why the others did not.
#[derive(Debug, Default)]
struct Left {
    sent: u64,
    lost: BTreeMap<Reason, u64>,
}

impl Sink for Left {
    fn transmitted(&mut self, _transmission: Transmission) {
        self.sent += 1;
    }

    fn discarded(&mut self, _at: Instant, discarded: Discarded) {
        *self.lost.entry(discarded.reason).or_default() += 1;
    }

    fn event(&mut self, _at: Instant, _event: Event) {}
}

/// Draws a port that leads outside.
fn port(random: &mut Random) -> u64 {
    128 * random.below(PIPES) + 4 * random.below(PORTS)
}

fn ports(random: &mut Random) -> String {
    let ports: std::collections::BTreeSet<u64> = (0..1 + random.below(3)).map(|_| port(random)).collect();
    format!("{ports:?}").replace('{', "[").replace('}', "]")
}

/// The file of a chip with slow links, little memory, and random groups, mirror sessions and deflection ports.
fn chip(random: &mut Random) -> String {
    let all: Vec<u64> = (0..PIPES).flat_map(|pipe| (0..PORTS).map(move |port| 128 * pipe + 4 * port)).collect();
    let again: Vec<u64> = (0..PIPES).map(|pipe| 128 * pipe + 68).collect();
    let mut text = format!(
        "pipes = {PIPES}\ningress_buffer = {}\n[[port]]\nports = {all:?}\nrate = \"1 Gb/s\"\n\
         [[port]]\nports = {again:?}\nrate = \"10 Gb/s\"\n[memory]\ncell = \"80 B\"\n[[memory.pool]]\nsize = \"{} B\"\n",
        1 + random.below(8),
        80 * (2 + random.below(30)),
    );
    for pipe in 0..PIPES {
        if random.chance(0.7) {
            let port = 128 * pipe + 4 * random.below(PORTS);
            let _ = writeln!(text, "[[deflection]]\nport = {port}\nqueue = {}", random.below(32));
            if random.chance(0.5) {
                let _ = writeln!(text, "length = {}", 16 + random.below(64));
            }
        }
    }
    for number in 1..FEW - 1 {
        let _ = writeln!(text, "[[multicast]]\ngroup = {number}");
        for _ in 0..random.below(4) {
            let _ = writeln!(text, "[[multicast.node]]\nrid = {}\nports = {}", random.below(9), ports(random));
        }
        let _ = writeln!(text, "[[mirror]]\nsession = {number}\nport = {}", port(random));
        let _ = writeln!(text, "length = {}\ndeflect_on_drop = {}", 16 + random.below(99), random.chance(0.5));
        if random.chance(0.3) {
            let _ = writeln!(text, "mcast_grp_a = {}", 1 + random.below(FEW - 1));
        }
    }
    text
}

fn packet(random: &mut Random) -> Packet {
    let order = Order {
        flags: (random.bits() & random.bits()) as u8,
        port: if random.chance(0.2) { 0x1FF } else { port(random) as u16 },
        group: if random.chance(0.5) { random.below(FEW) as u16 } else { 0 },
        session: (random.bits() as u8) & 0xC0 | random.below(FEW) as u8,
        again: if random.chance(0.4) { random.below(6) as u8 } else { 0 },
    };
    let bytes = order.packet(random.below(300) as usize);
    // Some packets are too short for their header.
    let length = if random.chance(0.05) { random.below(7) as usize } else { bytes.len() };
    Packet::of_bytes(&bytes[..length])
}

#[test]
fn no_packet_is_lost_without_a_reason() {
    let (mut all, mut counted) = (BTreeMap::<Reason, u64>::new(), BTreeMap::<&str, u64>::new());
    for seed in 0..60 {
        let mut random = Random::new(seed);
        let text = chip(&mut random);
        let settings = ChipSettings::parse("chip.toml", &text).unwrap_or_else(|failure| panic!("{failure}\n{text}"));
        let mut bench = Bench::with(TofinoParameters { chip: Some(settings), ..TofinoParameters::default() });
        let mut now = 0;
        let packets: Vec<Offered> = (0..80)
            .map(|_| {
                now += random.below(100);
                let port = Port(port(&mut random) as u16);
                Offered { at: Instant::from_picoseconds(1_000 * now), port, packet: packet(&mut random) }
            })
            .collect();
        let received = packets.len() as u64;
        let mut left = Left::default();
        let ended = machines::drive(&mut bench.chip, packets, Interest::default(), &mut left);
        ended.unwrap_or_else(|still| panic!("seed {seed}: {still}\n{text}"));
        let (account, statistics) = (bench.chip.account(), bench.chip.statistics());
        let lost: u64 = left.lost.values().sum();
        assert_eq!(account.held, 0, "seed {seed}: something stays\n{text}");
        assert_eq!(received + account.replicated, left.sent + lost, "seed {seed}: {left:?} {statistics:?}\n{text}");
        assert_eq!((statistics.transmitted, statistics.discarded.total()), (left.sent, lost), "seed {seed}\n{text}");
        for (reason, count) in left.lost {
            *all.entry(reason).or_default() += count;
        }
        bench.chip.counters(&mut |counter| *counted.entry(counter.name).or_default() += counter.value);
    }
    // All that can happen did.
    for reason in [
        Reason::PROGRAM,
        reasons::NO_DESTINATION,
        reasons::UNKNOWN_MULTICAST_GROUP,
        reasons::UNKNOWN_MIRROR_SESSION,
        reasons::DEFLECTION_FULL,
        reasons::PARSER_ERROR,
        queues::reasons::SHARED_BUFFER_FULL,
    ] {
        assert!(all.contains_key(&reason), "no packet was dropped for {reason:?}: {all:?}");
    }
    for name in ["deflected", "mirrored", "recirculations", "resubmissions"] {
        assert!(counted.get(name).is_some_and(|&count| count > 0), "{name}: {counted:?}");
    }
}
