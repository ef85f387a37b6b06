//! The meaning beside the machine: what every packet must become.

use ir::Program;
use ir::interpret::Interpreter;
use machines::{Device, Edge};
use node::Offered;
use runtime::State;
use runtime::binding::Binding;
use wire::Packet;

use crate::difference::{Fate, RegisterDifference};
use crate::original::Original;
use crate::state;

/// Runs the program on packets in their order of arrival, one after the other: what they mean.
#[derive(Debug)]
pub struct Reference<'p> {
    program: &'p Program,
    /// From packets to fields, and back.
    edge: Box<dyn Edge>,
    interpreter: Interpreter,
    /// A value for each variable, for the packet at hand.
    values: Vec<u64>,
    fields: usize,
    /// The packet program that the flat one was made of, if it was: it says what becomes of packets and state, and the
    /// flat one what is seen of that in fields.
    original: Option<Original>,
}

/// What one packet must become.
#[derive(Clone, Debug)]
pub struct Expected {
    /// True if the program applies to the packet.
    pub applies: bool,
    /// The fields when it arrived, then when the program is through; none if the program does not apply to it.
    values: Box<[u64]>,
    /// What becomes of it.
    pub fate: Fate,
    /// The packet as it leaves.
    pub packet: Packet,
}

impl<'p> Reference<'p> {
    /// A flat program, verified by [`ir::verify`], with its registers at their first values, whose fields bind to
    /// packets.
    pub fn new(program: &'p Program, binding: &Binding) -> Self {
        Self::of(program, Box::new(binding.clone()), None)
    }

    pub(crate) fn of(program: &'p Program, edge: Box<dyn Edge>, original: Option<Original>) -> Self {
        Self {
            program,
            edge,
            interpreter: Interpreter::new(program),
            values: vec![0; program.variables.len()],
            fields: program.fields().count(),
            original,
        }
    }

    /// The flat program begins with these registers, and finds in these tables.
    pub(crate) fn begin_with(&mut self, begun: State) {
        let state = self.interpreter.state_mut();
        state.registers = begun.registers;
        state.tables = begun.tables;
        state.profiles = begun.profiles;
    }

    /// Runs the program for the next packet in the order of arrival, of which `sequence` is its place.
    pub fn packet(&mut self, sequence: u64, offered: &Offered) -> Expected {
        let mut packet = offered.packet.clone();
        // As the machine will find it: fields may be bound to what travels beside the bytes.
        packet.sidecar.id = sequence;
        packet.sidecar.arrival = offered.at;
        let original = self.original.as_mut().map(|original| original.packet(offered.at, offered.port, packet.clone()));
        let values = self.fields(offered, &mut packet);
        let expected = match values {
            Some((values, fate)) => Expected { applies: true, values, fate, packet },
            None => {
                let fate = Fate::Leaves { port: offered.port.0 };
                Expected { applies: false, values: Box::default(), fate, packet }
            }
        };
        match original {
            Some((fate, packet)) => Expected { fate, packet, ..expected },
            None => expected,
        }
    }

    /// The fields of a packet before and after, and what the flat program makes of it; `None` if it does not apply.
    fn fields(&mut self, offered: &Offered, packet: &mut Packet) -> Option<(Box<[u64]>, Fate)> {
        let is_port = self.edge.ports().is_none_or(|ports| u32::from(offered.port.0) < ports);
        self.values.fill(0);
        if !is_port || !self.edge.load(packet, offered.port.0, offered.at, &mut self.values) {
            return None;
        }
        let mut both = Vec::with_capacity(2 * self.fields);
        both.extend_from_slice(&self.values[..self.fields]);
        self.interpreter.packet(&mut self.values);
        both.extend_from_slice(&self.values[..self.fields]);
        let departure = self.edge.store(&self.values[..self.fields], packet, Some(self.interpreter.state_mut()));
        let fate = if departure.drop {
            Fate::Dropped
        } else {
            Fate::Leaves { port: departure.port.unwrap_or(offered.port.0) }
        };
        Some((both.into(), fate))
    }

    /// Calls `found` for everything in the state of the program, as it was written, that is otherwise on a machine.
    pub(crate) fn differences(&self, machine: &dyn Device, found: impl FnMut(RegisterDifference)) {
        let theirs = machine.state();
        match &self.original {
            Some(original) => state::differences(original.program(), &original.state(), &theirs, found),
            None => state::differences(self.program, self.interpreter.state(), &theirs, found),
        }
    }

    /// What is being run: the flat program.
    pub fn program(&self) -> &'p Program {
        self.program
    }
}

impl Expected {
    /// The fields when it arrived.
    pub fn arrived(&self) -> &[u64] {
        &self.values[..self.values.len() / 2]
    }

    /// The fields when the program is through.
    pub fn fields(&self) -> &[u64] {
        &self.values[self.values.len() / 2..]
    }
}
