//! The metadata that lies in front of packets.

use arch::{FrontField, FrontValue};
use basis::Instant;
use runtime::{Bits, write_bits};

use super::item::Side;

/// What the chip knows about a packet in front of which metadata is written.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Known {
    pub(super) resubmitted: bool,
    pub(super) arrival_port: u16,
    pub(super) now: Instant,
    pub(super) departure_port: u16,
    pub(super) side: Side,
    /// The length of the packet in bytes, without what lies in front.
    pub(super) length: usize,
}

/// Appends fields to bytes; they take whole bytes together.
pub(super) fn write(fields: &[FrontField], known: &Known, bytes: &mut Vec<u8>) {
    let start = bytes.len();
    let bits: u32 = fields.iter().map(|field| field.bits).sum();
    bytes.resize(start + bits.div_ceil(8) as usize, 0);
    let mut place = 8 * start;
    for field in fields {
        let value = known.value(field.value);
        if field.value != FrontValue::Padding {
            write_bits(bytes, place, field.bits, &Bits::from_u64(value, field.bits));
        }
        place += field.bits as usize;
    }
}

impl Known {
    fn value(&self, value: FrontValue) -> u64 {
        let side = &self.side;
        match value {
            FrontValue::Padding => 0,
            FrontValue::Resubmitted => self.resubmitted.into(),
            FrontValue::ArrivalPort => self.arrival_port.into(),
            FrontValue::ArrivalTime => nanoseconds(self.now),
            FrontValue::DeparturePort => self.departure_port.into(),
            FrontValue::DepthOnEntry => side.depth_on_entry,
            FrontValue::TimeOfEntry => nanoseconds(side.entered),
            FrontValue::DepthOnExit => side.depth_on_exit,
            FrontValue::TimeInQueue => side.left.since(side.entered).picoseconds() / 1_000,
            FrontValue::Replica => side.replica.into(),
            FrontValue::IsFirstReplica => side.is_first_replica.into(),
            FrontValue::Queue => side.queue.into(),
            FrontValue::ClassOfService => side.class_of_service.into(),
            // No packet is deflected yet.
            FrontValue::IsDeflected => 0,
            FrontValue::Length => self.length as u64,
        }
    }
}

/// Returns a time as programs see it.
pub(super) fn nanoseconds(time: Instant) -> u64 {
    time.picoseconds() / 1_000
}
