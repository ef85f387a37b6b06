//! The meaning beside the machine: what every packet must become.

use std::sync::Arc;

use control::{Request, Response};
use ir::Program;
use ir::interpret::{Interpreter, PacketInterpreter};
use machines::v1model::Switch;
use machines::{Device, Edge};
use node::{Offered, Reason};
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
    /// What a machine with pipelines sees of the packets: the fields of a flat program.
    flat: Option<Flat>,
    /// The packet program, if it is one: it says what becomes of packets and state, and the flat one what is seen of
    /// that in fields.
    original: Option<Original>,
}

/// A flat program, its fields and how they are told from packets.
#[derive(Debug)]
struct Flat {
    /// From packets to fields, and back.
    edge: Box<dyn Edge>,
    interpreter: Interpreter,
    /// A value for each variable, for the packet at hand.
    values: Vec<u64>,
    fields: usize,
}

/// What one packet must become.
#[derive(Clone, Debug)]
pub struct Expected {
    /// True if the program applies to the packet, as far as its fields say.
    pub applies: bool,
    /// The fields when it arrived, then when the program is through; none if the program does not apply to it.
    values: Box<[u64]>,
    /// What becomes of it: one end, or several if the program makes copies.
    pub ends: Vec<End>,
}

/// How one packet, or one copy of it, ends its way.
#[derive(Clone, Debug)]
pub struct End {
    /// What becomes of it.
    pub fate: Fate,
    /// The packet as it leaves, or as it was dropped.
    pub packet: Packet,
    /// Why it was dropped, where that is known.
    pub reason: Option<Reason>,
}

impl<'p> Reference<'p> {
    /// A flat program, verified by [`ir::verify`], with its registers at their first values, whose fields bind to
    /// packets.
    pub fn new(program: &'p Program, binding: &Binding) -> Self {
        Self { program, flat: Some(Flat::new(program, Box::new(binding.clone()))), original: None }
    }

    /// A packet program on `switch`, whose control plane has written what it wants to: for machines that tell nothing of
    /// fields. `program` is what the switch runs.
    pub fn of_switch(program: &'p Program, switch: Switch<PacketInterpreter>) -> Self {
        Self { program, flat: None, original: Some(Original::new(switch)) }
    }

    /// A packet program, and beside it the flat one that was made of it, which begins with this state.
    pub(crate) fn of_both(program: &'p Program, edge: Box<dyn Edge>, original: Original, begun: State) -> Self {
        let mut flat = Flat::new(program, edge);
        flat.set_tables(&begun);
        flat.interpreter.state_mut().registers = begun.registers;
        Self { program, flat: Some(flat), original: Some(original) }
    }

    /// Asks for something as the control plane does; packets from now on see it.
    ///
    /// # Errors
    /// Why the request is refused.
    pub fn execute(&mut self, request: &Request) -> Result<Response, control::Error> {
        let Some(original) = &mut self.original else { return Ok(Response::Done) };
        let response = original.execute(request)?;
        if let Some(flat) = &mut self.flat {
            flat.set_tables(&original.state());
        }
        Ok(response)
    }

    /// Runs the program for the next packet in the order of arrival, of which `sequence` is its place.
    pub fn packet(&mut self, sequence: u64, offered: &Offered) -> Expected {
        let mut packet = offered.packet.clone();
        // As the machine will find it: fields may be bound to what travels beside the bytes.
        packet.sidecar.id = sequence;
        packet.sidecar.arrival = offered.at;
        let original = self.original.as_mut().map(|original| original.packet(offered.at, offered.port, packet.clone()));
        let fields = self.flat.as_mut().and_then(|flat| flat.packet(offered, &mut packet));
        let applies = fields.is_some();
        let (values, fate) = fields.unwrap_or((Box::default(), Fate::Leaves { port: offered.port.0 }));
        let ends = original.unwrap_or_else(|| vec![End { fate, packet, reason: None }]);
        Expected { applies, values, ends }
    }

    /// Calls `found` for everything in the state of the program, as it was written, that is otherwise on a machine.
    pub(crate) fn differences(&self, machine: &dyn Device, found: impl FnMut(RegisterDifference)) {
        let theirs = machine.state();
        match (&self.original, &self.flat) {
            (Some(original), _) => state::differences(original.program(), &original.state(), &theirs, found),
            (None, Some(flat)) => state::differences(self.program, flat.interpreter.state(), &theirs, found),
            (None, None) => unreachable!("a reference has one of them"),
        }
    }

    /// True if it says what becomes of fields, which a machine with pipelines tells.
    pub(crate) fn has_fields(&self) -> bool {
        self.flat.is_some()
    }

    /// The program whose fields are compared.
    pub fn program(&self) -> &'p Program {
        self.program
    }
}

impl Flat {
    fn new(program: &Program, edge: Box<dyn Edge>) -> Self {
        Self {
            edge,
            interpreter: Interpreter::new(program),
            values: vec![0; program.variables.len()],
            fields: program.fields().count(),
        }
    }

    /// The flat program finds in these tables from now on.
    fn set_tables(&mut self, tables: &State) {
        let state = self.interpreter.state_mut();
        state.tables.clone_from(&tables.tables);
        state.profiles.clone_from(&tables.profiles);
        self.edge.set_tables(&Arc::new(tables.clone()));
    }

    /// The fields of a packet before and after, and what the program makes of it; `None` if it does not apply.
    fn packet(&mut self, offered: &Offered, packet: &mut Packet) -> Option<(Box<[u64]>, Fate)> {
        let is_port = self.edge.ports().is_none_or(|ports| u32::from(offered.port.0) < ports);
        self.values.fill(0);
        if !is_port || !self.edge.load(packet, offered.port.0, offered.at, &mut self.values, None) {
            return None;
        }
        let mut both = Vec::with_capacity(2 * self.fields);
        both.extend_from_slice(&self.values[..self.fields]);
        self.interpreter.packet(&mut self.values);
        both.extend_from_slice(&self.values[..self.fields]);
        let departure = self.edge.store(&self.values[..self.fields], packet, Some(self.interpreter.state_mut()), None);
        let fate = if departure.drop {
            Fate::Dropped
        } else {
            Fate::Leaves { port: departure.port.unwrap_or(offered.port.0) }
        };
        Some((both.into(), fate))
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
