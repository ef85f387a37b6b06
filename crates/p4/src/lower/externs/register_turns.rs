//! Register actions on places that the chip chooses: those of a log, a queue or a stack, whose pointers it keeps.
//!
//! The pointers are registers of their own, which the control plane does not see.

use std::rc::Rc;

use ir::{BinaryOperator as Operator, Expression, Initial, Register, RegisterId, Statement, Type};

use super::registers::read_at;
use crate::lower::ExternCall;
use crate::lower::frame::Instance;
use crate::lower::tree::{Tree, Value};

/// The type of pointers.
const PLACE: Type = Type::Bits(32);

impl<'a> ExternCall<'_, 'a> {
    /// Returns the place of a register that is the next of its log, and advances the log: from the first place to the last,
    /// and then again from the first. All actions on a register have one log.
    pub(super) fn next_of_log(&mut self, registers: &Tree<RegisterId>) -> Expression {
        let first = registers.leaves().first().map_or(RegisterId(0), |&&first| first);
        let size = self.lowering.output.program.register(first).size();
        let log = self.pointer(first, "$log");
        let index = self.pointed(log, "$log");
        let last = place(size as i64 - 1);
        let next = binary(Operator::Add, index.clone(), place(1));
        let value = Expression::select(binary(Operator::Less, index.clone(), last), next, place(0));
        self.set_pointer(log, value);
        index
    }

    /// Writes `enqueue`, `dequeue`, `push` or `pop`: one run of the action on the place that comes next, or of `overflow` or
    /// `underflow` if there is none.
    pub(super) fn execute_in_turn(
        &mut self,
        instance: &Rc<Instance<'a>>,
        name: &str,
        registers: &Tree<RegisterId>,
    ) -> Value {
        let Some(&&first) = registers.leaves().first() else { return Tree::Nothing };
        let is_stack = matches!(name, "push" | "pop");
        let puts = matches!(name, "enqueue" | "push");
        let size = place(self.lowering.output.program.register(first).size() as i64);
        // What a stack holds lies at the first places, and what a queue holds from its oldest place on.
        let count_pointer = self.pointer(first, if is_stack { "$stacked" } else { "$queued" });
        let count = self.pointed(count_pointer, "$count");
        let oldest_pointer = (!is_stack).then(|| self.pointer(first, "$oldest"));
        let oldest = oldest_pointer.map_or_else(|| place(0), |pointer| self.pointed(pointer, "$oldest"));
        let within = |index: Expression| {
            let is_inside = binary(Operator::Less, index.clone(), size.clone());
            Expression::select(is_inside, index.clone(), binary(Operator::Subtract, index, size.clone()))
        };
        let one = place(1);
        let (is_there, index, fallback) = match (is_stack, puts) {
            (true, true) => (
                binary(Operator::Less, count.clone(), size.clone()),
                count.clone(),
                binary(Operator::Subtract, size.clone(), one.clone()),
            ),
            (true, false) => (
                binary(Operator::Greater, count.clone(), place(0)),
                binary(Operator::Subtract, count.clone(), one.clone()),
                place(0),
            ),
            (false, true) => (
                binary(Operator::Less, count.clone(), size.clone()),
                within(binary(Operator::Add, oldest.clone(), count.clone())),
                oldest.clone(),
            ),
            (false, false) => (binary(Operator::Greater, count.clone(), place(0)), oldest.clone(), oldest.clone()),
        };
        let result = self.lowering.shapes().scalar_type(self.arguments.result);
        let result = result.map(|ty| self.lowering.writer().temporary("$result", ty));
        let then = self.lowering.block_of(|lowering| {
            let mut call = ExternCall { lowering, arguments: self.arguments };
            let index = call.lowering.writer().held(index);
            let value = call.execute_at(instance, "apply", registers, (index, None), Some(0));
            call.set_result(result, value);
            let change = if puts { Operator::Add } else { Operator::Subtract };
            call.set_pointer(count_pointer, binary(change, count.clone(), one.clone()));
            if let (Some(pointer), false) = (oldest_pointer, puts) {
                call.set_pointer(pointer, within(binary(Operator::Add, oldest.clone(), one.clone())));
            }
        });
        let otherwise = self.lowering.block_of(|lowering| {
            let mut call = ExternCall { lowering, arguments: self.arguments };
            let method = if puts { "overflow" } else { "underflow" };
            if call.lowering.method(instance, method).is_some() {
                let value = call.execute_at(instance, method, registers, (fallback, None), Some(0));
                call.set_result(result, value);
            } else {
                call.clear_results();
            }
        });
        if let Some(variable) = result {
            let zero = Expression::number(self.lowering.output.program.variable(variable).ty, 0);
            self.lowering.writer().emit(Statement::Assign { variable, value: zero });
        }
        self.lowering.writer().emit(Statement::If { condition: is_there, then, otherwise });
        result.map_or(Tree::Nothing, |variable| Tree::Scalar(Expression::Variable(variable)))
    }

    fn set_result(&mut self, result: Option<ir::VariableId>, value: Value) {
        if let (Some(variable), Tree::Scalar(value)) = (result, value) {
            self.lowering.writer().emit(Statement::Assign { variable, value });
        }
    }

    /// Gives zeros to the arguments that take further results.
    fn clear_results(&mut self) {
        for parameter in 0..self.arguments.callable.parameters.len() {
            let Some(target) = self.argument_target(parameter) else { continue };
            let held = target.l_value.read();
            let zeros = held.map(&mut |leaf| Expression::number(self.lowering.output.program.type_of(leaf), 0));
            self.lowering.writer().give(Some(target), zeros);
        }
    }

    /// Returns a pointer of a register, given by its first array.
    fn pointer(&mut self, first: RegisterId, name: &'static str) -> RegisterId {
        if let Some(&known) = self.lowering.switch.pointers.get(&(first, name)) {
            return known;
        }
        let own = format!("{}.{name}", self.lowering.output.program.register(first).name);
        let own = self.lowering.switch.registers.variable(&own);
        let registers = &mut self.lowering.output.program.registers;
        registers.push(Register { name: own, ty: PLACE, length: Some(1), initial: Initial::Fill(0) });
        let pointer = RegisterId::from(registers.len() - 1);
        self.lowering.switch.pointers.insert((first, name), pointer);
        pointer
    }

    /// Returns where a pointer stands.
    fn pointed(&mut self, pointer: RegisterId, name: &str) -> Expression {
        let variable = self.lowering.writer().temporary(name, PLACE);
        let value = read_at(pointer, &place(0), None);
        self.lowering.writer().emit(Statement::Assign { variable, value });
        Expression::Variable(variable)
    }

    fn set_pointer(&mut self, register: RegisterId, value: Expression) {
        let index = Some(place(0));
        self.lowering.writer().emit(Statement::Write { register, index, value, predicate: None });
    }
}

fn place(number: i64) -> Expression {
    Expression::number(PLACE, number)
}

fn binary(operator: Operator, left: Expression, right: Expression) -> Expression {
    Expression::binary(operator, left, right)
}
