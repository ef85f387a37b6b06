//! Parsers (section 12).

use std::collections::HashMap;
use std::rc::Rc;

use diagnostics::{Diagnostic, Span};

use super::{Checker, Within};
use crate::ast::{self, TransitionKind};
use crate::types::{Kind, MachineSort, Sort, Type, Types};

impl<'a> Checker<'a> {
    pub(super) fn parser(&mut self, own: &'a ast::Parser) {
        let machine = self.inside(Within::Parser, |checker| {
            let machine = checker.machine_head(&own.signature, &own.constructor_parameters, MachineSort::Parser);
            checker.inside(Within::Parser, |checker| {
                for local in &own.locals {
                    checker.declaration(local);
                }
                checker.states(own);
            });
            machine
        });
        self.declare(&own.signature.name, Sort::Machine(Rc::new(machine)));
    }

    fn states(&mut self, own: &'a ast::Parser) {
        let mut states: HashMap<Rc<str>, Span> = HashMap::new();
        for state in &own.states {
            let name = &state.name;
            if matches!(&*name.text, "accept" | "reject") {
                self.hinted(
                    name.span,
                    format!("every parser has its own `{}`", name.text),
                    "give the state another name",
                );
            }
            if let Some(first) = states.insert(Rc::clone(&name.text), name.span) {
                let error = Diagnostic::error(name.span, format!("the state `{}` is declared twice", name.text));
                self.report(error.related(first, "first here"));
            }
            self.define(name, Sort::State);
        }
        if !states.contains_key("start") {
            let name = &own.signature.name;
            self.hinted(name.span, format!("parser `{}` has no state `start`", name.text), "parsing begins there");
        }
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

    fn transition(&mut self, own: &'a ast::Transition, parser: &'a ast::Parser, states: &HashMap<Rc<str>, Span>) {
        match &own.kind {
            TransitionKind::Direct(name) => self.next(name, parser, states),
            TransitionKind::Select { values, cases } => {
                let mut types: Vec<Type> = Vec::new();
                for value in values {
                    let of = self.value(value).of;
                    let is_wrong = matches!(
                        self.checked.types.kind(of),
                        Kind::Void | Kind::Applied(_) | Kind::String | Kind::Varbit(_)
                    ) || matches!(
                        self.checked.types.named(of),
                        Some((_, _, Sort::Extern(_) | Sort::Machine(_) | Sort::Container(_)))
                    );
                    if is_wrong {
                        let message = format!("`select` does not compare {}", self.checked.types.describe(of));
                        self.error(value.span, message);
                    }
                    types.push(if is_wrong { Types::UNKNOWN } else { of });
                }
                for case in cases {
                    self.keyset(&case.keyset, &types, false);
                    self.next(&case.next, parser, states);
                }
            }
        }
    }

    fn next(&mut self, name: &'a ast::Name, parser: &'a ast::Parser, states: &HashMap<Rc<str>, Span>) {
        if matches!(&*name.text, "accept" | "reject") {
            return;
        }
        if !states.contains_key(&name.text) {
            let message = format!("there is no state `{}` in parser `{}`", name.text, parser.signature.name.text);
            self.error(name.span, message);
            return;
        }
        let state = parser.states.iter().find(|state| state.name.text == name.text);
        if let Some(definition) = state.and_then(|state| self.checked.definition(&state.name)) {
            self.checked.note_name(name, definition);
        }
    }
}
