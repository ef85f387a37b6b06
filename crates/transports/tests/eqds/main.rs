//! EQDS: two or more hosts, and a scripted network in virtual time.

mod bytes;
mod credit;
#[path = "../network/mod.rs"]
mod network;
mod properties;
mod recovery;
mod transfer;

use network::{Fate, Network, Seen, Sends, address, packets};
use node::Link;
use transports::eqds::{Eqds, EqdsParameters};
use wire::eqds::kind;

/// Parameters for 100 Gb/s, packets of 1500 bytes, a first window of 8 packets, a window of 12, and 6 KiB per CREDIT.
fn parameters() -> EqdsParameters {
    let link: Link = network::parameters().link;
    EqdsParameters { packet_bytes: 1500, first_window: 8, window: 12, credit_bytes: 6144, ..EqdsParameters::new(link) }
}

/// Creates a network of `count` hosts with EQDS that send the given messages.
fn hosts<'a>(
    count: usize,
    parameters: EqdsParameters,
    sends: &[Sends],
    rule: impl FnMut(&Seen) -> Fate + 'a,
) -> Network<'a> {
    let sends: Vec<_> = sends.iter().map(|&send| (send, 0)).collect();
    Network::of(count, |host| Box::new(Eqds::new(address(host), parameters, 1)), &sends, rule)
}

/// Runs a network of two hosts, of which the first sends the second a message of `count` full packets, until nothing is
/// left to do.
fn one_message<'a>(count: u64, parameters: EqdsParameters, rule: impl FnMut(&Seen) -> Fate + 'a) -> Network<'a> {
    let mut network = hosts(2, parameters, &[(0, 0, 1, packets(count))], rule);
    network.run();
    network
}

/// The EQDS header of a recorded packet.
fn header(seen: &Seen) -> wire::Eqds<&[u8]> {
    wire::Eqds::new(&seen.packet.head.bytes()[transports::frame::ENVELOPE..]).expect("EQDS")
}

fn credits<'a>(network: &'a Network<'_>) -> Vec<&'a Seen> {
    network.seen.iter().filter(|seen| seen.kind == kind::CREDIT).collect()
}
