//! The interpreter beside the machine: what every packet must become.

use ir::Program;
use ir::interpret::Interpreter;
use node::Offered;
use runtime::RegisterFile;
use runtime::binding::Binding;
use wire::Packet;

use crate::difference::Fate;

/// Runs the program on packets in their order of arrival, one after the other: what they mean.
#[derive(Debug)]
pub struct Reference<'p> {
    program: &'p Program,
    binding: &'p Binding,
    interpreter: Interpreter,
    /// A value for each variable, for the packet at hand.
    values: Vec<u64>,
    fields: usize,
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
    /// A program, verified by [`ir::verify`], with its registers at their first values.
    pub fn new(program: &'p Program, binding: &'p Binding) -> Self {
        Self {
            program,
            binding,
            interpreter: Interpreter::new(program),
            values: vec![0; program.variables.len()],
            fields: program.fields().count(),
        }
    }

    /// Runs the program for the next packet in the order of arrival, of which `sequence` is its place.
    pub fn packet(&mut self, sequence: u64, offered: &Offered) -> Expected {
        let mut packet = offered.packet.clone();
        // As the machine will find it: fields may be bound to what travels beside the bytes.
        packet.sidecar.id = sequence;
        packet.sidecar.arrival = offered.at;
        if !self.binding.load(&packet, offered.port.0, &mut self.values) {
            let fate = Fate::Leaves { port: offered.port.0 };
            return Expected { applies: false, values: Box::default(), fate, packet };
        }
        let mut both = Vec::with_capacity(2 * self.fields);
        both.extend_from_slice(&self.values[..self.fields]);
        self.interpreter.packet(&mut self.values);
        both.extend_from_slice(&self.values[..self.fields]);
        let departure = self.binding.store(&self.values, &mut packet);
        let fate = if departure.drop {
            Fate::Dropped
        } else {
            Fate::Leaves { port: departure.port.unwrap_or(offered.port.0) }
        };
        Expected { applies: true, values: both.into(), fate, packet }
    }

    /// The values of the registers after the packets so far.
    pub fn registers(&self) -> &RegisterFile {
        self.interpreter.registers()
    }

    /// What is being run.
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
