//! What a v1model switch does between the blocks of a program, as code of the pipeline.
//!
//! As `machines::v1model` does it, after `simple_switch.md`: ingress says where a packet goes, a queue tells it when it
//! came and left, egress may still drop it. A packet that is dropped goes on through the stages, for nothing leaves a
//! pipeline early; it only must not change state any more. What becomes of its fields is nobody's business.

use ir::{BinaryOperator, Block, Entrance, Expression, FunctionId, HeaderId, Program, Statement, Type, VariableId};
use runtime::arithmetic;

use super::outcome::Outcome;
use super::walk::Walk;
use super::words::number;

/// What the machine is told at the end, and what it tells at the beginning.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ends {
    /// True at the end if the packet goes no further.
    pub(super) dropped: VariableId,
    /// The port at the end.
    pub(super) port: VariableId,
    /// The microseconds of the packet's arrival.
    pub(super) time: VariableId,
}

/// Where packets go.
struct Ports {
    /// The variable that says so.
    egress_spec: VariableId,
    drop_port: u64,
    /// How many there are.
    count: u64,
}

impl Walk<'_> {
    /// Everything between parser and deparser, which emits these headers.
    pub(super) fn pipeline(&mut self, emitted: &[HeaderId]) -> Option<(Vec<Statement>, Ends)> {
        let (Some(ingress), Some(egress)) = (self.required("ingress"), self.required("egress")) else { return None };
        let ports = self.ports()?;
        let ty = self.program.variable(ports.egress_spec).ty;
        let dropped = self.local("$dropped", Type::Bool);
        let port = self.local("$egress_port", ty);
        let time = self.local("$time", Type::Bits(64));
        let mut code = Vec::new();
        let header_bits = self.header_bits(emitted);
        let before = self.kept("$header_bits", header_bits, &mut code);
        let mut all = Outcome::of(code);
        if let Some(verify_checksum) = function(&self.program, "verify_checksum") {
            let entered = self.enter(verify_checksum);
            self.append(&mut all, entered);
        }
        let entered = self.enter(ingress);
        self.append(&mut all, entered);
        let mut code = all.code;
        let nowhere = self.goes_nowhere(&ports);
        self.assign(dropped, nowhere, &mut code);
        self.assign(port, Expression::Variable(ports.egress_spec), &mut code);
        // The way through the queue, egress, and what may be found there.
        let mut rest = self.leave_queue(&ports, emitted, (port, time), before);
        rest.extend(self.enter(egress).code);
        let spec = Expression::Variable(ports.egress_spec);
        let is_dropped = Expression::binary(BinaryOperator::Equal, spec, number(ty, ports.drop_port));
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
        if let Some(compute_checksum) = function(&self.program, "compute_checksum") {
            let rest = self.enter(compute_checksum).code;
            if self.has_effects(&rest) {
                code.push(Statement::If { condition: not(dropped), then: rest, otherwise: Vec::new() });
            } else {
                code.extend(rest);
            }
        }
        Some((self.merged(code), Ends { dropped, port, time }))
    }

    fn required(&mut self, name: &str) -> Option<FunctionId> {
        let found = function(&self.program, name);
        if found.is_none() {
            self.findings.say(format!("the program has no `{name}`, which v1model begins with"));
        }
        found
    }

    /// As the switch counts its ports (`machines::v1model`).
    fn ports(&mut self) -> Option<Ports> {
        let Some(egress_spec) = self.intrinsic("egress_spec") else {
            self.findings.say("the program has no `egress_spec`, by which it says where a packet goes");
            return None;
        };
        let greatest = |variable: Option<VariableId>| {
            variable.map_or(u64::MAX, |id| arithmetic::mask(self.program.variable(id).ty.width().min(64)))
        };
        let (named, arrives) = (greatest(Some(egress_spec)), greatest(self.intrinsic("ingress_port")));
        let drop_port = self.options.drop_port.unwrap_or(named);
        if drop_port > named {
            self.findings.say(format!("the drop port is {drop_port}, and the greatest `egress_spec` {named}"));
            return None;
        }
        let nameable = named.min(arrives).min(0xFFFF) + 1;
        let usable = nameable - u64::from(drop_port == nameable - 1);
        Some(Ports { egress_spec, drop_port, count: self.options.ports.map_or(usable, u64::from) })
    }

    /// Whether ingress sends the packet to the drop port, or to one that is not there.
    fn goes_nowhere(&self, ports: &Ports) -> Expression {
        let ty = self.program.variable(ports.egress_spec).ty;
        let spec = Expression::Variable(ports.egress_spec);
        let greatest = arithmetic::mask(ty.width().min(64));
        let is_drop_port = Expression::binary(BinaryOperator::Equal, spec.clone(), number(ty, ports.drop_port));
        let above = Expression::binary(BinaryOperator::GreaterEqual, spec, number(ty, ports.count.min(greatest)));
        match (ports.count..=greatest).contains(&ports.drop_port) {
            true if ports.count == greatest => is_drop_port,
            true => above,
            false if ports.count > greatest => is_drop_port,
            false => Expression::binary(BinaryOperator::Or, is_drop_port, above),
        }
    }

    /// What the switch tells the program before egress begins; nothing waits.
    fn leave_queue(
        &mut self,
        ports: &Ports,
        emitted: &[HeaderId],
        (port, time): (VariableId, VariableId),
        before: VariableId,
    ) -> Vec<Statement> {
        let mut code = Vec::new();
        let time = Expression::Variable(time);
        let length = self.length_in_egress(emitted, before);
        let told = [
            ("instance_type", number(Type::Bits(64), 0)),
            ("enq_timestamp", time.clone()),
            ("enq_qdepth", number(Type::Bits(64), 0)),
            ("egress_global_timestamp", time),
            ("deq_timedelta", number(Type::Bits(64), 0)),
            ("deq_qdepth", number(Type::Bits(64), 0)),
            ("egress_port", Expression::Variable(port)),
            ("packet_length", length),
            // Any value but the drop port (`simple_switch.md`); the next one, which is 0 after the last.
            ("egress_spec", number(Type::Bits(64), ports.drop_port.wrapping_add(1))),
        ];
        for (name, value) in told {
            if let Some(variable) = self.intrinsic(name) {
                let ty = self.program.variable(variable).ty;
                let value = self.converted(ty, value);
                self.assign(variable, value, &mut code);
            }
        }
        code
    }

    /// The length of the packet, longer or shorter by the headers that ingress made valid or invalid.
    fn length_in_egress(&mut self, emitted: &[HeaderId], before: VariableId) -> Expression {
        let arrived = Expression::Variable(self.arrival_length());
        let arrived = self.converted(Type::Bits(64), arrived);
        let bytes = |bits| Expression::binary(BinaryOperator::ShiftRight, bits, number(Type::Bits(64), 3));
        let now = bytes(self.header_bits(emitted));
        let grown = Expression::binary(BinaryOperator::Add, arrived, now);
        Expression::binary(BinaryOperator::SubtractSaturating, grown, bytes(Expression::Variable(before)))
    }

    /// The bits of all headers that are valid, of those which the deparser emits.
    fn header_bits(&self, emitted: &[HeaderId]) -> Expression {
        let count = Type::Bits(64);
        let sum = |one, other| Expression::binary(BinaryOperator::Add, one, other);
        let headers = emitted.iter().map(|header| {
            let header = &self.program.headers[header.index()];
            let width = |variable: VariableId| u64::from(self.program.variable(variable).ty.width());
            let fixed = header.fields.iter().filter(|field| field.length.is_none()).map(|field| width(field.variable));
            let varying = header.fields.iter().filter_map(|field| Some((field.length?, width(field.variable))));
            let bits = varying.fold(number(count, fixed.sum()), |bits, (length, most)| {
                let length = self.converted(count, Expression::Variable(length));
                let is_less = Expression::binary(BinaryOperator::Less, length.clone(), number(count, most));
                sum(bits, Expression::select(is_less, length, number(count, most)))
            });
            Expression::select(Expression::Variable(header.valid), bits, number(count, 0))
        });
        headers.reduce(sum).unwrap_or(number(count, 0))
    }

    /// An intrinsic variable, if the program has it.
    fn intrinsic(&self, name: &str) -> Option<VariableId> {
        self.program.intrinsics.iter().find(|(known, _)| known == name).map(|(_, variable)| *variable)
    }

    /// Whether something in code matters for a packet that is dropped.
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

/// The function that an entrance stands for.
pub(super) fn function(program: &Program, name: &str) -> Option<FunctionId> {
    match program.entrances.iter().find(|entrance| entrance.name == name) {
        Some(Entrance { block: Block::Function(function), .. }) => Some(*function),
        _ => None,
    }
}

fn not(variable: VariableId) -> Expression {
    Expression::unary(ir::UnaryOperator::Not, Expression::Variable(variable))
}
