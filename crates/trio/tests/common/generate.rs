//! Random programs of threads, most instructions of which fit in a word.

use ir::threads::{
    Branch, Data, Destination, FetchOperator, HeadBytes, Instruction, InstructionId, MemoryField, Move, Next,
    Operation, Place, ReasonId, RecordTableId, TimerId, Transaction,
};
use ir::{BinaryOperator, Constant, DigestId, Expression, Program, Type, UnaryOperator, VariableId};
use trio::{Image, Parameters};

/// What all programs declare.
const DECLARATIONS: &str = "\
program random
local b: bool
local w: bit<64>
local x: bit<64>
local p: bit<32>
local q: bit<32>
local i: int<32>
local j: int<13>
local k: int<64>
local ptr: bit<16>
local near: bit<16>
local c: bit<8>
local one: bit<1>
digest told(a: bit<32>, b: bool, c: int<16>)
intrinsic packet_length = w
intrinsic head_length = ptr
intrinsic port = c
local_memory 96 = [1, 0x0123456789abcdef, 0xfedcba9876543210, 4]
head 16 size 48
segment words: on_chip at 0 size 256
segment kept: off_chip at 256 size 64
records table: key 4 size 16 in kept
timer timer
reason why
reason other
";

/// Types of values, those of variables more often.
const TYPES: [Type; 12] = [
    Type::Bits(64),
    Type::Bits(32),
    Type::Bits(32),
    Type::Int(32),
    Type::Int(13),
    Type::Int(64),
    Type::Bits(16),
    Type::Bits(8),
    Type::Bits(1),
    Type::Int(8),
    Type::Bits(48),
    Type::Bits(33),
];

/// Choices that some bytes make; those that are missing are 0.
struct Choices<'c>(std::slice::Iter<'c, u8>);

impl Choices<'_> {
    fn below(&mut self, count: usize) -> usize {
        usize::from(self.0.next().copied().unwrap_or_default()) % count
    }

    fn chance(&mut self, one_in: usize) -> bool {
        self.below(one_in) == 1 % one_in
    }

    fn pick<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }
}

/// Makes a valid program all of whose instructions fit, if they are the only one of the program.
fn program(choices: &[u8]) -> Program {
    let mut program = ir::parse::program("random.ir", DECLARATIONS).unwrap_or_else(|error| panic!("{error}"));
    let mut choices = Choices(choices.iter());
    let choices = &mut choices;
    let count = 1 + choices.below(6);
    let nothing = |number| Instruction {
        name: format!("i{number}"),
        waits: false,
        moves: Vec::new(),
        transaction: None,
        branch: Branch::to(Next::End),
    };
    let mut alone = program.clone();
    let threads = alone.threads.as_mut().expect("threads");
    threads.instructions = (0..count).map(nothing).collect();
    let mut instructions = Vec::new();
    for number in 0..count {
        let fitting = (0..6).find_map(|_| {
            let made = instruction(&program, choices, number, count);
            alone.threads.as_mut().expect("threads").instructions[number] = made.clone();
            let is_valid = ir::verify::program(&alone).is_ok();
            (is_valid && Image::new(&alone, &Parameters::default(), Vec::new()).is_ok()).then_some(made)
        });
        alone.threads.as_mut().expect("threads").instructions[number] = nothing(number);
        instructions.push(fitting.unwrap_or_else(|| nothing(number)));
    }
    let threads = program.threads.as_mut().expect("threads");
    threads.instructions = instructions;
    let entrance = ir::threads::ThreadEntrance {
        cause: ir::threads::Cause::Packet,
        start: InstructionId::from(choices.below(count)),
    };
    threads.entrances = vec![entrance];
    if ir::verify::program(&program).is_err() {
        // Subroutines call each other.
        for instruction in &mut program.threads.as_mut().expect("threads").instructions {
            let ways = instruction.branch.cases.iter_mut().map(|(_, way)| way);
            for way in ways.chain([&mut instruction.branch.otherwise]) {
                if let Next::Call { to, .. } = *way {
                    *way = Next::Goto(to);
                }
            }
        }
    }
    assert_eq!(ir::verify::program(&program), Ok(()));
    program
}

/// Makes a program and its image.
pub fn fitting(choices: &[u8]) -> (Program, Image) {
    let program = program(choices);
    let image = Image::new(&program, &Parameters::default(), Vec::new());
    let image = image.unwrap_or_else(|misfits| panic!("{misfits:?}\n{program}"));
    (program, image)
}

fn instruction(program: &Program, choices: &mut Choices<'_>, number: usize, count: usize) -> Instruction {
    let moves = (0..choices.pick(&[0, 1, 1, 2, 2, 2, 3])).map(|_| step(program, choices)).collect();
    let transaction = choices.chance(3).then(|| transaction(program, choices));
    let cases =
        (0..choices.pick(&[0, 1, 1, 2])).map(|_| (condition(program, choices, 2), way(program, choices, count)));
    let branch = Branch { cases: cases.collect(), otherwise: way(program, choices, count) };
    Instruction { name: format!("i{number}"), waits: choices.chance(5), moves, transaction, branch }
}

fn way(program: &Program, choices: &mut Choices<'_>, count: usize) -> Next {
    let to = InstructionId::from(choices.below(count));
    match choices.below(9) {
        0 => Next::End,
        1 => Next::Return,
        2 => Next::Call { to, then: InstructionId::from(choices.below(count)) },
        3 => Next::Jump(carried(program, choices)),
        _ => Next::Goto(to),
    }
}

fn step(program: &Program, choices: &mut Choices<'_>) -> Move {
    let (place, ty) = match choices.below(5) {
        0 | 4 => {
            let field = memory(program, choices);
            let ty = Type::Bits(field.width);
            (Place::Memory(field), ty)
        }
        1 => {
            let variable = VariableId::from(1 + choices.below(11));
            let width = program.variable(variable).ty.width() as usize;
            let low = choices.below(width);
            let high = low + choices.below(width - low);
            (Place::Bits { variable, high: high as u16, low: low as u16 }, Type::Bits((high - low + 1) as u16))
        }
        _ => {
            let variable = VariableId::from(choices.below(12));
            (Place::Variable(variable), program.variable(variable).ty)
        }
    };
    let value = match choices.below(4) {
        0 => value(program, choices, ty, 2),
        1 => value(program, choices, ty, 0),
        _ => value(program, choices, ty, 1),
    };
    let condition = choices.chance(3).then(|| condition(program, choices, 1));
    Move { place, value, condition }
}

/// A field of local memory, perhaps outside of it.
fn memory(program: &Program, choices: &mut Choices<'_>) -> MemoryField {
    let width = choices.pick(&[1_u16, 4, 8, 13, 16, 32, 48, 64, 64]);
    let offset = choices.pick(&[0_u32, 0, 3, 8, 16, 32, 40, 63, 200]);
    let ty = Type::Bits(16);
    let variable = |id: usize| Expression::Variable(VariableId::from(id));
    let number = |choices: &mut Choices<'_>| {
        let value = choices.pick(&[0_u64, 1, 4, 8, 16, 40, 80, 65_535]);
        Expression::Constant(Constant { ty, value })
    };
    let binary =
        |operator, left: Expression, right: Expression| Expression::Binary(operator, Box::new(left), Box::new(right));
    let address = match choices.below(8) {
        0 | 1 => Expression::Constant(Constant { ty, value: choices.below(88) as u64 }),
        2 => variable(9),
        3 => binary(BinaryOperator::Add, variable(9), number(choices)),
        4 => binary(BinaryOperator::Subtract, variable(8), number(choices)),
        5 => Expression::Cast(Type::Bits(32), Box::new(binary(BinaryOperator::Add, number(choices), variable(8)))),
        6 => Expression::Cast(Type::Bits(64), Box::new(variable(10))),
        _ => value(program, choices, ty, 0),
    };
    MemoryField { address, offset, width }
}

/// A value with at most so many operations one after the other.
fn value(program: &Program, choices: &mut Choices<'_>, ty: Type, depth: usize) -> Expression {
    if ty == Type::Bool {
        return condition(program, choices, depth);
    }
    if depth == 0 || choices.chance(6) {
        return leaf(program, choices, ty);
    }
    let operation = choices.below(16);
    let inner = |choices: &mut Choices<'_>| Box::new(value(program, choices, ty, depth - 1));
    let binary = |operator, left, right| Expression::Binary(operator, left, right);
    match operation {
        0 | 1 => binary(BinaryOperator::Add, inner(choices), inner(choices)),
        2 => binary(BinaryOperator::Subtract, inner(choices), inner(choices)),
        3 => binary(BinaryOperator::And, inner(choices), inner(choices)),
        4 => binary(BinaryOperator::Or, inner(choices), inner(choices)),
        5 => binary(BinaryOperator::Xor, inner(choices), inner(choices)),
        6 => Expression::Unary(UnaryOperator::Complement, inner(choices)),
        7 => Expression::Unary(UnaryOperator::Negate, inner(choices)),
        8 => {
            let operator = choices.pick(&[BinaryOperator::ShiftLeft, BinaryOperator::ShiftRight]);
            let ty = choices.pick(&[Type::Bits(8), Type::Bits(32), Type::Int(13)]);
            binary(operator, inner(choices), Box::new(leaf(program, choices, ty)))
        }
        9 | 10 => {
            let (left, right) = (inner(choices), inner(choices));
            Expression::Select(Box::new(condition(program, choices, 1)), left, right)
        }
        11 => {
            let from = choices.pick(&TYPES);
            Expression::Cast(ty, Box::new(value(program, choices, from, depth)))
        }
        12 => Expression::Cast(ty, Box::new(condition(program, choices, depth))),
        _ => {
            let inner = *inner(choices);
            placed(choices, ty, inner)
        }
    }
}

/// The same number, moved elsewhere.
fn placed(choices: &mut Choices<'_>, ty: Type, inner: Expression) -> Expression {
    let constant = |value| Box::new(Expression::Constant(Constant { ty, value }));
    let mask = runtime::arithmetic::mask(ty.width());
    let count = Box::new(Expression::Constant(Constant { ty: Type::Bits(8), value: choices.below(70) as u64 }));
    let inner = Box::new(inner);
    match choices.below(4) {
        0 => Expression::Binary(BinaryOperator::ShiftLeft, inner, count),
        1 => Expression::Binary(BinaryOperator::ShiftRight, inner, count),
        2 => {
            Expression::Binary(BinaryOperator::And, inner, constant(choices.pick(&[0, 1, 0xff, 0xf_ffff_ffff]) & mask))
        }
        _ => Expression::Binary(BinaryOperator::Multiply, constant(1 << choices.below(ty.width() as usize)), inner),
    }
}

/// A value that is taken from somewhere.
fn leaf(program: &Program, choices: &mut Choices<'_>, ty: Type) -> Expression {
    if choices.chance(4) {
        let mask = runtime::arithmetic::mask(ty.width());
        let value = choices.pick(&[0, 1, 2, 7, 0x80, 0xffff_ffff, 0x1234_5678_9abc_def0, u64::MAX]) & mask;
        return Expression::Constant(Constant { ty, value });
    }
    let taken = match choices.below(3) {
        0 => Expression::Memory(Box::new(memory_at(choices))),
        _ => Expression::Variable(VariableId::from(choices.below(12))),
    };
    let from = program.type_of(&taken);
    let width = from.width();
    let taken = match choices.chance(3) && from != Type::Bool {
        true => {
            let low = choices.below(width as usize);
            let high = low + choices.below(width as usize - low);
            Expression::Slice { value: Box::new(taken), high: high as u16, low: low as u16 }
        }
        false => taken,
    };
    let is_same = program.type_of(&taken) == ty;
    let taken = if is_same { taken } else { Expression::Cast(ty, Box::new(taken)) };
    if ty != Type::Bool && choices.chance(4) { placed(choices, ty, taken) } else { taken }
}

/// A field of local memory whose address is not computed.
fn memory_at(choices: &mut Choices<'_>) -> MemoryField {
    let width = choices.pick(&[1_u16, 4, 8, 16, 32, 48, 64]);
    let (address, offset) = match choices.below(4) {
        0 | 1 => (Expression::Constant(Constant { ty: Type::Bits(16), value: choices.below(80) as u64 }), 0),
        2 => (Expression::Variable(VariableId::from(9)), choices.pick(&[0, 4, 16])),
        _ => (Expression::Variable(VariableId::from(8)), choices.pick(&[0, 8, 32])),
    };
    MemoryField { address, offset, width }
}

fn condition(program: &Program, choices: &mut Choices<'_>, depth: usize) -> Expression {
    let kind = choices.below(if depth == 0 { 5 } else { 10 });
    match kind {
        0 => Expression::Variable(VariableId::from(0)),
        1 => Expression::Cast(Type::Bool, Box::new(leaf(program, choices, Type::Bits(32)))),
        2..5 => {
            let ty = choices.pick(&TYPES);
            let operator = choices.pick(&[
                BinaryOperator::Equal,
                BinaryOperator::NotEqual,
                BinaryOperator::Less,
                BinaryOperator::LessEqual,
                BinaryOperator::Greater,
                BinaryOperator::GreaterEqual,
            ]);
            let (left, right) = (leaf(program, choices, ty), leaf(program, choices, ty));
            Expression::Binary(operator, Box::new(left), Box::new(right))
        }
        5 => Expression::Unary(UnaryOperator::Not, Box::new(condition(program, choices, depth - 1))),
        6 => {
            let parts = [(); 3].map(|()| Box::new(condition(program, choices, depth - 1)));
            let [condition, left, right] = parts;
            Expression::Select(condition, left, right)
        }
        _ => {
            let operator = choices.pick(&[
                BinaryOperator::And,
                BinaryOperator::Or,
                BinaryOperator::Xor,
                BinaryOperator::Equal,
                BinaryOperator::Less,
                BinaryOperator::GreaterEqual,
            ]);
            let parts = [(); 2].map(|()| Box::new(condition(program, choices, depth - 1)));
            let [left, right] = parts;
            Expression::Binary(operator, left, right)
        }
    }
}

/// An operand of a transaction or a jump: most are small numbers.
fn carried(program: &Program, choices: &mut Choices<'_>) -> Expression {
    let ty = choices.pick(&[Type::Bits(16), Type::Bits(32), Type::Bits(64)]);
    match choices.below(5) {
        0 => value(program, choices, ty, 1),
        1 => leaf(program, choices, ty),
        _ => Expression::Constant(Constant { ty, value: choices.pick(&[0, 0, 8, 16, 64, 1, 3]) }),
    }
}

fn data(program: &Program, choices: &mut Choices<'_>, bytes: u32) -> Data {
    if choices.chance(3) {
        return Data::Memory { address: carried(program, choices), bytes };
    }
    let mut values = Vec::new();
    let mut bits = bytes * 8;
    while bits > 0 {
        let width = choices.pick(&[8, 16, 32, 64, 13]).min(bits);
        let ty = if width == 1 { Type::Bool } else { Type::Bits(width as u16) };
        values.push(if choices.chance(3) { value(program, choices, ty, 1) } else { leaf(program, choices, ty) });
        bits -= width;
    }
    Data::Values(values)
}

fn transaction(program: &Program, choices: &mut Choices<'_>) -> Transaction {
    let records = RecordTableId::from(0);
    let kind = choices.below(20);
    let eight = choices.pick(&[8, 16]);
    let one = |choices: &mut Choices<'_>| carried(program, choices);
    let operation = match kind {
        0 => Operation::Read { address: one(choices), bytes: eight },
        1 => Operation::Count { address: one(choices), bytes: one(choices) },
        2 => Operation::WriteMasked { address: one(choices), value: one(choices), mask: one(choices) },
        3 => Operation::Remove { records, address: one(choices) },
        4 => Operation::Scan { records, first: one(choices), count: one(choices) },
        5 => Operation::ReadTail { packet: one(choices), offset: one(choices), bytes: eight },
        6 => Operation::CutTail { packet: one(choices), bytes: one(choices) },
        7 => Operation::Make { tail_of: Some(one(choices)) },
        8 => {
            let (packet, port, queue) = (one(choices), one(choices), one(choices));
            Operation::Send { packet, port, queue, head: HeadBytes { address: one(choices), bytes: one(choices) } }
        }
        9 => Operation::Drop { packet: one(choices), reason: ReasonId::from(1) },
        10 => Operation::StartTimer { timer: TimerId::from(0), period: one(choices) },
        11 => Operation::Fetch { operator: FetchOperator::Xor, address: one(choices), operand: one(choices) },
        12 => Operation::Write { address: one(choices), data: data(program, choices, eight) },
        13 => Operation::Add { address: one(choices), data: data(program, choices, 4) },
        14 => Operation::Find { records, key: data(program, choices, 4) },
        15 => Operation::Insert { records, key: data(program, choices, 4), contents: data(program, choices, 8) },
        16 => Operation::Hash { data: data(program, choices, 5), seed: carried(program, choices) },
        17 => Operation::WriteTail { packet: one(choices), offset: one(choices), data: data(program, choices, 3) },
        18 => {
            let values = [Type::Bits(32), Type::Bool, Type::Int(16)].map(|ty| value(program, choices, ty, 1)).to_vec();
            Operation::Digest { digest: DigestId::from(0), values }
        }
        _ => Operation::Time,
    };
    let bytes = operation.reply_bytes(program, |operand| program.type_of(operand).width());
    let reply = match choices.below(3) {
        0 if bytes > 0 => Destination::Memory(carried(program, choices)),
        1 if bytes > 0 => Destination::Variables(vec![Some(VariableId::from(choices.below(12)))]),
        _ => Destination::Nothing,
    };
    Transaction { is_asynchronous: choices.chance(2), operation, reply }
}
