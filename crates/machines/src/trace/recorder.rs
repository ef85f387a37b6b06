//! Recording of what happens to packets, by number; names are added when the trace is built.

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

/// The maximum number of steps that are recorded per block and packet; further ones are only counted. Only loops that
/// are endless or nearly so exceed it.
const STEPS: u64 = 1000;
/// The maximum number of nested rounds that are recorded; further ones are only counted.
const ROUNDS: u32 = 8;
/// The maximum number of packets that are recorded for one arriving packet; further ones are only counted.
const PACKETS: usize = 256;

/// A recorder of what happens to arriving packets and to all packets made from them. It keeps the finished traces.
#[derive(Clone, Debug)]
pub struct Recorder {
    /// The validity bit of the header that each variable is a field of.
    validity: Vec<Option<VariableId>>,
    /// The packets that have arrived since the last traces were finished.
    open: Vec<Open>,
    passes: Vec<Noting>,
    /// The index of the packet to which events belong.
    current: usize,
    /// The number of steps in the current block.
    steps: u64,
    /// The variables that were changed by steps that are not recorded, with their final values.
    changed: BTreeMap<VariableId, Bits>,
    traces: Vec<Trace>,
}

/// An arriving packet whose trace is not finished.
#[derive(Clone, Debug)]
struct Open {
    /// The index of the packet.
    root: usize,
    packet: u64,
    time: u64,
    port: u16,
    /// The number of packets that are recorded for it.
    packets: usize,
}

impl Recorder {
    /// The index of a packet that is not recorded, because it arrived before the recorder was there.
    pub(crate) const UNTRACED: usize = usize::MAX;

    /// Creates a recorder without traces.
    pub(crate) fn new(program: &Program) -> Self {
        let mut validity = vec![None; program.variables.len()];
        for header in &program.headers {
            header.fields.iter().for_each(|field| validity[field.variable.index()] = Some(header.valid));
        }
        Self {
            validity,
            open: Vec::new(),
            passes: Vec::new(),
            current: 0,
            steps: 0,
            changed: BTreeMap::new(),
            traces: Vec::new(),
        }
    }

    /// Begins the record of an arriving packet and returns its index.
    pub(crate) fn arrive(&mut self, now: Instant, port: Port, packet: u64, begins: Begins<'_>) -> usize {
        let root = self.passes.len();
        self.open.push(Open { root, packet, time: now.picoseconds(), port: port.0, packets: 1 });
        self.add(Noting { root, ..Noting::new(Origin::Arrival, begins, 0) })
    }

    /// Begins the record of another packet that is made from packet `pass` at this point, and returns its index.
    pub(crate) fn fork(&mut self, pass: usize, origin: Origin, begins: Begins<'_>) -> usize {
        let is_round = matches!(origin, Origin::Resubmitted | Origin::Recirculated | Origin::EgressClone { .. });
        self.select(pass);
        let around = &self.passes[pass];
        let round = around.round + u32::from(is_round);
        let rest = match around.more {
            Some(_) => Some(pass),
            None => around.rest,
        };
        let root = around.root;
        // Nearly always there is one.
        let packets = self.open.iter_mut().find(|open| open.root == root).map(|open| &mut open.packets);
        if let (None, Some(packets)) = (rest, packets.filter(|packets| round <= ROUNDS && **packets < PACKETS)) {
            *packets += 1;
            self.note(Noted::Fork(self.passes.len()));
            return self.add(Noting { root, ..Noting::new(origin, begins, round) });
        }
        let rest = rest.unwrap_or_else(|| self.rest(pass, origin));
        if let Some(more) = &mut self.passes[rest].more {
            more.packets += 1;
            more.only_rounds &= is_round;
        }
        self.select(rest);
        rest
    }

    /// Makes later events belong to packet `pass`.
    pub(crate) fn select(&mut self, pass: usize) {
        self.current = pass;
    }

    /// Records that a block begins.
    pub(crate) fn begin(&mut self, pass: usize, block: &'static str) {
        self.select(pass);
        self.steps = 0;
        self.note(Noted::Begin(block));
    }

    /// Records that the next parser of packet `pass` reads these bytes, in which something lies in front of the packet.
    pub(crate) fn reads(&mut self, pass: usize, bytes: &[u8]) {
        self.select(pass);
        self.note(Noted::Reads(bytes.to_vec()));
    }

    /// Records that the block has ended.
    pub(crate) fn end(&mut self, ending: Ending) {
        if self.steps > STEPS {
            let changed = std::mem::take(&mut self.changed);
            self.note(Noted::Omit(self.steps - STEPS, changed));
        }
        self.note(Noted::End(ending));
    }

    /// Records a step that already has its names.
    pub(crate) fn step(&mut self, step: Step) {
        self.note(Noted::Named(Box::new(step)));
    }

    /// Records a request that cannot be made in the current block.
    pub(crate) fn ignored(&mut self, request: &'static str) {
        self.note(Noted::Ignore(request));
    }

    /// Records that copies are made for a multicast group.
    pub(crate) fn multicast(&mut self, group: u32) {
        self.note(Noted::Multicast(group));
    }

    /// Records that the packet enters the queue of a port.
    pub(crate) fn queued(&mut self, port: u64, instance: u64) {
        self.note(Noted::Queue { port, instance });
    }

    /// Records that the packet is transmitted.
    pub(crate) fn transmitted(&mut self, port: u32, bytes: &[u8], length: usize) {
        self.ended(|| format!("transmitted on port {port}"));
        self.note(Noted::Transmit { port, length, bytes: bytes.to_vec() });
    }

    /// Records that the packet is discarded; some reasons come with details.
    pub(crate) fn discarded(&mut self, reason: Reason, detail: Option<String>) {
        self.ended(|| format!("discarded: {reason}"));
        self.note(Noted::Discard(reason, detail));
    }

    /// Finishes the traces, once all packets made from those that arrived are done.
    pub(crate) fn finish(&mut self, program: &Program, state: &runtime::ProgramState) {
        if self.open.is_empty() {
            return;
        }
        let open = std::mem::take(&mut self.open);
        let roots = open.iter().map(|open| open.root);
        let trees = build::passes(program, state, std::mem::take(&mut self.passes), roots);
        let traces = open.into_iter().zip(trees);
        self.traces.extend(traces.map(|(Open { packet, time, port, .. }, pass)| Trace { packet, time, port, pass }));
    }

    /// Returns the traces that were finished since the last call.
    pub(crate) fn take(&mut self) -> Vec<Trace> {
        std::mem::take(&mut self.traces)
    }

    /// Records a step of a block, unless there are too many.
    pub(super) fn observe(&mut self, noted: impl FnOnce(&[Option<VariableId>]) -> Noted) {
        self.steps += 1;
        if self.steps <= STEPS && self.passes[self.current].more.is_none() {
            let noted = noted(&self.validity);
            self.note(noted);
        }
    }

    /// Records that a variable changes.
    pub(super) fn change(&mut self, variable: VariableId, old: &Bits, new: &Bits) {
        if self.steps >= STEPS {
            // The final value may have to be shown later, as an argument.
            self.changed.insert(variable, new.clone());
        }
        self.observe(|_| Noted::Change { variable, old: old.clone(), new: new.clone() });
    }

    fn add(&mut self, noting: Noting) -> usize {
        self.passes.push(noting);
        self.current = self.passes.len() - 1;
        self.current
    }

    /// Creates the entry that stands for all further packets made from `pass`.
    fn rest(&mut self, pass: usize, origin: Origin) -> usize {
        let rest = self.passes.len();
        self.note(Noted::Fork(rest));
        self.passes[pass].rest = Some(rest);
        let more = Some(More { only_rounds: true, ..More::default() });
        let root = self.passes[pass].root;
        self.add(Noting { more, root, ..Noting::new(origin, Begins::default(), 0) })
    }

    /// Counts the end of a packet, if packets are only counted here.
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
