//! Parsers (section 13).

use std::collections::HashMap;
use std::rc::Rc;

use diagnostics::Diagnostic;

use super::{Checker, Within, lints};
use crate::ast::{self, TransitionKind};
use crate::types::{MachineSort, Sort, Type, TypeForm, Types};

/// The indices of states by their names.
type States = HashMap<Rc<str>, usize>;

impl<'a> Checker<'a> {
    pub(super) fn parser(&mut self, own: &'a ast::Parser) {
        let around = self.control_names.begin_machine(&own.signature.name, &own.constructor_parameters);
        let machine = self.declaring(&own.signature.name, |checker| {
            checker.inside(Within::Parser, |checker| {
                let machine = checker.machine_head(&own.signature, &own.constructor_parameters, MachineSort::Parser);
                checker.inside(Within::Parser, |checker| {
                    for local in &own.locals {
                        checker.declaration(local);
                    }
                    checker.states(own);
                });
                machine
            })
        });
        self.uninitialized.lint_never_written(&self.types, &mut self.found);
        let number = self.control_names.end_machine(around);
        let definition = self.declare(&own.signature.name, Sort::Machine(Rc::new(machine)));
        self.control_names.note_machine(number, definition);
    }

    fn states(&mut self, own: &'a ast::Parser) {
        let mut states: States = HashMap::new();
        for (number, state) in own.states.iter().enumerate() {
            let name = &state.name;
            self.expressions().annotations(&state.annotations);
            lints::missing_transition(&mut self.found, state);
            if matches!(&*name.text, "accept" | "reject") {
                self.found.hinted(
                    name.span,
                    format!("every parser has its own `{}`", name.text),
                    "give the state another name",
                );
            }
            if let Some(first) = states.insert(Rc::clone(&name.text), number) {
                let error = Diagnostic::error(name.span, format!("the state `{}` is declared twice", name.text));
                self.found.report(error.related(own.states[first].name.span, "first here"));
            }
            self.nodes.define(&mut self.types, name, Sort::State);
        }
        if !states.contains_key("start") {
            let name = &own.signature.name;
            self.found.hinted(
                name.span,
                format!("parser `{}` has no state `start`", name.text),
                "parsing begins there",
            );
        }
        self.require_end(own, &states);
        for state in &own.states {
            self.inside(Within::State, |checker| {
                for statement in &state.statements {
                    checker.statement(statement);
                }
                if let Some(transition) = &state.transition {
                    checker.transition(transition, own, &states);
                }
            });
        }
    }

    /// Reports a parser in which no path leads from `start` to `accept` or `reject`. A state without a transition leads
    /// to `reject` (section 13.5).
    fn require_end(&mut self, own: &'a ast::Parser, states: &States) {
        let mut reached = vec![false; own.states.len()];
        let mut next: Vec<usize> = states.get("start").copied().into_iter().collect();
        if next.is_empty() {
            return;
        }
        while let Some(number) = next.pop() {
            if std::mem::replace(&mut reached[number], true) {
                continue;
            }
            let targets: Vec<&ast::Name> = match own.states[number].transition.as_ref().map(|own| &own.kind) {
                None => return,
                Some(TransitionKind::Direct(target)) => vec![target],
                // If no case matches, parsing ends.
                Some(TransitionKind::Select { cases, .. }) if !cases.iter().any(is_for_all) => return,
                Some(TransitionKind::Select { cases, .. }) => cases.iter().map(|case| &case.next).collect(),
            };
            for target in targets {
                match states.get(&target.text) {
                    Some(&state) => next.push(state),
                    // `accept`, `reject`, or an undeclared state.
                    None => return,
                }
            }
        }
        let name = &own.signature.name;
        let message = format!("parser `{}` never ends", name.text);
        self.found.hinted(name.span, message, "from `start`, no way leads to `accept` or `reject`");
    }

    fn transition(&mut self, own: &'a ast::Transition, parser: &'a ast::Parser, states: &States) {
        match &own.kind {
            TransitionKind::Direct(name) => self.next(name, parser, states),
            TransitionKind::Select { values, cases } => {
                let mut types: Vec<Type> = Vec::new();
                for value in values {
                    let of = self.expressions().value(value).of;
                    if value.kind == ast::ExpressionKind::Default {
                        self.found.error(value.span, "`...` is not a value to compare");
                        types.push(Types::UNKNOWN);
                        continue;
                    }
                    if of == Types::INTEGER {
                        let message = "`select` does not compare a number without a width";
                        self.found.hinted(value.span, message, "give it one: `8w1`");
                        types.push(Types::UNKNOWN);
                        continue;
                    }
                    let is_wrong = matches!(
                        self.types.kind(of),
                        TypeForm::Void
                            | TypeForm::Applied(_)
                            | TypeForm::String
                            | TypeForm::Varbit(_)
                            | TypeForm::List(_)
                    ) || matches!(
                        self.types.named(of),
                        Some((_, _, Sort::Extern(_) | Sort::Machine(_) | Sort::Container(_)))
                    );
                    if is_wrong {
                        let message = format!("`select` does not compare {}", self.types.describe(of));
                        self.found.error(value.span, message);
                    }
                    types.push(if is_wrong { Types::UNKNOWN } else { of });
                }
                lints::late_cases(&mut self.found, cases);
                for case in cases {
                    self.expressions().keyset(&case.keyset, &types, false);
                    self.next(&case.next, parser, states);
                }
            }
        }
    }

    fn next(&mut self, name: &'a ast::Name, parser: &'a ast::Parser, states: &States) {
        if matches!(&*name.text, "accept" | "reject") {
            return;
        }
        let Some(&state) = states.get(&name.text) else {
            let message = format!("there is no state `{}` in parser `{}`", name.text, parser.signature.name.text);
            let names = parser.states.iter().map(|state| &*state.name.text).chain(["accept", "reject"]);
            self.found.suggest(Diagnostic::error(name.span, message), &name.text, names);
            return;
        };
        if let Some(definition) = self.nodes.definition(&parser.states[state].name) {
            self.nodes.note_name(name, definition);
        }
    }
}

/// Returns true for `default` and `_`.
pub(super) fn is_for_all(case: &ast::SelectCase) -> bool {
    let is_all = |element: &ast::KeysetElement| {
        matches!(element.kind, ast::KeysetElementKind::Default | ast::KeysetElementKind::Any)
    };
    case.keyset.elements.iter().all(is_all)
}
