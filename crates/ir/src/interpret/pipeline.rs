//! The interpreter of pipelines, without their timing.

use runtime::RegisterFile;

use super::flat::{FlatState, Frame};
use crate::RegisterId;
use crate::pipeline::{Pipeline, Stage};

/// Runs a pipeline that [`Pipeline::verify`] accepts, one packet at a time, executing stages and atoms in order.
#[derive(Clone, Debug)]
pub struct PipelineInterpreter {
    pipeline: Pipeline,
    state: FlatState,
}

impl PipelineInterpreter {
    /// Creates an interpreter whose state has its initial values.
    pub fn new(pipeline: &Pipeline) -> Self {
        Self { pipeline: pipeline.clone(), state: FlatState::new(&pipeline.program) }
    }

    /// Runs all stages for one packet; `values` are as in [`super::Interpreter::packet`].
    ///
    /// # Panics
    /// If `values` does not have one value for each variable.
    pub fn packet(&mut self, values: &mut [u64]) {
        self.packet_observed(values, &mut |_, _| ());
    }

    /// Like [`PipelineInterpreter::packet`], and calls `observe` for every read and write of a register, in order, with
    /// the index in the array (0 for a scalar).
    pub fn packet_observed(&mut self, values: &mut [u64], observe: &mut dyn FnMut(RegisterId, usize)) {
        let stages = &self.pipeline.stages;
        self.state.run(&self.pipeline.program, values, observe, |frame, _| {
            run(frame, stages);
        });
    }

    /// Like [`PipelineInterpreter::packet`], and checks the accesses of the stages against [`Pipeline::accesses`]: the
    /// registers of an access are touched only if its predicate holds, and only at its index.
    ///
    /// # Errors
    /// Describes the first access to a register that violates this.
    pub fn packet_checked(&mut self, values: &mut [u64]) -> Result<(), String> {
        let Pipeline { program, stages, accesses, .. } = &self.pipeline;
        let mut touched = Vec::new();
        let mut promised = Vec::new();
        self.state.run(program, values, &mut |register, place| touched.push((register, place)), |frame, _| {
            run(frame, stages);
            // In single assignment every variable still has the value that it had at the access; the exports have not
            // been applied yet.
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
                return Err(format!("`{name}[{place}]` is accessed although the predicate of its access is false"));
            }
            let expected = RegisterFile::wrap(index, program.register(register).size());
            if place != expected {
                return Err(format!("`{name}[{place}]` is accessed, but the index of its access is {expected}"));
            }
        }
        Ok(())
    }

    /// Returns the current values of the registers.
    pub fn registers(&self) -> &RegisterFile {
        &self.state.all.registers
    }

    /// Returns all state, for a control plane: the next packet sees what is written into the tables.
    pub fn state_mut(&mut self) -> &mut runtime::ProgramState {
        &mut self.state.all
    }

    /// Returns the pipeline that is being run.
    pub fn pipeline(&self) -> &Pipeline {
        &self.pipeline
    }
}

fn run(frame: &mut Frame<'_>, stages: &[Stage]) {
    for atom in stages.iter().flat_map(|stage| &stage.atoms) {
        frame.block(&atom.body);
    }
}
