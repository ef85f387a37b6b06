//! Observation of packets on their way through a program.

use std::sync::Arc;

use ir::interpret::{Observer, Test};
use ir::parser::{StateId, Transition};
use ir::{Expression, FunctionId, HeaderId, ParserId, Program, TableId, VariableId};
use runtime::ValueSet;
use runtime::tables::{EntryHandle, FieldMatch, Target};
use runtime::{Bits, ProgramState};

use super::conditions::Conditions;
use super::goals::{Coverage, Goal};
use super::wishes::{self, Change, Keys, Wish};

/// The maximum number of wishes of one packet. A table of a hundred thousand entries is thus covered over many packets.
const MOST_WISHES: usize = 128;

/// The number of entries of a table that are wished for when all branches are.
const SOME_ENTRIES: usize = 4;

/// The bits of the packet from which a variable's value was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ExtractedBits {
    pub(super) variable: VariableId,
    /// The offset of the first bit.
    pub(super) from: usize,
    pub(super) width: u32,
}

/// The coverage so far, and the observations of the current packet.
#[derive(Debug)]
pub(super) struct Watch {
    program: Arc<Program>,
    conditions: Conditions,
    pub(super) coverage: Coverage,
    /// The entries of each table, with their match fields.
    entries: Vec<Vec<(EntryHandle, Vec<FieldMatch>)>>,
    /// The members of each value set.
    value_sets: Vec<ValueSet>,
    /// For each table, the index of the first entry that may not have been reached.
    first_lacking: Vec<usize>,
    /// For each condition that was evaluated, the outcomes of each of its comparisons so far.
    compared: Vec<Option<Vec<[bool; 2]>>>,
    /// The bits of the fields in the current packet.
    pub(super) extracted: Vec<ExtractedBits>,
    /// The changes of the packet that would lead to other branches.
    pub(super) wishes: Vec<Wish>,
    /// The changes that would correct the wrong checksums. Every change of a packet breaks checksums, and most of a
    /// program is executed only if they are correct.
    pub(super) repairs: Vec<Change>,
    /// Whether all other branches are wished for, not only those that no packet took, because a goal may require a
    /// combination of branches that were reached only separately.
    pub(super) wishes_everything: bool,
    /// The number of bits that lie in front of the packet in the parser that runs; `None` if what it reads is not the
    /// packet that arrived.
    pub(super) in_front: Option<usize>,
    /// A counter that advances with each table look-up, so that different entries are wished for each time.
    turn: usize,
    /// Whether the current packet was the first to reach some goal.
    pub(super) is_new: bool,
}

impl Watch {
    pub(super) fn new(program: Arc<Program>, state: &ProgramState) -> Self {
        let conditions = Conditions::of(&program);
        let coverage = Coverage::of(&program, &conditions, state);
        let entries = state
            .tables
            .iter()
            .map(|table| table.matches().entries().map(|(handle, entry)| (handle, entry.key.clone())).collect());
        let first_lacking = vec![0; state.tables.len()];
        let (entries, value_sets) = (entries.collect(), state.value_sets.clone());
        let (extracted, wishes) = (Vec::new(), Vec::new());
        let compared = vec![None; conditions.places.len()];
        Self {
            program,
            conditions,
            coverage,
            entries,
            first_lacking,
            compared,
            extracted,
            wishes,
            repairs: Vec::new(),
            value_sets,
            wishes_everything: false,
            in_front: Some(0),
            turn: 0,
            is_new: false,
        }
    }

    /// Discards the observations of the previous packet.
    pub(super) fn begin(&mut self) {
        self.extracted.clear();
        self.wishes.clear();
        self.repairs.clear();
        self.is_new = false;
    }

    fn reach(&mut self, goal: Goal) {
        self.is_new |= self.coverage.reach(goal);
    }

    fn wish(&mut self, wish: Option<Wish>) {
        if self.wishes.len() < MOST_WISHES {
            self.wishes.extend(wish);
        }
    }

    /// Records the bits of the next field of the packet.
    fn record_extracted(&mut self, variable: VariableId, from: &mut usize, width: u32) {
        // What lies in front of the packet cannot be chosen.
        if let Some(from) = self.in_front.and_then(|in_front| from.checked_sub(in_front)) {
            self.extracted.push(ExtractedBits { variable, from, width });
        }
        *from += width as usize;
    }
}

impl Observer for Watch {
    fn parser_state(&mut self, parser: ParserId, state: StateId) {
        self.reach(Goal::State(parser, state));
    }

    fn selected(&mut self, parser: ParserId, state: StateId, keys: &[Bits], case: Option<usize>) {
        self.reach(Goal::Case(parser, state, case));
        let program = self.program.clone();
        let described = &program.parsers[parser.index()].states[state.index()];
        let Transition::Select { keys: asked, cases } = &described.transition else { return };
        let keys = Keys::new(&program, asked, keys);
        for (place, case) in cases.iter().enumerate() {
            if self.wishes_everything || self.coverage.lacks(Goal::Case(parser, state, Some(place))) {
                let wish = wishes::of_case(case, &keys, &self.value_sets);
                self.wish(wish);
            }
        }
    }

    fn extracted(&mut self, header: HeaderId, from: usize, bits: usize) {
        let program = self.program.clone();
        let fields = &program.headers[header.index()].fields;
        let width = |variable: VariableId| program.variable(variable).ty.width();
        let fixed: usize =
            fields.iter().filter(|field| field.length.is_none()).map(|f| width(f.variable) as usize).sum();
        let mut at = from;
        for field in fields {
            let width = if field.length.is_some() { (bits - fixed) as u32 } else { width(field.variable) };
            self.record_extracted(field.variable, &mut at, width);
        }
    }

    fn looked_ahead(&mut self, variables: &[VariableId], from: usize) {
        let program = self.program.clone();
        let mut at = from;
        for &variable in variables {
            self.record_extracted(variable, &mut at, program.variable(variable).ty.width());
        }
    }

    fn applied(&mut self, table: TableId, keys: &[Bits], entry: Option<EntryHandle>, _: &Target) {
        self.reach(Goal::Entry(table, entry));
        let program = self.program.clone();
        let fields = &program.tables[table.index()].keys;
        let keys = Keys::new(&program, fields.iter().map(|key| &key.value), keys);
        let first = self.first_lacking[table.index()];
        let lacks = |watch: &Self, at: usize| {
            watch.coverage.lacks(Goal::Entry(table, Some(watch.entries[table.index()][at].0)))
        };
        let count = self.entries[table.index()].len();
        let first = (first..count).find(|&at| lacks(self, at)).unwrap_or(count);
        self.first_lacking[table.index()] = first;
        for at in (first..count).take(2 * MOST_WISHES) {
            if lacks(self, at) {
                let wish = wishes::of_entry(&self.entries[table.index()][at].1, &keys);
                self.wish(wish);
            }
        }
        if self.wishes_everything && count > 0 {
            for at in 0..SOME_ENTRIES.min(count) {
                self.turn += 1;
                let at = (self.turn + at) % count;
                let wish = wishes::of_entry(&self.entries[table.index()][at].1, &keys);
                self.wish(wish);
            }
        }
        if entry.is_some() && (self.wishes_everything || self.coverage.lacks(Goal::Entry(table, None))) {
            self.wish(wishes::of_miss(&keys));
        }
    }

    fn entered(&mut self, function: FunctionId) {
        self.reach(Goal::Action(function));
    }

    fn verified(&mut self, condition: &Expression, holds: bool, values: &[Bits]) {
        self.branch(condition, holds, values);
    }

    fn tested(&mut self, _: Test, condition: &Expression, holds: bool, values: &[Bits]) {
        self.branch(condition, holds, values);
    }
}

impl Watch {
    fn branch(&mut self, condition: &Expression, holds: bool, values: &[Bits]) {
        let Some(number) = self.conditions.number(condition) else { return };
        self.reach(Goal::Branch(number, holds));
        let lacks_branch = self.wishes_everything || self.coverage.lacks(Goal::Branch(number, !holds));
        let is_checksum = self.conditions.has_checksum(number);
        if !lacks_branch
            && !is_checksum
            && self.compared[number].as_ref().is_some_and(|all| all.iter().all(|seen| *seen == [true; 2]))
        {
            return;
        }
        let comparisons = wishes::comparisons(&self.program, condition, values);
        let seen = self.compared[number].get_or_insert_with(|| vec![[false; 2]; comparisons.len()]);
        let mut wanted = Vec::new();
        for (compared, seen) in comparisons.iter().zip(seen) {
            // Reaching a branch may require changing several comparisons, one packet after the other.
            self.is_new |= !std::mem::replace(&mut seen[usize::from(compared.holds)], true);
            self.repairs.extend(compared.repair());
            if lacks_branch || !seen[usize::from(!compared.holds)] {
                wanted.extend(wishes::of_comparison(compared));
            }
        }
        wanted.into_iter().for_each(|wish| self.wish(Some(wish)));
    }
}
