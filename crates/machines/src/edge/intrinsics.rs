//! What a machine knows of a packet when it arrives, and how it tells the program.

use arch::{Architecture, Instance, Value};
use basis::Instant;
use ir::interpret::Packet;
use ir::{ErrorId, Program, VariableId};

/// What a machine knows of a packet that arrives.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrival {
    pub(super) port: u16,
    /// In bytes.
    pub(super) length: u64,
    pub(super) at: Instant,
}

/// The intrinsic variables of a parser.
#[derive(Clone, Debug)]
pub(super) struct Intrinsics {
    architecture: &'static Architecture,
    before_parser: Vec<(VariableId, Value)>,
    after_parser: Vec<(VariableId, Value)>,
}

impl Intrinsics {
    pub(super) fn of(architecture: &'static Architecture, program: &Program) -> Self {
        let told = architecture.told_to(program);
        Self { architecture, before_parser: told.before_parser, after_parser: told.after_parser }
    }

    /// Tells a packet what the machine knows of it before the parser.
    pub(super) fn before_parser(&self, program: &Program, packet: &mut Packet, arrival: Arrival) {
        self.tell(&self.before_parser, program, packet, arrival, ErrorId::NO_ERROR);
    }

    /// Tells a packet what the machine knows of it when the parser has ended with an error or without one.
    pub(super) fn after_parser(&self, program: &Program, packet: &mut Packet, arrival: Arrival, error: ErrorId) {
        self.tell(&self.after_parser, program, packet, arrival, error);
    }

    fn tell(
        &self,
        told: &[(VariableId, Value)],
        program: &Program,
        packet: &mut Packet,
        arrival: Arrival,
        error: ErrorId,
    ) {
        for &(variable, value) in told {
            let value = match value {
                Value::ArrivalPort => arrival.port.into(),
                Value::Length => arrival.length,
                Value::Time => arrival.at.microseconds(),
                Value::Instance => self.architecture.instance(Instance::Normal),
                Value::ParserError => error.0.into(),
                Value::Constant(value) => value,
                // What is only known behind the parser, the pipeline computes itself.
                Value::DeparturePort
                | Value::LengthInEgress
                | Value::QueueDepth
                | Value::QueueTime
                | Value::AfterDropPort => 0,
            };
            packet.set(program, variable, value);
        }
    }
}
