//! Machine code in place of the dense code: what whoever generates it is given, and what it gives back.

use std::fmt::Debug;
use std::ops::Range;
use std::sync::Arc;

use ir::RegisterId;

use super::instruction::{Instruction, Leave};
use super::{Code, Memory, Slot};

/// The code of a pipeline's stages, in the form in which a compiler reads it.
#[derive(Clone, Copy, Debug)]
pub struct StageCode<'c>(&'c Code);

impl<'c> StageCode<'c> {
    /// Returns the instructions of each stage, in order. Slots are below [`StageCode::slots`] and numbers of registers below that of
    /// the program's registers. A variable has the same value wherever it is read.
    pub fn stages(&self) -> impl Iterator<Item = &'c [Instruction]> + use<'c> {
        let body = &self.0.body;
        (0..self.0.depth()).map(|stage| body.of_stages(stage..stage + 1))
    }

    /// Returns what is left to do in a stage whose first instruction has this number and finds that its access does not happen.
    pub fn leave(&self, number: Slot) -> Leave {
        self.0.leaves[usize::from(number)]
    }

    /// Returns the number of slots of a frame.
    pub fn slots(&self) -> usize {
        self.0.frame_length()
    }

    /// Returns the number of cells that hold the registers of one pipeline.
    pub fn cells(&self) -> usize {
        self.0.layout.length()
    }

    /// Returns the cells of a register; there is at least one.
    pub fn cells_of(&self, register: Slot) -> Range<usize> {
        self.0.layout.cells(RegisterId::from(usize::from(register)))
    }
}

/// A compiler of stages.
pub trait StageCompiler: Debug + Send + Sync {
    /// Compiles the stages of a pipeline. Returns `None` if it cannot compile all of them, or not on this computer.
    fn compile(&self, code: StageCode<'_>) -> Option<Arc<dyn CompiledStages>>;
}

/// The machine code of a pipeline's stages.
pub trait CompiledStages: Debug + Send + Sync {
    /// Executes some stages, in order, on the frame of one packet and the registers of one pipeline, as the instructions of
    /// [`StageCode::stages`] say. `stages` are positions among those stages that have instructions; empty stages have no number.
    ///
    /// # Panics
    /// May panic if the frame does not have [`StageCode::slots`] or the registers do not have [`StageCode::cells`].
    fn execute(&self, stages: Range<usize>, frame: &mut [u64], cells: &mut [u64]);
}

/// The way in which the stages are executed.
#[derive(Clone, Debug, Default)]
pub(super) enum Execution {
    /// Instructions are executed one by one.
    #[default]
    OneByOne,
    /// The stages were compiled.
    Compiled(Arc<dyn CompiledStages>),
}

impl Code {
    /// Compiles the stages. If the compiler cannot, they are executed as before.
    pub(crate) fn compile_with(&mut self, compiler: &dyn StageCompiler) {
        if let Some(compiled) = compiler.compile(StageCode(self)) {
            self.execution = Execution::Compiled(compiled);
        }
    }

    /// Executes some stages, in order, on one packet. Variables that neither a later stage nor anybody else reads may be
    /// left as they are.
    #[inline(always)]
    pub(crate) fn execute(&self, stages: Range<usize>, frame: &mut [u64], memory: &mut Memory) {
        let busy = self.body.busy_of(stages.clone());
        if busy.is_empty() {
            return;
        }
        match &self.execution {
            Execution::Compiled(compiled) => compiled.execute(busy, frame, memory.cells_mut()),
            Execution::OneByOne => self.run(self.body.of_stages(stages), frame, memory),
        }
    }
}
