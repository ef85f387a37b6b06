//! Parsers (section 13).

use std::collections::HashMap;
use std::rc::Rc;

use ir::parser::{Next, ParserState, StateId, Transition};
use ir::{Parser, ParserId};

use super::Lowering;
use crate::ast::{self, TransitionKind};

/// The states of a parser by name. Only looked up.
pub(super) type States = HashMap<Rc<str>, StateId>;

/// The state that runs the declarations of a parser before `start`, if other states lead back to `start`.
const FIRST: &str = "$first";

impl<'a> Lowering<'a> {
    /// Writes a parser, in whose frame its parameters are bound.
    pub(super) fn lower_parser(&mut self, node: &'a ast::Parser, name: &str) -> ParserId {
        let first = self.block_of(|lowering| node.locals.iter().for_each(|own| lowering.local(own)));
        let start = node.states.iter().position(|state| &*state.name.text == "start");
        let Some(start) = start else {
            self.found.error(node.signature.name.span, format!("parser `{name}` has no state `start`"));
            return ParserId(0);
        };
        let mut order: Vec<&'a ast::StateDeclaration> = node.states.iter().collect();
        let beginning = order.remove(start);
        order.insert(0, beginning);
        let leads_back = node.states.iter().any(|state| leads_to(state, "start"));
        let has_first = !first.is_empty() && leads_back;
        let offset = usize::from(has_first);
        let numbered = order.iter().enumerate();
        let states: States =
            numbered.map(|(place, state)| (Rc::clone(&state.name.text), StateId::from(place + offset))).collect();
        let mut lowered: Vec<ParserState> = {
            let mut writer = ParserWriter { lowering: self, states: &states };
            order.iter().map(|state| writer.lower_state(state)).collect()
        };
        if has_first {
            let transition = Transition::To(Next::State(StateId::from(offset)));
            lowered.insert(0, ParserState { name: FIRST.to_owned(), body: first, transition });
        } else {
            lowered[0].body.splice(0..0, first);
        }
        let name = self.switch.parsers.variable(name);
        self.output.program.parsers.push(Parser { name, states: lowered });
        ParserId::from(self.output.program.parsers.len() - 1)
    }
}

/// Writes the states of one parser.
pub(super) struct ParserWriter<'c, 'a> {
    pub lowering: &'c mut Lowering<'a>,
    pub states: &'c States,
}

impl<'a> ParserWriter<'_, 'a> {
    fn lower_state(&mut self, node: &'a ast::StateDeclaration) -> ParserState {
        // A state without a transition rejects the packet (13.5).
        let mut transition = Transition::To(Next::Reject);
        let states = self.states;
        let body = self.lowering.block_of(|lowering| {
            lowering.statements(&node.statements);
            if let Some(own) = &node.transition {
                transition = ParserWriter { lowering, states }.transition(own);
            }
            if states.keys().any(|name| leads_to(node, name)) {
                lowering.warn_of_residues();
            }
            lowering.residues.clear();
        });
        ParserState { name: node.name.text.to_string(), body, transition }
    }

    fn transition(&mut self, node: &'a ast::Transition) -> Transition {
        match &node.kind {
            TransitionKind::Direct(name) => Transition::To(next(name, self.states)),
            TransitionKind::Select { values, cases } => self.selection(values, cases),
        }
    }
}

/// Returns the state that a name stands for.
pub(super) fn next(name: &ast::Name, states: &States) -> Next {
    match states.get(&name.text) {
        Some(&state) => Next::State(state),
        None if &*name.text == "accept" => Next::Accept,
        None => Next::Reject,
    }
}

fn leads_to(state: &ast::StateDeclaration, name: &str) -> bool {
    match state.transition.as_ref().map(|own| &own.kind) {
        Some(TransitionKind::Direct(next)) => &*next.text == name,
        Some(TransitionKind::Select { cases, .. }) => cases.iter().any(|case| &*case.next.text == name),
        None => false,
    }
}
