//! The execution of parsers, from state to state until one accepts or rejects.

use runtime::Bits;
use runtime::tables::FieldMatch;

use super::Ending;
use super::run::{IDLE_STATES, Run, StatementResult, Stop, rejected};
use crate::parser::{Case, Next, Set, StateId, Transition};
use crate::{ErrorId, Expression, ParserId};

impl Run<'_, '_> {
    /// Runs a parser from its first state, at the current position in the packet.
    pub(super) fn parser(&mut self, id: ParserId) -> StatementResult {
        let progress = self.deeper(|run| run.states(id));
        if let Err(Stop::End(Ending::Rejected(error))) = progress {
            self.around.observer.rejected(id, error);
        }
        progress
    }

    fn states(&mut self, id: ParserId) -> StatementResult {
        let program = self.program;
        let states = &program.parsers[id.index()].states;
        let (mut current, mut idle, mut seen) = (StateId(0), 0, self.packet.position);
        loop {
            // P4_16, 13.10 has an error of its own for parsers that take too long; the steps of the block are bounded
            // too.
            idle = if self.packet.position == seen { idle + 1 } else { 1 };
            seen = self.packet.position;
            if idle > IDLE_STATES || self.step().is_err() {
                return Err(rejected(ErrorId::PARSER_TIMEOUT));
            }
            self.around.observer.parser_state(id, current);
            let state = &states[current.index()];
            self.block(&state.body)?;
            match self.next(id, current, &state.transition)? {
                Next::Accept => return Ok(()),
                // A transition to `reject` sets no error (P4_16, 13.3).
                Next::Reject => return Err(rejected(ErrorId::NO_ERROR)),
                Next::State(next) => current = next,
            }
        }
    }

    fn next(&mut self, parser: ParserId, state: StateId, transition: &Transition) -> Result<Next, Stop> {
        let (keys, cases) = match transition {
            Transition::To(next) => return Ok(*next),
            Transition::Select { keys, cases } => (keys, cases),
        };
        let mut values = self.take_list();
        for key in keys {
            let value = self.value(key);
            values.push(value);
        }
        let found = cases.iter().position(|case| self.matches(case, keys, &values));
        self.around.observer.selected(parser, state, &values, found);
        self.put_back(values);
        found.map(|case| cases[case].next).ok_or(rejected(ErrorId::NO_MATCH))
    }

    fn matches(&mut self, case: &Case, keys: &[Expression], values: &[Bits]) -> bool {
        let mut end = 0;
        case.sets.iter().all(|set| {
            let start = end;
            end += match set {
                Set::ValueSet(id) => self.program.value_sets[id.index()].fields.len(),
                _ => 1,
            };
            self.is_in(set, &keys[start..end], &values[start..end])
        })
    }

    fn is_in(&mut self, set: &Set, keys: &[Expression], values: &[Bits]) -> bool {
        match set {
            Set::Any => true,
            Set::Value(expected) => self.value(expected) == values[0],
            Set::Mask(expected, mask) => {
                let mask = self.value(mask);
                self.value(expected).and(&mask) == values[0].and(&mask)
            }
            Set::Range(low, high) => {
                let ty = self.program.type_of(&keys[0]);
                let less = |a: &Bits, b: &Bits| a.less(b, ty.width(), ty.is_signed());
                !less(&values[0], &self.value(low)) && !less(&self.value(high), &values[0])
            }
            Set::ValueSet(id) => {
                let fields = &self.program.value_sets[id.index()].fields;
                let asked = |member: &Vec<FieldMatch>| {
                    let mut each = member.iter().zip(values).zip(fields);
                    each.all(|((asked, value), field)| asked.matches(value, field.width))
                };
                self.around.state.value_sets[id.index()].iter().any(asked)
            }
        }
    }
}
