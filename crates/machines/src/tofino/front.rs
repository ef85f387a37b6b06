//! The metadata that lies in front of packets.

use arch::{FrontField, FrontValue};
use basis::Instant;
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
    // The bits that are not written yet, in the lowest places. There is room for 64 more.
    let (mut pending, mut count) = (0_u128, 0);
    for field in fields {
        let value = known.value(field.value);
        let mut left = field.bits;
        while left > 0 {
            let bits = (left - 1) % u64::BITS + 1;
            left -= bits;
            if count + bits > u128::BITS {
                append(&mut pending, &mut count, bytes);
            }
            let part = value.checked_shr(left).unwrap_or(0) as u64 & u64::MAX >> (u64::BITS - bits);
            pending = pending << bits | u128::from(part);
            count += bits;
        }
    }
    append(&mut pending, &mut count, bytes);
    if count > 0 {
        bytes.push((pending << (8 - count)) as u8);
    }
}

/// Appends the whole bytes of pending bits, and leaves the others.
fn append(pending: &mut u128, count: &mut u32, bytes: &mut Vec<u8>) {
    if *count < 8 {
        return;
    }
    let whole = (*pending << (u128::BITS - *count)).to_be_bytes();
    bytes.extend_from_slice(&whole[..*count as usize / 8]);
    *count %= 8;
    *pending &= (1 << *count) - 1;
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

#[cfg(test)]
mod tests {
    use basis::Random;
    use runtime::{Bits, write_bits};

    use super::*;

    /// However wide the fields are and wherever they begin, the bytes are those of writing bit by bit.
    #[test]
    fn fields_follow_each_other_from_the_highest_bit() {
        let values = [FrontValue::Padding, FrontValue::ArrivalPort, FrontValue::TimeOfEntry, FrontValue::Trigger];
        let side = Side { entered: Instant::from_picoseconds(0x0123_4567_89AB_CDEF), ..Side::default() };
        let generated = Generated { trigger: 0x0123_4567_89AB_CDEF_FEDC_BA98_7654_3210, ..Generated::default() };
        let known = Known { arrival_port: 0x1FF, side, generated, ..Known::default() };
        let mut random = Random::new(1);
        for _ in 0..1000 {
            let fields: Vec<FrontField> = (0..random.below(9))
                .map(|_| FrontField { value: values[random.below(4) as usize], bits: 1 + random.below(150) as u32 })
                .collect();
            let mut bytes = vec![0xEE];
            write(&fields, &known, &mut bytes);
            let bits: u32 = fields.iter().map(|field| field.bits).sum();
            let mut expected = vec![0; 1 + bits.div_ceil(8) as usize];
            expected[0] = 0xEE;
            let mut place = 8;
            for field in &fields {
                let value = known.value(field.value);
                let value = Bits::from_limbs(&[value as u64, (value >> 64) as u64], 128).resize(128, false, field.bits);
                write_bits(&mut expected, place, field.bits, &value);
                place += field.bits as usize;
            }
            assert_eq!(bytes, expected, "{fields:?}");
        }
    }
}
