//! Intrinsic metadata: what the switch assigns to fields of a program for a packet.

use ir::{Program, VariableId};

use crate::Architecture;

/// A field of the intrinsic metadata, and the value that the switch stores in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MetadataAssignment {
    /// The name of the field. The value is truncated to its type.
    pub field: &'static str,
    /// The value.
    pub value: IntrinsicValue,
}

/// A value that the switch knows about a packet at some point of its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IntrinsicValue {
    /// The port at which the packet arrived.
    ArrivalPort,
    /// The port to which the packet is being sent.
    DeparturePort,
    /// The length of the packet in bytes when its parser begins.
    Length,
    /// The length of the packet in bytes when it enters egress: its original length plus the headers that ingress made
    /// valid, minus those that it made invalid ([`crate::length_in_egress`]).
    LengthInEgress,
    /// The current time in microseconds.
    Time,
    /// The current time in nanoseconds.
    Nanoseconds,
    /// The kind of instance that the packet is ([`Instance`]), by the architecture's number.
    Instance,
    /// The outcome of the parser, as the number of an error.
    ParserError,
    /// The outcome of the parser, as the bit that stands for an error here; 0 for one that is not listed.
    ParserErrorBits(&'static [(&'static str, u64)]),
    /// The number of packets in the port's queue, not counting this one.
    QueueDepth,
    /// The time that the packet spent in the queue, in microseconds.
    QueueTime,
    /// A destination that does not drop the packet: the number after the drop port, truncated to the field's type.
    AfterDropPort,
    /// A constant.
    Constant(u64),
}

/// The kind of instance that a packet is, which tells where it comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Instance {
    /// A packet that arrived from outside.
    #[default]
    Normal,
    /// A clone made in ingress.
    IngressClone,
    /// A clone made in egress.
    EgressClone,
    /// A packet that egress recirculated.
    Recirculated,
    /// A copy for a member of a multicast group.
    Replicated,
    /// A packet that ingress resubmitted.
    Resubmitted,
}

impl Instance {
    /// The number of kinds of instances.
    pub const COUNT: usize = 6;
}

/// One `T` for each point at which the switch tells a program something, in the order in which a packet passes them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Points<T> {
    /// Before the parser, for packets from outside and for packets that begin again.
    pub before_parser: T,
    /// After the parser.
    pub after_parser: T,
    /// After ingress has sent the packet to a port or to a multicast group.
    pub after_ingress: T,
    /// The time at which the packet reaches the queue of its port.
    pub before_queue: T,
    /// After the packet has left the queue.
    pub before_egress: T,
    /// After the parser of egress, in an architecture that has one.
    pub after_egress_parser: T,
}

impl<T> Points<T> {
    /// Applies a function to what belongs to each point.
    pub fn map<U>(self, mut change: impl FnMut(T) -> U) -> Points<U> {
        Points {
            before_parser: change(self.before_parser),
            after_parser: change(self.after_parser),
            after_ingress: change(self.after_ingress),
            before_queue: change(self.before_queue),
            before_egress: change(self.before_egress),
            after_egress_parser: change(self.after_egress_parser),
        }
    }
}

impl Points<&'static [MetadataAssignment]> {
    /// Returns all assignments, in order.
    pub fn all(&self) -> impl Iterator<Item = &'static MetadataAssignment> {
        let ingress = [self.before_parser, self.after_parser, self.after_ingress];
        let egress = [self.before_queue, self.before_egress, self.after_egress_parser];
        ingress.into_iter().chain(egress).flatten()
    }
}

impl Architecture {
    /// Returns the variables of a program that the switch sets, with their values. Fields that the program lacks are
    /// left out.
    pub fn metadata_of(&self, program: &Program) -> Points<Vec<(VariableId, IntrinsicValue)>> {
        self.metadata_of_pipe(program, "")
    }

    /// Returns the variables of one pipe of a program that the switch sets, as [`Architecture::metadata_of`] does. The
    /// names of the pipe's intrinsic metadata begin with `prefix` ([`crate::pipe_prefix`]).
    pub fn metadata_of_pipe(&self, program: &Program, prefix: &str) -> Points<Vec<(VariableId, IntrinsicValue)>> {
        let variable = |field: &str| program.intrinsic(&format!("{prefix}{field}"));
        self.metadata.map(|all| all.iter().filter_map(|one| Some((variable(one.field)?, one.value))).collect())
    }
}
