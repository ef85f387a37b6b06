//! Macro definitions, and the notes about macros in diagnostics.

use std::collections::BTreeMap;
use std::rc::Rc;

use diagnostics::{Diagnostic, Diagnostics, Span};

use crate::piece::Piece;

/// A macro definition.
pub(super) struct Macro {
    /// The location of the definition, from the name to the end of the replacement text.
    pub span: Span,
    /// The parameters, or `None` for an object-like macro.
    pub parameters: Option<Rc<[Rc<str>]>>,
    /// Whether the last parameter takes all remaining arguments, with the commas between them.
    pub variadic: bool,
    pub body: Rc<[ReplacementPart]>,
    /// Whether the macro is being expanded.
    pub active: bool,
}

/// A part of a macro's replacement text.
#[derive(Clone)]
pub(super) struct ReplacementPart {
    pub what: What,
    /// Whether `##` precedes the part.
    pub pasted: bool,
    /// Whether `##` follows the part.
    pub pastes: bool,
}

#[derive(Clone)]
pub(super) enum What {
    Piece(Piece),
    /// The argument for the parameter with this index.
    Argument(usize),
    /// The argument for the parameter with this index as a string: `#x`.
    Quoted(usize),
}

impl Macro {
    /// Returns whether two definitions are the same (C11 6.10.3, paragraph 2).
    pub fn same_as(&self, other: &Self) -> bool {
        let same_part = |(own, other): (&ReplacementPart, &ReplacementPart)| {
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

/// The uses of macros: for the location of each, the definition and the name of the macro.
#[derive(Clone, Debug, Default)]
pub struct MacroUses {
    uses: BTreeMap<Span, (Span, Rc<str>)>,
}

impl MacroUses {
    /// Adds a note with the location of the macro's definition to a diagnostic whose location is the use of a macro,
    /// because the offending text is found there.
    pub fn explain(&self, diagnostic: Diagnostic) -> Diagnostic {
        match diagnostic.span.and_then(|span| self.uses.get(&span)) {
            Some((definition, name)) => diagnostic.related(*definition, format!("from the macro `{name}`")),
            None => diagnostic,
        }
    }

    /// Applies [`Self::explain`] to every diagnostic.
    pub fn explain_all(&self, findings: Diagnostics) -> Diagnostics {
        let mut explained = Diagnostics::new();
        explained.extend(findings.into_iter().map(|finding| self.explain(finding)));
        explained
    }

    /// Records a use. If several macros are used at one location, the first is the one written there; the others come
    /// from its replacement text and are not recorded.
    pub(super) fn record(&mut self, used: Span, definition: Span, name: &Rc<str>) {
        self.uses.entry(used).or_insert_with(|| (definition, Rc::clone(name)));
    }
}
