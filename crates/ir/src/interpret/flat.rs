//! The interpreter of flat programs, whose packets are values of fields of at most 64 bits.

use std::convert::Infallible;

use runtime::{Bits, RegisterFile};

use super::execute::{self, Execution};
use crate::evaluate::{Environment, evaluate};
use crate::{Constant, Expression, Lookup, Program, RegisterId, Statement, VariableId, VariableKind};

/// Runs a flat program ([`crate::form::Form::Flat`]) that [`crate::verify::program`] accepts; with any other program it
/// may panic. [`super::PacketInterpreter`] runs programs that are not flat.
#[derive(Clone, Debug)]
pub struct Interpreter {
    program: Program,
    state: FlatState,
}

/// The state that persists across packets.
#[derive(Clone, Debug)]
pub(super) struct FlatState {
    pub(super) all: runtime::ProgramState,
    /// A buffer for the final values of exported fields, kept so that running a packet does not allocate.
    exported: Vec<u64>,
}

impl Interpreter {
    /// Creates an interpreter whose state has its initial values.
    pub fn new(program: &Program) -> Self {
        Self { program: program.clone(), state: FlatState::new(program) }
    }

    /// Runs the program for one packet.
    ///
    /// `values` holds raw bits, one value for each variable of the program, by index. The caller sets those of the
    /// fields; locals start at 0 whatever their value is. Afterwards the fields hold their final values, with exports
    /// applied.
    ///
    /// # Panics
    /// If `values` does not have one value for each variable.
    pub fn packet(&mut self, values: &mut [u64]) {
        self.packet_observed(values, &mut |_, _| ());
    }

    /// Like [`Interpreter::packet`], and calls `observe` for every read and write of a register, in order, with the
    /// index in the array (0 for a scalar).
    pub fn packet_observed(&mut self, values: &mut [u64], observe: &mut dyn FnMut(RegisterId, usize)) {
        self.state.run(&self.program, values, observe, |frame, program| frame.block(&program.packet));
    }

    /// Returns the current values of the registers.
    pub fn registers(&self) -> &RegisterFile {
        &self.state.all.registers
    }

    /// Returns all state of the program.
    pub fn state(&self) -> &runtime::ProgramState {
        &self.state.all
    }

    /// Returns all state, for a control plane: the next packet sees what is written into the tables.
    pub fn state_mut(&mut self) -> &mut runtime::ProgramState {
        &mut self.state.all
    }

    /// Returns the program that is being run.
    pub fn program(&self) -> &Program {
        &self.program
    }
}

impl FlatState {
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
        // All values are computed before any field is set, because an export may name a field that another export
        // changes.
        for (value, export) in self.exported.iter_mut().zip(&program.exports) {
            *value = frame.expression(&export.value).value;
        }
        for (value, export) in self.exported.iter().zip(&program.exports) {
            frame.values[export.field.index()] = *value;
        }
    }
}

/// The execution of one packet.
pub(super) struct Frame<'a> {
    program: &'a Program,
    values: &'a mut [u64],
    state: &'a mut runtime::ProgramState,
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
    // Nothing ends a block of a flat program early.
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
