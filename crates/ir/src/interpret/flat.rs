//! Flat programs: a packet is the values of its fields, and all of them have at most 64 bits.

use std::convert::Infallible;

use runtime::{Bits, RegisterFile};

use super::execute::{self, Execution};
use crate::evaluate::{Environment, evaluate};
use crate::{Constant, Expression, Lookup, Program, RegisterId, Statement, VariableId, VariableKind};

/// Runs a flat program (assignments, writes and conditions; variables and registers of at most 64 bits), which
/// [`crate::verify::program`] accepts: with another one it may panic. [`super::PacketInterpreter`] runs the others.
#[derive(Clone, Debug)]
pub struct Interpreter {
    program: Program,
    state: State,
}

/// What stays between packets.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub(super) all: runtime::State,
    /// Final values of exported fields, kept so that no packet allocates.
    exported: Vec<u64>,
}

impl Interpreter {
    /// The program with its registers at their first values.
    pub fn new(program: &Program) -> Self {
        Self { program: program.clone(), state: State::new(program) }
    }

    /// Runs the program for one packet.
    ///
    /// `values` are raw bits by variable, one for each of the program's. The caller puts in those of the fields;
    /// locals begin at 0 whatever is there. Afterwards the fields hold their final values, exports applied.
    /// Panics if `values` has another length.
    pub fn packet(&mut self, values: &mut [u64]) {
        self.packet_observed(values, &mut |_, _| ());
    }

    /// As [`Interpreter::packet`], telling `observe` of every read and write of a register, in order, with the
    /// place in the array (0 for a scalar).
    pub fn packet_observed(&mut self, values: &mut [u64], observe: &mut dyn FnMut(RegisterId, usize)) {
        self.state.run(&self.program, values, observe, |frame, program| frame.block(&program.packet));
    }

    /// The values of the registers now.
    pub fn registers(&self) -> &RegisterFile {
        &self.state.all.registers
    }

    /// All state of the program.
    pub fn state(&self) -> &runtime::State {
        &self.state.all
    }

    /// All state, for a control plane: what it writes into tables, the next packet finds.
    pub fn state_mut(&mut self) -> &mut runtime::State {
        &mut self.state.all
    }

    /// What is being run.
    pub fn program(&self) -> &Program {
        &self.program
    }
}

impl State {
    pub(super) fn new(program: &Program) -> Self {
        Self { all: program.initial_state(), exported: vec![0; program.exports.len()] }
    }

    pub(super) fn run(
        &mut self,
        program: &Program,
        values: &mut [u64],
        observe: &mut dyn FnMut(RegisterId, usize),
        body: impl FnOnce(&mut Frame<'_>, &Program),
    ) {
        assert_eq!(values.len(), program.variables.len(), "one value for each variable");
        for (value, variable) in values.iter_mut().zip(&program.variables) {
            if variable.kind == VariableKind::Local {
                *value = 0;
            }
            debug_assert!(crate::typing::fits(variable.ty, *value), "`{}` is wider than its type", variable.name);
        }
        let mut frame = Frame { program, values, state: &mut self.all, observe };
        body(&mut frame, program);
        // All at once, for an export may name a field that another export changes.
        for (value, export) in self.exported.iter_mut().zip(&program.exports) {
            *value = frame.expression(&export.value).value;
        }
        for (value, export) in self.exported.iter().zip(&program.exports) {
            frame.values[export.field.index()] = *value;
        }
    }
}

/// One packet on its way.
pub(super) struct Frame<'a> {
    program: &'a Program,
    values: &'a mut [u64],
    state: &'a mut runtime::State,
    observe: &'a mut dyn FnMut(RegisterId, usize),
}

impl Frame<'_> {
    pub(super) fn block(&mut self, block: &[Statement]) {
        let Ok(()) = execute::block(self.program, block, self);
    }

    pub(super) fn expression(&mut self, expression: &Expression) -> Constant {
        evaluate(self.program, expression, self)
    }

    pub(super) fn holds(&mut self, predicate: Option<&Expression>) -> bool {
        crate::evaluate::holds(self.program, predicate, self)
    }
}

impl Environment for Frame<'_> {
    type Value = u64;

    #[inline]
    fn variable(&mut self, id: VariableId) -> u64 {
        self.values[id.index()]
    }

    fn read(&mut self, register: RegisterId, place: usize) -> u64 {
        (self.observe)(register, place);
        self.state.registers.array(register.index())[place]
    }

    fn lookup(&mut self, lookup: &Lookup, keys: &[u64]) -> Bits {
        crate::lookup::find(self.program, self.state, lookup.table, keys).answer(lookup.result)
    }
}

impl Execution for Frame<'_> {
    // Nothing ends a block of a flat program before its end.
    type Stop = Infallible;

    #[inline]
    fn assign(&mut self, variable: VariableId, value: u64) {
        self.values[variable.index()] = value;
    }

    fn write(&mut self, register: RegisterId, place: usize, value: u64) {
        (self.observe)(register, place);
        self.state.registers.array_mut(register.index())[place] = value;
    }

    fn further(&mut self, statement: &Statement) -> Result<(), Infallible> {
        unreachable!("a flat program has no such statement: {statement:?}")
    }
}
