//! One block of a program on one packet: what statements and expressions find around them.

use std::sync::Arc;

use runtime::Bits;
use runtime::checksum::BitString;

use super::execute::{self, Execution};
use super::{Ending, Packet, Request, Surroundings, Test, Undefined};
use crate::evaluate::{self, Environment};
use crate::{Block, Checksum, ErrorId, Expression, Lookup, Program, RegisterId, Statement, Type, VariableId};

/// How many turns of loops, calls, tables and states of parsers a block may take for one packet. A program that needs
/// more does not end for all that anybody can see, and is stopped ([`Ending::Unfinished`]).
pub const STEPS: u32 = 1 << 20;

/// How many states a parser may go through without a step forward in the packet, before it ends with the error
/// `ParserTimeout` (P4_16, 13.10 leaves the bound to the target). With [`STEPS`], all parsers end.
pub const IDLE_STATES: u32 = 1 << 12;

/// How deep calls of functions and parsers may be nested, before the block ends as [`Ending::Unfinished`]. Programs of
/// people stay far below.
pub const CALL_DEPTH: u32 = 256;

/// Runs the blocks of a program, which [`crate::verify::program`] accepts: with another one it may panic.
///
/// A block finds the variables of the packet as it got them and leaves them for the next; nothing is reset between.
#[derive(Clone, Debug)]
pub struct PacketInterpreter {
    program: Arc<Program>,
    /// By variable: the validity of the header whose field it is.
    validity: Vec<Option<VariableId>>,
    scratch: Scratch,
}

/// What is used again, so that no packet allocates.
#[derive(Clone, Debug, Default)]
pub(super) struct Scratch {
    /// Keys, and data of actions.
    list: Vec<Bits>,
    /// What checksums are computed of.
    bit_string: BitString,
}

/// What ends statements before their end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// Of the innermost loop.
    Break,
    /// Of the turn of the innermost loop.
    Continue,
    /// Of the function.
    Return,
    /// Of the block, once what comes out of functions is taken back.
    Exit,
    /// Of the block at once.
    End(Ending),
}

/// Whether statements came to their end.
pub(super) type Progress = Result<(), Stop>;

/// One block on its way.
pub(super) struct Run<'a, 's> {
    pub(super) program: &'a Program,
    pub(super) packet: &'a mut Packet,
    pub(super) around: &'a mut Surroundings<'s>,
    pub(super) requests: &'a mut Vec<Request>,
    scratch: &'a mut Scratch,
    validity: &'a [Option<VariableId>],
    steps: u32,
    depth: u32,
}

impl PacketInterpreter {
    /// An interpreter of a program. It keeps nothing from one packet to the next.
    pub fn new(program: Arc<Program>) -> Self {
        let mut validity = vec![None; program.variables.len()];
        for header in &program.headers {
            for field in &header.fields {
                validity[field.variable.index()] = Some(header.valid);
            }
        }
        Self { program, validity, scratch: Scratch::default() }
    }

    /// What is being run.
    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    /// Runs a block on a packet to its end. What it asks the machine for goes to the end of `requests`, in order; it
    /// stays there however the block ends.
    pub fn run(
        &mut self,
        block: Block,
        packet: &mut Packet,
        surroundings: &mut Surroundings<'_>,
        requests: &mut Vec<Request>,
    ) -> Ending {
        let mut run = Run {
            program: &self.program,
            packet,
            around: surroundings,
            requests,
            scratch: &mut self.scratch,
            validity: &self.validity,
            steps: 0,
            depth: 0,
        };
        let progress = match block {
            Block::Parser(parser) => run.parser(parser),
            Block::Function(function) => run.function(function),
        };
        match progress {
            Err(Stop::End(ending)) => ending,
            _ => Ending::Done,
        }
    }
}

impl Run<'_, '_> {
    /// Carries out statements in order.
    pub(super) fn block(&mut self, statements: &[Statement]) -> Progress {
        execute::block(self.program, statements, self)
    }

    /// The value of an expression.
    pub(super) fn value(&mut self, expression: &Expression) -> Bits {
        evaluate::value(self.program, expression, self).1
    }

    /// The value of an expression as an unsigned number, if 64 bits hold it.
    pub(super) fn number(&mut self, expression: &Expression) -> Option<u64> {
        self.value(expression).to_u64()
    }

    /// The value of a bool.
    pub(super) fn is_true(&mut self, condition: &Expression) -> bool {
        !self.value(condition).is_zero()
    }

    /// Gives a variable a value, and says so if it is another one.
    pub(super) fn set(&mut self, variable: VariableId, value: Bits) {
        let place = &mut self.packet.values[variable.index()];
        if *place != value {
            self.around.observer.changed(variable, place, &value);
            *place = value;
        }
    }

    /// Counts a turn, a call, a table or a state.
    pub(super) fn step(&mut self) -> Progress {
        self.steps += 1;
        if self.steps > STEPS { Err(Stop::End(Ending::Unfinished)) } else { Ok(()) }
    }

    /// Runs something one level deeper.
    pub(super) fn deeper(&mut self, inner: impl FnOnce(&mut Self) -> Progress) -> Progress {
        self.step()?;
        if self.depth >= CALL_DEPTH {
            return Err(Stop::End(Ending::Unfinished));
        }
        self.depth += 1;
        let progress = inner(self);
        self.depth -= 1;
        progress
    }

    /// A list to fill with values, empty; [`Run::put_back`] takes it again. A second one at the same time is new.
    pub(super) fn take_list(&mut self) -> Vec<Bits> {
        std::mem::take(&mut self.scratch.list)
    }

    /// Takes a list back.
    pub(super) fn put_back(&mut self, mut list: Vec<Bits>) {
        list.clear();
        self.scratch.list = list;
    }

    /// A string of bits to fill, empty; [`Run::put_bit_string_back`] takes it again.
    pub(super) fn take_bit_string(&mut self) -> BitString {
        std::mem::take(&mut self.scratch.bit_string)
    }

    /// Takes a string of bits back.
    pub(super) fn put_bit_string_back(&mut self, mut bits: BitString) {
        bits.clear();
        self.scratch.bit_string = bits;
    }
}

/// A parser's error.
pub(super) const fn rejected(error: ErrorId) -> Stop {
    Stop::End(Ending::Rejected(error))
}

impl Environment for Run<'_, '_> {
    type Value = Bits;

    #[inline]
    fn variable(&mut self, id: VariableId) -> Bits {
        // A field of an invalid header may have any value at each read (P4_16, 8.25). Zero mode gives what was written
        // into it, if something was, which is as good.
        if let Undefined::Drawn(_) = self.around.undefined
            && self.validity[id.index()].is_some_and(|valid| self.packet.values[valid.index()].is_zero())
        {
            return self.undefined(self.program.variable(id).ty);
        }
        self.packet.values[id.index()].clone()
    }

    fn read(&mut self, register: RegisterId, place: usize) -> Bits {
        let width = self.program.register(register).ty.width();
        let value = self.around.state.registers.read(register.index(), place as u64, width);
        self.around.observer.read(register, place, &value);
        value
    }

    fn undefined(&mut self, ty: Type) -> Bits {
        self.around.undefined.value(ty.width())
    }

    fn lookup(&mut self, lookup: &Lookup, keys: &[u64]) -> Bits {
        crate::lookup::find(self.program, self.around.state, lookup.table, keys).answer(lookup.result)
    }

    fn bit_string(&mut self) -> BitString {
        self.take_bit_string()
    }

    fn checksum(&mut self, checksum: &Checksum, mut data: BitString) -> Bits {
        if checksum.with_payload {
            // Whole bytes follow whole bytes, as in BMv2's calculations.
            let rest = (8 - data.len() % 8) % 8;
            data.push(&Bits::zero(rest as u32), rest as u32);
            data.push_bytes(self.packet.payload());
            data.end_with_zeros(self.packet.payload_zeros());
        }
        let sum = checksum.algorithm.output_of(&data, checksum.result.width(), self.around.random);
        self.put_bit_string_back(data);
        sum
    }
}

impl Execution for Run<'_, '_> {
    type Stop = Stop;

    fn assign(&mut self, variable: VariableId, value: Bits) {
        self.set(variable, value);
    }

    fn write(&mut self, register: RegisterId, place: usize, value: Bits) {
        self.around.state.registers.write(register.index(), place as u64, &value);
        self.around.observer.written(register, place, &value);
    }

    #[inline]
    fn tested(&mut self, condition: &Expression, holds: bool) {
        self.around.observer.tested(Test::If, condition, holds, &self.packet.values);
    }

    fn further(&mut self, statement: &Statement) -> Progress {
        match statement {
            Statement::Flow(flow) => self.flow(flow),
            Statement::Packet(step) => self.packet_statement(step),
            Statement::Shared(step) => self.shared(step),
            _ => unreachable!("the walk over statements carries out the others"),
        }
    }
}
