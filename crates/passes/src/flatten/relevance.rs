//! Determines which variables a parser may still read from a state on; only the known values of these distinguish
//! unrolled states.

use std::collections::{BTreeMap, BTreeSet};

use ir::parser::{Next, StateId, Transition};
use ir::{Expression, Flow, FunctionId, ParserId, Program, Statement, VariableId};

/// For each state of each parser, the variables that may be read from it on, in the parser and in those that it
/// applies.
pub(super) struct Relevance {
    read: BTreeMap<(ParserId, StateId), BTreeSet<VariableId>>,
}

impl Relevance {
    pub(super) fn of(program: &Program) -> Self {
        let mut read = BTreeMap::new();
        let mut next = BTreeMap::new();
        for (number, parser) in program.parsers.iter().enumerate() {
            for (place, state) in parser.states.iter().enumerate() {
                let id = (ParserId::from(number), StateId::from(place));
                let mut own = Own::default();
                own.block(program, &state.body);
                state.transition.expressions().into_iter().for_each(|compared| own.expression(program, compared));
                read.insert(id, own.read);
                let applied = own.applied.into_iter().map(|parser| (parser, StateId(0)));
                let goes: Vec<_> = successors(&state.transition).map(|next| (id.0, next)).chain(applied).collect();
                next.insert(id, goes);
            }
        }
        loop {
            let mut is_stable = true;
            for (id, next) in &next {
                let before = read[id].len();
                let more: Vec<VariableId> = next.iter().flat_map(|next| read[next].iter().copied()).collect();
                let own = read.entry(*id).or_default();
                own.extend(more);
                is_stable &= own.len() == before;
            }
            if is_stable {
                return Self { read };
            }
        }
    }

    /// Returns whether a variable may be read from a state on.
    pub(super) fn is_read(&self, parser: ParserId, state: StateId, variable: VariableId) -> bool {
        self.read[&(parser, state)].contains(&variable)
    }
}

fn successors(transition: &Transition) -> impl Iterator<Item = StateId> {
    let all: Vec<Next> = match transition {
        Transition::To(next) => vec![*next],
        Transition::Select { cases, .. } => cases.iter().map(|case| case.next).collect(),
    };
    all.into_iter().filter_map(|next| match next {
        Next::State(state) => Some(state),
        Next::Accept | Next::Reject => None,
    })
}

/// The variables that statements themselves read, the parsers that they apply, and the functions that they call.
#[derive(Default)]
struct Own {
    read: BTreeSet<VariableId>,
    applied: Vec<ParserId>,
    called: BTreeSet<FunctionId>,
}

impl Own {
    fn block(&mut self, program: &Program, statements: &[Statement]) {
        for statement in statements {
            statement.walk(&mut |statement| {
                statement.expressions().into_iter().for_each(|expression| self.expression(program, expression));
                match statement {
                    Statement::Flow(Flow::Parse { parser, .. }) => self.applied.push(*parser),
                    Statement::Flow(Flow::Call { function, .. }) if self.called.insert(*function) => {
                        self.block(program, &program.functions[function.index()].body);
                    }
                    _ => {}
                }
            });
        }
    }

    fn expression(&mut self, program: &Program, expression: &Expression) {
        expression.walk(&mut |inner| match inner {
            Expression::Variable(variable) => {
                self.read.insert(*variable);
            }
            // The index may select any element.
            Expression::Element { array, .. } => self.read.extend(&program.arrays[array.index()].elements),
            _ => {}
        });
    }
}
