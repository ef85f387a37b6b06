//! The metadata that lies in front of packets.

use arch::{FrontField, FrontValue};
use basis::Instant;
use runtime::{Bits, write_bits};
use serde::{Deserialize, Serialize};

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
    /// What the packet generator says of a packet that it made.
    pub(super) generated: Generated,
}

/// What the packet generator says of a packet that it made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Generated {
    pub(super) pipe: u16,
    pub(super) application: u8,
    pub(super) batch: u16,
    pub(super) packet: u16,
    /// The device port that went down.
    pub(super) port_down: u16,
    /// What the recirculated packet that triggered the generator began with, as a number.
    pub(super) trigger: u128,
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
            let low = field.bits.min(64);
            let high = field.bits - low;
            if high > 0 {
                write_bits(bytes, place, high, &Bits::from_u64((value >> 64) as u64, high));
            }
            write_bits(bytes, place + high as usize, low, &Bits::from_u64(value as u64, low));
        }
        place += field.bits as usize;
    }
}

impl Known {
    fn value(&self, value: FrontValue) -> u128 {
        let (side, generated) = (&self.side, &self.generated);
        let value: u64 = match value {
            FrontValue::Padding => 0,
            FrontValue::Resubmitted => self.resubmitted.into(),
            FrontValue::ArrivalPort => self.arrival_port.into(),
            FrontValue::ArrivalTime => nanoseconds(self.now),
            FrontValue::DeparturePort => self.departure_port.into(),
            FrontValue::DepthOnEntry => side.depth_on_entry,
            FrontValue::TimeOfEntry => nanoseconds(side.entered),
            FrontValue::DepthOnExit => side.depth_on_exit,
            FrontValue::CongestionOnEntry => side.congestion_on_entry.into(),
            FrontValue::CongestionOnExit => side.congestion_on_exit.into(),
            FrontValue::CongestionOfPools => side.congestion_of_pools.into(),
            FrontValue::TimeInQueue => side.left.since(side.entered).picoseconds() / 1_000,
            FrontValue::Replica => side.replica.into(),
            FrontValue::IsFirstReplica => side.is_first_replica.into(),
            FrontValue::Queue => side.queue.into(),
            FrontValue::ClassOfService => side.class_of_service.into(),
            FrontValue::IsDeflected => side.is_deflected.into(),
            FrontValue::Length => self.length as u64,
            FrontValue::Generator => generated.pipe.into(),
            FrontValue::Application => generated.application.into(),
            FrontValue::Batch => generated.batch.into(),
            FrontValue::PacketOfBatch => generated.packet.into(),
            FrontValue::PortDown => generated.port_down.into(),
            FrontValue::Trigger => return generated.trigger,
        };
        value.into()
    }
}

/// Returns a time as programs see it.
pub(super) fn nanoseconds(time: Instant) -> u64 {
    time.picoseconds() / 1_000
}
