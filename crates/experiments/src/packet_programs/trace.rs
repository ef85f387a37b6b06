//! Everything that happens to one packet.

use basis::Instant;
use machines::v1model::trace::Trace;
use node::{Node, Outbox, Port};
use wire::Packet;

use super::switch::PacketSwitch;

/// A packet that comes in, and when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observed {
    /// Where it comes in.
    pub port: u16,
    /// When.
    pub at: Instant,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// Sends a packet into a switch, and tells what happens to it.
pub fn trace(switch: &mut PacketSwitch, observed: &Observed) -> Vec<Trace> {
    switch.observe();
    let mut packet = Packet::of_bytes(&observed.bytes);
    packet.sidecar.arrival = observed.at;
    let mut out = Outbox::default();
    out.begin(observed.at);
    switch.receive(observed.at, Port(observed.port), &mut vec![packet], &mut out);
    switch.take_traces()
}
