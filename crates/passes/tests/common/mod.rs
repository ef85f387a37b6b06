//! Helpers shared by the tests: random programs, random packets, and runs to compare.
#![allow(dead_code, reason = "each test uses a part")]

mod tables;

use basis::Random;
use ir::interpret::{Interpreter, PipelineInterpreter};
use ir::pipeline::Pipeline;
use ir::{
    BinaryOperator, Checksum, ChecksumPart, Expression, Initial, Program, Register, RegisterId, Statement, Type,
    UnaryOperator, Variable, VariableId, VariableKind,
};
use runtime::checksum::Algorithm;
use runtime::hash::HashFunction;

/// A program that is shown as text when a test fails.
#[derive(Clone)]
pub struct Shown(pub Program);

impl std::fmt::Debug for Shown {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "\n{}", self.0)
    }
}

/// A source of choices made from a list of numbers. A shorter list with smaller numbers gives a simpler program, so the
/// property-test library shrinks programs without knowing what they are.
pub struct Draw<'d> {
    left: std::slice::Iter<'d, u8>,
}

impl<'d> Draw<'d> {
    pub fn new(numbers: &'d [u8]) -> Self {
        Self { left: numbers.iter() }
    }

    fn below(&mut self, bound: usize) -> usize {
        self.left.next().map_or(0, |&number| usize::from(number) % bound)
    }

    fn one_in(&mut self, bound: usize) -> bool {
        self.below(bound) == bound - 1
    }
}

const INT: Type = Type::INT32;
const BYTE: Type = Type::Bits(8);

/// Returns a valid program with branches and nested expressions. Each array has a favourite index; otherwise nearly all
/// programs would be refused.
pub fn program(numbers: &[u8]) -> Program {
    drawn(numbers, false)
}

/// Returns such a program that also looks up tables and computes checksums.
pub fn program_with_tables(numbers: &[u8]) -> Program {
    drawn(numbers, true)
}

fn drawn(numbers: &[u8], has_tables: bool) -> Program {
    let mut program = Program { name: "random".to_owned(), ..Program::default() };
    let variable = |name: &str, ty, kind| Variable { name: name.to_owned(), ty, kind };
    for name in ["x", "y", "z"] {
        program.variables.push(variable(name, INT, VariableKind::Field));
    }
    program.variables.push(variable("byte", BYTE, VariableKind::Field));
    program.variables.push(variable("flag", Type::Bool, VariableKind::Field));
    for (name, ty) in [("l", INT), ("m", INT), ("b", BYTE), ("c", Type::Bool)] {
        program.variables.push(variable(name, ty, VariableKind::Local));
    }
    let register = |name: &str, ty, length, initial| Register { name: name.to_owned(), ty, length, initial };
    program.registers.push(register("a", INT, Some(4), Initial::Fill(1)));
    program.registers.push(register("p", INT, Some(4), Initial::List(vec![1, 2, 3])));
    program.registers.push(register("q", BYTE, Some(3), Initial::Fill(7)));
    program.registers.push(register("s", INT, None, Initial::Fill(5)));
    program.registers.push(register("t", INT, None, Initial::Fill(0)));
    let mut draw = Draw::new(numbers);
    let favourites: Vec<Expression> = (0..3).map(|_| favourite(&mut draw)).collect();
    let mut keys = Vec::new();
    if has_tables {
        tables::add(&mut program, &mut draw);
        keys = (0..program.tables.len()).map(|table| favourite_keys(&mut draw, table)).collect();
    }
    let mut builder = Builder { program: &mut program, draw, favourites, keys };
    let packet = builder.block(3);
    program.packet = packet;
    program
}

/// Draws an index that does not change while the packet is processed: `z` and `byte` are never assigned.
fn favourite(draw: &mut Draw<'_>) -> Expression {
    let z = Expression::Variable(VariableId(2));
    match draw.below(4) {
        0 => z,
        1 => Expression::number(INT, draw.below(4) as i64),
        2 => Expression::Variable(VariableId(3)),
        _ => Expression::Hash(HashFunction::Hash2, vec![z, Expression::number(INT, 7)]),
    }
}

/// Draws keys that do not change while the packet is processed, except that some use a field that may be assigned.
fn favourite_keys(draw: &mut Draw<'_>, table: usize) -> Vec<Expression> {
    let key = |draw: &mut Draw<'_>, ty| match ty {
        Type::Bool => Expression::Variable(VariableId(4)),
        BYTE => Expression::Variable(VariableId(3)),
        ty => Expression::Cast(ty, Box::new(Expression::Variable(VariableId([2, 0][draw.below(2)])))),
    };
    tables::words(table).iter().map(|&ty| key(draw, ty)).collect()
}

/// Returns a program of small updates as atoms compute them: up to three registers, each changed once or twice by sums,
/// under comparisons of fields or of the register, and read into a field.
pub fn updates(numbers: &[u8]) -> Program {
    let mut draw = Draw::new(numbers);
    let mut program = Program { name: "updates".to_owned(), ..Program::default() };
    for name in ["x", "y", "i", "out"] {
        program.variables.push(Variable { name: name.to_owned(), ty: INT, kind: VariableKind::Field });
    }
    let field = |number| Expression::Variable(VariableId(number));
    for number in 0..1 + draw.below(3) {
        let array = draw.below(2) == 0;
        let register = RegisterId::from(number);
        program.registers.push(Register {
            name: format!("r{number}"),
            ty: INT,
            length: array.then_some(4),
            initial: Initial::Fill(draw.below(4) as u64),
        });
        let index = array.then(|| field(2));
        let read = || Expression::read(register, index.clone());
        for _ in 0..1 + draw.below(2) {
            let value = |draw: &mut Draw<'_>| {
                let operand = match draw.below(3) {
                    0 => field(0),
                    1 => field(1),
                    _ => Expression::number(INT, [0, 1, 2, -1, 30][draw.below(5)]),
                };
                match draw.below(4) {
                    0 => operand,
                    1 | 2 => Expression::binary(BinaryOperator::Add, read(), operand),
                    _ => Expression::binary(BinaryOperator::Subtract, read(), operand),
                }
            };
            let write = |value| Statement::Write { register, index: index.clone(), value, predicate: None };
            let then = write(value(&mut draw));
            let statement = if draw.below(3) == 0 {
                then
            } else {
                let left = if draw.below(2) == 0 { read() } else { field(0) };
                let right = if draw.below(2) == 0 { field(1) } else { Expression::number(INT, draw.below(3) as i64) };
                let comparisons = [BinaryOperator::Equal, BinaryOperator::Less, BinaryOperator::GreaterEqual];
                let condition = Expression::binary(comparisons[draw.below(3)], left, right);
                let otherwise = if draw.below(2) == 0 { Vec::new() } else { vec![write(value(&mut draw))] };
                Statement::If { condition, then: vec![then], otherwise }
            };
            program.packet.push(statement);
        }
        if draw.below(2) == 0 {
            let sum = Expression::binary(BinaryOperator::Add, field(3), read());
            program.packet.push(Statement::Assign { variable: VariableId(3), value: sum });
        }
    }
    program
}

struct Builder<'p, 'd> {
    program: &'p mut Program,
    draw: Draw<'d>,
    favourites: Vec<Expression>,
    /// The keys with which each table is mostly looked up.
    keys: Vec<Vec<Expression>>,
}

/// The number of variables that programs themselves use; the parameters of actions come after them.
const OWN: usize = 9;

impl Builder<'_, '_> {
    fn block(&mut self, depth: usize) -> Vec<Statement> {
        (0..1 + self.draw.below(4)).map(|_| self.statement(depth)).collect()
    }

    fn statement(&mut self, depth: usize) -> Statement {
        match self.draw.below(if depth > 0 { 8 } else { 5 }) {
            0 | 1 => {
                // These do not include the fields that favourite indices are made of.
                let variable = [0, 1, 5, 6, 7, 8, 4][self.draw.below(7)];
                let ty = self.program.variables[variable].ty;
                Statement::Assign { variable: VariableId::from(variable), value: self.expression(ty, 2) }
            }
            2..=4 => {
                let register = self.register();
                let ty = self.program.register(register).ty;
                let index = self.index(register);
                let predicate = self.draw.one_in(6).then(|| self.expression(Type::Bool, 1));
                Statement::Write { register, index, value: self.expression(ty, 2), predicate }
            }
            _ => {
                let condition = self.expression(Type::Bool, 2);
                let then = self.block(depth - 1);
                let otherwise = if self.draw.one_in(2) { self.block(depth - 1) } else { Vec::new() };
                Statement::If { condition, then, otherwise }
            }
        }
    }

    fn register(&mut self) -> RegisterId {
        RegisterId::from(self.draw.below(self.program.registers.len()))
    }

    fn index(&mut self, register: RegisterId) -> Option<Expression> {
        self.program.register(register).length?;
        if self.draw.one_in(12) {
            return Some(self.expression(INT, 1));
        }
        Some(self.favourites[register.index()].clone())
    }

    fn expression(&mut self, ty: Type, depth: usize) -> Expression {
        if !self.keys.is_empty() && self.draw.below(4) == 1 {
            return self.asked(ty, depth);
        }
        let choice = self.draw.below(if depth > 0 { 10 } else { 4 });
        match choice {
            0 | 1 => self.variable(ty),
            2 => self.constant(ty),
            3 | 4 => self.read(ty).unwrap_or_else(|| self.variable(ty)),
            5 => {
                let condition = self.expression(Type::Bool, depth - 1);
                Expression::select(condition, self.expression(ty, depth - 1), self.expression(ty, depth - 1))
            }
            6 => self.unary(ty, depth),
            7 if ty == INT => {
                let words = vec![self.expression(INT, depth - 1), self.expression(INT, depth - 1)];
                Expression::Hash(HashFunction::Hash2a, words)
            }
            _ => self.binary(ty, depth),
        }
    }

    /// Draws a look-up or a checksum.
    fn asked(&mut self, ty: Type, depth: usize) -> Expression {
        let table = self.draw.below(self.keys.len());
        if depth > 0 && ty == BYTE && self.draw.one_in(3) {
            let data = [INT, BYTE].map(|ty| ChecksumPart { value: self.expression(ty, depth - 1), length: None });
            let algorithm = Algorithm::Csum16;
            let checksum = Checksum { algorithm, data: data.into(), with_payload: false, result: BYTE };
            return Expression::Checksum(Box::new(checksum));
        }
        let keys = if depth > 0 && self.draw.one_in(4) {
            let words = tables::words(table).iter();
            words.map(|&ty| Expression::Cast(ty, Box::new(self.expression(INT, depth - 1)))).collect()
        } else {
            self.keys[table].clone()
        };
        tables::lookup(table, keys, tables::result(&mut self.draw, ty))
    }

    fn unary(&mut self, ty: Type, depth: usize) -> Expression {
        let from = [INT, BYTE, Type::Bool][self.draw.below(3)];
        let inner = self.expression(from, depth - 1);
        match (from == ty, ty) {
            (true, Type::Bool) => Expression::unary(UnaryOperator::Not, inner),
            (true, _) if self.draw.one_in(2) => Expression::unary(UnaryOperator::Complement, inner),
            (true, _) => Expression::unary(UnaryOperator::Negate, inner),
            (false, _) => Expression::Cast(ty, Box::new(inner)),
        }
    }

    fn binary(&mut self, ty: Type, depth: usize) -> Expression {
        use BinaryOperator::*;
        if ty != Type::Bool {
            let saturating = [AddSaturating, SubtractSaturating];
            let wrapping = [Add, Subtract, Multiply, Divide, Remainder, And, Or, Xor, ShiftLeft, ShiftRight];
            let operators = [&saturating[..], &wrapping].concat();
            let operator = operators[self.draw.below(operators.len())];
            return Expression::binary(operator, self.expression(ty, depth - 1), self.expression(ty, depth - 1));
        }
        if self.draw.one_in(2) {
            let operator = [And, Or, Xor, Equal, NotEqual][self.draw.below(5)];
            return Expression::binary(operator, self.expression(ty, depth - 1), self.expression(ty, depth - 1));
        }
        let of = [INT, BYTE][self.draw.below(2)];
        let operator = [Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual][self.draw.below(6)];
        Expression::binary(operator, self.expression(of, depth - 1), self.expression(of, depth - 1))
    }

    fn variable(&mut self, ty: Type) -> Expression {
        let own = self.program.variables.iter().enumerate().take(OWN);
        let all = own.filter(|(_, variable)| variable.ty == ty);
        let ids: Vec<usize> = all.map(|(number, _)| number).collect();
        Expression::Variable(VariableId::from(ids[self.draw.below(ids.len())]))
    }

    fn constant(&mut self, ty: Type) -> Expression {
        Expression::number(ty, [0, 1, 2, -1, 3, 100, 31][self.draw.below(7)])
    }

    fn read(&mut self, ty: Type) -> Option<Expression> {
        let register = self.register();
        if self.program.register(register).ty != ty {
            return None;
        }
        let index = self.index(register);
        let predicate = self.draw.one_in(8).then(|| Box::new(self.expression(Type::Bool, 0)));
        Some(Expression::Read { register, index: index.map(Box::new), predicate })
    }
}

/// Returns random field values of packets. Many are small, because branches compare with small constants.
pub fn packets(program: &Program, seed: u64, count: usize) -> Vec<Vec<u64>> {
    let mut random = Random::new(seed);
    let mut value = |ty: Type| match random.below(4) {
        0 => ty.value_of(random.bits() as i64),
        1 => ty.value_of(-(random.below(3) as i64)),
        _ => ty.value_of(random.below(6) as i64),
    };
    (0..count).map(|_| program.fields().map(|(_, field)| value(field.ty)).collect()).collect()
}

/// The result of a run: the fields of each packet, and the final values of the registers.
#[derive(Debug, PartialEq, Eq)]
pub struct Outcome {
    pub fields: Vec<Vec<u64>>,
    pub registers: Vec<Vec<u64>>,
}

pub fn run(program: &Program, packets: &[Vec<u64>]) -> Outcome {
    let mut interpreter = Interpreter::new(program);
    let fields = packets.iter().map(|packet| one(program, packet, |values| interpreter.packet(values))).collect();
    let registers = (0..program.registers.len()).map(|id| interpreter.registers().array(id).to_vec()).collect();
    Outcome { fields, registers }
}

/// Runs a pipeline, and checks for each packet that it accesses state exactly as the pipeline declares. The dummy
/// register of the layout, which comes after the program's own registers, is left out of the result.
pub fn run_pipeline(pipeline: &Pipeline, packets: &[Vec<u64>], registers: usize) -> Outcome {
    let program = &pipeline.program;
    let mut interpreter = PipelineInterpreter::new(pipeline);
    let mut checked = |values: &mut [u64]| {
        interpreter.packet_checked(values).expect("accesses say what happens");
    };
    let fields = packets.iter().map(|packet| one(program, packet, &mut checked)).collect();
    let registers = (0..registers).map(|id| interpreter.registers().array(id).to_vec()).collect();
    Outcome { fields, registers }
}

fn one(program: &Program, packet: &[u64], run: impl FnOnce(&mut [u64])) -> Vec<u64> {
    let mut values = vec![0; program.variables.len()];
    values[..packet.len()].copy_from_slice(packet);
    run(&mut values);
    values[..packet.len()].to_vec()
}
