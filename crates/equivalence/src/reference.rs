//! The reference that a machine is compared with: the expected result of every packet.

use std::sync::Arc;

use basis::Instant;
use control::{Info, Request, Response};
use ir::Program;
use ir::interpret::Interpreter;
use machines::{Device, Edge};
use measure::Interest;
use node::{Offered, Reason};
use runtime::ProgramState;
use runtime::binding::Binding;
use wire::Packet;

use crate::ahead::Ahead;
use crate::difference::{Fate, RegisterDifference};
use crate::original::Original;
use crate::pairing;
use crate::replay::{Replay, ThreadReasons};
use crate::state;
use crate::tape::Tape;

/// A function that gives the requests of the control plane before the first packet arrives to whoever carries them out. Those
/// that are refused change nothing.
pub type ControlPlaneSetup<'w> = &'w dyn Fn(&mut dyn FnMut(&Request));

/// The meaning of a program. It processes packets one after the other, in order of arrival.
#[derive(Debug)]
pub struct Reference<'p> {
    program: &'p Program,
    /// The flat program, which determines the fields that a machine with pipelines reports.
    flat: Option<Flat>,
    /// The packet program, if there is one. It determines packets and state; the flat program then determines only
    /// fields.
    original: Option<Original>,
    /// What the switch of the packet program makes of the stream, if packets take time in it; `None` if they do not.
    ahead: Option<Ahead>,
    /// The threads of the program, which run again in the order of the machine, if it is a program of threads. It then
    /// determines packets and state.
    replay: Option<Box<Replay>>,
}

/// A flat program, with the edge that converts packets to fields.
#[derive(Debug)]
struct Flat {
    /// The conversion of packets to fields and back.
    edge: Box<dyn Edge>,
    interpreter: Interpreter,
    /// The values of all variables, for the current packet.
    values: Vec<u64>,
    fields: usize,
}

/// The expected result of one packet.
#[derive(Clone, Debug)]
pub struct Expected {
    /// Whether the program applies to the packet, as far as its fields tell.
    pub applies: bool,
    /// The fields on arrival, followed by the final fields; empty if the program does not apply.
    values: Box<[u64]>,
    /// The ends of the packet: one, or several if the program makes copies.
    pub ends: Vec<PacketEnd>,
}

/// The end of a packet or of one of its copies.
#[derive(Clone, Debug)]
pub struct PacketEnd {
    /// The fate of the packet.
    pub fate: Fate,
    /// The packet as it leaves or as it was dropped.
    pub packet: Packet,
    /// The reason why it was dropped, if known.
    pub reason: Option<Reason>,
}

impl<'p> Reference<'p> {
    /// Creates the reference of a flat program that [`ir::verify`] accepts and whose fields are bound to packets.
    /// Registers have their initial values.
    pub fn new(program: &'p Program, binding: &Binding) -> Self {
        let flat = Flat::new(program, Box::new(binding.clone()));
        Self { program, flat: Some(flat), original: None, ahead: None, replay: None }
    }

    /// Creates the reference of a packet program, for machines that do not report fields. `switch` must run `program`,
    /// and its control plane must already have made all initial requests.
    pub fn of_switch(program: &'p Arc<Program>, switch: Box<dyn Device>) -> Self {
        let original = Original::new(Arc::clone(program), switch);
        Self { program, flat: None, original: Some(original), ahead: None, replay: None }
    }

    /// Creates the reference of a packet program as [`Reference::of_switch`] does, for a switch in which packets take time. It
    /// gets the whole stream before the machine gets the first packet.
    pub fn of_timed_switch(program: &'p Arc<Program>, switch: Box<dyn Device>) -> Self {
        Self { ahead: Some(Ahead::default()), ..Self::of_switch(program, switch) }
    }

    /// Creates the reference of a program of threads: the interpreter, which runs the threads of a machine again in the order
    /// that the machine tells ([`machines::threads`]). It gets a whole run after the machine. `limit` is the greatest number of
    /// instructions of a thread, `reasons` are those for which packets are discarded because of their threads, and `write`
    /// gives it the requests of the control plane before the first packet.
    pub fn of_order(
        program: &'p Arc<Program>,
        info: &Arc<Info>,
        limit: u64,
        reasons: ThreadReasons,
        write: ControlPlaneSetup<'_>,
    ) -> Self {
        let mut replay = Replay::new(program, info, limit, reasons);
        write(&mut |request| _ = replay.execute(request));
        Self { program, flat: None, original: None, ahead: None, replay: Some(Box::new(replay)) }
    }

    /// Returns the events by which the machine tells its order, if the reference needs it.
    pub(crate) fn follows_order(&self) -> Option<Interest> {
        let interest = machines::threads::interest().and::<machines::blocks::Digest>();
        self.replay.is_some().then_some(interest)
    }

    /// Gives the reference the run of the machine whose order it follows, and says how many packets are still inside.
    pub(crate) fn repeat(&mut self, tape: &Tape, inside: u64) {
        let Some(replay) = &mut self.replay else { return };
        replay.repeat(tape);
        let Replay { ends, outside, reasons, .. } = &mut **replay;
        pairing::arrange(ends, tape, reasons, |sentence| outside.note(|| sentence));
        outside.compare(tape, inside, reasons);
    }

    /// Returns what differs beside packets that arrived and state, as sentences.
    pub(crate) fn other_differences(&self) -> Vec<String> {
        self.replay.as_ref().map_or_else(Vec::new, |replay| replay.outside.sentences())
    }

    /// Returns whether packets take time in the switch that defines the meaning, so that it must have the stream before.
    pub(crate) fn takes_time(&self) -> bool {
        self.ahead.is_some()
    }

    /// Gives the switch in which packets take time its whole stream, with requests at their times.
    pub(crate) fn run_ahead(&mut self, packets: &[Offered], requests: &[(Instant, Request)]) {
        if let (Some(original), Some(ahead)) = (&mut self.original, &mut self.ahead) {
            ahead.run(original.switch_mut(), packets, requests);
        }
    }

    /// Creates the reference of a packet program and of the flat program derived from it, which begins with the state
    /// `begun`.
    pub(crate) fn of_both(program: &'p Program, edge: Box<dyn Edge>, original: Original, begun: ProgramState) -> Self {
        let mut flat = Flat::new(program, edge);
        flat.set_tables(&begun);
        flat.interpreter.state_mut().registers = begun.registers;
        Self { program, flat: Some(flat), original: Some(original), ahead: None, replay: None }
    }

    /// Executes a control plane request, which affects all later packets.
    ///
    /// # Errors
    /// Returns the reason if the request is refused.
    pub fn execute(&mut self, request: &Request) -> Result<Response, control::Error> {
        if let Some(ahead) = &mut self.ahead {
            return ahead.take_response().unwrap_or(Ok(Response::Done));
        }
        if let Some(replay) = &mut self.replay {
            return replay.take_response().unwrap_or(Ok(Response::Done));
        }
        let Some(original) = &mut self.original else { return Ok(Response::Done) };
        let response = original.execute(request)?;
        if let Some(flat) = &mut self.flat {
            flat.set_tables(&original.state());
        }
        Ok(response)
    }

    /// Runs the program for the next packet in order of arrival; `sequence` is its index.
    pub fn packet(&mut self, sequence: u64, offered: &Offered) -> Expected {
        if let Some(ahead) = &mut self.ahead {
            return Expected { applies: false, values: Box::default(), ends: ahead.take_ends(sequence) };
        }
        if let Some(replay) = &mut self.replay {
            let ends = replay.ends.remove(&sequence).unwrap_or_default();
            return Expected { applies: false, values: Box::default(), ends };
        }
        let mut packet = offered.packet.clone();
        // Set what the machine will set: fields may be bound to the sidecar.
        packet.sidecar.id = sequence;
        packet.sidecar.arrival = offered.at;
        let original = self.original.as_mut().map(|original| original.packet(offered.at, offered.port, packet.clone()));
        let fields = self.flat.as_mut().and_then(|flat| flat.packet(offered, &mut packet));
        let applies = fields.is_some();
        let (values, fate) = fields.unwrap_or((Box::default(), Fate::Leaves { port: offered.port.0 }));
        let ends = original.unwrap_or_else(|| vec![PacketEnd { fate, packet, reason: None }]);
        Expected { applies, values, ends }
    }

    /// Calls `found` for each difference between the state of the program, as its author wrote it, and that of the
    /// machine.
    pub(crate) fn differences(&self, machine: &dyn Device, found: impl FnMut(RegisterDifference)) {
        let theirs = machine.state();
        if let Some(replay) = &self.replay {
            return state::differences(self.program, replay.state(), &theirs, found);
        }
        match (&self.original, &self.flat) {
            (Some(original), _) => state::differences(original.program(), &original.state(), &theirs, found),
            (None, Some(flat)) => state::differences(self.program, flat.interpreter.state(), &theirs, found),
            (None, None) => unreachable!("a reference has one of them"),
        }
    }

    /// Returns whether the reference determines fields, which machines with pipelines report.
    pub(crate) fn has_fields(&self) -> bool {
        self.flat.is_some()
    }

    /// Returns the program whose fields are compared.
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

    /// Replaces the tables of the flat program.
    fn set_tables(&mut self, tables: &ProgramState) {
        let state = self.interpreter.state_mut();
        state.tables.clone_from(&tables.tables);
        state.profiles.clone_from(&tables.profiles);
        self.edge.set_tables(&Arc::new(tables.clone()));
    }

    /// Runs the flat program. Returns the fields of the packet before and after, and its fate, or `None` if the program
    /// does not apply.
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
    /// Returns the fields on arrival.
    pub fn arrived(&self) -> &[u64] {
        &self.values[..self.values.len() / 2]
    }

    /// Returns the final fields.
    pub fn fields(&self) -> &[u64] {
        &self.values[self.values.len() / 2..]
    }
}
