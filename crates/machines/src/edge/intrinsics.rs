//! What a machine knows of a packet when it arrives, by the names of v1model.

use basis::Instant;
use ir::interpret::Packet;
use ir::{Program, VariableId};

use crate::v1model::instance_type;

/// What a machine knows of a packet that arrives.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrival {
    pub(super) port: u16,
    /// In bytes.
    pub(super) length: u64,
    pub(super) at: Instant,
}

/// One of the things that it knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fact {
    Port,
    Length,
    Time,
    InstanceType,
}

impl Fact {
    /// The fact that the variable of a name holds before the parser begins, as the v1model switch has it
    /// (`v1model.p4`, `standard_metadata_t`); the others are 0 then.
    fn before_parser(name: &str) -> Option<Self> {
        match name {
            "ingress_port" => Some(Self::Port),
            "packet_length" => Some(Self::Length),
            "ingress_global_timestamp" => Some(Self::Time),
            "instance_type" => Some(Self::InstanceType),
            _ => None,
        }
    }

    /// Its value.
    pub(super) fn of(self, arrival: Arrival) -> u64 {
        match self {
            Self::Port => arrival.port.into(),
            Self::Length => arrival.length,
            // BMv2's unit, which `v1model.p4` gives too.
            Self::Time => arrival.at.microseconds(),
            Self::InstanceType => instance_type::NORMAL,
        }
    }
}

/// The intrinsic variables of a parser.
#[derive(Clone, Debug)]
pub(super) struct Intrinsics {
    facts: Vec<(VariableId, Fact)>,
    /// What the parser ended with.
    pub(super) parser_error: Option<VariableId>,
}

impl Intrinsics {
    pub(super) fn of(program: &Program) -> Self {
        let known = program.intrinsics.iter();
        let facts = known.filter_map(|(name, variable)| Some((*variable, Fact::before_parser(name)?))).collect();
        let error = program.intrinsics.iter().find(|(name, _)| name == "parser_error");
        Self { facts, parser_error: error.map(|&(_, variable)| variable) }
    }

    /// Tells a packet what the machine knows of it.
    pub(super) fn tell(&self, program: &Program, packet: &mut Packet, arrival: Arrival) {
        for &(variable, fact) in &self.facts {
            packet.set(program, variable, fact.of(arrival));
        }
    }
}
