//! How the switch tells a program what it knows of a packet.

use arch::{Instance, Value};

use super::executor::Executor;
use super::intrinsics::Intrinsic;
use super::switch::Switch;
use super::traveller::Traveller;

/// What the switch knows at one point of a packet's way, beside what the packet knows itself. What a point does not
/// know is 0.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Known {
    pub(super) instance: Instance,
    /// How the parser ended.
    pub(super) error: u64,
    /// The port to which the packet goes.
    pub(super) port: u64,
    /// How many packets wait in the queue of that port.
    pub(super) waiting: u64,
    /// How many microseconds the packet waited.
    pub(super) waited: u64,
}

impl<E: Executor> Switch<E> {
    /// Tells a packet what the architecture tells it at one point. Most programs look at little of it, so that there is
    /// nothing to call: this stands where it is used.
    #[inline(always)]
    pub(super) fn tell(&self, told: &[(Intrinsic, Value)], traveller: &mut Traveller<E::Packet>, known: Known) {
        for &(intrinsic, value) in told {
            let value = match value {
                Value::Constant(value) => value,
                other => self.value(other, traveller, known),
            };
            intrinsic.set(&mut traveller.packet, value);
        }
    }

    #[inline(never)]
    fn value(&self, value: Value, traveller: &Traveller<E::Packet>, known: Known) -> u64 {
        let Traveller { packet, way } = traveller;
        match value {
            Value::ArrivalPort => way.port.0.into(),
            Value::DeparturePort => known.port,
            Value::Length => way.length,
            Value::LengthInEgress => self.layout.length_in_egress(way.length, way.header_bits, packet),
            Value::Time => self.now.microseconds(),
            Value::Instance => self.layout.architecture.instance(known.instance),
            Value::ParserError => known.error,
            Value::QueueDepth => known.waiting,
            Value::QueueTime => known.waited,
            Value::AfterDropPort => self.layout.ports.after_drop_port(),
            Value::Constant(value) => value,
        }
    }
}
