//! The names that a text has declared so far.

use std::collections::{HashMap, HashSet};

use diagnostics::Span;

use crate::verify::Item;
use crate::{Lookup, Program, RegisterId, VariableId};

/// The program as declared so far, and its names. The maps are used for look-ups only, so that their order never
/// matters.
#[derive(Default)]
pub(super) struct Scope {
    pub program: Program,
    variables: HashMap<String, (VariableId, Span)>,
    registers: HashMap<String, (RegisterId, Span)>,
    others: HashMap<(Named, String), (usize, Span)>,
    /// The names of each kind, in the order of declaration.
    in_order: HashMap<Named, Vec<String>>,
    exported: HashSet<VariableId>,
    /// The names of the parameters of each function, also of functions that are read later; `None` if they cannot be
    /// read.
    pub parameters: Vec<Option<Vec<String>>>,
    /// The look-ups of tables, which may be declared later.
    pub lookups: Vec<(Lookup, Span)>,
    /// The locations of the parts of the program in which no error was found when they were read.
    pub items: HashMap<Item, Span>,
}

/// A kind of named entity other than variables and registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Named {
    Array,
    Header,
    Stack,
    ValueSet,
    Parser,
    Function,
    Table,
    Counter,
    Meter,
    Filter,
    Wred,
    Profile,
    Digest,
    Error,
    Entrance,
    Intrinsic,
    Instruction,
    Segment,
    Records,
    Timer,
    Event,
    Reason,
    /// A line of which there is at most one.
    Line,
}

impl Named {
    /// The name of the kind in messages.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Array => "array",
            Self::Header => "header",
            Self::Stack => "stack",
            Self::ValueSet => "value set",
            Self::Parser => "parser",
            Self::Function => "function",
            Self::Table => "table",
            Self::Counter => "counter",
            Self::Meter => "meter",
            Self::Filter => "filter",
            Self::Wred => "wred",
            Self::Profile => "profile",
            Self::Digest => "digest",
            Self::Error => "error",
            Self::Entrance => "entrance",
            Self::Intrinsic => "intrinsic",
            Self::Instruction => "instruction",
            Self::Segment => "segment",
            Self::Records => "table of records",
            Self::Timer => "timer",
            Self::Event => "event",
            Self::Reason => "reason",
            Self::Line => "line",
        }
    }
}

impl Scope {
    /// Returns the variable of a name and the location of its declaration.
    pub fn variable(&self, name: &str) -> Option<(VariableId, Span)> {
        self.variables.get(name).copied()
    }

    /// Returns the register of a name and the location of its declaration.
    pub fn register(&self, name: &str) -> Option<(RegisterId, Span)> {
        self.registers.get(name).copied()
    }

    /// Returns the index of another kind of entity and the location of its declaration.
    pub fn find(&self, kind: Named, name: &str) -> Option<(usize, Span)> {
        self.others.get(&(kind, name.to_owned())).copied()
    }

    /// Declares the variable that will be the next one of the program.
    pub fn declare_variable(&mut self, name: &str, span: Span) {
        let id = VariableId::from(self.program.variables.len());
        self.variables.insert(name.to_owned(), (id, span));
    }

    /// Declares the register that will be the next one of the program.
    pub fn declare_register(&mut self, name: &str, span: Span) {
        let id = RegisterId::from(self.program.registers.len());
        self.registers.insert(name.to_owned(), (id, span));
    }

    /// Declares the next entity of a kind and returns its index.
    pub fn declare(&mut self, kind: Named, name: &str, span: Span) -> usize {
        let names = self.in_order.entry(kind).or_default();
        let number = names.len();
        names.push(name.to_owned());
        self.others.insert((kind, name.to_owned()), (number, span));
        number
    }

    /// Exports a field; returns false if it is exported already.
    pub fn export(&mut self, field: VariableId) -> bool {
        self.exported.insert(field)
    }

    /// Returns the variable whose name is most similar to an unknown one, if any is similar.
    pub fn similar_variable(&self, name: &str) -> Option<&str> {
        similar(name, self.program.variables.iter().map(|variable| variable.name.as_str()))
    }

    /// Returns the register whose name is most similar to an unknown one, if any is similar.
    pub fn similar_register(&self, name: &str) -> Option<&str> {
        similar(name, self.program.registers.iter().map(|register| register.name.as_str()))
    }

    /// Returns the entity of a kind whose name is most similar to an unknown one, if any is similar.
    pub fn similar(&self, kind: Named, name: &str) -> Option<&str> {
        similar(name, self.in_order.get(&kind).into_iter().flatten().map(String::as_str))
    }
}

/// Returns the first candidate of the least edit distance, if that is at most a third of the name's length. Long names
/// and long lists are not searched, to bound the cost.
pub(super) fn similar<'c>(name: &str, candidates: impl Iterator<Item = &'c str>) -> Option<&'c str> {
    let longest = 40;
    let near = candidates.take(1000).filter(|candidate| candidate.len() <= longest && name.len() <= longest);
    let measured = near.map(|candidate| (strsim::osa_distance(name, candidate), candidate));
    measured
        .filter(|(distance, _)| *distance <= name.len() / 3)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}
