//! Machine code in memory, and how it is entered.
#![allow(unsafe_code)] // Calls machine code and frees its memory; see the comments at both places.

use std::fmt;
use std::mem::ManuallyDrop;
use std::sync::Mutex;

use cranelift_jit::JITModule;
use ir::Block;

use crate::context::Context;
use crate::generate::Generated;
use crate::generate::chain::{asks, asks_behind_gate, is_nothing};
use crate::program_data::ProgramData;

/// A compiled chain of blocks, which takes the context, the packet's words and the set of the blocks to run, and returns
/// a status.
type CompiledChain = unsafe extern "C" fn(*mut Context<'_, '_>, *mut u64, u64) -> u64;

/// The memory of machine code, which is freed with it. Whoever calls the code must keep it for as long.
pub(crate) struct CodeMemory {
    /// The lock only makes code shareable between threads; nobody uses the module until it is freed.
    module: Mutex<ManuallyDrop<JITModule>>,
}

impl CodeMemory {
    pub(crate) fn new(module: JITModule) -> Self {
        Self { module: Mutex::new(ManuallyDrop::new(module)) }
    }
}

impl Drop for CodeMemory {
    fn drop(&mut self) {
        let module = self.module.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner);
        // SAFETY: this is the only place that takes the module out. No code is running, because a run borrows the owner.
        unsafe { ManuallyDrop::take(module).free_memory() };
    }
}

/// How a block is entered.
#[derive(Clone, Copy)]
enum Entrance {
    /// The block is not an entry of the program.
    None,
    /// The block is a function without statements.
    Nothing,
    /// The block is at a place of a chain.
    Chained { chain: u32, place: u32 },
}

/// The machine code of a program, with everything that it points at.
pub(crate) struct MachineCode {
    /// The owner of the code.
    _memory: CodeMemory,
    chains: Vec<CompiledChain>,
    parsers: Vec<Entrance>,
    functions: Vec<Entrance>,
    pub(crate) plan: ProgramData,
    /// The number of words of scratch memory that the code needs.
    pub(crate) scratch: usize,
}

impl MachineCode {
    pub(crate) fn new(generated: Generated) -> Self {
        let Generated { module, plan, chains: generated, scratch } = generated;
        let mut parsers = vec![Entrance::None; plan.program.parsers.len()];
        let mut functions = vec![Entrance::None; plan.program.functions.len()];
        let mut chains = Vec::with_capacity(generated.len());
        for (chain, (id, blocks)) in (0..).zip(generated) {
            let address = module.get_finalized_function(id);
            // SAFETY: the function was generated with this signature for the host's calling convention, which is that
            // of `extern "C"`.
            chains.push(unsafe { std::mem::transmute::<*const u8, CompiledChain>(address) });
            for (place, block) in (0..).zip(blocks) {
                let chained = Entrance::Chained { chain, place };
                match block {
                    Block::Parser(id) => parsers[id.index()] = chained,
                    Block::Function(id) if is_nothing(&plan.program, block) => {
                        functions[id.index()] = Entrance::Nothing;
                    }
                    Block::Function(id) => functions[id.index()] = chained,
                }
            }
        }
        Self { _memory: CodeMemory::new(module), chains, parsers, functions, plan, scratch: scratch as usize }
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

    /// Returns how the first of some blocks are run by one call: as many as are in the order of one chain.
    ///
    /// # Panics
    /// Panics if a block is not an entry of the program.
    #[inline]
    pub(crate) fn stretch(&self, blocks: &[Block]) -> Stretch {
        let mut stretch = Stretch { chain: 0, asked: 0, count: 0 };
        for &block in blocks {
            match self.entrance(block) {
                Entrance::Nothing => {}
                Entrance::Chained { chain, place } => {
                    let (bit, is_first) = (asks(place), stretch.asked == 0);
                    if !is_first && (chain != stretch.chain || stretch.asked >= bit) {
                        break;
                    }
                    stretch.chain = chain;
                    stretch.asked |= bit;
                }
                Entrance::None => panic!("only the entrances of a program are entered"),
            }
            stretch.count += 1;
        }
        stretch
    }

    /// Returns how blocks are run by one call, with a gate before the one at index `gate` if there is one. Returns `None` if they
    /// need more than one call, or if the first block, or the one behind the gate, does nothing.
    pub(crate) fn stretch_of_all(&self, blocks: &[Block], gate: Option<usize>) -> Option<Stretch> {
        let mut stretch = self.stretch(blocks);
        if stretch.count < blocks.len() || self.does_nothing(*blocks.first()?) {
            return None;
        }
        if let Some(gate) = gate {
            let Entrance::Chained { place, .. } = self.entrance(blocks[gate]) else { return None };
            stretch.asked ^= asks(place) | asks_behind_gate(place);
        }
        Some(stretch)
    }

    /// Runs blocks and returns the status of their chain.
    #[inline]
    pub(crate) fn run(&self, stretch: Stretch, context: &mut Context<'_, '_>) -> u64 {
        let (words, chain) = (context.words, self.chains[stretch.chain as usize]);
        // SAFETY: the code lives as long as `self`. It accesses only what the context points at, which was made for the
        // same plan (ensured by `Context::new` and `Native`): the packet's words by the layout, its bytes within their
        // bounds and the padding, registers within their lengths, scratch memory of the requested size, action data
        // whose lengths the helpers have checked, and the shortcuts of the state's tables, of which there are as many as
        // in the plan. The address of shortcuts is 0 or that of as many as their last index says, to which every key is
        // cut, and nobody changes them but helpers, after which it is read anew. Action data is read from shortcuts only
        // if the data of no action is longer than what a shortcut holds.
        unsafe { chain(context, words.pointer(), stretch.asked) }
    }

    /// Returns the index among `blocks` of the one at a place of a chain.
    #[cold]
    pub(crate) fn index(&self, blocks: &[Block], stretch: Stretch, at: u64) -> usize {
        let is_it = |&block: &Block| match self.entrance(block) {
            Entrance::Chained { chain, place } => chain == stretch.chain && u64::from(place) == at,
            _ => false,
        };
        blocks.iter().position(is_it).expect("the block was run")
    }
}

/// Blocks that one call runs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stretch {
    chain: u32,
    /// The set of their places in the chain ([`asks`], [`asks_behind_gate`]); empty if none of them does anything.
    pub(crate) asked: u64,
    /// The number of blocks, including those that do nothing.
    pub(crate) count: usize,
}

impl fmt::Debug for MachineCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MachineCode").field("program", &self.plan.program.name).finish_non_exhaustive()
    }
}
