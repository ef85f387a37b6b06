//! Writes down what happens, by number; names are for later.

use std::collections::BTreeMap;

use basis::Instant;
use ir::interpret::Ending;
use ir::{Program, VariableId};
use node::{Port, Reason};
use runtime::Bits;

use super::build;
use super::notes::{Begins, Noted, Noting};
use super::parts::More;
use super::tree::{Origin, Step, Trace};

/// How many steps of a block are written down for a packet; the others are counted. Only a loop that does not end, or
/// nearly so, has more.
const STEPS: u64 = 1000;
/// How many rounds are written down that lie inside each other; the others are counted.
const ROUNDS: u32 = 8;
/// How many packets are written down that come of one; the others are counted.
const PACKETS: usize = 256;

/// Writes down what happens to one packet that came in and to all that it becomes, and keeps the traces.
#[derive(Clone, Debug)]
pub struct Recorder {
    /// By variable: the validity of the header whose field it is.
    validity: Vec<Option<VariableId>>,
    packet: u64,
    time: u64,
    port: u16,
    passes: Vec<Noting>,
    /// Which of them is told about.
    current: usize,
    /// How many steps of the block there were.
    steps: u64,
    /// The variables that were changed by steps which are not written down, with their last values.
    changed: BTreeMap<VariableId, Bits>,
    traces: Vec<Trace>,
}

impl Recorder {
    /// Has nothing to tell yet.
    pub(crate) fn new(program: &Program) -> Self {
        let mut validity = vec![None; program.variables.len()];
        for header in &program.headers {
            header.fields.iter().for_each(|field| validity[field.variable.index()] = Some(header.valid));
        }
        Self {
            validity,
            packet: 0,
            time: 0,
            port: 0,
            passes: Vec::new(),
            current: 0,
            steps: 0,
            changed: BTreeMap::new(),
            traces: Vec::new(),
        }
    }

    /// A packet came in.
    pub(crate) fn arrive(&mut self, now: Instant, port: Port, packet: u64, begins: Begins<'_>) -> usize {
        (self.packet, self.time, self.port) = (packet, now.picoseconds(), port.0);
        self.passes.clear();
        self.add(Noting::new(Origin::Arrival, begins, 0))
    }

    /// Another packet begins where this one is.
    pub(crate) fn fork(&mut self, pass: usize, origin: Origin, begins: Begins<'_>) -> usize {
        let is_round = matches!(origin, Origin::Resubmitted | Origin::Recirculated | Origin::EgressClone { .. });
        self.select(pass);
        let around = &self.passes[pass];
        let round = around.round + u32::from(is_round);
        let rest = match around.more {
            Some(_) => Some(pass),
            None => around.rest,
        };
        if rest.is_none() && round <= ROUNDS && self.passes.len() < PACKETS {
            self.note(Noted::Fork(self.passes.len()));
            return self.add(Noting::new(origin, begins, round));
        }
        let rest = rest.unwrap_or_else(|| self.rest(pass, origin));
        if let Some(more) = &mut self.passes[rest].more {
            more.packets += 1;
            more.only_rounds &= is_round;
        }
        self.select(rest);
        rest
    }

    /// What is told from here on is about this packet.
    pub(crate) fn select(&mut self, pass: usize) {
        self.current = pass;
    }

    /// A block begins.
    pub(crate) fn begin(&mut self, pass: usize, block: &'static str) {
        self.select(pass);
        self.steps = 0;
        self.note(Noted::Begin(block));
    }

    /// That block ended.
    pub(crate) fn end(&mut self, ending: Ending) {
        if self.steps > STEPS {
            let changed = std::mem::take(&mut self.changed);
            self.note(Noted::Omit(self.steps - STEPS, changed));
        }
        self.note(Noted::End(ending));
    }

    /// Something that already has its names happened to the packet.
    pub(crate) fn step(&mut self, step: Step) {
        self.note(Noted::Named(Box::new(step)));
    }

    /// What the packet asked for is not there where it asked.
    pub(crate) fn ignored(&mut self, request: &'static str) {
        self.note(Noted::Ignore(request));
    }

    /// Copies are made for a multicast group.
    pub(crate) fn multicast(&mut self, group: u32) {
        self.note(Noted::Multicast(group));
    }

    /// The packet goes into the queue of a port.
    pub(crate) fn queued(&mut self, port: u64, instance: u64) {
        self.note(Noted::Queue { port, instance });
    }

    /// The packet left.
    pub(crate) fn transmitted(&mut self, port: u32, bytes: &[u8], length: usize) {
        self.ended(|| format!("transmitted on port {port}"));
        self.note(Noted::Transmit { port, length, bytes: bytes.to_vec() });
    }

    /// The packet goes no further; for some reasons there is more to say.
    pub(crate) fn discarded(&mut self, reason: Reason, detail: Option<String>) {
        self.ended(|| format!("discarded: {reason}"));
        self.note(Noted::Discard(reason, detail));
    }

    /// All that the packet became is done.
    pub(crate) fn finish(&mut self, program: &Program, state: &runtime::State) {
        let passes = std::mem::take(&mut self.passes);
        let pass = build::pass(program, state, passes);
        self.traces.push(Trace { packet: self.packet, time: self.time, port: self.port, pass });
    }

    /// The traces since the last call.
    pub(crate) fn take(&mut self) -> Vec<Trace> {
        std::mem::take(&mut self.traces)
    }

    /// A step of a block.
    pub(super) fn observe(&mut self, noted: impl FnOnce(&[Option<VariableId>]) -> Noted) {
        self.steps += 1;
        if self.steps <= STEPS && self.passes[self.current].more.is_none() {
            let noted = noted(&self.validity);
            self.note(noted);
        }
    }

    /// A variable has another value.
    pub(super) fn change(&mut self, variable: VariableId, old: &Bits, new: &Bits) {
        if self.steps >= STEPS {
            // What it is given later may be told.
            self.changed.insert(variable, new.clone());
        }
        self.observe(|_| Noted::Change { variable, old: old.clone(), new: new.clone() });
    }

    fn add(&mut self, noting: Noting) -> usize {
        self.passes.push(noting);
        self.current = self.passes.len() - 1;
        self.current
    }

    /// Makes a place for all other packets that come of one.
    fn rest(&mut self, pass: usize, origin: Origin) -> usize {
        let rest = self.passes.len();
        self.note(Noted::Fork(rest));
        self.passes[pass].rest = Some(rest);
        let more = Some(More { only_rounds: true, ..More::default() });
        self.add(Noting { more, ..Noting::new(origin, Begins::default(), 0) })
    }

    /// One of the packets that are only counted ended.
    fn ended(&mut self, how: impl FnOnce() -> String) {
        if let Some(more) = &mut self.passes[self.current].more {
            *more.ends.entry(how()).or_default() += 1;
        }
    }

    fn note(&mut self, noted: Noted) {
        let pass = &mut self.passes[self.current];
        if pass.more.is_none() {
            pass.notes.push(noted);
        }
    }
}
