//! Machine code of stages in memory, and how it is entered.
#![allow(unsafe_code)] // Calls machine code; see the comment there.

use std::fmt;
use std::ops::Range;

use cranelift_jit::JITModule;
use cranelift_module::FuncId;
use machines::stages::{CompiledStages, StageCode};

use crate::machine_code::CodeMemory;

/// The code of a stage, which takes the first slot of a frame and the first cell of the registers.
type CompiledStage = unsafe extern "C" fn(*mut u64, *mut u64);

/// The machine code of all stages of a pipeline.
pub(super) struct StageMachineCode {
    /// The code of the stages that do anything, in order.
    stages: Vec<CompiledStage>,
    slots: usize,
    cells: usize,
    /// The owner of the code.
    _memory: CodeMemory,
}

impl StageMachineCode {
    /// Takes the finished functions of a module, which were generated for `code`.
    pub(super) fn new(module: JITModule, functions: &[FuncId], code: StageCode<'_>) -> Self {
        let stages = functions.iter().map(|&id| {
            let address = module.get_finalized_function(id);
            // SAFETY: the function was generated with this signature for the host's calling convention, which is that
            // of `extern "C"`.
            unsafe { std::mem::transmute::<*const u8, CompiledStage>(address) }
        });
        let stages = stages.collect();
        Self { stages, slots: code.slots(), cells: code.cells(), _memory: CodeMemory::new(module) }
    }
}

impl CompiledStages for StageMachineCode {
    #[inline]
    fn execute(&self, stages: Range<usize>, frame: &mut [u64], cells: &mut [u64]) {
        assert!(frame.len() == self.slots && cells.len() == self.cells, "frame and registers are of another pipeline");
        for stage in &self.stages[stages] {
            // SAFETY: the code lives as long as `self`. It accesses slots of instructions, which are below the number of slots, and
            // cells of registers at indices that it has reduced to their lengths; both lengths were compared above.
            unsafe { stage(frame.as_mut_ptr(), cells.as_mut_ptr()) };
        }
    }
}

impl fmt::Debug for StageMachineCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StageMachineCode").field("stages", &self.stages.len()).finish_non_exhaustive()
    }
}
