//! Inlines functions, because a pipeline has no call stack, only stages.
//!
//! Parameters and local variables are variables of the program already, so a call is replaced by the statements of the
//! function. Early returns and exits become Boolean variables that predicate what follows. The statements that copy
//! results out are executed in any case (P4_16, 12.5).

use ir::{FunctionId, Statement};

use super::outcome::{Outcome, Stop};
use super::walk::{Scope, Walk};

/// The maximum number of statements after inlining, many more than any chip has room for.
const MOST_STATEMENTS: usize = 1 << 18;

impl Walk<'_> {
    /// Inlines a function, followed by the statements `after`, which are executed however it ends.
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

    /// Inlines the function with which a block of the architecture begins.
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
            self.findings
                .say(format!("the program has more than {MOST_STATEMENTS} statements once all calls are inlined"));
        }
        self.walked <= MOST_STATEMENTS
    }

    /// Appends statements that are executed in any case.
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
