//! What macros are, and what a person is told about them.

use std::collections::BTreeMap;
use std::rc::Rc;

use diagnostics::{Diagnostic, Diagnostics, Span};

use crate::piece::Piece;

/// A `#define`.
pub(super) struct Macro {
    /// From its name to the end of its text.
    pub span: Span,
    /// `None` for a macro that is used without brackets.
    pub parameters: Option<Rc<[Rc<str>]>>,
    /// The last parameter takes all further arguments, with the commas between them.
    pub variadic: bool,
    pub body: Rc<[Part]>,
    /// It is being expanded.
    pub active: bool,
}

/// A part of a macro's text.
#[derive(Clone)]
pub(super) struct Part {
    pub what: What,
    /// `##` stands before it.
    pub pasted: bool,
    /// `##` stands after it.
    pub pastes: bool,
}

#[derive(Clone)]
pub(super) enum What {
    Piece(Piece),
    /// The argument of the parameter with this number.
    Argument(usize),
    /// The same as a string: `#x`.
    Quoted(usize),
}

impl Macro {
    /// True if the two mean the same (C11 6.10.3, section 2).
    pub fn same_as(&self, other: &Self) -> bool {
        let same_part = |(own, other): (&Part, &Part)| {
            let same = match (&own.what, &other.what) {
                (What::Piece(own), What::Piece(other)) => own.kind == other.kind,
                (What::Argument(own), What::Argument(other)) | (What::Quoted(own), What::Quoted(other)) => own == other,
                _ => false,
            };
            same && own.pasted == other.pasted
        };
        self.variadic == other.variadic
            && self.parameters == other.parameters
            && self.body.len() == other.body.len()
            && self.body.iter().zip(other.body.iter()).all(same_part)
    }
}

/// For each use of a macro, by its place, where the macro is defined and what it is called.
#[derive(Clone, Debug, Default)]
pub struct MacroUses {
    uses: BTreeMap<Span, (Span, Rc<str>)>,
}

impl MacroUses {
    /// Adds where the macro is defined to a finding whose place is the use of a macro: there its author will find the
    /// text that it is about.
    pub fn explain(&self, diagnostic: Diagnostic) -> Diagnostic {
        match diagnostic.span.and_then(|span| self.uses.get(&span)) {
            Some((definition, name)) => diagnostic.related(*definition, format!("from the macro `{name}`")),
            None => diagnostic,
        }
    }

    /// The same for all findings of a step.
    pub fn explain_all(&self, findings: Diagnostics) -> Diagnostics {
        let mut explained = Diagnostics::new();
        explained.extend(findings.into_iter().map(|finding| self.explain(finding)));
        explained
    }

    /// The first macro that is used at a place is the one that its author wrote there; those in its text follow.
    pub(super) fn record(&mut self, used: Span, definition: Span, name: &Rc<str>) {
        self.uses.entry(used).or_insert_with(|| (definition, Rc::clone(name)));
    }
}
