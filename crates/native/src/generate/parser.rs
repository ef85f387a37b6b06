//! Parsers as state machines that end when a state accepts or rejects.

use std::collections::HashSet;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{Block as CodeBlock, InstBuilder, Value};
use cranelift_frontend::{Switch, Variable};
use ir::interpret::IDLE_STATES;
use ir::parser::{Case, Next, Parser, Set, Transition};
use ir::{BinaryOperator, ErrorId, Expression, ParserId, Type};

use super::code::Code;
use super::operand::{Operand, status};
use crate::analysis;
use crate::context::offsets;
use crate::helpers::Helper;

/// Returns the status of a rejection with an error.
pub(super) fn rejected(error: ErrorId) -> u64 {
    status::REJECTED | u64::from(error.0)
}

/// The number of states entered without advancing, and the position at that time. They are tracked only in parsers that
/// can enter a state twice or have very many states.
#[derive(Clone, Copy)]
struct Idle {
    states: Variable,
    seen: Variable,
}

/// The number of consecutive cases that compare a word with constants from which on they become a search or a jump
/// table.
const MANY_CASES: usize = 8;

/// Returns the number of leading cases that compare a word with a constant.
fn constant_cases(cases: &[Case], keys: &[(Operand, Type)]) -> usize {
    match keys {
        [(Operand::Word(_), _)] => cases.iter().take_while(|case| constant_of(case).is_some()).count(),
        _ => 0,
    }
}

/// Returns the constant with which a case of a single key compares it.
fn constant_of(case: &Case) -> Option<u64> {
    match case.sets.as_slice() {
        [Set::Value(Expression::Constant(constant))] => Some(constant.value),
        _ => None,
    }
}

impl Code<'_> {
    /// Emits the code of a parser, which jumps to `returns` when it accepts.
    pub(super) fn parser(&mut self, id: ParserId) {
        let program = self.program;
        let parser = &program.parsers[id.index()];
        let reachable = analysis::reachable(parser);
        let idle = self.idle(parser);
        let states: Vec<CodeBlock> = parser.states.iter().map(|_| self.builder.create_block()).collect();
        self.go(states[0]);
        for (number, state) in parser.states.iter().enumerate().filter(|(number, _)| reachable[*number]) {
            self.builder.switch_to_block(states[number]);
            if let Some(idle) = idle {
                self.count_idle(idle);
            }
            // A parser that takes too long rejects with an error of its own (P4_16, 13.10); the total number of steps
            // is bounded too.
            self.step(rejected(ErrorId::PARSER_TIMEOUT));
            if self.statements(&state.body) {
                self.transition(&state.transition, &states);
            }
        }
    }

    fn idle(&mut self, parser: &Parser) -> Option<Idle> {
        if !analysis::has_cycle(parser) && parser.states.len() <= IDLE_STATES as usize {
            return None;
        }
        let (states, seen) = (self.builder.declare_var(I64), self.builder.declare_var(I64));
        let (none, position) = (self.constant(0), self.load_context(offsets::POSITION));
        self.builder.def_var(states, none);
        self.builder.def_var(seen, position);
        Some(Idle { states, seen })
    }

    fn count_idle(&mut self, idle: Idle) {
        let position = self.load_context(offsets::POSITION);
        let (seen, states) = (self.builder.use_var(idle.seen), self.builder.use_var(idle.states));
        let stands = self.compare(IntCC::Equal, position, seen);
        let (more, one) = (self.builder.ins().iadd_imm(states, 1), self.constant(1));
        let states = self.builder.ins().select(stands, more, one);
        self.builder.def_var(idle.states, states);
        self.builder.def_var(idle.seen, position);
        let too_many = self.compare_constant(IntCC::UnsignedGreaterThan, states, IDLE_STATES.into());
        self.stop_if(too_many, rejected(ErrorId::PARSER_TIMEOUT));
    }

    fn transition(&mut self, transition: &Transition, states: &[CodeBlock]) {
        self.scratch_used = 0;
        match transition {
            Transition::To(next) => self.go_to(*next, states),
            Transition::Select { keys, cases } => {
                let values: Vec<(Operand, Type)> =
                    keys.iter().map(|key| (self.value(key), self.program.type_of(key))).collect();
                let mut cases = cases.as_slice();
                while let Some((case, others)) = cases.split_first() {
                    let constants = constant_cases(cases, &values);
                    let otherwise = self.builder.create_block();
                    if constants >= MANY_CASES {
                        let (run, others) = cases.split_at(constants);
                        self.constant_cases(run, values[0].0, states, otherwise);
                        self.builder.switch_to_block(otherwise);
                        cases = others;
                        continue;
                    }
                    cases = others;
                    self.case(case, &values, otherwise);
                    self.go_to(case.next, states);
                    self.builder.switch_to_block(otherwise);
                }
                self.stop(rejected(ErrorId::NO_MATCH));
            }
        }
    }

    /// Emits cases that compare a word with constants as a binary search, or as a jump table where they are dense.
    fn constant_cases(&mut self, cases: &[Case], key: Operand, states: &[CodeBlock], otherwise: CodeBlock) {
        let Operand::Word(key) = key else { unreachable!("`constant_cases` looks for words") };
        let mut switch = Switch::new();
        let mut seen = HashSet::new();
        let mut targets: Vec<(Next, CodeBlock)> = Vec::new();
        for case in cases {
            // The first matching case is taken (P4_16, 13.6).
            let Some(value) = constant_of(case).filter(|value| seen.insert(*value)) else { continue };
            let known = targets.iter().find(|(next, _)| *next == case.next).map(|(_, target)| *target);
            let target = match (known, case.next) {
                (Some(target), _) => target,
                (None, Next::State(state)) => states[state.index()],
                (None, next) => {
                    let target = self.builder.create_block();
                    targets.push((next, target));
                    target
                }
            };
            switch.set_entry(u128::from(value), target);
        }
        let key = self.truth(key);
        switch.emit(&mut self.builder, key, otherwise);
        for (next, target) in targets {
            self.builder.switch_to_block(target);
            self.go_to(next, states);
        }
    }

    fn go_to(&mut self, next: Next, states: &[CodeBlock]) {
        match next {
            Next::Accept => self.go(self.scope.returns),
            // Every statement that sets an error also rejects with it (P4_16, 13.3), so there is none here.
            Next::Reject => self.stop(rejected(ErrorId::NO_ERROR)),
            Next::State(state) => self.go(states[state.index()]),
        }
    }

    /// Continues if a case matches; jumps to `otherwise` as soon as one of its sets does not.
    fn case(&mut self, case: &Case, mut values: &[(Operand, Type)], otherwise: CodeBlock) {
        for set in &case.sets {
            let taken = match set {
                Set::ValueSet(id) => self.program.value_sets[id.index()].fields.len(),
                _ => 1,
            };
            let (own, others) = values.split_at(taken);
            values = others;
            self.set(set, own, otherwise);
        }
    }

    fn set(&mut self, set: &Set, values: &[(Operand, Type)], otherwise: CodeBlock) {
        let (key, ty) = values[0];
        let holds = match set {
            Set::Any => return,
            Set::Value(expected) => self.compare_with(BinaryOperator::Equal, ty, key, expected),
            Set::Mask(expected, mask) => {
                let mask = self.value(mask);
                let expected = self.value(expected);
                let expected = self.masked(ty, expected, mask);
                let key = self.masked(ty, key, mask);
                self.compared(BinaryOperator::Equal, ty, expected, key)
            }
            Set::Range(low, high) => {
                let above = self.compare_with(BinaryOperator::GreaterEqual, ty, key, low);
                self.unless(above, otherwise);
                self.compare_with(BinaryOperator::LessEqual, ty, key, high)
            }
            Set::ValueSet(id) => {
                let keys: Vec<Operand> = values.iter().map(|(value, _)| *value).collect();
                let place = self.lay_out(&keys);
                let (number, address) = (self.constant(id.0.into()), self.address(place));
                self.ask(Helper::ValueSet, &[number, address])
            }
        };
        self.unless(holds, otherwise);
    }

    fn compare_with(&mut self, operator: BinaryOperator, ty: Type, key: Operand, with: &Expression) -> Value {
        let with = self.value(with);
        self.compared(operator, ty, key, with)
    }

    fn masked(&mut self, ty: Type, value: Operand, mask: Operand) -> Operand {
        match (value, mask) {
            (Operand::Word(value), Operand::Word(mask)) => Operand::Word(self.builder.ins().band(value, mask)),
            (Operand::Wide(value), Operand::Wide(mask)) => {
                Operand::Wide(self.wide_binary(BinaryOperator::And, ty, value, mask))
            }
            _ => unreachable!("`verify` demands values of one type"),
        }
    }

    /// Continues if a condition holds, otherwise jumps to `otherwise`.
    fn unless(&mut self, holds: Value, otherwise: CodeBlock) {
        let next = self.builder.create_block();
        self.branch(holds, next, otherwise);
        self.builder.switch_to_block(next);
    }
}
