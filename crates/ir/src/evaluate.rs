//! The value of an expression: one walk over its tree, for whoever says what variables and registers hold.

use runtime::RegisterFile;

use crate::{Constant, Expression, Program, RegisterId, Type, VariableId, cast};

/// Answers for what an expression mentions.
pub trait Environment {
    /// The raw bits of a variable.
    fn variable(&self, id: VariableId) -> u64;

    /// The raw bits of a register at a place, which is inside. Called once for each access, in order.
    fn read(&mut self, register: RegisterId, place: usize) -> u64;
}

/// Values of variables, where no register is read: a read panics, for whoever gives no registers has none.
impl Environment for &[u64] {
    #[inline]
    fn variable(&self, id: VariableId) -> u64 {
        self[id.index()]
    }

    fn read(&mut self, _: RegisterId, _: usize) -> u64 {
        unreachable!("the expression reads no register")
    }
}

/// The value of an expression, and its type, which the operator around it needs.
pub fn evaluate(program: &Program, expression: &Expression, environment: &mut impl Environment) -> Constant {
    match expression {
        Expression::Constant(constant) => *constant,
        Expression::Variable(id) => Constant { ty: program.variable(*id).ty, value: environment.variable(*id) },
        Expression::Read { register, index, predicate } => {
            let ty = program.register(*register).ty;
            let value = if holds(program, predicate.as_deref(), environment) {
                let place = place(program, *register, index.as_deref(), environment);
                environment.read(*register, place)
            } else {
                0
            };
            Constant { ty, value }
        }
        Expression::Unary(operator, operand) => {
            let operand = evaluate(program, operand, environment);
            Constant { ty: operand.ty, value: operator.apply(operand.ty, operand.value) }
        }
        Expression::Binary(operator, left, right) => {
            // Both, also of `&` and `|`: no operator decides whether a register is accessed.
            let left = evaluate(program, left, environment);
            let right = evaluate(program, right, environment);
            let ty = if operator.is_comparison() { Type::Bool } else { left.ty };
            Constant { ty, value: operator.apply(left.ty, left.value, right.value) }
        }
        Expression::Select(condition, if_true, if_false) => {
            let taken = evaluate(program, condition, environment).value != 0;
            evaluate(program, if taken { if_true } else { if_false }, environment)
        }
        Expression::Hash(function, arguments) => {
            let mut words = [0; 3];
            for (word, argument) in words.iter_mut().zip(arguments) {
                *word = evaluate(program, argument, environment).value;
            }
            Constant { ty: Type::INT32, value: function.of(&words[..function.arity()]) }
        }
        Expression::Cast(ty, operand) => {
            let operand = evaluate(program, operand, environment);
            Constant { ty: *ty, value: cast(operand.ty, *ty, operand.value) }
        }
    }
}

/// Whether a predicate holds; none does.
pub(crate) fn holds(program: &Program, predicate: Option<&Expression>, environment: &mut impl Environment) -> bool {
    predicate.is_none_or(|predicate| evaluate(program, predicate, environment).value != 0)
}

/// Where an access goes.
pub(crate) fn place(
    program: &Program,
    register: RegisterId,
    index: Option<&Expression>,
    environment: &mut impl Environment,
) -> usize {
    let index = index.map_or(0, |index| evaluate(program, index, environment).value);
    RegisterFile::wrap(index, program.register(register).size())
}
