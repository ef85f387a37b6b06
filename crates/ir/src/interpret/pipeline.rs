//! Pipelines: a program fitted to stages, without its time.

use runtime::RegisterFile;

use super::flat::{Frame, State};
use crate::RegisterId;
use crate::pipeline::{Pipeline, Stage};

/// Runs a pipeline, which [`Pipeline::verify`] accepts, one packet at a time: stages in order, atoms in order.
#[derive(Clone, Debug)]
pub struct PipelineInterpreter {
    pipeline: Pipeline,
    state: State,
}

impl PipelineInterpreter {
    /// The pipeline with its registers at their first values.
    pub fn new(pipeline: &Pipeline) -> Self {
        Self { pipeline: pipeline.clone(), state: State::new(&pipeline.program) }
    }

    /// Runs all stages for one packet; `values` as [`super::Interpreter::packet`] says.
    pub fn packet(&mut self, values: &mut [u64]) {
        self.packet_observed(values, &mut |_, _| ());
    }

    /// As [`PipelineInterpreter::packet`], telling `observe` of every read and write of a register, in order, with
    /// the place in the array (0 for a scalar).
    pub fn packet_observed(&mut self, values: &mut [u64], observe: &mut dyn FnMut(RegisterId, usize)) {
        let stages = &self.pipeline.stages;
        self.state.run(&self.pipeline.program, values, observe, |frame, _| {
            run(frame, stages);
        });
    }

    /// As [`PipelineInterpreter::packet`], holding what the stages access against what [`Pipeline::accesses`]
    /// promise of it: nothing of an access whose predicate is false is touched, and nothing but its index.
    pub fn packet_checked(&mut self, values: &mut [u64]) -> Result<(), String> {
        let Pipeline { program, stages, accesses, .. } = &self.pipeline;
        let mut touched = Vec::new();
        let mut promised = Vec::new();
        self.state.run(program, values, &mut |register, place| touched.push((register, place)), |frame, _| {
            run(frame, stages);
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
        &self.state.all.registers
    }

    /// All state, for a control plane: what it writes into tables, the next packet finds.
    pub fn state_mut(&mut self) -> &mut runtime::State {
        &mut self.state.all
    }

    /// What is being run.
    pub fn pipeline(&self) -> &Pipeline {
        &self.pipeline
    }
}

fn run(frame: &mut Frame<'_>, stages: &[Stage]) {
    for atom in stages.iter().flat_map(|stage| &stage.atoms) {
        frame.block(&atom.body);
    }
}
