//! How many connections of TCP the switch takes in a second, with what it remembers and without.

use diagnostics::Failure;
use serde::Serialize;
use wire::Packet;
use wire::tcp::flag::{ACK, FIN, PSH, SYN};

use super::frames::{Ends, tcp};
use super::network::{BURST, CLIENT, Extent, SERVER, WITHOUT_BUDGET, Work, configuration, send, switch};

/// The ways to a decision, with their lines in the configuration. The last is the one that others are compared with.
const WAYS: [(&str, &str); 3] = [
    ("sessions and flow index", "flow_index = 65536"),
    ("sessions", ""),
    ("each packet decided", "decide_each_packet = true"),
];

/// The connections that are open at the same time, each with one packet in a burst.
const TOGETHER: u32 = BURST as u32;

/// A connection with one question and one answer of a byte, as hosts make it: who sends, flags, what is sent and
/// acknowledged before (beside both first sequence numbers), and the bytes of data.
const SEGMENTS: [(u8, u8, [u32; 2], usize); 10] = [
    (CLIENT, SYN, [0, 0], 0),
    (SERVER, SYN | ACK, [0, 1], 0),
    (CLIENT, ACK, [1, 1], 0),
    (CLIENT, PSH | ACK, [1, 1], 1),
    (SERVER, ACK, [1, 2], 0),
    (SERVER, PSH | ACK, [1, 2], 1),
    (CLIENT, ACK, [2, 2], 0),
    (SERVER, FIN | ACK, [2, 2], 0),
    (CLIENT, FIN | ACK, [2, 3], 0),
    (SERVER, ACK, [3, 3], 0),
];

/// The connections that a switch takes.
#[derive(Debug, Serialize)]
pub struct MeasuredConnections {
    /// How the packets of a connection are decided.
    pub way: &'static str,
    /// The connections in a second of the switch's time, each of ten packets.
    pub connections_per_second: f64,
    /// The rate relative to that of a switch whose policy tables decide each packet.
    pub against_each_decided: f64,
}

/// Measures connections in each way. The fastest of several runs counts, in each of which all ways have their turn.
pub fn connections(quick: bool) -> Result<Vec<MeasuredConnections>, Failure> {
    let extent = Extent::of(quick);
    let groups = if quick { 1 << 3 } else { 1 << 9 };
    let mut rates = [0.0_f64; WAYS.len()];
    for _ in 0..extent.runs {
        for ((_, lines), rate) in WAYS.iter().zip(&mut rates) {
            let work = run(lines, groups, extent.rules)?;
            if work.sent < work.packets {
                return Err(Failure::plain("the virtual switch does not pass on packets of a connection"));
            }
            *rate = rate.max(f64::from(groups * TOGETHER) * 1e9 / work.nanoseconds as f64);
        }
    }
    let each_decided = rates[WAYS.len() - 1];
    let measured = WAYS.iter().zip(rates).map(|((way, _), rate)| MeasuredConnections {
        way,
        connections_per_second: rate,
        against_each_decided: rate / each_decided,
    });
    Ok(measured.collect())
}

/// Sends groups of connections through a fresh switch.
fn run(lines: &str, groups: u32, rules: u32) -> Result<Work, Failure> {
    let mut switch = switch(&configuration(WITHOUT_BUDGET, lines, rules))?;
    let steps = SEGMENTS.len() as u32;
    Ok(send(&mut switch, 0..groups * steps, |burst, packets| {
        let (group, segment) = (burst / steps, SEGMENTS[(burst % steps) as usize]);
        packets.extend((0..TOGETHER).map(|number| make(group * TOGETHER + number, segment)));
        segment.0
    }))
}

/// Makes a segment of the connection of a number.
fn make(connection: u32, (sender, flags, [sent, acknowledged], data): (u8, u8, [u32; 2], usize)) -> Packet {
    let client = [1024 + (connection % 60_000) as u16, 80 + (connection / 60_000) as u16 % 8];
    let first = connection.wrapping_mul(64_000);
    let numbers = [first.wrapping_add(sent), if flags & ACK == 0 { 0 } else { first.wrapping_add(acknowledged) }];
    let (receiver, ports) = if sender == CLIENT { (SERVER, client) } else { (CLIENT, [client[1], client[0]]) };
    tcp(Ends::new(sender, receiver), ports, flags, numbers, data)
}
