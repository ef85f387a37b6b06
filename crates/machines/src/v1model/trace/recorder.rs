//! Writes down what happens, by number; names are for later.

use basis::Instant;
use ir::interpret::{Ending, Observer, Request};
use ir::parser::StateId;
use ir::{ErrorId, FunctionId, HeaderId, ParserId, Program, RegisterId, TableId, VariableId};
use node::{Port, Reason};
use runtime::Bits;
use runtime::tables::{EntryHandle, Target};

use super::build;
use super::tree::{Origin, Trace};

/// Something that happened, by number.
#[derive(Clone, Debug)]
pub(super) enum Noted {
    Begin(&'static str),
    End(Ending),
    State(ParserId, StateId),
    Extract { header: HeaderId, from: usize, bits: usize },
    Apply { table: TableId, keys: Vec<Bits>, entry: Option<EntryHandle>, target: Target },
    Enter(FunctionId),
    Leave,
    Change { variable: VariableId, old: Bits, new: Bits },
    Validity(HeaderId, bool),
    Register(RegisterId, usize),
    Emit(HeaderId, usize),
    Log(String),
    Ask(Request),
    Multicast(u32),
    Queue { port: u64, instance: u64 },
    Fork(usize),
    Transmit { port: u32, length: usize, bytes: Vec<u8> },
    Discard(Reason),
}

/// A packet from where it begins to where it ends.
#[derive(Clone, Debug)]
pub(super) struct Noting {
    pub(super) origin: Origin,
    pub(super) bytes: Vec<u8>,
    pub(super) notes: Vec<Noted>,
}

/// Writes down what happens to one packet that came in and to all that it becomes, and keeps the traces.
#[derive(Clone, Debug, Default)]
pub(in crate::v1model) struct Recorder {
    packet: u64,
    time: u64,
    port: u16,
    passes: Vec<Noting>,
    /// Which of them is told about.
    current: usize,
    traces: Vec<Trace>,
}

impl Recorder {
    /// A packet came in.
    pub(in crate::v1model) fn arrive(&mut self, now: Instant, port: Port, packet: u64, bytes: &[u8]) -> usize {
        (self.packet, self.time, self.port) = (packet, now.picoseconds(), port.0);
        self.passes.clear();
        self.add(Origin::Arrival, bytes)
    }

    /// Another packet begins where this one is.
    pub(in crate::v1model) fn fork(&mut self, pass: usize, origin: Origin, bytes: &[u8]) -> usize {
        let child = self.passes.len();
        self.select(pass);
        self.note(Noted::Fork(child));
        self.add(origin, bytes)
    }

    /// What is told from here on is about this packet.
    pub(in crate::v1model) fn select(&mut self, pass: usize) {
        self.current = pass;
    }

    /// A block begins.
    pub(in crate::v1model) fn begin(&mut self, pass: usize, block: &'static str) {
        self.select(pass);
        self.note(Noted::Begin(block));
    }

    /// That block ended, and asked for this.
    pub(in crate::v1model) fn end(&mut self, requests: &[Request], ending: Ending) {
        requests.iter().for_each(|request| self.note(Noted::Ask(request.clone())));
        self.note(Noted::End(ending));
    }

    /// Copies are made for a multicast group.
    pub(in crate::v1model) fn multicast(&mut self, group: u32) {
        self.note(Noted::Multicast(group));
    }

    /// The packet goes into the queue of a port.
    pub(in crate::v1model) fn queued(&mut self, port: u64, instance: u64) {
        self.note(Noted::Queue { port, instance });
    }

    /// The packet left.
    pub(in crate::v1model) fn transmitted(&mut self, port: u32, bytes: &[u8], length: usize) {
        self.note(Noted::Transmit { port, length, bytes: bytes.to_vec() });
    }

    /// The packet goes no further.
    pub(in crate::v1model) fn discarded(&mut self, reason: Reason) {
        self.note(Noted::Discard(reason));
    }

    /// All that the packet became is done.
    pub(in crate::v1model) fn finish(&mut self, program: &Program, state: &runtime::State) {
        let passes = std::mem::take(&mut self.passes);
        let pass = build::pass(program, state, passes);
        self.traces.push(Trace { packet: self.packet, time: self.time, port: self.port, pass });
    }

    /// The traces since the last call.
    pub(in crate::v1model) fn take(&mut self) -> Vec<Trace> {
        std::mem::take(&mut self.traces)
    }

    fn add(&mut self, origin: Origin, bytes: &[u8]) -> usize {
        self.passes.push(Noting { origin, bytes: bytes.to_vec(), notes: Vec::new() });
        self.current = self.passes.len() - 1;
        self.current
    }

    fn note(&mut self, noted: Noted) {
        self.passes[self.current].notes.push(noted);
    }
}

impl Observer for Recorder {
    fn register(&mut self, register: RegisterId, place: usize) {
        self.note(Noted::Register(register, place));
    }

    fn parser_state(&mut self, parser: ParserId, state: StateId) {
        self.note(Noted::State(parser, state));
    }

    fn extracted(&mut self, header: HeaderId, from: usize, bits: usize) {
        self.note(Noted::Extract { header, from, bits });
    }

    fn emitted(&mut self, header: HeaderId, bits: usize) {
        self.note(Noted::Emit(header, bits));
    }

    // How the block ended says it.
    fn rejected(&mut self, _parser: ParserId, _error: ErrorId) {}

    fn validity(&mut self, header: HeaderId, valid: bool) {
        self.note(Noted::Validity(header, valid));
    }

    fn changed(&mut self, variable: VariableId, old: &Bits, new: &Bits) {
        self.note(Noted::Change { variable, old: old.clone(), new: new.clone() });
    }

    fn applied(&mut self, table: TableId, keys: &[Bits], entry: Option<EntryHandle>, target: &Target) {
        self.note(Noted::Apply { table, keys: keys.to_vec(), entry, target: target.clone() });
    }

    fn entered(&mut self, function: FunctionId) {
        self.note(Noted::Enter(function));
    }

    fn left(&mut self, _function: FunctionId) {
        self.note(Noted::Leave);
    }

    fn logged(&mut self, text: &str) {
        self.note(Noted::Log(text.to_owned()));
    }
}
