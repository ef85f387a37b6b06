//! Unrolls loops, because a packet passes a pipeline only once, from the first stage to the last.

use ir::{Expression, Statement};

use super::outcome::{Outcome, Stop};
use super::walk::{Scope, Walk};
use crate::report::Finding;

impl Walk<'_> {
    /// Unrolls a loop, whose number of iterations must be known.
    pub(super) fn repeat(&mut self, condition: &Expression, body: &[Statement], step: &[Statement]) -> Outcome {
        let number = self.scope_number();
        let around = self.scope;
        self.scope = Scope { of_loop: number, ..around };
        let mut all = self.turns(condition, body, step, 0);
        self.scope = around;
        self.absorb(&mut all, &[Stop::Break(number)]);
        all
    }

    fn turns(&mut self, condition: &Expression, body: &[Statement], step: &[Statement], turn: usize) -> Outcome {
        let mut code = Vec::new();
        let asked = self.resolved(condition, &mut code);
        match self.knowledge.value(&self.program, &asked) {
            Some(known) if known.value == 0 => return Outcome::default(),
            Some(_) if turn < self.options.loop_turns => {}
            Some(_) => {
                let most = self.options.loop_turns;
                self.refuse_loop(condition, &|condition| {
                    format!("`{condition}` holds more than {most} times, the maximum that is unrolled")
                });
                return Outcome::default();
            }
            None => {
                self.refuse_loop(condition, &|condition| {
                    format!("how often `{condition}` holds depends on the packet")
                });
                return Outcome::default();
            }
        }
        let number = self.scope_number();
        let around = self.scope;
        self.scope = Scope { of_turn: number, ..around };
        let mut all = self.block(body);
        self.scope = around;
        self.absorb(&mut all, &[Stop::Continue(number)]);
        if all.completes() {
            let next = self.block(step);
            self.append(&mut all, next);
            let rest = self.turns(condition, body, step, turn + 1);
            self.append(&mut all, rest);
        }
        all
    }

    fn refuse_loop(&mut self, condition: &Expression, why: &dyn Fn(String) -> String) {
        let condition = ir::print::expression(&self.program, condition).to_string();
        let finding =
            Finding::new("the number of iterations of a loop is not known, but a packet passes a pipeline only once");
        self.findings.push(finding.note(why(condition)));
    }
}
