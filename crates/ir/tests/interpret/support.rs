//! Helpers that build small programs and packets.

use std::sync::Arc;

use basis::{Instant, Random};
use ir::interpret::{Ending, Observer, Packet, PacketInterpreter, Request, Surroundings, Undefined, Unobserved};
use ir::parser::{Next, ParserState, Transition};
use ir::{
    BinaryOperator, Block, CORE_ERRORS, Constant, Expression, Function, FunctionId, FunctionKind, Header, HeaderField,
    HeaderId, HeaderReference, PacketStatement, Parser, ParserId, Program, Statement, Type, Variable, VariableId,
    VariableKind,
};
use runtime::Bits;

/// Makes a program with the errors of `core.p4` and nothing else.
pub fn empty() -> Program {
    Program { name: "test".into(), errors: CORE_ERRORS.map(str::to_owned).to_vec(), ..Program::default() }
}

/// Adds a local.
pub fn local(program: &mut Program, name: &str, ty: Type) -> VariableId {
    program.variables.push(Variable { name: name.into(), ty, kind: VariableKind::Local });
    VariableId::from(program.variables.len() - 1)
}

/// Adds a header with fields of these widths in bits.
pub fn header(program: &mut Program, name: &str, fields: &[(&str, u16)]) -> HeaderId {
    let valid = local(program, &format!("{name}.$valid"), Type::Bool);
    let field = |&(field, width): &(&str, u16)| HeaderField {
        variable: local(program, &format!("{name}.{field}"), Type::Bits(width)),
        length: None,
    };
    let fields = fields.iter().map(field).collect();
    program.headers.push(Header { name: name.into(), valid, fields });
    HeaderId::from(program.headers.len() - 1)
}

/// Returns the variable of a field.
pub fn field(program: &Program, header: HeaderId, place: usize) -> VariableId {
    program.headers[header.index()].fields[place].variable
}

/// Adds a parser with these states, given by their statements and transitions.
pub fn parser(program: &mut Program, states: Vec<(Vec<Statement>, Transition)>) -> ParserId {
    let state = |(place, (body, transition))| ParserState { name: format!("s{place}"), body, transition };
    let states = states.into_iter().enumerate().map(state).collect();
    program.parsers.push(Parser { name: format!("p{}", program.parsers.len()), states });
    ParserId::from(program.parsers.len() - 1)
}

/// Adds a function.
pub fn function(program: &mut Program, body: Vec<Statement>) -> FunctionId {
    action(program, vec![], body)
}

/// Adds a function with parameters.
pub fn action(program: &mut Program, parameters: Vec<VariableId>, body: Vec<Statement>) -> FunctionId {
    let name = format!("f{}", program.functions.len());
    program.functions.push(Function { name, kind: FunctionKind::Action, parameters, body });
    FunctionId::from(program.functions.len() - 1)
}

/// The transition to `accept`.
pub const ACCEPT: Transition = Transition::To(Next::Accept);

pub fn extract(header: HeaderId) -> Statement {
    Statement::Packet(PacketStatement::Extract { header: HeaderReference::Fixed(header), length: None })
}

pub fn emit(header: HeaderId) -> Statement {
    Statement::Packet(PacketStatement::Emit { header: HeaderReference::Fixed(header) })
}

pub fn set_valid(header: HeaderId, valid: bool) -> Statement {
    Statement::Packet(PacketStatement::SetValid { header: HeaderReference::Fixed(header), valid })
}

pub fn assign(variable: VariableId, value: Expression) -> Statement {
    Statement::Assign { variable, value }
}

pub fn constant(width: u16, value: u64) -> Expression {
    Expression::Constant(Constant { ty: Type::Bits(width), value })
}

pub fn variable(id: VariableId) -> Expression {
    Expression::Variable(id)
}

pub fn add(left: Expression, right: Expression) -> Expression {
    Expression::binary(BinaryOperator::Add, left, right)
}

pub fn equal(left: Expression, right: Expression) -> Expression {
    Expression::binary(BinaryOperator::Equal, left, right)
}

/// A program with its interpreter and state.
pub struct Running {
    pub interpreter: PacketInterpreter,
    pub state: runtime::ProgramState,
    pub now: Instant,
    pub length: u64,
    pub random: Random,
    pub undefined: Undefined,
}

impl Running {
    pub fn new(program: Program) -> Self {
        assert_eq!(ir::verify::program(&program), Ok(()), "tests must use valid programs");
        let state = program.initial_state();
        Self {
            interpreter: PacketInterpreter::new(Arc::new(program)),
            state,
            now: Instant::ZERO,
            length: 100,
            random: Random::new(1),
            undefined: Undefined::Zero,
        }
    }

    /// Makes a packet of these bytes.
    pub fn packet(&self, bytes: &[u8]) -> Packet {
        Packet::new(self.interpreter.program(), bytes.to_vec())
    }

    pub fn run(&mut self, block: Block, packet: &mut Packet) -> (Ending, Vec<Request>) {
        self.run_observed(block, packet, &mut Unobserved)
    }

    pub fn run_observed(
        &mut self,
        block: Block,
        packet: &mut Packet,
        observer: &mut dyn Observer,
    ) -> (Ending, Vec<Request>) {
        let mut requests = Vec::new();
        let mut surroundings = Surroundings {
            state: &mut self.state,
            now: self.now,
            length: self.length,
            packets: 1,
            random: &mut self.random,
            undefined: &mut self.undefined,
            observer,
        };
        let ending = self.interpreter.run(block, packet, &mut surroundings, &mut requests);
        (ending, requests)
    }

    /// Runs the first parser on a packet.
    pub fn parse(&mut self, bytes: &[u8]) -> (Ending, Packet) {
        let mut packet = self.packet(bytes);
        let (ending, _) = self.run(Block::Parser(ParserId(0)), &mut packet);
        (ending, packet)
    }

    /// Runs a function on a packet without bytes, whose variables have these values.
    pub fn call(&mut self, function: FunctionId, values: &[(VariableId, u64)]) -> (Ending, Packet) {
        let mut packet = self.packet(&[]);
        let program = Arc::clone(self.interpreter.program());
        for &(variable, value) in values {
            packet.set(&program, variable, value);
        }
        let (ending, _) = self.run(Block::Function(function), &mut packet);
        (ending, packet)
    }
}

/// Makes a bit string for comparison in tests.
pub fn bits(value: u64, width: u32) -> Bits {
    Bits::from_u64(value, width)
}
