//! Random headers at random positions in the packet.

use basis::Random;
use ir::parser::{Next, ParserState, Transition};
use ir::{
    BinaryOperator, Block, CORE_ERRORS, Constant, Entrance, Expression, Function, FunctionId, FunctionKind, Header,
    HeaderField, HeaderId, HeaderReference, PacketStatement, Parser, ParserId, Program, Statement, Type, Variable,
    VariableId, VariableKind,
};

use crate::pair::Pair;

const PARSER: Block = Block::Parser(ParserId(0));
const DEPARSER: Block = Block::Function(FunctionId(0));

fn local(program: &mut Program, ty: Type) -> VariableId {
    let name = format!("v{}", program.variables.len());
    program.variables.push(Variable { name, ty, kind: VariableKind::Local });
    VariableId::from(program.variables.len() - 1)
}

/// Adds a header of up to seven fields, one of which may have variable length.
fn header(program: &mut Program, random: &mut Random) -> HeaderId {
    let valid = local(program, Type::Bool);
    let count = 1 + random.below(7);
    let varies = random.below(2 * count);
    let field = |number| {
        let is_variable = number == varies;
        let width = match random.below(4) {
            0 => 1 + random.below(8),
            1 => 8 * (1 + random.below(8)),
            2 => 1 + random.below(64),
            _ => 1 + random.below(200),
        };
        let width = if is_variable { 8 * width } else { width } as u16;
        let variable = local(program, Type::Bits(width));
        HeaderField { variable, length: is_variable.then(|| local(program, Type::Bits(16))) }
    };
    let fields = (0..count).map(field).collect();
    program.headers.push(Header { name: format!("h{}", program.headers.len()), valid, fields });
    HeaderId::from(program.headers.len() - 1)
}

/// Builds a program that extracts several headers, takes the length of a variable one from the byte before it, and
/// emits all of them again.
fn program(random: &mut Random) -> Program {
    let mut program =
        Program { name: "headers".into(), errors: CORE_ERRORS.map(str::to_owned).to_vec(), ..Program::default() };
    let length = local(&mut program, Type::Bits(8));
    let (mut parser, mut deparser) = (Vec::new(), Vec::new());
    for _ in 0..1 + random.below(3) {
        let id = header(&mut program, random);
        let header = HeaderReference::Fixed(id);
        let varies = program.headers[id.index()].fields.iter().any(|field| field.length.is_some());
        parser.push(Statement::Packet(PacketStatement::Lookahead { variables: vec![length] }));
        let number = |value| Expression::Constant(Constant { ty: Type::Bits(16), value });
        let bits = Expression::Cast(Type::Bits(16), Box::new(Expression::Variable(length)));
        // Usually a multiple of 8.
        let unit = if random.below(8) == 0 { 1 } else { 8 };
        let bits = Expression::binary(BinaryOperator::Multiply, bits, number(unit));
        let skipped = Expression::binary(BinaryOperator::And, bits.clone(), number(24));
        parser.push(Statement::Packet(PacketStatement::Advance { bits: skipped }));
        let length = varies.then_some(bits);
        parser.push(Statement::Packet(PacketStatement::Extract { header: header.clone(), length }));
        deparser.push(Statement::Packet(PacketStatement::Emit { header }));
    }
    let state = ParserState { name: "start".into(), body: parser, transition: Transition::To(Next::Accept) };
    program.parsers.push(Parser { name: "p".into(), states: vec![state] });
    let function = Function { name: "f".into(), kind: FunctionKind::Control, parameters: vec![], body: deparser };
    program.functions.push(function);
    program.entrances =
        [("p", PARSER), ("d", DEPARSER)].map(|(name, block)| Entrance { name: name.into(), block }).to_vec();
    program
}

#[test]
fn extracts_and_emits_fields_at_any_position() {
    let mut random = Random::new(5);
    let (mut accepted, mut errors) = (0, [0; 7]);
    for _ in 0..120 {
        let mut pair = Pair::new(program(&mut random), |_| ());
        for _ in 0..12 {
            let length = random.below(160);
            let bytes: Vec<u8> = (0..length)
                .map(|_| if random.below(3) == 0 { random.below(4) as u8 } else { random.bits() as u8 })
                .collect();
            pair.packet(&bytes);
            match pair.run(PARSER).unwrap_or_else(|difference| panic!("{difference}\n{}", pair.program())) {
                ir::interpret::Ending::Rejected(error) => errors[error.index()] += 1,
                _ => accepted += 1,
            }
            pair.run(DEPARSER).unwrap_or_else(|difference| panic!("{difference}\n{}", pair.program()));
        }
    }
    // All of these errors occur: PacketTooShort, HeaderTooShort, ParserInvalidArgument.
    assert!(accepted > 100 && errors[1] > 50 && errors[4] > 20 && errors[6] > 20, "{accepted} accepted, {errors:?}");
}
