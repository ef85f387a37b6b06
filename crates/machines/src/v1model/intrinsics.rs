//! What the switch tells the program of a packet, and what it is told by it.

use ir::{Program, VariableId};
use runtime::arithmetic;

use super::frame::Frame;
use super::reads::Reads;

/// A field of `standard_metadata`, if the program has it, with the greatest value that 64 bits of it can have.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Intrinsic(pub(super) Option<(VariableId, u64)>);

/// The fields of `standard_metadata` that the switch sets or reads. `checksum_error` is the program's, whose
/// `verify_checksum` sets it; `priority` is nobody's, for ports have one queue.
#[derive(Debug)]
pub(super) struct Intrinsics {
    pub(super) ingress_port: Intrinsic,
    pub(super) egress_spec: Intrinsic,
    pub(super) egress_port: Intrinsic,
    pub(super) instance_type: Intrinsic,
    pub(super) packet_length: Intrinsic,
    pub(super) enq_timestamp: Intrinsic,
    pub(super) enq_qdepth: Intrinsic,
    pub(super) deq_timedelta: Intrinsic,
    pub(super) deq_qdepth: Intrinsic,
    pub(super) ingress_global_timestamp: Intrinsic,
    pub(super) egress_global_timestamp: Intrinsic,
    pub(super) mcast_grp: Intrinsic,
    pub(super) egress_rid: Intrinsic,
    pub(super) parser_error: Intrinsic,
}

impl Intrinsic {
    /// Gives it a value, which its type cuts.
    pub(super) fn set(self, packet: &mut impl Frame, value: u64) {
        if let Some((variable, greatest)) = self.0 {
            packet.set(variable, value & greatest);
        }
    }

    /// Its value; 0 if the program does not have it.
    pub(super) fn get(self, packet: &impl Frame) -> u64 {
        self.0.map_or(0, |(variable, _)| packet.low(variable))
    }

    /// The greatest value that it can have, of 64 bits.
    pub(super) fn greatest(self) -> u64 {
        self.0.map_or(u64::MAX, |(_, greatest)| greatest)
    }
}

impl Intrinsics {
    /// All that a program has.
    pub(super) fn new(program: &Program) -> Self {
        let named = |name: &str| {
            let found = program.intrinsics.iter().find(|(known, _)| known == name);
            let greatest = |variable| arithmetic::mask(program.variable(variable).ty.width().min(64));
            Intrinsic(found.map(|&(_, variable)| (variable, greatest(variable))))
        };
        Self {
            ingress_port: named("ingress_port"),
            egress_spec: named("egress_spec"),
            egress_port: named("egress_port"),
            instance_type: named("instance_type"),
            packet_length: named("packet_length"),
            enq_timestamp: named("enq_timestamp"),
            enq_qdepth: named("enq_qdepth"),
            deq_timedelta: named("deq_timedelta"),
            deq_qdepth: named("deq_qdepth"),
            ingress_global_timestamp: named("ingress_global_timestamp"),
            egress_global_timestamp: named("egress_global_timestamp"),
            mcast_grp: named("mcast_grp"),
            egress_rid: named("egress_rid"),
            parser_error: named("parser_error"),
        }
    }

    /// Those that the program reads, or the switch itself: nobody sees what the others are.
    pub(super) fn of_interest(&self, reads: &Reads<'_>) -> Self {
        let read = |intrinsic: Intrinsic| Intrinsic(intrinsic.0.filter(|&(variable, _)| reads.has(variable)));
        Self {
            ingress_port: read(self.ingress_port),
            egress_spec: self.egress_spec,
            egress_port: read(self.egress_port),
            instance_type: read(self.instance_type),
            packet_length: read(self.packet_length),
            enq_timestamp: read(self.enq_timestamp),
            enq_qdepth: read(self.enq_qdepth),
            deq_timedelta: read(self.deq_timedelta),
            deq_qdepth: read(self.deq_qdepth),
            ingress_global_timestamp: read(self.ingress_global_timestamp),
            egress_global_timestamp: read(self.egress_global_timestamp),
            mcast_grp: self.mcast_grp,
            egress_rid: self.egress_rid,
            parser_error: read(self.parser_error),
        }
    }
}
