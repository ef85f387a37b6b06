//! Rewrites each kind of statement.

use ir::{Flow, HeaderReference, PacketStatement, SharedStatement, Statement, VariableId};

use super::outcome::{Outcome, Stop};
use super::walk::{ProgramPart, Walk};

impl Walk<'_> {
    /// Rewrites a statement.
    pub(super) fn statement(&mut self, statement: &Statement) -> Outcome {
        match statement {
            Statement::Assign { variable, value } => {
                let mut code = Vec::new();
                let value = self.resolved(value, &mut code);
                self.assign(*variable, value, &mut code);
                Outcome::of(code)
            }
            Statement::AssignElement { array, index, value } => self.assign_element(*array, index, value),
            Statement::Write { register, index, value, predicate } => {
                if self.part != ProgramPart::Pipeline {
                    self.refuse_state("accesses registers", statement);
                }
                let mut code = Vec::new();
                let value = self.resolved(value, &mut code);
                let index = index.as_ref().map(|index| self.resolved(index, &mut code));
                let predicate = predicate.as_ref().map(|predicate| self.resolved(predicate, &mut code));
                code.push(Statement::Write { register: *register, index, value, predicate });
                Outcome::of(code)
            }
            Statement::If { condition, then, otherwise } => {
                let mut code = Vec::new();
                let condition = self.resolved(condition, &mut code);
                let mut all = Outcome::of(code);
                let branch = self.branch(condition, |walk| walk.block(then), |walk| walk.block(otherwise));
                self.append(&mut all, branch);
                all
            }
            Statement::Flow(flow) => self.flow(statement, flow),
            Statement::Packet(step) => self.packet(step),
            Statement::Shared(step) => self.shared(statement, step),
        }
    }

    /// Assigns to a variable a value that has already been rewritten.
    pub(super) fn assign(&mut self, variable: VariableId, value: ir::Expression, code: &mut Vec<Statement>) {
        if Some(variable) == self.multicast_group {
            let is_zero = self.knowledge.value(&self.program, &value).is_some_and(|group| group.value == 0);
            if !is_zero {
                self.findings.push(super::refusals::multicast(self.options.architecture));
            }
        }
        self.knowledge.assign(&self.program, variable, &value);
        code.push(Statement::Assign { variable, value });
    }

    fn flow(&mut self, statement: &Statement, flow: &Flow) -> Outcome {
        match flow {
            Flow::Loop { condition, body, step } => self.repeat(condition, body, step),
            Flow::Break => self.stop(Stop::Break(self.scope.of_loop)),
            Flow::Continue => self.stop(Stop::Continue(self.scope.of_turn)),
            Flow::Return => self.stop(Stop::Return(self.scope.of_function)),
            Flow::Exit => self.stop(Stop::Exit(self.scope.of_block)),
            Flow::Call { function, after } => self.call(*function, after),
            Flow::Apply { table, hit, action, entry } => {
                if self.part != ProgramPart::Pipeline {
                    self.refuse_state("applies a table", statement);
                }
                if entry.is_some() {
                    let name = &self.program.tables[table.index()].name;
                    let message = format!("the program uses the slots of the entries of the table `{name}`");
                    self.findings.say(message + ", but a pipeline learns of an entry only its action and its data");
                }
                self.apply(*table, *hit, *action)
            }
            Flow::Parse { .. } => {
                // Parsers applied directly in a state become states of their own (`parser`).
                let quoted = self.quote(statement);
                self.findings.say(format!(
                    "a parser is applied under a condition ({quoted}), so that it cannot be written as a list of states"
                ));
                Outcome::default()
            }
        }
    }

    fn packet(&mut self, step: &PacketStatement) -> Outcome {
        let mut code = Vec::new();
        match step {
            PacketStatement::Extract { header, length } => {
                let length = length.as_ref().map(|length| self.resolved(length, &mut code));
                let mut all = Outcome::of(code);
                let placed =
                    self.placed(header, &mut |header| PacketStatement::Extract { header, length: length.clone() });
                self.append(&mut all, placed);
                return all;
            }
            PacketStatement::SetValid { header, valid } => {
                return self.placed(header, &mut |header| PacketStatement::SetValid { header, valid: *valid });
            }
            PacketStatement::Emit { header } => {
                if self.part == ProgramPart::Pipeline {
                    self.findings.say("a control other than the deparser emits headers");
                }
                return self.placed(header, &mut |header| PacketStatement::Emit { header });
            }
            PacketStatement::Lookahead { variables } => {
                variables.iter().for_each(|&variable| self.knowledge.forget(variable));
                code.push(Statement::Packet(step.clone()));
            }
            PacketStatement::Advance { bits } => {
                let bits = self.resolved(bits, &mut code);
                code.push(Statement::Packet(PacketStatement::Advance { bits }));
            }
            PacketStatement::Verify { condition, error } => {
                let condition = self.resolved(condition, &mut code);
                if self.knowledge.value(&self.program, &condition).is_some_and(|holds| holds.value != 0) {
                    return Outcome::of(code);
                }
                let error = self.resolved(error, &mut code);
                code.push(Statement::Packet(PacketStatement::Verify { condition, error }));
            }
        }
        Outcome::of(code)
    }

    /// Writes down a statement about a known header.
    pub(super) fn fixed(&mut self, step: PacketStatement) -> Outcome {
        let (PacketStatement::Extract { header, .. } | PacketStatement::SetValid { header, .. }) = &step else {
            return Outcome::of(vec![Statement::Packet(step)]);
        };
        if let HeaderReference::Fixed(header) = header {
            let header = self.program.headers[header.index()].clone();
            let fields = header.fields.iter().flat_map(|field| [Some(field.variable), field.length]);
            fields.flatten().chain([header.valid]).for_each(|variable| self.knowledge.forget(variable));
        }
        Outcome::of(vec![Statement::Packet(step)])
    }

    fn shared(&mut self, statement: &Statement, step: &SharedStatement) -> Outcome {
        match step {
            SharedStatement::Count { counter, index, adjust: None } => {
                if self.part != ProgramPart::Pipeline {
                    self.refuse_state("counts", statement);
                }
                self.count(*counter, index)
            }
            // A pipeline does not log.
            SharedStatement::Log { .. } => Outcome::default(),
            SharedStatement::Count { adjust: Some(_), .. }
            | SharedStatement::Measure { .. }
            | SharedStatement::Filter { .. }
            | SharedStatement::Wred { .. }
            | SharedStatement::Random { .. }
            | SharedStatement::Effect(_)
            | SharedStatement::Assert { .. } => {
                self.findings.push(super::refusals::shared(&self.program, step));
                Outcome::default()
            }
        }
    }

    /// Adds a finding for state that is used outside the pipeline's stages.
    pub(super) fn refuse_state(&mut self, what: &str, statement: &Statement) {
        let part = match self.part {
            ProgramPart::Pipeline => return,
            ProgramPart::Parser => "parser",
            ProgramPart::Deparser => "deparser",
        };
        let quoted = self.quote(statement);
        self.findings.say(format!("the {part} {what} ({quoted}), but a pipeline has state only in its stages"));
    }
}
