//! The code of the stages of pipelines, for compilers of machine code.

pub use crate::engine::{CompiledStages, Instruction, Leave, Operation, Slot, StageCode, StageCompiler};
