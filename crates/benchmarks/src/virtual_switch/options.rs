//! What each option of `[path]` brings or costs for a packet of a session that is there already.

use diagnostics::Failure;
use node::Burst;
use serde::Serialize;
use wire::{Packet, Tail, protocol};

use super::frames::{Ends, datagram, ip, udp};
use super::network::{BURST, CLIENT, Extent, SERVER, WITHOUT_BUDGET, configuration, send, switch};

/// The options, with their lines in the configuration. The first is the one that others are compared with.
const OPTIONS: [(&str, &str); 6] = [
    ("none", ""),
    ("flow index", "flow_index = 65536"),
    ("vectors", "vectors = true"),
    ("both", "flow_index = 65536\nvectors = true"),
    ("slicing", "slicing = true"),
    ("each packet decided", "decide_each_packet = true"),
];

/// The bytes of a frame with a payload that can wait in a pool: one that fits the usual path MTU, behind 128 bytes of head.
const LONG: usize = 1442;
const HEAD: usize = 128;

/// An order of packets.
struct Order {
    name: &'static str,
    /// The number of flows.
    flows: u32,
    /// The number of packets of one flow behind each other.
    behind_each_other: u32,
    make: fn(u16) -> Packet,
}

const ORDERS: [Order; 5] = [
    Order { name: "1 flow", flows: 1, behind_each_other: 1, make: short },
    Order { name: "16 flows in turns", flows: 16, behind_each_other: 1, make: short },
    Order { name: "1,000 flows in turns", flows: 1000, behind_each_other: 1, make: short },
    Order { name: "1,000 flows, 16 packets of each", flows: 1000, behind_each_other: 16, make: short },
    Order { name: "1,000 flows, 1,442 bytes", flows: 1000, behind_each_other: 1, make: long },
];

/// The time of a packet with an option.
#[derive(Debug, Serialize)]
pub struct MeasuredOption {
    /// The packets, and their order.
    pub packets: &'static str,
    /// The option of the path.
    pub option: &'static str,
    /// The time of one packet in the switch, in nanoseconds.
    pub nanoseconds: f64,
    /// The time relative to that without options.
    pub against_none: f64,
}

/// Measures every option with every order of packets. The fastest of several runs counts, in each of which all options have
/// their turn.
pub fn options(quick: bool) -> Result<Vec<MeasuredOption>, Failure> {
    let extent = Extent::of(quick);
    let mut measured = Vec::new();
    for order in &ORDERS {
        let mut fastest = [f64::MAX; OPTIONS.len()];
        for _ in 0..extent.runs {
            for ((_, lines), fastest) in OPTIONS.iter().zip(&mut fastest) {
                *fastest = fastest.min(run(order, lines, extent)?);
            }
        }
        measured.extend(OPTIONS.iter().zip(fastest).map(|((option, _), nanoseconds)| MeasuredOption {
            packets: order.name,
            option,
            nanoseconds,
            against_none: nanoseconds / fastest[0],
        }));
    }
    Ok(measured)
}

/// Returns the time of a packet, once every flow has its session.
fn run(order: &Order, lines: &str, extent: Extent) -> Result<f64, Failure> {
    let mut switch = switch(&configuration(WITHOUT_BUDGET, lines, extent.rules))?;
    let mut burst = |number: u32, packets: &mut Burst| {
        let first = number * BURST as u32;
        let flow = |packet: u32| packet / order.behind_each_other % order.flows;
        packets.extend((first..first + BURST as u32).map(|packet| (order.make)(flow(packet) as u16)));
        CLIENT
    };
    let of_all_flows = (order.flows * order.behind_each_other).div_ceil(BURST as u32);
    send(&mut switch, 0..of_all_flows, &mut burst);
    let work = send(&mut switch, of_all_flows..of_all_flows + extent.packets / BURST as u32, &mut burst);
    if work.sent < work.packets {
        return Err(Failure::plain("the virtual switch does not pass on packets of a session"));
    }
    Ok(work.of_packet())
}

/// A packet of 60 bytes.
fn short(flow: u16) -> Packet {
    udp(Ends::new(CLIENT, SERVER), [7000 + flow, 53])
}

fn long(flow: u16) -> Packet {
    let mut transport = vec![0; LONG - 34];
    transport[..8].copy_from_slice(&datagram([7000 + flow, 53])[..8]);
    transport[4..6].copy_from_slice(&((LONG - 34) as u16).to_be_bytes());
    let whole = ip(Ends::new(CLIENT, SERVER), protocol::UDP, [0; 2], &[], &transport);
    let bytes = whole.head.bytes();
    Packet::of_bytes(&bytes[..HEAD]).with_tail(Tail::Bytes(bytes[HEAD..].into()))
}
