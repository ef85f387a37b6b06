//! Setting the intrinsic metadata of packets.

use arch::{Instance, IntrinsicValue};

use super::intrinsics::Intrinsic;
use super::switch::Switch;
use super::traveller::Traveller;
use crate::blocks::Executor;

/// The properties of a packet that the switch knows at some point, apart from those stored with the packet. Properties
/// that are unknown at that point are 0.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PacketProperties {
    pub(super) instance: Instance,
    /// The error with which the parser ended.
    pub(super) error: u64,
    /// The egress port of the packet.
    pub(super) port: u64,
    /// The number of packets in the queue of that port.
    pub(super) waiting: u64,
    /// The time that the packet waited, in microseconds.
    pub(super) waited: u64,
}

impl<E: Executor> Switch<E> {
    /// Sets the intrinsic variables of a packet that the architecture defines for one point. This is inlined, because
    /// most programs read few of them and there is usually nothing to do.
    #[inline(always)]
    pub(super) fn assign_metadata(
        &self,
        assignments: &[(Intrinsic, IntrinsicValue)],
        traveller: &mut Traveller<E::Packet>,
        known: PacketProperties,
    ) {
        for &(intrinsic, value) in assignments {
            let value = match value {
                IntrinsicValue::Constant(value) => value,
                other => self.value(other, traveller, known),
            };
            intrinsic.set(&mut traveller.packet, value);
        }
    }

    #[inline(never)]
    fn value(&self, value: IntrinsicValue, traveller: &Traveller<E::Packet>, known: PacketProperties) -> u64 {
        let Traveller { packet, way } = traveller;
        match value {
            IntrinsicValue::ArrivalPort => way.port.0.into(),
            IntrinsicValue::DeparturePort => known.port,
            IntrinsicValue::Length => way.length,
            IntrinsicValue::LengthInEgress => self.layout.length_in_egress(way.length, way.header_bits, packet),
            IntrinsicValue::Time => self.now.microseconds(),
            IntrinsicValue::Nanoseconds => self.now.picoseconds() / 1_000,
            IntrinsicValue::Instance => self.layout.architecture.instance(known.instance),
            IntrinsicValue::ParserError => known.error,
            // Architectures with these bits have a chip of their own.
            IntrinsicValue::ParserErrorBits(_) => 0,
            IntrinsicValue::QueueDepth => known.waiting,
            IntrinsicValue::QueueTime => known.waited,
            IntrinsicValue::AfterDropPort => self.layout.ports.after_drop_port(),
            IntrinsicValue::Constant(value) => value,
        }
    }
}
