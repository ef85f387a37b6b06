//! Random well-typed programs, made from a list of choices that proptest can shrink: fewer and smaller choices give a
//! smaller program.

use ir::{
    BinaryOperator, Constant, Export, Expression, Initial, Program, Register, RegisterId, Statement, Type,
    UnaryOperator, Variable, VariableId, VariableKind,
};
use proptest::prelude::*;
use runtime::Bits;
use runtime::arithmetic::truncate;
use runtime::hash::HashFunction;

/// A sequence of decisions. When the list is exhausted, every further decision takes the first possibility.
pub struct Choices(std::vec::IntoIter<u64>);

impl Choices {
    pub fn new(choices: Vec<u64>) -> Self {
        Self(choices.into_iter())
    }

    pub fn bits(&mut self) -> u64 {
        self.0.next().unwrap_or(0)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        (self.bits() % bound as u64) as usize
    }

    pub fn chance(&mut self, one_in: usize) -> bool {
        self.below(one_in) == 1
    }

    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

/// The choices from which programs are made. Small numbers are as likely as large ones.
pub fn choices() -> impl Strategy<Value = Vec<u64>> {
    prop::collection::vec(prop_oneof![0..16u64, any::<u64>()], 0..400)
}

pub const TYPES: [Type; 8] =
    [Type::INT32, Type::Bool, Type::Bits(8), Type::Int(1), Type::Bits(64), Type::Int(64), Type::Bits(1), Type::Int(13)];

/// Names, among them keywords of the grammar and names that resemble numbers or calls.
const NAMES: [&str; 26] = [
    "sport",
    "if",
    "id.1",
    "$t",
    "true",
    "int",
    "hash2",
    "packet",
    "index",
    "fill",
    "stage",
    "_",
    "else",
    "bit",
    "late",
    "always",
    "x9",
    ".",
    "hdr.vlan[0].id",
    "bool[3]",
    "undefined",
    "emit",
    "while",
    "..",
    "accept",
    "exit",
];

pub fn name(choices: &mut Choices, number: usize) -> String {
    // The number makes the name unique; without one the word stays as it is.
    if number < NAMES.len() && choices.chance(2) {
        NAMES[number].to_owned()
    } else {
        format!("{}.v{number}", choices.pick(&NAMES[..1]))
    }
}

pub fn value(choices: &mut Choices, ty: Type) -> u64 {
    truncate(choices.bits(), ty.width())
}

pub fn program(choices: &mut Choices) -> Program {
    let mut program =
        Program { name: choices.pick(&["p", "a b", "", "\"\\\n", "ü.c", "7"]).to_owned(), ..Program::default() };
    for kind in [VariableKind::Field, VariableKind::Local] {
        for _ in 0..1 + choices.below(4) {
            let name = name(choices, program.variables.len());
            program.variables.push(Variable { name, ty: choices.pick(&TYPES), kind });
        }
    }
    for number in 0..choices.below(4) {
        program.registers.push(register(choices, number));
    }
    program.packet = block(&program, choices, 3);
    for field in 0..program.fields().count() {
        if choices.chance(3) {
            let field = VariableId::from(field);
            let value = operand(&program, choices, program.variable(field).ty);
            program.exports.push(Export { field, value });
        }
    }
    program
}

pub fn register(choices: &mut Choices, number: usize) -> Register {
    let ty = choices.pick(&TYPES);
    let length = choices.pick(&[None, Some(1), Some(5)]);
    let size = length.unwrap_or(1) as usize;
    let initial = if choices.chance(2) {
        Initial::List((0..choices.below(size + 1)).map(|_| value(choices, ty)).collect())
    } else {
        Initial::Fill(value(choices, ty))
    };
    Register { name: name(choices, number), ty, length, initial }
}

fn block(program: &Program, choices: &mut Choices, depth: u32) -> Vec<Statement> {
    (0..choices.below(5)).map(|_| statement(program, choices, depth)).collect()
}

fn statement(program: &Program, choices: &mut Choices, depth: u32) -> Statement {
    match choices.below(if depth > 0 { 3 } else { 2 }) {
        2 => Statement::If {
            condition: expression(program, choices, Type::Bool, 3),
            then: block(program, choices, depth - 1),
            otherwise: block(program, choices, depth - 1),
        },
        1 if !program.registers.is_empty() => {
            let (register, index) = place(program, choices, 2);
            let value = expression(program, choices, program.register(register).ty, 4);
            let predicate = choices.chance(2).then(|| expression(program, choices, Type::Bool, 2));
            Statement::Write { register, index, value, predicate }
        }
        _ => {
            let variable = VariableId::from(choices.below(program.variables.len()));
            Statement::Assign { variable, value: expression(program, choices, program.variable(variable).ty, 4) }
        }
    }
}

fn place(program: &Program, choices: &mut Choices, depth: u32) -> (RegisterId, Option<Expression>) {
    let register = RegisterId::from(choices.below(program.registers.len()));
    let ty = choices.pick(&[Type::INT32, Type::Bits(8), Type::Bits(64)]);
    let index = program.register(register).length.map(|_| expression(program, choices, ty, depth));
    (register, index)
}

/// A constant, or a variable of the type.
pub fn operand(program: &Program, choices: &mut Choices, ty: Type) -> Expression {
    let variables: Vec<VariableId> =
        (0..program.variables.len()).map(VariableId::from).filter(|&id| program.variable(id).ty == ty).collect();
    if variables.is_empty() || choices.chance(3) {
        constant(choices, ty)
    } else {
        Expression::Variable(choices.pick(&variables))
    }
}

/// A constant of any width.
pub fn constant(choices: &mut Choices, ty: Type) -> Expression {
    if ty.width() <= 64 {
        return Expression::Constant(Constant { ty, value: value(choices, ty) });
    }
    let limbs: Vec<u64> = (0..ty.width().div_ceil(64)).map(|_| choices.bits()).collect();
    Expression::Wide(ty, Bits::from_limbs(&limbs, ty.width()))
}

pub fn expression(program: &Program, choices: &mut Choices, ty: Type, depth: u32) -> Expression {
    if depth == 0 {
        return operand(program, choices, ty);
    }
    let readable: Vec<RegisterId> =
        (0..program.registers.len()).map(RegisterId::from).filter(|&id| program.register(id).ty == ty).collect();
    let kind = choices.below(8);
    if kind == 1 && !readable.is_empty() {
        let register = choices.pick(&readable);
        let index = program.register(register).length.map(|_| {
            let ty = choices.pick(&[Type::INT32, Type::Bits(8)]);
            Box::new(expression(program, choices, ty, depth - 1))
        });
        let predicate = choices.chance(2).then(|| Box::new(expression(program, choices, Type::Bool, depth - 1)));
        return Expression::Read { register, index, predicate };
    }
    operation(ty, kind, choices, &mut |choices, ty| expression(program, choices, ty, depth - 1))
}

/// One operation with a given result type, whose operands are made by `operand`.
pub fn operation(
    ty: Type,
    kind: usize,
    choices: &mut Choices,
    operand: &mut dyn FnMut(&mut Choices, Type) -> Expression,
) -> Expression {
    use BinaryOperator::{And, Equal, NotEqual, Or, Xor};
    match kind {
        2 if ty == Type::Bool => Expression::unary(UnaryOperator::Not, operand(choices, ty)),
        2 => {
            let operator = choices.pick(&[UnaryOperator::Negate, UnaryOperator::Complement]);
            Expression::unary(operator, operand(choices, ty))
        }
        3 if ty == Type::Bool => {
            let operator = choices.pick(&[And, Or, Xor, Equal, NotEqual]);
            Expression::binary(operator, operand(choices, ty), operand(choices, ty))
        }
        4 if ty == Type::Bool => {
            let operator = choices.pick(&BinaryOperator::ALL[12..]);
            let ty = choices.pick(&TYPES[2..]);
            Expression::binary(operator, operand(choices, ty), operand(choices, ty))
        }
        3 | 4 => {
            let operator = choices.pick(&BinaryOperator::ALL[..12]);
            let right = if operator.is_shift() { choices.pick(&TYPES[2..]) } else { ty };
            Expression::binary(operator, operand(choices, ty), operand(choices, right))
        }
        5 => Expression::select(operand(choices, Type::Bool), operand(choices, ty), operand(choices, ty)),
        6 if ty == Type::INT32 => {
            let function = choices.pick(&HashFunction::ALL);
            let arguments = (0..function.arity()).map(|_| {
                let ty = choices.pick(&TYPES);
                operand(choices, ty)
            });
            Expression::Hash(function, arguments.collect())
        }
        6 | 7 => {
            let from = choices.pick(&TYPES);
            Expression::Cast(ty, Box::new(operand(choices, from)))
        }
        _ => operand(choices, ty),
    }
}
