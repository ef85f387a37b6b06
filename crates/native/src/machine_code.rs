//! Machine code in memory, and how it is entered.
#![allow(unsafe_code)] // Calls machine code and frees its memory; see the comments at both places.

use std::fmt;
use std::mem::ManuallyDrop;
use std::sync::Mutex;

use cranelift_jit::JITModule;
use ir::Block;

use crate::context::Context;
use crate::generate::Generated;
use crate::program_data::ProgramData;

/// A compiled function, which takes the context and the packet's words and returns a status.
type CompiledFunction = unsafe extern "C" fn(*mut Context<'_, '_>, *mut u64) -> u64;

/// The compiled form of a block.
#[derive(Clone, Copy)]
enum Entrance {
    /// The block is not an entry of the program.
    None,
    /// The block is a function without statements.
    Nothing,
    Code(CompiledFunction),
}

/// The machine code of a program, with everything that it points at.
pub(crate) struct MachineCode {
    /// The module that owns the code. The lock only makes code shareable between threads; nobody uses the module until
    /// it is freed.
    module: Mutex<ManuallyDrop<JITModule>>,
    parsers: Vec<Entrance>,
    functions: Vec<Entrance>,
    pub(crate) plan: ProgramData,
    /// The number of words of scratch memory that the code needs.
    pub(crate) scratch: usize,
}

impl MachineCode {
    pub(crate) fn new(generated: Generated) -> Self {
        let Generated { module, plan, entries, scratch } = generated;
        let mut parsers = vec![Entrance::None; plan.program.parsers.len()];
        let mut functions = vec![Entrance::None; plan.program.functions.len()];
        for (block, id) in entries {
            let address = module.get_finalized_function(id);
            // SAFETY: the function was generated with this signature for the host's calling convention, which is that
            // of `extern "C"`.
            let entry = unsafe { std::mem::transmute::<*const u8, CompiledFunction>(address) };
            match block {
                Block::Parser(id) => parsers[id.index()] = Entrance::Code(entry),
                Block::Function(id) => {
                    let is_empty = plan.program.functions[id.index()].body.is_empty();
                    functions[id.index()] = if is_empty { Entrance::Nothing } else { Entrance::Code(entry) };
                }
            }
        }
        Self { module: Mutex::new(ManuallyDrop::new(module)), parsers, functions, plan, scratch: scratch as usize }
    }

    #[inline]
    fn entrance(&self, block: Block) -> Entrance {
        match block {
            Block::Parser(id) => self.parsers[id.index()],
            Block::Function(id) => self.functions[id.index()],
        }
    }

    /// Returns true if a block is an entry that does nothing.
    pub(crate) fn does_nothing(&self, block: Block) -> bool {
        matches!(self.entrance(block), Entrance::Nothing)
    }

    /// Returns the code of a block, or `None` if the block does nothing.
    ///
    /// # Panics
    /// Panics if the block is not an entry of the program.
    #[inline]
    pub(crate) fn block(&self, block: Block) -> Option<Runnable<'_>> {
        match self.entrance(block) {
            Entrance::Code(entry) => Some(Runnable { _code: self, entry }),
            Entrance::Nothing => None,
            Entrance::None => panic!("only the entrances of a program are entered"),
        }
    }
}

/// The code of a block, ready to run.
pub(crate) struct Runnable<'c> {
    /// The owner of the code, which is borrowed for as long as the code may run.
    _code: &'c MachineCode,
    entry: CompiledFunction,
}

impl Runnable<'_> {
    /// Runs the block and returns its status.
    #[inline]
    pub(crate) fn run(self, context: &mut Context<'_, '_>) -> u64 {
        let words = context.words;
        // SAFETY: the code lives as long as `self`. It accesses only what the context points at, which was made for the
        // same plan (ensured by `Context::new` and `Native`): the packet's words by the layout, its bytes within their
        // bounds and the padding, registers within their lengths, scratch memory of the requested size, and action data
        // whose lengths the helpers have checked.
        unsafe { (self.entry)(context, words.pointer()) }
    }
}

impl Drop for MachineCode {
    fn drop(&mut self) {
        let module = self.module.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner);
        // SAFETY: this is the only place that takes the module out. No code is running, because a run borrows `self`.
        unsafe { ManuallyDrop::take(module).free_memory() };
    }
}

impl fmt::Debug for MachineCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MachineCode").field("program", &self.plan.program.name).finish_non_exhaustive()
    }
}
