//! Writes functions where they are called: a pipeline has no stack of calls, only stages.
//!
//! Parameters and locals are variables of the program already, so that a call is its statements. What returns or exits
//! early is a bool that predicates what follows; what takes results back is done in any case (P4_16, 12.5).

use ir::{FunctionId, Statement};

use super::outcome::{Outcome, Stop};
use super::walk::{Scope, Walk};

/// How many statements all calls may become: many more than any chip has room for.
const MOST_STATEMENTS: usize = 1 << 18;

impl Walk<'_> {
    /// A function where it is called, and what follows in any case.
    pub(super) fn call(&mut self, function: FunctionId, after: &[Statement]) -> Outcome {
        let number = self.scope_number();
        let around = self.scope;
        self.scope = Scope { of_function: number, ..around };
        let body = self.program.functions[function.index()].body.clone();
        let mut all = if self.has_room(body.len()) { self.block(&body) } else { Outcome::default() };
        self.scope = around;
        self.absorb(&mut all, &[Stop::Return(number)]);
        self.always(&mut all, after);
        all
    }

    /// A function with which a block of the architecture begins.
    pub(super) fn enter(&mut self, function: FunctionId) -> Outcome {
        let number = self.scope_number();
        let around = self.scope;
        self.scope = Scope { of_block: number, ..around };
        let mut all = self.call(function, &[]);
        self.scope = around;
        self.absorb(&mut all, &[Stop::Exit(number)]);
        all
    }

    fn has_room(&mut self, statements: usize) -> bool {
        self.walked += statements;
        if self.walked > MOST_STATEMENTS {
            self.findings.say(format!("the program becomes more than {MOST_STATEMENTS} statements without its calls"));
        }
        self.walked <= MOST_STATEMENTS
    }

    /// Statements that are done in any case follow.
    fn always(&mut self, all: &mut Outcome, after: &[Statement]) {
        if after.is_empty() {
            return;
        }
        self.meet(all);
        let after = self.block(after);
        self.part(all);
        all.always(after.code);
    }
}
