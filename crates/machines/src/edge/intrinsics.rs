//! The intrinsic metadata of arriving packets, and how the program receives it.

use arch::{Architecture, Instance, IntrinsicValue};
use basis::Instant;
use ir::interpret::Packet;
use ir::{ErrorId, Program, VariableId};

/// The properties of an arriving packet that the machine knows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrival {
    pub(super) port: u16,
    /// The length of the packet in bytes.
    pub(super) length: u64,
    pub(super) at: Instant,
}

/// The intrinsic variables that are set before and after a parser.
#[derive(Clone, Debug)]
pub(super) struct Intrinsics {
    architecture: &'static Architecture,
    before_parser: Vec<(VariableId, IntrinsicValue)>,
    after_parser: Vec<(VariableId, IntrinsicValue)>,
}

impl Intrinsics {
    pub(super) fn of(architecture: &'static Architecture, program: &Program) -> Self {
        let metadata = architecture.metadata_of(program);
        Self { architecture, before_parser: metadata.before_parser, after_parser: metadata.after_parser }
    }

    /// Sets the intrinsic variables of a packet before the parser runs.
    pub(super) fn before_parser(&self, program: &Program, packet: &mut Packet, arrival: Arrival) {
        self.assign_metadata(&self.before_parser, program, packet, arrival, ErrorId::NO_ERROR);
    }

    /// Sets the intrinsic variables of a packet after the parser has ended with `error`, which may be no error.
    pub(super) fn after_parser(&self, program: &Program, packet: &mut Packet, arrival: Arrival, error: ErrorId) {
        self.assign_metadata(&self.after_parser, program, packet, arrival, error);
    }

    fn assign_metadata(
        &self,
        assignments: &[(VariableId, IntrinsicValue)],
        program: &Program,
        packet: &mut Packet,
        arrival: Arrival,
        error: ErrorId,
    ) {
        for &(variable, value) in assignments {
            let value = match value {
                IntrinsicValue::ArrivalPort => arrival.port.into(),
                IntrinsicValue::Length => arrival.length,
                IntrinsicValue::Time => arrival.at.microseconds(),
                IntrinsicValue::Instance => self.architecture.instance(Instance::Normal),
                IntrinsicValue::ParserError => error.0.into(),
                IntrinsicValue::Constant(value) => value,
                // The pipeline itself computes what is known only after the parser.
                IntrinsicValue::DeparturePort
                | IntrinsicValue::LengthInEgress
                | IntrinsicValue::QueueDepth
                | IntrinsicValue::Nanoseconds
                | IntrinsicValue::ParserErrorBits(_)
                | IntrinsicValue::QueueTime
                | IntrinsicValue::AfterDropPort => 0,
            };
            packet.set(program, variable, value);
        }
    }
}
