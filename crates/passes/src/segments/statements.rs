//! Statements, run on paths.

use ir::{
    Effect, Expression, Flow, FunctionId, HeaderId, HeaderReference, PacketStatement, SharedStatement, Statement,
};
use runtime::Bits;

use super::evaluate::truth;
use super::path::{Ended, Path};
use super::value::{Part, Value};
use super::{Analysis, MOST_STEPS, Obstacle, obstacle};

/// The most iterations of a loop that are followed.
const MOST_ITERATIONS: usize = 256;

impl Analysis<'_> {
    /// Runs statements one after the other on all paths that have not ended.
    pub(super) fn statements(&mut self, block: &[Statement], paths: Vec<Path>) -> Result<Vec<Path>, Obstacle> {
        let mut paths = paths;
        for statement in block {
            let mut after = Vec::new();
            for path in paths {
                if path.ended == Ended::No {
                    after.extend(self.statement(statement, path)?);
                } else {
                    after.push(path);
                }
            }
            paths = if after.len() > 1 { self.merged(after)? } else { after };
        }
        Ok(paths)
    }

    fn statement(&mut self, statement: &Statement, mut path: Path) -> Result<Vec<Path>, Obstacle> {
        self.steps += 1;
        if self.steps > MOST_STEPS {
            return Err(obstacle("the program", "it is too long to be followed on all its paths"));
        }
        match statement {
            Statement::Assign { variable, value } => {
                path.values[variable.index()] = self.evaluate(value, &path);
            }
            Statement::AssignElement { array, index, value } => {
                let (differs, value) = (self.differs(index, &path), self.evaluate(value, &path));
                for element in &self.program.arrays[array.index()].elements {
                    // The element may be assigned or keep its value.
                    let varies =
                        differs || self.varies(*element, &path) || value.varies(self.width(*element), &self.shape);
                    path.values[element.index()] = if varies { Value::Varying } else { self.unknown() };
                }
            }
            Statement::Write { register, index, value, predicate } => {
                for operand in index.iter().chain([value]).chain(predicate) {
                    if self.differs(operand, &path) {
                        return Err(self.differing(statement, operand, &path));
                    }
                }
                let text = self.stands(statement, "").place;
                self.written.entry(*register).or_insert(text);
            }
            Statement::If { condition, then, otherwise } => {
                let value = self.evaluate(condition, &path);
                return match truth(&value) {
                    Some(true) => self.statements(then, vec![path]),
                    Some(false) => self.statements(otherwise, vec![path]),
                    None if value.varies(1, &self.shape) => Err(self.differing(statement, condition, &path)),
                    None => {
                        let mut both = self.statements(then, vec![path.clone()])?;
                        both.extend(self.statements(otherwise, vec![path])?);
                        Ok(both)
                    }
                };
            }
            Statement::Flow(flow) => return self.flow(statement, flow, path),
            Statement::Packet(packet) => return self.packet(statement, packet, path),
            Statement::Shared(shared) => self.shared(statement, shared, &mut path)?,
        }
        Ok(vec![path])
    }

    fn flow(&mut self, statement: &Statement, flow: &Flow, path: Path) -> Result<Vec<Path>, Obstacle> {
        match flow {
            Flow::Break => Ok(vec![path.ending(Ended::Break)]),
            Flow::Continue => Ok(vec![path.ending(Ended::Continue)]),
            Flow::Return => Ok(vec![path.ending(Ended::Return)]),
            Flow::Exit => Ok(vec![path.ending(Ended::Exit)]),
            Flow::Call { function, after } => {
                let called = self.function(*function, vec![path])?;
                self.after(after, called)
            }
            Flow::Parse { parser, after } => {
                let parsed = self.parse(*parser, vec![path])?;
                self.after(after, parsed)
            }
            Flow::Apply { table, hit, action, entry } => self.apply(statement, *table, [*hit, *action, *entry], path),
            Flow::Loop { condition, body, step } => self.repeat(statement, condition, body, step, path),
        }
    }

    /// Runs a function, which ends by returning or by the end of its block.
    pub(super) fn function(&mut self, function: FunctionId, paths: Vec<Path>) -> Result<Vec<Path>, Obstacle> {
        let mut paths = self.statements(&self.program.functions[function.index()].body, paths)?;
        for path in paths.iter_mut().filter(|path| path.ended == Ended::Return) {
            path.ended = Ended::No;
        }
        Ok(paths)
    }

    /// Runs the block behind a call, which runs however the call has ended.
    pub(super) fn after(&mut self, after: &[Statement], paths: Vec<Path>) -> Result<Vec<Path>, Obstacle> {
        let mut all = Vec::new();
        for mut path in paths {
            let ended = std::mem::replace(&mut path.ended, Ended::No);
            let copied = self.statements(after, vec![path])?;
            all.extend(copied.into_iter().map(|path| path.ending(ended.clone())));
        }
        Ok(all)
    }

    fn repeat(
        &mut self,
        statement: &Statement,
        condition: &Expression,
        body: &[Statement],
        step: &[Statement],
        path: Path,
    ) -> Result<Vec<Path>, Obstacle> {
        let (mut running, mut done) = (vec![path], Vec::new());
        for _ in 0..MOST_ITERATIONS {
            let mut again = Vec::new();
            for path in running {
                match truth(&self.evaluate(condition, &path)) {
                    Some(true) => again.push(path),
                    Some(false) => done.push(path),
                    None => return Err(self.stands(statement, "the number of iterations is not known")),
                }
            }
            if again.is_empty() {
                return self.merged(done);
            }
            running = Vec::new();
            for mut path in self.statements(body, again)? {
                match path.ended {
                    Ended::No | Ended::Continue => {
                        path.ended = Ended::No;
                        running.extend(self.statements(step, vec![path])?);
                    }
                    Ended::Break => done.push(path.ending(Ended::No)),
                    _ => done.push(path),
                }
            }
            running = self.merged(running)?;
        }
        Err(self.stands(statement, "it has too many iterations to be followed"))
    }

    fn packet(
        &mut self,
        statement: &Statement,
        packet: &PacketStatement,
        mut path: Path,
    ) -> Result<Vec<Path>, Obstacle> {
        match packet {
            PacketStatement::Extract { header, length } => {
                return self.extract(statement, header, length.as_ref(), path);
            }
            PacketStatement::Lookahead { variables } => {
                let mut position = path.position;
                for variable in variables {
                    let width = self.width(*variable);
                    path.values[variable.index()] = Value::input(position, width, &self.shape);
                    position += width;
                }
                self.within_headers(statement, position)?;
            }
            PacketStatement::Advance { bits } => match self.evaluate(bits, &path) {
                Value::Constant(bits) => {
                    let bits = bits.to_u64().and_then(|bits| u32::try_from(bits).ok()).unwrap_or(u32::MAX);
                    if !bits.is_multiple_of(8) {
                        return Err(self.stands(statement, "the number of bits is invalid"));
                    }
                    path.position = path.position.saturating_add(bits);
                    self.within_headers(statement, path.position)?;
                }
                _ => return Err(self.stands(statement, "the number of bits is not known")),
            },
            PacketStatement::Verify { condition, error } => {
                let (value, error) = (self.evaluate(condition, &path), self.evaluate(error, &path));
                return match truth(&value) {
                    Some(true) => Ok(vec![path]),
                    Some(false) => Ok(vec![path.ending(Ended::Rejected(error))]),
                    None if value.varies(1, &self.shape) => Err(self.differing(statement, condition, &path)),
                    None => Ok(vec![path.clone(), path.ending(Ended::Rejected(error))]),
                };
            }
            PacketStatement::SetValid { header, valid } => {
                let header = self.header(statement, header, &path)?;
                self.set_valid(header, *valid, &mut path);
            }
            PacketStatement::Emit { header } => {
                let id = self.header(statement, header, &path)?;
                self.emit(statement, id, &mut path)?;
            }
        }
        Ok(vec![path])
    }

    /// Returns the header that a statement names.
    pub(super) fn header(
        &mut self,
        statement: &Statement,
        header: &HeaderReference,
        path: &Path,
    ) -> Result<HeaderId, Obstacle> {
        match header {
            HeaderReference::Fixed(header) => Ok(*header),
            HeaderReference::Element(stack, index) => {
                let Value::Constant(index) = self.evaluate(index, path) else {
                    return Err(self.stands(statement, "the index of the stack is not known"));
                };
                let elements = &self.program.stacks[stack.index()].elements;
                let element = index.to_u64().and_then(|index| elements.get(usize::try_from(index).ok()?));
                element.copied().ok_or_else(|| self.stands(statement, "the index is outside of the stack"))
            }
        }
    }

    fn set_valid(&mut self, header: HeaderId, valid: bool, path: &mut Path) {
        let header = &self.program.headers[header.index()];
        let was_valid = truth(&path.values[header.valid.index()]);
        if was_valid != Some(valid) {
            for field in &header.fields {
                // The fields keep their values if the header was as valid already.
                let varies = was_valid.is_none() && self.varies(field.variable, path);
                path.values[field.variable.index()] = if varies { Value::Varying } else { self.unknown() };
                if let Some(length) = field.length {
                    path.values[length.index()] = Value::Constant(Bits::zero(self.width(length)));
                }
            }
        }
        path.values[header.valid.index()] = Value::Constant(Bits::from(valid));
    }

    fn emit(&mut self, statement: &Statement, header: HeaderId, path: &mut Path) -> Result<(), Obstacle> {
        let header = &self.program.headers[header.index()];
        match truth(&path.values[header.valid.index()]) {
            Some(false) => return Ok(()),
            Some(true) => {}
            None => return Err(self.stands(statement, "it is not known whether the header is valid")),
        }
        for field in &header.fields {
            let mut width = self.width(field.variable);
            if let Some(length) = field.length {
                let known =
                    path.known(length).ok_or_else(|| self.stands(statement, "the header's length is not known"))?;
                width = width.min(u32::try_from(known).unwrap_or(u32::MAX));
            }
            if width > 0 {
                let value = path.values[field.variable.index()].lowest(self.width(field.variable), width);
                path.emitted.push(Part { value, width });
            }
        }
        Ok(())
    }

    fn shared(&mut self, statement: &Statement, shared: &SharedStatement, path: &mut Path) -> Result<(), Obstacle> {
        match shared {
            // Whoever runs the program counts all segments at once.
            SharedStatement::Count { index, .. } if self.differs(index, path) => {
                Err(self.differing(statement, index, path))
            }
            SharedStatement::Count { adjust: Some(_), .. } => {
                Err(self.stands(statement, "a counter corrects the length of each segment"))
            }
            SharedStatement::Count { .. } | SharedStatement::Log { .. } => Ok(()),
            SharedStatement::Measure { .. } => Err(self.stands(statement, "a meter measures each segment")),
            SharedStatement::Filter { .. } | SharedStatement::Wred { .. } => {
                Err(self.stands(statement, "a filter takes a value of each segment"))
            }
            SharedStatement::Random { .. } => Err(self.stands(statement, "each segment draws a number of its own")),
            SharedStatement::Assert { condition, .. } if self.differs(condition, path) => {
                Err(self.differing(statement, condition, path))
            }
            SharedStatement::Assert { .. } => Ok(()),
            // Whoever runs the program sends the message for each segment. Several messages of each would be in another
            // order.
            SharedStatement::Effect(Effect::Digest { .. }) if self.is_behind_queue || path.has_sent => {
                Err(self.stands(statement, "each segment sends several messages"))
            }
            SharedStatement::Effect(Effect::Digest { values, .. }) => {
                path.has_sent = true;
                match values.iter().find(|value| self.differs(value, path)) {
                    Some(value) => Err(self.differing(statement, value, path)),
                    None => Ok(()),
                }
            }
            SharedStatement::Effect(effect) => Err(self.stands(
                statement,
                match effect {
                    Effect::Clone { .. } | Effect::Mirror { .. } => "each segment is copied",
                    Effect::Resubmit { .. } | Effect::Recirculate { .. } => "each segment passes the switch again",
                    Effect::Truncate { .. } => "each segment is truncated",
                    Effect::Digest { .. } => unreachable!("seen above"),
                },
            )),
        }
    }

    /// Returns the obstacle that a statement is because an operand differs, with the first variable that does.
    pub(super) fn differing(&mut self, statement: &Statement, operand: &Expression, path: &Path) -> Obstacle {
        let variables = operand.variables();
        let reason = match variables.into_iter().find(|variable| self.varies(*variable, path)) {
            Some(variable) => format!("`{}` differs between segments", ir::print::variable(self.program, variable)),
            None => format!("`{}` differs between segments", ir::print::expression(self.program, operand)),
        };
        self.stands(statement, reason)
    }
}
