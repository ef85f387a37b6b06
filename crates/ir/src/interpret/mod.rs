//! What a program means: a plain walk over its tree, one packet after the other.
//!
//! [`Interpreter`] is the definition that every machine is held against. [`PipelineInterpreter`] runs a program that
//! was fitted to stages, one packet at a time through all of them: what a single pipeline computes, without its time.
//! Both evaluate expressions by the same code.

use runtime::RegisterFile;

use crate::evaluate::{self, Environment, evaluate};
use crate::pipeline::{Pipeline, Stage};
use crate::{Constant, Expression, Program, RegisterId, Statement, VariableId, VariableKind};

/// Runs a program, which [`crate::verify::program`] accepts: with another one it may panic.
#[derive(Clone, Debug)]
pub struct Interpreter {
    program: Program,
    state: State,
}

/// Runs a pipeline, which [`Pipeline::verify`] accepts, one packet at a time: stages in order, atoms in order.
#[derive(Clone, Debug)]
pub struct PipelineInterpreter {
    pipeline: Pipeline,
    state: State,
}

/// What stays between packets.
#[derive(Clone, Debug)]
struct State {
    registers: RegisterFile,
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
        &self.state.registers
    }

    /// What is being run.
    pub fn program(&self) -> &Program {
        &self.program
    }
}

impl PipelineInterpreter {
    /// The pipeline with its registers at their first values.
    pub fn new(pipeline: &Pipeline) -> Self {
        Self { pipeline: pipeline.clone(), state: State::new(&pipeline.program) }
    }

    /// Runs all stages for one packet; `values` as [`Interpreter::packet`] says.
    pub fn packet(&mut self, values: &mut [u64]) {
        self.packet_observed(values, &mut |_, _| ());
    }

    /// As [`PipelineInterpreter::packet`], telling `observe` of every read and write of a register, in order, with
    /// the place in the array (0 for a scalar).
    pub fn packet_observed(&mut self, values: &mut [u64], observe: &mut dyn FnMut(RegisterId, usize)) {
        let stages = &self.pipeline.stages;
        self.state.run(&self.pipeline.program, values, observe, |frame, _| {
            frame.stages(stages);
        });
    }

    /// As [`PipelineInterpreter::packet`], holding what the stages access against what [`Pipeline::accesses`]
    /// promise of it: nothing of an access whose predicate is false is touched, and nothing but its index.
    pub fn packet_checked(&mut self, values: &mut [u64]) -> Result<(), String> {
        let Pipeline { program, stages, accesses, .. } = &self.pipeline;
        let mut touched = Vec::new();
        let mut promised = Vec::new();
        self.state.run(program, values, &mut |register, place| touched.push((register, place)), |frame, _| {
            frame.stages(stages);
            // In single assignment every variable still has the value that it had at the access, and exports are
            // yet to come.
            promised.extend(accesses.iter().map(|access| {
                let holds = frame.holds(access.predicate.expression());
                (holds, access.index.as_ref().map_or(0, |index| frame.expression(index).value))
            }));
        });
        for (register, place) in touched {
            let name = crate::print::register(program, register);
            let owner = accesses.iter().zip(&promised).find(|(access, _)| access.registers.contains(&register));
            let Some((_, &(holds, index))) = owner else { return Err(format!("`{name}` belongs to no access")) };
            if !holds {
                return Err(format!("`{name}[{place}]` is touched though the predicate of its access is false"));
            }
            let expected = RegisterFile::wrap(index, program.register(register).size());
            if place != expected {
                return Err(format!("`{name}[{place}]` is touched, and its access says {expected}"));
            }
        }
        Ok(())
    }

    /// The values of the registers now.
    pub fn registers(&self) -> &RegisterFile {
        &self.state.registers
    }

    /// What is being run.
    pub fn pipeline(&self) -> &Pipeline {
        &self.pipeline
    }
}

impl State {
    fn new(program: &Program) -> Self {
        Self { registers: program.initial_registers(), exported: vec![0; program.exports.len()] }
    }

    fn run(
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
        let mut frame = Frame { program, values, registers: &mut self.registers, observe };
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
struct Frame<'a> {
    program: &'a Program,
    values: &'a mut [u64],
    registers: &'a mut RegisterFile,
    observe: &'a mut dyn FnMut(RegisterId, usize),
}

impl Frame<'_> {
    fn stages(&mut self, stages: &[Stage]) {
        for atom in stages.iter().flat_map(|stage| &stage.atoms) {
            self.block(&atom.body);
        }
    }

    fn block(&mut self, block: &[Statement]) {
        for statement in block {
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Assign { variable, value } => {
                self.values[variable.index()] = self.expression(value).value;
            }
            Statement::Write { register, index, value, predicate } => {
                // A write that is not made evaluates nothing: reads in its index and value are no accesses.
                if self.holds(predicate.as_ref()) {
                    let value = self.expression(value).value;
                    let place = evaluate::place(self.program, *register, index.as_ref(), self);
                    (self.observe)(*register, place);
                    self.registers.array_mut(register.index())[place] = value;
                }
            }
            Statement::If { condition, then, otherwise } => {
                let taken = if self.expression(condition).value != 0 { then } else { otherwise };
                self.block(taken);
            }
        }
    }

    fn expression(&mut self, expression: &Expression) -> Constant {
        evaluate(self.program, expression, self)
    }

    fn holds(&mut self, predicate: Option<&Expression>) -> bool {
        evaluate::holds(self.program, predicate, self)
    }
}

impl Environment for Frame<'_> {
    #[inline]
    fn variable(&self, id: VariableId) -> u64 {
        self.values[id.index()]
    }

    fn read(&mut self, register: RegisterId, place: usize) -> u64 {
        (self.observe)(register, place);
        self.registers.array(register.index())[place]
    }
}
