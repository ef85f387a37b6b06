//! State that is shared by all functions of a program during code generation.

use cranelift_jit::JITModule;
use cranelift_module::FuncId;
use ir::Block;

use crate::analysis::Analysis;
use crate::program_data::{Field, ProgramData};

/// State that is shared by all functions of a program during code generation.
pub(super) struct Shared {
    pub(super) module: JITModule,
    pub(super) plan: ProgramData,
    pub(super) analysis: Analysis,
    /// The declared helpers by number.
    pub(super) helpers: Vec<FuncId>,
    pub(super) parsers: Vec<Option<FuncId>>,
    pub(super) functions: Vec<Option<FuncId>>,
    /// The maximum number of words of scratch memory that any statement uses.
    pub(super) scratch: u32,
}

impl Shared {
    /// Returns the compiled function of a block, or `None` if the block is inlined or unreachable.
    pub(super) fn function(&self, block: Block) -> Option<FuncId> {
        match block {
            Block::Parser(id) => self.parsers[id.index()],
            Block::Function(id) => self.functions[id.index()],
        }
    }

    /// Stores a constant and returns its address.
    pub(super) fn keep(&mut self, words: &[u64]) -> u64 {
        let constants = &mut self.plan.constants;
        let place = constants.iter().position(|known| **known == *words).unwrap_or_else(|| {
            constants.push(words.into());
            constants.len() - 1
        });
        constants[place].as_ptr() as u64
    }

    /// Adds a list of fields and returns its number.
    pub(super) fn field_list(&mut self, fields: Vec<Field>) -> u64 {
        self.plan.fields.push(fields);
        self.plan.fields.len() as u64 - 1
    }
}
