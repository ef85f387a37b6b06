//! Measures what attacks of a guest cost the virtual switch, and so the guest's neighbours.

use std::fmt::Write as _;
use std::time::Instant as WallClock;

use basis::{Duration, Instant};
use diagnostics::Failure;
use files::PlanText;
use measure::Interest;
use node::{Burst, Node, Outbox, Port};
use serde::Serialize;
use vswitch::VirtualSwitch;
use vswitch::configuration::read;
use wire::{Ethernet, Ipv4, Packet, Tcp, Udp, ether_type, protocol, tcp::flag};

use crate::timing::RUNS;

/// The packets of a burst, as the driver of interfaces has them.
const BURST: usize = 64;
/// The rules of the large security group.
const RULES: u32 = 10_000;
/// The Ethernet addresses of the attacker and of whom it attacks.
const ATTACKER: [u8; 6] = [2, 0, 0, 0, 0, 1];
const OTHER: [u8; 6] = [2, 0, 0, 0, 0, 2];
/// Their addresses.
const FROM: u32 = 0x0A00_0101;
const TO: u32 = 0x0A00_0102;

/// The cost of one attack.
#[derive(Debug, Serialize)]
pub struct MeasuredAttack {
    /// The packets that the attacker sends.
    pub attack: &'static str,
    /// The time of one packet in the switch, in nanoseconds.
    pub nanoseconds: f64,
    /// The rate that a neighbour keeps, if the switch is busy and serves both in turns, relative to that beside a neighbour
    /// whose packets belong to connections.
    pub neighbour_keeps: f64,
    /// The part of the packets that went on.
    pub passed: f64,
}

/// Makes the packet of a number.
type Attack = fn(u32) -> Packet;

const ATTACKS: [(&str, Attack); 8] = [
    ("datagrams of 64 connections", |number| udp(FROM, 7000 + (number % 64) as u16, 53)),
    ("spoofed source address", |number| udp(FROM + 5, number as u16, 53)),
    ("a flood of SYN", |number| syn(number, 80)),
    ("a scan of denied ports", |number| syn(number, 81 + (number >> 16) as u16)),
    ("datagrams to ever new ports", |number| udp(FROM, number as u16, (1000 + (number >> 16)) as u16)),
    ("fragments without a first one", |number| fragment(number, 185)),
    ("first fragments without further ones", |number| fragment(number, 0)),
    ("frames that are no packets", |number| {
        let mut packet = udp(FROM, number as u16, 53);
        packet.head.bytes_mut()[14] = 0x4F;
        packet
    }),
];

/// Measures every attack on a switch that has nothing else to do.
///
/// # Errors
/// If the configuration cannot be read, which is an error of this program.
pub fn attacks(quick: bool) -> Result<Vec<MeasuredAttack>, Failure> {
    let packets: u32 = if quick { 1 << 12 } else { 1 << 18 };
    let mut measured = Vec::new();
    let mut ordinary = f64::NAN;
    for (attack, make) in ATTACKS {
        let (mut fastest, mut passed) = (f64::MAX, 0.0);
        for _ in 0..RUNS {
            let (nanoseconds, share) = run(make, packets)?;
            (fastest, passed) = (fastest.min(nanoseconds), share);
        }
        if measured.is_empty() {
            ordinary = fastest;
        }
        let neighbour_keeps = 2.0 * ordinary / (ordinary + fastest);
        measured.push(MeasuredAttack { attack, nanoseconds: fastest, neighbour_keeps, passed });
    }
    Ok(measured)
}

/// Sends so many packets of an attack through a fresh switch. Returns the time of one, without the time in which they were made,
/// and the part of them that went on.
fn run(make: Attack, packets: u32) -> Result<(f64, f64), Failure> {
    let file = PlanText {
        name: "attacks".to_owned(),
        path: "attacks".to_owned(),
        text: configuration(),
        folder: Default::default(),
    };
    let mut switch = VirtualSwitch::new(read(&file)?.configuration, [1, 2]);
    let mut out = Outbox::new(Interest::default());
    let (mut busy, mut passed, mut now) = (0, 0, Instant::ZERO);
    let mut burst = Burst::new();
    for first in (0..packets).step_by(BURST) {
        burst.extend((first..first + BURST as u32).map(make));
        // A million packets a second.
        now += Duration::from_microseconds(BURST as u64);
        out.begin(now);
        let began = WallClock::now();
        switch.receive(now, Port(0), &mut burst, &mut out);
        busy += began.elapsed().as_nanos();
        passed += out.transmissions.drain(..).count();
        out.discarded.clear();
        out.events.clear();
    }
    Ok((busy as f64 / f64::from(packets), passed as f64 / f64::from(packets)))
}

/// Returns the configuration: an attacker and another guest, in whose security group there are many rules for others.
fn configuration() -> String {
    let mut text =
        "[[vpc]]\nname = \"net\"\nvni = 7001\n[[vpc.subnet]]\nprefix = \"10.0.1.0/24\"\ngateway = \"10.0.1.254\"\n\
        [[vnic]]\nname = \"attacker\"\ninterface = \"tap1\"\nvpc = \"net\"\nmac = \"02:00:00:00:00:01\"\n\
        addresses = [\"10.0.1.1\"]\n\
        [[vnic]]\nname = \"other\"\ninterface = \"tap2\"\nvpc = \"net\"\nmac = \"02:00:00:00:00:02\"\n\
        addresses = [\"10.0.1.2\"]\nsecurity_groups = [\"servers\"]\n\
        [limits]\nsessions_per_vnic = 100000\n\
        [[security_group]]\nname = \"servers\"\n\
        [[security_group.rule]]\ndirection = \"in\"\nprotocol = \"tcp\"\nports = 80\n\
        [[security_group.rule]]\ndirection = \"in\"\nprotocol = \"udp\"\n"
            .to_owned();
    for rule in 0..RULES {
        let [_, _, third, fourth] = rule.to_be_bytes();
        // Writing into a string cannot fail.
        let _ = write!(
            text,
            "[[security_group.rule]]\ndirection = \"in\"\nprotocol = \"tcp\"\nports = {}\npeer = \"172.16.{third}.{fourth}\"\n",
            1000 + rule % 5000
        );
    }
    text
}

/// Makes an IPv4 packet of a transport header in a frame of the attacker.
fn ip(source: u32, number: u8, fragment: u16, identification: u16, transport: &[u8]) -> Packet {
    let mut bytes = vec![0; 34];
    bytes.extend_from_slice(transport);
    bytes.resize(bytes.len().max(60), 0);
    let total = (20 + transport.len()) as u16;
    bytes[..6].copy_from_slice(&OTHER);
    bytes[6..12].copy_from_slice(&ATTACKER);
    Ethernet::new(&mut bytes[..]).expect("there is room").set_ether_type(ether_type::IPV4);
    bytes[18..20].copy_from_slice(&identification.to_be_bytes());
    bytes[20..22].copy_from_slice(&fragment.to_be_bytes());
    let mut ip = Ipv4::new(&mut bytes[14..]).expect("there is room");
    ip.set_version_and_length(0x45);
    ip.set_total_length(total);
    ip.set_time_to_live(64);
    ip.set_protocol(number);
    ip.set_source_bits(source);
    ip.set_destination_bits(TO);
    ip.fill_checksum();
    Packet::of_bytes(&bytes)
}

fn datagram(from: u16, to: u16) -> [u8; 26] {
    let mut bytes = [0; 26];
    bytes[..2].copy_from_slice(&from.to_be_bytes());
    bytes[2..4].copy_from_slice(&to.to_be_bytes());
    Udp::new(&mut bytes[..]).expect("there is room").set_length(26);
    bytes
}

fn udp(source: u32, from: u16, to: u16) -> Packet {
    ip(source, protocol::UDP, 0, 0, &datagram(from, to))
}

/// A fragment behind so many units of eight bytes, of a datagram of its own; others follow.
fn fragment(number: u32, offset: u16) -> Packet {
    const MORE: u16 = 0x2000;
    ip(FROM, protocol::UDP, MORE | offset, number as u16, &datagram(7000, 53)[..24])
}

fn syn(number: u32, to: u16) -> Packet {
    let mut bytes = [0; 20];
    bytes[..2].copy_from_slice(&(number as u16).to_be_bytes());
    bytes[2..4].copy_from_slice(&to.to_be_bytes());
    Tcp::new(&mut bytes[..]).expect("there is room").set_header_length_and_flags(20, flag::SYN);
    ip(FROM, protocol::TCP, 0, 0, &bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attacks_are_what_they_say() {
        let passed = |name: &str| {
            let (_, make) = ATTACKS.into_iter().find(|(attack, _)| *attack == name).expect("an attack");
            run(make, 1 << 12).expect("the configuration is right").1
        };
        assert_eq!(passed("datagrams of 64 connections"), 1.0);
        assert_eq!(passed("a flood of SYN"), 1.0);
        for refused in [
            "spoofed source address",
            "a scan of denied ports",
            "fragments without a first one",
            "frames that are no packets",
        ] {
            assert_eq!(passed(refused), 0.0, "{refused}");
        }
    }
}
