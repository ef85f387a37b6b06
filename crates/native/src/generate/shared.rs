//! What the functions of a program share while their code is written.

use cranelift_jit::JITModule;
use cranelift_module::FuncId;
use ir::Block;

use crate::analysis::Analysis;
use crate::plan::{Field, Plan};

/// What the functions of a program share while their code is written.
pub(super) struct Shared {
    pub(super) module: JITModule,
    pub(super) plan: Plan,
    pub(super) analysis: Analysis,
    /// By the helpers' numbers.
    pub(super) helpers: Vec<FuncId>,
    pub(super) parsers: Vec<Option<FuncId>>,
    pub(super) functions: Vec<Option<FuncId>>,
    /// How many words of scratch memory a statement uses at most.
    pub(super) scratch: u32,
}

impl Shared {
    /// The compiled function of something that does not become part of its callers.
    pub(super) fn function(&self, block: Block) -> Option<FuncId> {
        match block {
            Block::Parser(id) => self.parsers[id.index()],
            Block::Function(id) => self.functions[id.index()],
        }
    }

    /// Keeps a constant, and says where it is.
    pub(super) fn keep(&mut self, words: &[u64]) -> u64 {
        let constants = &mut self.plan.constants;
        let place = constants.iter().position(|known| **known == *words).unwrap_or_else(|| {
            constants.push(words.into());
            constants.len() - 1
        });
        constants[place].as_ptr() as u64
    }

    /// The number of a list of fields.
    pub(super) fn field_list(&mut self, fields: Vec<Field>) -> u64 {
        self.plan.fields.push(fields);
        self.plan.fields.len() as u64 - 1
    }
}
