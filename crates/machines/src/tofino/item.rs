//! A packet between the gresses: its bytes, and what the traffic manager knows about it.

use basis::Instant;
use queues::{Depth, PacketColor, Queued};
use serde::{Deserialize, Serialize};
use wire::Packet;

use crate::trace::Recorder;

/// A packet in the traffic manager.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Item {
    pub(super) packet: Packet,
    pub(super) side: Side,
}

/// What the traffic manager knows about a packet.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct Side {
    /// The port at which the packet arrived.
    pub(super) from: u16,
    /// The queue that ingress chose.
    pub(super) queue: u8,
    pub(super) class_of_service: u8,
    /// The number of the colour in the architecture.
    pub(super) color: PacketColor,
    /// The number that a multicast group gives to the copy.
    pub(super) replica: u32,
    pub(super) is_first_replica: bool,
    /// Whether the packet goes to the deflection port if it finds no room, and whether it has been sent there.
    pub(super) deflects: bool,
    pub(super) is_deflected: bool,
    /// Whether the packet goes to the port without egress.
    pub(super) bypasses_egress: bool,
    /// The number of times that the packet, or what it was copied from, began again.
    pub(super) rounds: u32,
    /// The number of the packet in its trace.
    #[serde(skip, default = "untraced")]
    pub(super) pass: usize,
    pub(super) entered: Instant,
    pub(super) left: Instant,
    pub(super) depth_on_entry: u64,
    pub(super) depth_on_exit: u64,
    /// How congested the queue was, 0 to 3.
    pub(super) congestion_on_entry: u8,
    pub(super) congestion_on_exit: u8,
    /// How congested the first four pools of the buffer were when the packet left, two bits each.
    pub(super) congestion_of_pools: u8,
}

/// Returns the number of a packet that is in no trace.
pub(super) const fn untraced() -> usize {
    Recorder::UNTRACED
}

impl Queued for Item {
    fn length(&self) -> usize {
        self.packet.len()
    }

    fn class(&self) -> Option<u8> {
        Some(self.side.queue)
    }

    fn code_point(&self) -> Option<u8> {
        None
    }

    /// The bytes may begin with metadata of the program, so no discipline can change them.
    fn packet(&self) -> Option<&Packet> {
        None
    }

    fn packet_mut(&mut self) -> Option<&mut Packet> {
        None
    }

    fn color(&self) -> PacketColor {
        self.side.color
    }

    fn enters(&mut self, now: Instant, before: Depth) {
        (self.side.entered, self.side.depth_on_entry) = (now, before.cells);
    }

    fn leaves(&mut self, now: Instant, behind: Depth) {
        (self.side.left, self.side.depth_on_exit) = (now, behind.cells);
    }
}
