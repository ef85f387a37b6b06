//! Writes the turns of loops one behind the other: packets go through a pipeline once, from its beginning to its end.

use ir::{Expression, Statement};

use super::outcome::{Outcome, Stop};
use super::walk::{Scope, Walk};
use crate::report::Finding;

impl Walk<'_> {
    /// A loop whose number of turns is known.
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
                self.refuse_loop(
                    condition,
                    &format!("it has more than {most}, which are the most that are written out"),
                );
                return Outcome::default();
            }
            None => {
                self.refuse_loop(condition, "it depends on the packet");
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

    fn refuse_loop(&mut self, condition: &Expression, why: &str) {
        let condition = ir::print::expression(&self.program, condition).to_string();
        let finding =
            Finding::new("a loop has no number of turns that is known, and a packet goes through a pipeline once");
        self.findings.push(finding.note(format!("how often `{condition}` holds: {why}")));
    }
}
