//! Generates pipeline code for what the switch of an architecture does between the blocks of a program.
//!
//! The architecture defines it ([`arch::Architecture`]), for machines as well: ingress decides where a packet goes, the
//! queue sets metadata about arrival and departure, and egress may still drop the packet. A dropped packet continues
//! through the stages, because nothing leaves a pipeline early, but it must not change state any more. Its fields do
//! not matter.

use arch::{Arithmetic, Dropped, EmittedHeaders, Instance, IntrinsicValue, Ports, Stage};
use ir::{BinaryOperator, Block, Expression, FunctionId, Statement, Type, VariableId};
use runtime::arithmetic;

use super::outcome::Outcome;
use super::walk::Walk;
use super::words::number;

/// The variables by which the machine and the code communicate at the beginning and at the end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ends {
    /// The variable that is true at the end if the packet is dropped.
    pub(super) dropped: VariableId,
    /// The variable that holds the egress port at the end.
    pub(super) port: VariableId,
    /// The variable that the machine sets to the time of the packet's arrival, in microseconds.
    pub(super) time: VariableId,
    /// The number of ports.
    pub(super) ports: u32,
}

/// The type in which lengths and other numbers are computed.
const COUNT: Type = Type::Bits(64);

impl Walk<'_> {
    /// Generates the code between the parser and the deparser, including the functions in `before_deparser`. `emitted`
    /// are the headers that the deparser emits.
    pub(super) fn pipeline(
        &mut self,
        emitted: &EmittedHeaders,
        before_deparser: &[FunctionId],
    ) -> Option<(Vec<Statement>, Ends)> {
        let (Some(ingress), Some(egress)) = (self.stage(Stage::Ingress), self.stage(Stage::Egress)) else {
            return None;
        };
        let ports = self.ports()?;
        let ty = self.program.variable(ports.destination).ty;
        let dropped = self.local("$dropped", Type::Bool);
        let port = self.local("$egress_port", ty);
        let time = self.local("$time", Type::Bits(64));
        let mut code = Vec::new();
        let header_bits = emitted.bits(&Expressions(self));
        let before = self.kept("$header_bits", header_bits, &mut code);
        let mut all = Outcome::of(code);
        for function in ingress {
            let entered = self.enter(function);
            self.append(&mut all, entered);
        }
        let mut code = all.code;
        let nowhere = self.goes_nowhere(&ports);
        self.assign(dropped, nowhere, &mut code);
        self.assign(port, Expression::Variable(ports.destination), &mut code);
        // The queue, egress, and whether egress drops the packet.
        let mut rest = self.pass_queue(&ports, emitted, (port, time), before);
        for function in egress {
            rest.extend(self.enter(function).code);
        }
        let is_dropped = self.is_dropped(&ports);
        let may_be_dropped = self.knowledge.value(&self.program, &is_dropped).is_none_or(|known| known.value != 0);
        if self.has_effects(&rest) {
            if may_be_dropped {
                rest.push(Statement::Assign { variable: dropped, value: is_dropped });
            }
            code.push(Statement::If { condition: not(dropped), then: rest, otherwise: Vec::new() });
        } else {
            code.extend(rest);
            if may_be_dropped {
                let either = Expression::binary(BinaryOperator::Or, Expression::Variable(dropped), is_dropped);
                code.push(Statement::Assign { variable: dropped, value: either });
            }
        }
        for &function in before_deparser {
            let rest = self.enter(function).code;
            if self.has_effects(&rest) {
                code.push(Statement::If { condition: not(dropped), then: rest, otherwise: Vec::new() });
            } else {
                code.extend(rest);
            }
        }
        Some((self.merged(code), Ends { dropped, port, time, ports: ports.usable }))
    }

    /// Returns the functions of a stage, in order.
    pub(super) fn stage(&mut self, stage: Stage) -> Option<Vec<FunctionId>> {
        let blocks = self.options.architecture.stage(&self.program, stage);
        let functions = blocks.map(|blocks| {
            let functions = blocks.into_iter().filter_map(|(_, block)| match block {
                Block::Function(function) => Some(function),
                Block::Parser(_) => None,
            });
            functions.collect()
        });
        functions.map_err(|finding| self.findings.say(finding)).ok()
    }

    fn ports(&mut self) -> Option<Ports> {
        let ports = self.options.architecture.ports(&self.program, self.options.drop_port);
        let ports = ports.map_err(|finding| self.findings.say(finding)).ok()?;
        Some(Ports { usable: self.options.ports.map_or(ports.usable, u32::from), ..ports })
    }

    /// Returns the condition that the program drops the packet, for evaluation at the current point.
    fn is_dropped(&self, ports: &Ports) -> Expression {
        let (variable, operator, value) = match ports.dropped {
            Dropped::Port(port) => (ports.destination, BinaryOperator::Equal, port),
            Dropped::Flag(flag) => (flag, BinaryOperator::NotEqual, 0),
        };
        let ty = self.program.variable(variable).ty;
        Expression::binary(operator, Expression::Variable(variable), number(ty, value))
    }

    /// Returns the condition that ingress drops the packet or sends it to a port that does not exist.
    fn goes_nowhere(&self, ports: &Ports) -> Expression {
        let ty = self.program.variable(ports.destination).ty;
        let greatest = arithmetic::mask(ty.width().min(64));
        let count = u64::from(ports.usable);
        let is_dropped = self.is_dropped(ports);
        let destination = Expression::Variable(ports.destination);
        let above = Expression::binary(BinaryOperator::GreaterEqual, destination, number(ty, count.min(greatest)));
        match ports.dropped {
            _ if count > greatest => is_dropped,
            Dropped::Port(port) if port >= count && count == greatest => is_dropped,
            Dropped::Port(port) if port >= count => above,
            _ => Expression::binary(BinaryOperator::Or, is_dropped, above),
        }
    }

    /// Generates the assignments that the switch makes between ingress and egress, with an empty queue.
    fn pass_queue(
        &mut self,
        ports: &Ports,
        emitted: &EmittedHeaders,
        (port, time): (VariableId, VariableId),
        before: VariableId,
    ) -> Vec<Statement> {
        let mut code = Vec::new();
        let arrived = Expression::Variable(self.arrival_length());
        let arrived = self.converted(COUNT, arrived);
        let metadata = self.options.architecture.metadata_of(&self.program);
        for (variable, value) in
            [metadata.after_ingress, metadata.before_queue, metadata.before_egress].into_iter().flatten()
        {
            let value = match value {
                IntrinsicValue::Time => Expression::Variable(time),
                IntrinsicValue::DeparturePort => Expression::Variable(port),
                IntrinsicValue::Length => arrived.clone(),
                IntrinsicValue::LengthInEgress => {
                    let (with, before) = (Expressions(self), Expression::Variable(before));
                    arch::length_in_egress(&with, arrived.clone(), before, emitted.bits(&with))
                }
                IntrinsicValue::Instance => number(COUNT, self.options.architecture.instance(Instance::Normal)),
                IntrinsicValue::QueueDepth | IntrinsicValue::QueueTime => number(COUNT, 0),
                IntrinsicValue::AfterDropPort => number(COUNT, ports.after_drop_port()),
                IntrinsicValue::Constant(value) => number(COUNT, value),
                // These are set at the edge of the pipeline.
                IntrinsicValue::ArrivalPort | IntrinsicValue::ParserError => continue,
                // Architectures with these pass bytes to egress, and are refused.
                IntrinsicValue::Nanoseconds | IntrinsicValue::ParserErrorBits(_) => continue,
            };
            let value = self.converted(self.program.variable(variable).ty, value);
            self.assign(variable, value, &mut code);
        }
        code
    }

    /// Returns whether code accesses state or counts, so that it must not run for a dropped packet.
    fn has_effects(&self, code: &[Statement]) -> bool {
        let mut found = false;
        for statement in code {
            statement.walk(&mut |statement| {
                found |= match statement {
                    Statement::Write { .. } => true,
                    Statement::Assign { variable, .. } => self.counted.iter().any(|counted| counted.hit == *variable),
                    _ => false,
                };
                for expression in statement.expressions() {
                    expression.walk(&mut |inner| found |= matches!(inner, Expression::Read { .. }));
                }
            });
        }
        found
    }
}

/// Arithmetic that builds expressions, so that lengths are computed at run time.
struct Expressions<'w, 'o>(&'w Walk<'o>);

impl Arithmetic for Expressions<'_, '_> {
    type Number = Expression;

    fn constant(&self, value: u64) -> Expression {
        number(COUNT, value)
    }

    fn variable(&self, variable: VariableId) -> Expression {
        self.0.converted(COUNT, Expression::Variable(variable))
    }

    fn sum(&self, one: Expression, other: Expression) -> Expression {
        Expression::binary(BinaryOperator::Add, one, other)
    }

    fn difference(&self, one: Expression, other: Expression) -> Expression {
        Expression::binary(BinaryOperator::SubtractSaturating, one, other)
    }

    fn at_most(&self, value: Expression, most: u64) -> Expression {
        let is_less = Expression::binary(BinaryOperator::Less, value.clone(), number(COUNT, most));
        Expression::select(is_less, value, number(COUNT, most))
    }

    fn bytes(&self, bits: Expression) -> Expression {
        Expression::binary(BinaryOperator::ShiftRight, bits, number(COUNT, 3))
    }

    fn when(&self, condition: VariableId, value: impl FnOnce() -> Expression) -> Expression {
        Expression::select(Expression::Variable(condition), value(), number(COUNT, 0))
    }
}

fn not(variable: VariableId) -> Expression {
    Expression::unary(ir::UnaryOperator::Not, Expression::Variable(variable))
}
