//! Variables that may be read before anything was written to them, whose values the specification leaves open
//! (sections 8.25 and 11.2). Variables of blocks are followed from statement to
//! statement. Those of a control are also written by actions, in an order that tables decide: of them, only those are
//! reported to which nothing is ever written.

use std::collections::{BTreeMap, BTreeSet};

use diagnostics::{Diagnostic, Span};

use super::{Findings, Nodes, Within};
use crate::ast::{self, ExpressionKind};
use crate::types::{Definition, Kind, Sort, Type, Types};

/// Variables followed at once: what follows them takes time with each branch.
const MOST_FOLLOWED: usize = 64;

/// What may not have been written on the way to here.
#[derive(Clone, Debug, Default)]
pub(super) struct Uninitialized {
    variables: BTreeSet<Definition>,
    warned: BTreeSet<Definition>,
    /// Variables of parsers and controls to which nothing is written anywhere, and where they are read first.
    never: BTreeMap<Definition, Option<Span>>,
    /// True where a name stands for a place and is not read yet.
    pub is_place: bool,
}

/// What was unwritten at some place of the program.
pub(super) type Before = BTreeSet<Definition>;

impl Uninitialized {
    /// Follows a variable that was declared without a value. Of one with parts, not all may be used.
    pub(super) fn follow(&mut self, types: &Types, within: Within, definition: Definition, of: Type) {
        let is_in_block = matches!(within, Within::State | Within::Apply | Within::Action | Within::Function);
        let under = types.underlying(of);
        let is_scalar = matches!(types.kind(under), Kind::Bit(_) | Kind::Int(_) | Kind::Bool);
        if !is_scalar {
            return;
        }
        if matches!(within, Within::Parser | Within::Control) {
            self.never.insert(definition, None);
        }
        if is_in_block && self.variables.len() < MOST_FOLLOWED {
            self.variables.insert(definition);
        }
    }

    /// Reports a variable that is read too early, once.
    pub(super) fn note_read(&mut self, types: &Types, found: &mut Findings, span: Span, definition: Definition) {
        let own = self;
        if own.is_place {
            return;
        }
        if let Some(first) = own.never.get_mut(&definition) {
            first.get_or_insert(span);
        }
        if !own.variables.contains(&definition) || !own.warned.insert(definition) {
            return;
        }
        let meaning = types.definitions.get(definition);
        let message = format!("`{}` may be read before anything is written to it", meaning.name);
        let warning = Diagnostic::warning(span, message).related(meaning.span, "declared here, without a value");
        found.report(warning);
    }

    /// At the end of a parser or a control: reports its variables that are read and never written.
    pub(super) fn lint_never_written(&mut self, types: &Types, found: &mut Findings) {
        for (definition, first) in std::mem::take(&mut self.never) {
            let Some(span) = first else { continue };
            let meaning = types.definitions.get(definition);
            let message = format!("`{}` is read, and nothing is ever written to it", meaning.name);
            found.report(Diagnostic::warning(span, message).related(meaning.span, "declared here, without a value"));
        }
    }

    /// Something that was taken for a place is read after all.
    pub(super) fn note_place_read<'a>(
        &mut self,
        types: &Types,
        nodes: &Nodes<'a>,
        found: &mut Findings,
        node: &'a ast::Expression,
    ) {
        if let Some(definition) = followed(types, nodes, node) {
            self.note_read(types, found, node.span, definition);
        }
    }

    /// Something is written to, or to a part of it.
    pub(super) fn note_written<'a>(&mut self, types: &Types, nodes: &Nodes<'a>, node: &'a ast::Expression) {
        if let Some(definition) = followed(types, nodes, node) {
            self.variables.remove(&definition);
            self.never.remove(&definition);
        }
    }

    /// What is unwritten here, to come back to.
    pub(super) fn before(&self) -> Before {
        self.variables.clone()
    }

    /// Goes back to `before` to take another way; gives what is unwritten at the end of this one.
    pub(super) fn take_another_way(&mut self, before: &Before) -> Before {
        std::mem::replace(&mut self.variables, before.clone())
    }

    /// Another way leads here too.
    pub(super) fn join(&mut self, other: Before) {
        self.variables.extend(other);
    }

    /// Nothing leads here: what stands before ends it.
    pub(super) fn end_way(&mut self) {
        self.variables.clear();
    }

    /// Variables of a block end with it.
    pub(super) fn leave_block(&mut self, before: &Before) {
        self.variables.retain(|definition| before.contains(definition));
    }
}

fn followed<'a>(types: &Types, nodes: &Nodes<'a>, node: &'a ast::Expression) -> Option<Definition> {
    let definition = nodes.definition(root(node)?)?;
    matches!(types.sort(definition), Sort::Variable(_)).then_some(definition)
}

/// The name of the variable that a place is a part of.
pub(super) fn root(node: &ast::Expression) -> Option<&ast::Name> {
    match &node.kind {
        ExpressionKind::Name(path) => Some(&path.name),
        ExpressionKind::Member(object, _) | ExpressionKind::Index(object, _) => root(object),
        ExpressionKind::Slice(slice) => root(&slice.value),
        _ => None,
    }
}
