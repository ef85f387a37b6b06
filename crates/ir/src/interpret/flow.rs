//! Control flow: loops, calls, ends.

use super::Ending;
use super::Test;
use super::run::{Run, StatementResult, Stop};
use crate::{Expression, Flow, FunctionId, Statement};

impl Run<'_, '_> {
    pub(super) fn flow(&mut self, flow: &Flow) -> StatementResult {
        match flow {
            Flow::Loop { condition, body, step } => self.repeat(condition, body, step),
            Flow::Break => Err(Stop::Break),
            Flow::Continue => Err(Stop::Continue),
            Flow::Return => Err(Stop::Return),
            Flow::Exit => Err(Stop::Exit),
            Flow::Call { function, after } => {
                let progress = self.function(*function);
                self.finish(progress, after)
            }
            Flow::Parse { parser, after } => {
                let progress = self.parser(*parser);
                self.finish(progress, after)
            }
            Flow::Apply { table, hit, action, entry } => self.apply(*table, [*hit, *action, *entry]),
        }
    }

    fn repeat(&mut self, condition: &Expression, body: &[Statement], step: &[Statement]) -> StatementResult {
        loop {
            let holds = self.is_true(condition);
            self.around.observer.tested(Test::Loop, condition, holds, &self.packet.values);
            if !holds {
                return Ok(());
            }
            self.step()?;
            match self.block(body) {
                Ok(()) | Err(Stop::Continue) => self.block(step)?,
                Err(Stop::Break) => return Ok(()),
                other => return other,
            }
        }
    }

    /// Runs a function. A return ends here; an exit or the end of the block passes through.
    pub(super) fn function(&mut self, id: FunctionId) -> StatementResult {
        let body = &self.program.functions[id.index()].body;
        self.deeper(|run| {
            run.around.observer.entered(id);
            let progress = run.block(body);
            run.around.observer.left(id);
            match progress {
                Err(Stop::Return) => Ok(()),
                other => other,
            }
        })
    }

    /// Runs the statements that follow a call, however it ended, unless the block must end at once.
    pub(super) fn finish(&mut self, progress: StatementResult, after: &[Statement]) -> StatementResult {
        if !matches!(progress, Err(Stop::End(Ending::AssertionFailed | Ending::Unfinished))) {
            // Copy-out also happens on exit (P4_16, 12.5), and on reject: the bytes that were extracted are no longer
            // payload.
            self.block(after)?;
        }
        progress
    }
}
