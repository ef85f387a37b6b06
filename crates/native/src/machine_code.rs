//! Machine code that lies in memory, and how it is entered.
#![allow(unsafe_code)] // Machine code is called, and its memory given back: see the comments at both places.

use std::fmt;
use std::mem::ManuallyDrop;
use std::sync::Mutex;

use cranelift_jit::JITModule;
use ir::Block;

use crate::context::Context;
use crate::generate::Generated;
use crate::plan::Plan;

/// A compiled function: takes the context and the packet's words, and says how it ended.
type Entry = unsafe extern "C" fn(*mut Context<'_, '_>, *mut u64) -> u64;

/// What there is of a block.
#[derive(Clone, Copy)]
enum Entrance {
    /// It is no entrance of the program.
    None,
    /// A function that does nothing.
    Nothing,
    Code(Entry),
}

/// The machine code of a program, with all that it points at.
pub(crate) struct MachineCode {
    /// Behind a lock, so that code can be shared by threads; nobody asks it anything any more.
    module: Mutex<ManuallyDrop<JITModule>>,
    parsers: Vec<Entrance>,
    functions: Vec<Entrance>,
    pub(crate) plan: Plan,
    /// How many words of scratch memory the code needs.
    pub(crate) scratch: usize,
}

impl MachineCode {
    pub(crate) fn new(generated: Generated) -> Self {
        let Generated { module, plan, entries, scratch } = generated;
        let mut parsers = vec![Entrance::None; plan.program.parsers.len()];
        let mut functions = vec![Entrance::None; plan.program.functions.len()];
        for (block, id) in entries {
            let address = module.get_finalized_function(id);
            // SAFETY: the function was made with this signature, for the calling convention of the host, which is that
            // of `extern "C"`.
            let entry = unsafe { std::mem::transmute::<*const u8, Entry>(address) };
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

    /// Whether a block is an entrance that does nothing.
    pub(crate) fn does_nothing(&self, block: Block) -> bool {
        matches!(self.entrance(block), Entrance::Nothing)
    }

    /// What there is to run of a block; `None` if it does nothing. Panics if the block is no entrance.
    #[inline]
    pub(crate) fn block(&self, block: Block) -> Option<Runnable<'_>> {
        match self.entrance(block) {
            Entrance::Code(entry) => Some(Runnable { _code: self, entry }),
            Entrance::Nothing => None,
            Entrance::None => panic!("only the entrances of a program are entered"),
        }
    }
}

/// The code of a block.
pub(crate) struct Runnable<'c> {
    /// Whose it is, which stays as long.
    _code: &'c MachineCode,
    entry: Entry,
}

impl Runnable<'_> {
    /// Runs it.
    #[inline]
    pub(crate) fn run(self, context: &mut Context<'_, '_>) -> u64 {
        let words = context.words;
        // SAFETY: the code lives as long as this does. It reads and writes only what the context points at, which was
        // made for the same plan (`Context::new` and `Native` see to it): the packet's words by the layout, its
        // bytes within their bounds and the padding, registers within their lengths, scratch memory of the size asked
        // for, data of actions whose lengths the helpers have compared.
        unsafe { (self.entry)(context, words.pointer()) }
    }
}

impl Drop for MachineCode {
    fn drop(&mut self) {
        let module = self.module.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner);
        // SAFETY: taken out once, here. Nobody runs the code: a run borrows `self`.
        unsafe { ManuallyDrop::take(module).free_memory() };
    }
}

impl fmt::Debug for MachineCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MachineCode").field("program", &self.plan.program.name).finish_non_exhaustive()
    }
}
