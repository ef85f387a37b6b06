//! Lowering of statements. The IR has no `return`: the statements that follow one move into the other branch of an
//! `if`.

use ir::{Expression, RegisterId, Statement, Type, UnaryOperator, VariableId};

use super::Lowering;
use super::inline::Instance;
use super::value::{Typed, binary};
use crate::resolved::{self, AssignmentTarget, Returns, Value, returns};
use crate::syntax::Operator;

impl<'r> Lowering<'r> {
    /// Lowers a list of statements, up to where the function ends.
    pub(super) fn statements(
        &mut self,
        instance: &mut Instance<'r>,
        list: &[&'r resolved::Statement],
        out: &mut Vec<Statement>,
    ) {
        for (position, statement) in list.iter().enumerate() {
            let rest = &list[position + 1..];
            let ended = self.inside(|lowering| lowering.statement(instance, statement, rest, out));
            if ended != Some(false) {
                return;
            }
        }
    }

    /// Lowers one statement. Returns true if the rest of its list has been lowered with it, or is unreachable.
    fn statement(
        &mut self,
        instance: &mut Instance<'r>,
        statement: &'r resolved::Statement,
        rest: &[&'r resolved::Statement],
        out: &mut Vec<Statement>,
    ) -> bool {
        match statement {
            resolved::Statement::Assign { target, operator, value } => {
                let value = self.value(instance, value, out);
                self.assign(instance, target, *operator, value, out);
                false
            }
            resolved::Statement::Call(call) => {
                self.inline(instance, call, false, out);
                false
            }
            resolved::Statement::Return(value) => {
                self.end_of_function(instance, value.as_ref(), out);
                true
            }
            resolved::Statement::If { condition, then, otherwise, returns } => {
                let condition = self.value(instance, condition, out).bool();
                let sides = (then.as_slice(), otherwise.as_slice());
                if *returns == Returns::Never || (*returns == Returns::Sometimes && rest.is_empty()) {
                    self.choose(instance, condition, &refs(sides.0), &refs(sides.1), out);
                    false
                } else {
                    self.choose_and_go_on(instance, condition, sides, rest, out);
                    true
                }
            }
        }
    }

    fn choose(
        &mut self,
        instance: &mut Instance<'r>,
        condition: Expression,
        then: &[&'r resolved::Statement],
        otherwise: &[&'r resolved::Statement],
        out: &mut Vec<Statement>,
    ) {
        let (mut if_true, mut if_false) = (Vec::new(), Vec::new());
        self.statements(instance, then, &mut if_true);
        self.statements(instance, otherwise, &mut if_false);
        out.push(Statement::If { condition, then: if_true, otherwise: if_false });
    }

    /// Lowers an `if` in which the function may end, and the statements after it.
    fn choose_and_go_on(
        &mut self,
        instance: &mut Instance<'r>,
        condition: Expression,
        (then, otherwise): (&'r [resolved::Statement], &'r [resolved::Statement]),
        rest: &[&'r resolved::Statement],
        out: &mut Vec<Statement>,
    ) {
        let followed_by_rest = |side| [refs(side), rest.to_vec()].concat();
        match (returns(then), returns(otherwise)) {
            // The rest is reached from one branch only, so it moves into that branch.
            (Returns::Always, Returns::Always) => {
                self.choose(instance, condition, &refs(then), &refs(otherwise), out);
            }
            (Returns::Always, _) => {
                self.choose(instance, condition, &refs(then), &followed_by_rest(otherwise), out);
            }
            (_, Returns::Always) => {
                self.choose(instance, condition, &followed_by_rest(then), &refs(otherwise), out);
            }
            // The rest may be reached from both branches, or from parts of them. Copying it into each could double the
            // program with every `if`, so a variable records whether the function has ended.
            _ => {
                let done = match instance.done {
                    Some(done) => done,
                    None => self.local(&instance.named("done"), Type::Bool),
                };
                instance.done = Some(done);
                instance.watched += 1;
                self.choose(instance, condition, &refs(then), &refs(otherwise), out);
                instance.watched -= 1;
                let go_on = Expression::unary(UnaryOperator::Not, Expression::Variable(done));
                self.choose(instance, go_on, rest, &[], out);
            }
        }
    }

    fn end_of_function(&mut self, instance: &mut Instance<'r>, value: Option<&'r Value>, out: &mut Vec<Statement>) {
        if let Some(value) = value {
            let value = self.value(instance, value, out).int();
            if let Some(variable) = instance.result {
                out.push(Statement::Assign { variable, value });
            }
        }
        if let Some(variable) = instance.done.filter(|_| instance.watched > 0) {
            out.push(Statement::Assign { variable, value: Expression::bool(true) });
        }
    }

    /// Lowers `target = value`, or `target = target operator value`. An index is evaluated once, after the value.
    fn assign(
        &mut self,
        instance: &mut Instance<'r>,
        target: &'r AssignmentTarget,
        operator: Option<ir::BinaryOperator>,
        value: Typed,
        out: &mut Vec<Statement>,
    ) {
        let combined = |current: Expression, value: Typed| match operator {
            Some(operator) => binary(Operator::Plain(operator), Typed::number(current), value).int(),
            None => value.int(),
        };
        let variable = match target {
            AssignmentTarget::Field(field) => VariableId::from(*field),
            AssignmentTarget::Local(local) => self.local_variable(instance, *local),
            AssignmentTarget::Register(register, index) => {
                let register = RegisterId::from(*register);
                let index = index.as_ref().map(|index| self.value(instance, index, out).int());
                let value = combined(Expression::read(register, index.clone()), value);
                out.push(Statement::Write { register, index, value, predicate: None });
                return;
            }
        };
        let value = combined(Expression::Variable(variable), value);
        out.push(Statement::Assign { variable, value });
    }
}

fn refs(statements: &[resolved::Statement]) -> Vec<&resolved::Statement> {
    statements.iter().collect()
}
