//! Uninitialized variables, whose values are undefined (sections 8.25 and 11.2). Variables of blocks are followed from
//! statement to statement. Variables of a control are also written by actions, in an order that tables decide, so they
//! are only reported if nothing is ever written to them.

use std::collections::{BTreeMap, BTreeSet};

use diagnostics::{Diagnostic, Span};

use super::{Findings, Nodes, Within};
use crate::ast::{self, ExpressionKind};
use crate::types::{Definition, Sort, Type, TypeForm, Types};

/// The most variables that are followed at once: each branch takes time for each of them.
const MOST_FOLLOWED: usize = 64;

/// The variables that may be uninitialized at the current statement.
#[derive(Clone, Debug, Default)]
pub(super) struct Uninitialized {
    variables: BTreeSet<Definition>,
    warned: BTreeSet<Definition>,
    /// The variables of parsers and controls to which nothing was written so far, and where they are first read.
    never: BTreeMap<Definition, Option<Span>>,
    /// True while a name stands for a place, which does not read it.
    pub is_place: bool,
}

/// The variables that were uninitialized at some point of the program.
pub(super) type Before = BTreeSet<Definition>;

impl Uninitialized {
    /// Follows a scalar variable that is declared without a value. Variables with parts are not followed, because not
    /// all parts may be used.
    pub(super) fn follow(&mut self, types: &Types, within: Within, definition: Definition, of: Type) {
        let is_in_block = matches!(within, Within::State | Within::Apply | Within::Action | Within::Function);
        let under = types.underlying(of);
        let is_scalar = matches!(types.kind(under), TypeForm::Bit(_) | TypeForm::Int(_) | TypeForm::Bool);
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

    /// Notes that a variable is read, and warns once if it may be uninitialized.
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

    /// Warns, at the end of a parser or a control, of its variables that are read and never written.
    pub(super) fn lint_never_written(&mut self, types: &Types, found: &mut Findings) {
        for (definition, first) in std::mem::take(&mut self.never) {
            let Some(span) = first else { continue };
            let meaning = types.definitions.get(definition);
            let message = format!("`{}` is read, and nothing is ever written to it", meaning.name);
            found.report(Diagnostic::warning(span, message).related(meaning.span, "declared here, without a value"));
        }
    }

    /// Notes that an expression that was checked as a place is also read.
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

    /// Notes that a variable, or a part of it, is written.
    pub(super) fn note_written<'a>(&mut self, types: &Types, nodes: &Nodes<'a>, node: &'a ast::Expression) {
        if let Some(definition) = followed(types, nodes, node) {
            self.variables.remove(&definition);
            self.never.remove(&definition);
        }
    }

    /// Returns the variables that may be uninitialized here.
    pub(super) fn before(&self) -> Before {
        self.variables.clone()
    }

    /// Returns to the state `before` a branch to follow another one, and returns the state at the end of this one.
    pub(super) fn take_another_way(&mut self, before: &Before) -> Before {
        std::mem::replace(&mut self.variables, before.clone())
    }

    /// Joins the state at the end of another branch.
    pub(super) fn join(&mut self, other: Before) {
        self.variables.extend(other);
    }

    /// Notes that control does not reach this point.
    pub(super) fn end_way(&mut self) {
        self.variables.clear();
    }

    /// Drops the variables of a block at its end.
    pub(super) fn leave_block(&mut self, before: &Before) {
        self.variables.retain(|definition| before.contains(definition));
    }
}

fn followed<'a>(types: &Types, nodes: &Nodes<'a>, node: &'a ast::Expression) -> Option<Definition> {
    let definition = nodes.definition(root(node)?)?;
    matches!(types.sort(definition), Sort::Variable(_)).then_some(definition)
}

/// Returns the name of the variable that a place is a part of.
pub(super) fn root(node: &ast::Expression) -> Option<&ast::Name> {
    match &node.kind {
        ExpressionKind::Name(path) => Some(&path.name),
        ExpressionKind::Member(object, _) | ExpressionKind::Index(object, _) => root(object),
        ExpressionKind::Slice(slice) => root(&slice.value),
        _ => None,
    }
}
