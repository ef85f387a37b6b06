//! Watches one packet after the other on their way through a program.

use std::sync::Arc;

use ir::interpret::{Observer, Test};
use ir::parser::{StateId, Transition};
use ir::{Expression, FunctionId, HeaderId, ParserId, Program, TableId, VariableId};
use runtime::ValueSet;
use runtime::tables::{EntryHandle, FieldMatch, Target};
use runtime::{Bits, State};

use super::conditions::Conditions;
use super::goals::{Coverage, Goal};
use super::wishes::{self, Change, Keys, Wish};

/// How many wishes one packet may leave: a table of a hundred thousand entries is worked off packet by packet.
const MOST_WISHES: usize = 128;

/// How many entries of a table are wished for when all ways are.
const SOME_ENTRIES: usize = 4;

/// Where a variable's value stands in the packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) variable: VariableId,
    /// The first bit.
    pub(super) from: usize,
    pub(super) width: u32,
}

/// What is known so far, and what the packet on its way adds.
#[derive(Debug)]
pub(super) struct Watch {
    program: Arc<Program>,
    conditions: Conditions,
    pub(super) coverage: Coverage,
    /// The entries of each table, with what they ask for.
    entries: Vec<Vec<(EntryHandle, Vec<FieldMatch>)>>,
    /// The members of each value set.
    value_sets: Vec<ValueSet>,
    /// For each table, the first entry that may not be reached yet.
    first_lacking: Vec<usize>,
    /// For each condition that was met, how each of its comparisons came out so far.
    compared: Vec<Option<Vec<[bool; 2]>>>,
    /// Where the fields of this packet stand.
    pub(super) places: Vec<Place>,
    /// What would lead elsewhere.
    pub(super) wishes: Vec<Wish>,
    /// What would make the checksums right that were found wrong: whatever is changed in a packet breaks them, and most
    /// of a program is behind them.
    pub(super) repairs: Vec<Change>,
    /// Whether all ways are wished for, not only those that no packet went: what was reached alone may have to come
    /// together.
    pub(super) wishes_everything: bool,
    /// Grows with each look at a table, so that not the same entries are wished for each time.
    turn: usize,
    /// Whether this packet reached something first.
    pub(super) is_new: bool,
}

impl Watch {
    pub(super) fn new(program: Arc<Program>, state: &State) -> Self {
        let conditions = Conditions::of(&program);
        let coverage = Coverage::of(&program, &conditions, state);
        let entries = state
            .tables
            .iter()
            .map(|table| table.matches().entries().map(|(handle, entry)| (handle, entry.key.clone())).collect());
        let first_lacking = vec![0; state.tables.len()];
        let (entries, value_sets) = (entries.collect(), state.value_sets.clone());
        let (places, wishes) = (Vec::new(), Vec::new());
        let compared = vec![None; conditions.places.len()];
        Self {
            program,
            conditions,
            coverage,
            entries,
            first_lacking,
            compared,
            places,
            wishes,
            repairs: Vec::new(),
            value_sets,
            wishes_everything: false,
            turn: 0,
            is_new: false,
        }
    }

    /// Forgets the packet before.
    pub(super) fn begin(&mut self) {
        self.places.clear();
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

    /// The next field of the packet.
    fn place(&mut self, variable: VariableId, from: &mut usize, width: u32) {
        self.places.push(Place { variable, from: *from, width });
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
            self.place(field.variable, &mut at, width);
        }
    }

    fn looked_ahead(&mut self, variables: &[VariableId], from: usize) {
        let program = self.program.clone();
        let mut at = from;
        for &variable in variables {
            self.place(variable, &mut at, program.variable(variable).ty.width());
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
            // A way to a branch may need several comparisons turned, one packet after the other.
            self.is_new |= !std::mem::replace(&mut seen[usize::from(compared.holds)], true);
            self.repairs.extend(compared.repair());
            if lacks_branch || !seen[usize::from(!compared.holds)] {
                wanted.extend(wishes::of_comparison(compared));
            }
        }
        wanted.into_iter().for_each(|wish| self.wish(Some(wish)));
    }
}
