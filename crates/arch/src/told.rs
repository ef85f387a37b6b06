//! What the switch tells a program of a packet.

use ir::{Program, VariableId};

use crate::Architecture;

/// A field of the intrinsic metadata, and what the switch tells a program in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Told {
    /// The name of the field, whose type cuts the value.
    pub field: &'static str,
    /// What it is told.
    pub value: Value,
}

/// Something that the switch knows of a packet at some point of its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// The port at which the packet came in.
    ArrivalPort,
    /// The port to which the packet is being sent.
    DeparturePort,
    /// The bytes of the packet when its parser began.
    Length,
    /// The bytes of the packet as it enters egress: its length, more or less by the headers that ingress made valid or
    /// invalid ([`crate::length_in_egress`]).
    LengthInEgress,
    /// The time, in microseconds.
    Time,
    /// What the packet is an instance of ([`Instance`]), as the architecture numbers them.
    Instance,
    /// How the parser ended: the number of an error.
    ParserError,
    /// How many packets wait in the queue of the port, without this one.
    QueueDepth,
    /// The microseconds that the packet was in the queue.
    QueueTime,
    /// A destination that does not drop the packet: the number after the drop port, cut by the field's type.
    AfterDropPort,
    /// Always the same number.
    Constant(u64),
}

/// What a packet is an instance of, which says where it comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Instance {
    /// A packet from outside.
    #[default]
    Normal,
    /// A clone of a packet in ingress.
    IngressClone,
    /// A clone of a packet in egress.
    EgressClone,
    /// A packet that is back from egress.
    Recirculated,
    /// A copy for a member of a multicast group.
    Replicated,
    /// A packet that is back from ingress.
    Resubmitted,
}

impl Instance {
    /// How many kinds of instances there are.
    pub const COUNT: usize = 6;
}

/// Something for each point at which the switch tells a program something, in the order in which a packet comes there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Points<T> {
    /// Before the parser, for packets from outside and for those that begin again.
    pub before_parser: T,
    /// When the parser is done.
    pub after_parser: T,
    /// When ingress has sent the packet to a port or to a multicast group.
    pub after_ingress: T,
    /// When the packet comes to the queue of its port.
    pub before_queue: T,
    /// When it has left the queue.
    pub before_egress: T,
}

impl<T> Points<T> {
    /// The same points with something else.
    pub fn map<U>(self, mut change: impl FnMut(T) -> U) -> Points<U> {
        Points {
            before_parser: change(self.before_parser),
            after_parser: change(self.after_parser),
            after_ingress: change(self.after_ingress),
            before_queue: change(self.before_queue),
            before_egress: change(self.before_egress),
        }
    }
}

impl Points<&'static [Told]> {
    /// Everything that is told, in order.
    pub fn all(&self) -> impl Iterator<Item = &'static Told> {
        let points = [self.before_parser, self.after_parser, self.after_ingress, self.before_queue, self.before_egress];
        points.into_iter().flatten()
    }
}

impl Architecture {
    /// What the switch tells a program, by the variables that the program has.
    pub fn told_to(&self, program: &Program) -> Points<Vec<(VariableId, Value)>> {
        self.told
            .map(|told| told.iter().filter_map(|told| Some((program.intrinsic(told.field)?, told.value))).collect())
    }
}
