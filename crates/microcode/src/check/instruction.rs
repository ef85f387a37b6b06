//! What is known of an instruction while it is checked: names for values, visible labels, and what it has written.

use std::collections::BTreeMap;
use std::rc::Rc;

use diagnostics::{Diagnostic, Span};
use ir::threads::{Branch, Instruction, Move, Next, Transaction};
use ir::{BinaryOperator, Expression, UnaryOperator, VariableId};

use super::Checker;
use super::place::{Located, Place};
use super::value::{Value, Weight};
use crate::limits::MOST_MOVES;

/// The instruction that is checked, as far as names and writes are concerned.
#[derive(Debug, Default)]
pub(super) struct Current {
    /// The names for values and fields, the innermost scope last; `None` after an error.
    scopes: Vec<BTreeMap<Rc<str>, Option<Local>>>,
    /// The labels that can be named here, with the numbers of their instructions.
    labels: Rc<BTreeMap<Rc<str>, usize>>,
    /// What the instruction has written on the way to the current statement.
    pub written: Vec<Written>,
    /// Whether reads are not noted, because nothing is evaluated.
    is_paused: bool,
}

/// What a name inside of an instruction stands for.
#[derive(Clone, Debug)]
pub(super) enum Local {
    /// `const`: a value.
    Value(Value),
    /// `bus`: a field, which is read where the name is used.
    Place(Located),
}

/// A place that was written.
#[derive(Clone, Debug)]
pub(super) struct Written {
    range: Range,
    span: Span,
}

/// Bits of a register or of local memory.
#[derive(Clone, Debug, PartialEq)]
enum Range {
    Register { variable: VariableId, first: u64, end: u64 },
    Memory { base: Option<Expression>, first: u64, end: u64 },
}

impl Range {
    fn new(place: &Place, width: u32) -> Option<Self> {
        match place {
            Place::Register { variable, low, .. } => {
                let first = (*low).into();
                Some(Self::Register { variable: *variable, first, end: first + u64::from(width) })
            }
            Place::Memory { base, offset } => {
                let base = base.as_ref().map(|(base, _)| base.clone());
                Some(Self::Memory { base, first: *offset, end: offset + u64::from(width) })
            }
            Place::Shared { .. } => None,
        }
    }

    /// Returns whether the ranges surely have bits in common.
    fn overlaps(&self, other: &Self) -> bool {
        match (self, other) {
            (
                Self::Register { variable, first, end },
                Self::Register { variable: other, first: other_first, end: other_end },
            ) => variable == other && first < other_end && other_first < end,
            (Self::Memory { base, first, end }, Self::Memory { base: other, first: other_first, end: other_end }) => {
                base == other && first < other_end && other_first < end
            }
            _ => false,
        }
    }
}

impl Current {
    /// Begins an instruction.
    pub fn begin(&mut self) {
        self.scopes = vec![BTreeMap::new()];
        self.written.clear();
    }

    /// Sets the labels that can be named.
    pub fn set_labels(&mut self, labels: Rc<BTreeMap<Rc<str>, usize>>) {
        self.labels = labels;
    }

    pub fn open_scope(&mut self) {
        self.scopes.push(BTreeMap::new());
    }

    pub fn close_scope(&mut self) {
        self.scopes.pop();
    }

    /// Names a value in the innermost scope. Returns false if the name is taken there.
    pub fn name(&mut self, name: &Rc<str>, value: Option<Local>) -> bool {
        self.scopes.last_mut().is_none_or(|scope| scope.insert(name.clone(), value).is_none())
    }

    /// Returns what the instruction names so, if it does; it is `None` after an error.
    pub fn local(&self, name: &Rc<str>) -> Option<&Option<Local>> {
        self.scopes.iter().rev().find_map(|scope| scope.get(name))
    }

    /// Returns the number of the instruction with this label.
    pub fn label(&self, name: &Rc<str>) -> Option<usize> {
        self.labels.get(name).copied()
    }

    /// Returns the names that are not those of the program: of values and of labels.
    pub fn names(&self) -> Vec<Rc<str>> {
        self.scopes.iter().flat_map(BTreeMap::keys).chain(self.labels.keys()).cloned().collect()
    }

    /// Does not note reads until [`Current::resume`] with the result.
    pub fn pause(&mut self) -> bool {
        std::mem::replace(&mut self.is_paused, true)
    }

    pub fn resume(&mut self, was_paused: bool) {
        self.is_paused = was_paused;
    }
}

impl Checker<'_> {
    /// Notes that a place is read. All statements of an instruction see what was there before it, so a read after a write
    /// would not see what a reader of C expects.
    pub(super) fn note_read(&mut self, place: &Place, width: u32, span: Span) {
        if self.current.is_paused {
            return;
        }
        let Some(range) = Range::new(place, width) else { return };
        let written = self.current.written.iter().find(|written| written.range.overlaps(&range));
        if let Some(written) = written.map(|written| written.span) {
            let error = Diagnostic::error(span, "this is read after it was written in the same instruction");
            let error = error.label("reads what was there before the instruction").related(written, "written here");
            let hint = "name the value by `const : name = …;` and use the name twice, or begin another instruction";
            self.error(error.hint(hint));
        }
    }

    /// Notes that a place is written. Returns false, with a report, if it was already.
    pub(super) fn note_write(&mut self, place: &Place, width: u32, span: Span) -> bool {
        let Some(range) = Range::new(place, width) else { return true };
        let written = self.current.written.iter().find(|written| written.range.overlaps(&range));
        if let Some(written) = written.map(|written| written.span) {
            let error = Diagnostic::error(span, "this is written twice in one instruction");
            let error = error.related(written, "written here first");
            self.error(error.hint("write it once, as in `x = condition ? 1 : 0;`, or begin another instruction"));
            return false;
        }
        self.current.written.push(Written { range, span });
        true
    }
}

/// An instruction as far as its statements are checked.
#[derive(Debug, Default)]
pub(super) struct Draft {
    pub moves: Vec<Move>,
    /// What the moves write.
    written: Vec<Written>,
    /// How large the values and conditions of the moves are.
    weights: Vec<Weight>,
    pub transaction: Option<(Transaction, Span)>,
    pub waits: bool,
    pub cases: Vec<(Expression, Next)>,
    pub otherwise: Option<Next>,
}

/// The reason why a write cannot be added to an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WriteProblem {
    /// It overlaps a write of another place.
    Overlap,
    /// The instruction becomes too large.
    TooLarge,
}

/// Joins a write with an earlier one of the same place, which happens on another way through the instruction.
fn join(earlier: &mut Move, later: Move) {
    earlier.condition = match (earlier.condition.take(), later.condition) {
        (Some(before), Some(here)) => {
            let value = std::mem::replace(&mut earlier.value, Expression::bool(false));
            earlier.value = Expression::select(here.clone(), later.value, value);
            let not = |one: &Expression, other: &Expression| matches!(one, Expression::Unary(UnaryOperator::Not, inner) if **inner == *other);
            let is_always = not(&before, &here) || not(&here, &before);
            (!is_always).then(|| Expression::binary(BinaryOperator::Or, before, here))
        }
        // Two ways that exclude each other have conditions.
        (before, _) => before,
    };
}

impl Draft {
    /// Adds a write of this range, whose value and condition have a weight. A write of the same place on another way through
    /// the instruction becomes one with it, for a word writes each place once.
    pub fn write(&mut self, step: Move, weight: Weight, range: Option<&Written>) -> Result<(), WriteProblem> {
        if let Some(place) = self.moves.iter().position(|other| other.place == step.place) {
            self.weights[place] = self.weights[place].with(weight);
            if self.weights[place].is_too_large() {
                return Err(WriteProblem::TooLarge);
            }
            join(&mut self.moves[place], step);
            return Ok(());
        }
        if let Some(range) = range {
            if self.written.iter().any(|written| written.range.overlaps(&range.range)) {
                return Err(WriteProblem::Overlap);
            }
            self.written.push(range.clone());
        }
        if self.moves.len() >= MOST_MOVES {
            return Err(WriteProblem::TooLarge);
        }
        self.moves.push(step);
        self.weights.push(weight);
        Ok(())
    }

    /// Adds a way that is taken if a condition holds and no earlier one did.
    pub fn leave(&mut self, condition: &Value, next: Next) {
        match condition.number() {
            Some(0) => {}
            Some(_) => drop(self.otherwise.get_or_insert(next)),
            None => self.cases.push((condition.to_ir(ir::Type::Bool), next)),
        }
    }

    /// Makes the instruction. `next` is where it goes on if no statement leaves it; `None` if some statement always does.
    pub fn finish(mut self, name: String, next: Option<Next>) -> Instruction {
        let last = || self.cases.pop().map(|(_, next)| next);
        // If the instruction is always left, the last condition holds whenever no earlier one does.
        let otherwise = self.otherwise.or(next).or_else(last).unwrap_or(Next::End);
        Instruction {
            name,
            waits: self.waits,
            moves: self.moves,
            transaction: self.transaction.map(|(transaction, _)| transaction),
            branch: Branch { cases: self.cases, otherwise },
        }
    }
}
