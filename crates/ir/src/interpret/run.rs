//! The execution of one block of a program on one packet.

use std::sync::Arc;

use runtime::Bits;
use runtime::checksum::BitString;

use super::execute::{self, Execution};
use super::{Ending, Packet, Request, Surroundings, Test, Undefined};
use crate::evaluate::{self, Environment};
use crate::{Block, Checksum, ErrorId, Expression, Lookup, Program, RegisterId, Statement, Type, VariableId};

/// The maximum number of loop iterations, calls, table applications and parser states that a block may take for one
/// packet. A program that needs more presumably never ends and is stopped ([`Ending::Unfinished`]).
pub const STEPS: u32 = 1 << 20;

/// The maximum number of states that a parser may pass without advancing in the packet. Beyond that it ends with the
/// error `ParserTimeout` (P4_16, 13.10 leaves the bound to the target). Together with [`STEPS`] this makes all parsers
/// end.
pub const IDLE_STATES: u32 = 1 << 12;

/// The maximum depth of nested calls of functions and parsers, beyond which the block ends as [`Ending::Unfinished`].
/// Programs written by hand stay far below it.
pub const CALL_DEPTH: u32 = 256;

/// Runs the blocks of a program that [`crate::verify::program`] accepts; with any other program it may panic.
///
/// The variables of a packet pass from one block to the next; nothing is reset in between.
#[derive(Clone, Debug)]
pub struct PacketInterpreter {
    program: Arc<Program>,
    /// For each variable that is a field of a header, the variable that holds the header's validity.
    validity: Vec<Option<VariableId>>,
    scratch: Scratch,
}

/// Buffers that are reused so that running a packet does not allocate.
#[derive(Clone, Debug, Default)]
pub(super) struct Scratch {
    /// The keys of a look-up, and then the data of its action.
    list: Vec<Bits>,
    /// The data that a checksum covers.
    bit_string: BitString,
}

/// The reason why statements end early, which says how far the execution unwinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// Ends the innermost loop.
    Break,
    /// Ends the current iteration of the innermost loop.
    Continue,
    /// Ends the function.
    Return,
    /// Ends the block after running the copy-out statements of all calls on the way.
    Exit,
    /// Ends the block; [`Run::finish`] decides whether copy-out statements still run.
    End(Ending),
}

/// The outcome of executing statements: `Ok` if they ran to their end.
pub(super) type StatementResult = Result<(), Stop>;

/// The execution of one block.
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
    /// Creates an interpreter of a program. The interpreter keeps no state from one packet to the next; that is in
    /// [`Surroundings::state`].
    pub fn new(program: Arc<Program>) -> Self {
        let mut validity = vec![None; program.variables.len()];
        for header in &program.headers {
            for field in &header.fields {
                validity[field.variable.index()] = Some(header.valid);
            }
        }
        Self { program, validity, scratch: Scratch::default() }
    }

    /// Returns the program that is being run.
    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    /// Runs a block on a packet to its end. Requests to the machine are appended to `requests` in order, and stay there
    /// however the block ends.
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
    /// Executes statements in order.
    pub(super) fn block(&mut self, statements: &[Statement]) -> StatementResult {
        execute::block(self.program, statements, self)
    }

    /// Evaluates an expression.
    pub(super) fn value(&mut self, expression: &Expression) -> Bits {
        evaluate::value(self.program, expression, self).1
    }

    /// Evaluates an expression to an unsigned number, if it fits in 64 bits.
    pub(super) fn number(&mut self, expression: &Expression) -> Option<u64> {
        self.value(expression).to_u64()
    }

    /// Evaluates a bool.
    pub(super) fn is_true(&mut self, condition: &Expression) -> bool {
        !self.value(condition).is_zero()
    }

    /// Assigns a value to a variable, and tells the observer if the value changes.
    pub(super) fn set(&mut self, variable: VariableId, value: Bits) {
        let place = &mut self.packet.values[variable.index()];
        if *place != value {
            self.around.observer.changed(variable, place, &value);
            *place = value;
        }
    }

    /// Counts a loop iteration, call, table application or parser state against [`STEPS`].
    pub(super) fn step(&mut self) -> StatementResult {
        self.steps += 1;
        if self.steps > STEPS { Err(Stop::End(Ending::Unfinished)) } else { Ok(()) }
    }

    /// Runs `inner` one call deeper.
    pub(super) fn deeper(&mut self, inner: impl FnOnce(&mut Self) -> StatementResult) -> StatementResult {
        self.step()?;
        if self.depth >= CALL_DEPTH {
            return Err(Stop::End(Ending::Unfinished));
        }
        self.depth += 1;
        let progress = inner(self);
        self.depth -= 1;
        progress
    }

    /// Takes the reusable list, empty; [`Run::put_back`] returns it. While it is taken, further calls return new lists.
    pub(super) fn take_list(&mut self) -> Vec<Bits> {
        std::mem::take(&mut self.scratch.list)
    }

    /// Returns the list for reuse.
    pub(super) fn put_back(&mut self, mut list: Vec<Bits>) {
        list.clear();
        self.scratch.list = list;
    }

    /// Takes the reusable bit string, empty; [`Run::put_bit_string_back`] returns it.
    pub(super) fn take_bit_string(&mut self) -> BitString {
        std::mem::take(&mut self.scratch.bit_string)
    }

    /// Returns the bit string for reuse.
    pub(super) fn put_bit_string_back(&mut self, mut bits: BitString) {
        bits.clear();
        self.scratch.bit_string = bits;
    }
}

/// Ends the block as rejected with an error.
pub(super) const fn rejected(error: ErrorId) -> Stop {
    Stop::End(Ending::Rejected(error))
}

impl Environment for Run<'_, '_> {
    type Value = Bits;

    #[inline]
    fn variable(&mut self, id: VariableId) -> Bits {
        // A field of an invalid header may have any value at each read (P4_16, 8.25). With [`Undefined::Zero`], the
        // value that was written last is as good as any other.
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
            // The payload starts at a whole byte, as in BMv2's calculations.
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

    fn further(&mut self, statement: &Statement) -> StatementResult {
        match statement {
            Statement::Flow(flow) => self.flow(flow),
            Statement::Packet(step) => self.packet_statement(step),
            Statement::Shared(step) => self.shared(step),
            _ => unreachable!("the walk over statements carries out the others"),
        }
    }
}
