//! Everything that happens to one packet.

use basis::Instant;
use machines::Device;
use machines::trace::Trace;
use node::{Outbox, Port};
use wire::Packet;

use super::switch::check_port;
use crate::failure::Failure;

/// A packet that comes in, and when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observed {
    /// Its number, which the trace shows: from 1 in a capture.
    pub number: u64,
    /// Where it comes in.
    pub port: u16,
    /// When.
    pub at: Instant,
    /// The packet.
    pub packet: Packet,
}

/// Sends a packet into a switch, and tells what happens to it.
///
/// # Errors
/// A port that the switch has not, or a switch that tells nobody what happens.
pub fn trace(device: &mut dyn Device, observed: Observed) -> Result<Vec<Trace>, Failure> {
    check_port(device, observed.port)?;
    device.observe()?;
    let mut packet = observed.packet;
    packet.sidecar.arrival = observed.at;
    packet.sidecar.id = observed.number;
    let mut out = Outbox::default();
    out.begin(observed.at);
    device.receive(observed.at, Port(observed.port), &mut vec![packet], &mut out);
    Ok(device.take_traces())
}
