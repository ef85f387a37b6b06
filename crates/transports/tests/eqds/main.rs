//! EQDS: two or more hosts, and a scripted network in virtual time.

mod bytes;
mod credit;
#[path = "../network/mod.rs"]
mod network;
mod properties;
mod recovery;
mod transfer;

use network::{Fate, Network, Seen, Sends, address, packets};
use node::Line;
use transports::eqds::{Eqds, Parameters};
use wire::eqds::kind;

/// 100 Gb/s, packets of 1500 bytes, 8 of them at first and 12 asked for, 6 KiB a CREDIT.
fn parameters() -> Parameters {
    let line: Line = network::parameters().line;
    Parameters { packet_bytes: 1500, first_window: 8, window: 12, credit_bytes: 6144, ..Parameters::new(line) }
}

/// Hosts that send messages at microseconds.
fn hosts<'a>(
    count: usize,
    parameters: Parameters,
    sends: &[Sends],
    rule: impl FnMut(&Seen) -> Fate + 'a,
) -> Network<'a> {
    let sends: Vec<_> = sends.iter().map(|&send| (send, 0)).collect();
    Network::of(count, |host| Box::new(Eqds::new(address(host), parameters, 1)), &sends, rule)
}

/// Two hosts, of which the first sends the second a message of so many full packets, run until nothing happens.
fn one_message<'a>(count: u64, parameters: Parameters, rule: impl FnMut(&Seen) -> Fate + 'a) -> Network<'a> {
    let mut network = hosts(2, parameters, &[(0, 0, 1, packets(count))], rule);
    network.run();
    network
}

/// The header of a packet that was seen.
fn header(seen: &Seen) -> wire::Eqds<&[u8]> {
    wire::Eqds::new(&seen.packet.head.bytes()[transports::frame::ENVELOPE..]).expect("EQDS")
}

fn credits<'a>(network: &'a Network<'_>) -> Vec<&'a Seen> {
    network.seen.iter().filter(|seen| seen.kind == kind::CREDIT).collect()
}
