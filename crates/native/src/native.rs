//! The executor that runs machine code.

use std::num::NonZeroU128;
use std::sync::Arc;

use ir::interpret::{Ending, Request, Surroundings};
use ir::{Block, ErrorId, Program};
use machines::blocks::{BlockList, Executor, Ran};

use crate::context::{Context, Memory};
use crate::generate::{generate, status};
use crate::helpers::pass_gate;
use crate::machine_code::{MachineCode, Stretch};
use crate::{Packet, Unsupported};

/// An executor that runs the blocks of a program as machine code. It has the semantics of
/// [`ir::interpret::PacketInterpreter`], where values that the language leaves undefined are 0, and it reports nothing
/// to observers.
#[derive(Debug)]
pub struct Native {
    code: Arc<MachineCode>,
    memory: Memory,
    /// The lists of blocks that one call runs, by their numbers: a switch has few of them.
    stretches: Vec<(NonZeroU128, Stretch)>,
}

/// The most lists of blocks that are remembered.
const MOST_STRETCHES: usize = 8;

impl Native {
    /// Compiles the blocks that the program names as its entrances, or all blocks if it names none. The program must
    /// have been accepted by [`ir::verify::program`]; otherwise this may panic.
    ///
    /// # Errors
    /// Fails if no code can be generated for the processor of this computer, or if the code would be too large.
    pub fn compile(program: Arc<Program>) -> Result<Self, Unsupported> {
        Ok(Self::of(Arc::new(MachineCode::new(generate(&program)?))))
    }

    fn of(code: Arc<MachineCode>) -> Self {
        let memory = Memory { scratch: vec![0; code.scratch], ..Memory::default() };
        Self { code, memory, stretches: Vec::new() }
    }

    /// Runs blocks for which no single call is known yet.
    #[cold]
    fn run_stretches(code: &MachineCode, blocks: &BlockList, context: &mut Context<'_, '_>) -> Ran {
        let mut ran = Ran::default();
        let mut first = 0;
        let gate = blocks.gate().map(|(place, _)| *place);
        while first < blocks.len() {
            if gate == Some(first) {
                if !pass_gate(context) {
                    break;
                }
                ran.passed = context.passed;
            }
            let end = gate.filter(|gate| first < *gate).unwrap_or(blocks.len());
            let stretch = code.stretch(&blocks[first..end]);
            if stretch.asked != 0 {
                let how = code.run(stretch, context);
                if first == 0 && !code.does_nothing(blocks[0]) {
                    ran.goes_on(0, rejection(context.rejected));
                }
                if let Some((ending, place)) = failure(how) {
                    ran.goes_on(first + code.index(&blocks[first..], stretch, place), ending);
                    break;
                }
            }
            first += stretch.count;
        }
        ran
    }

    /// Remembers a list of blocks that one call runs and of which the first does something.
    #[cold]
    fn remember(&mut self, blocks: &BlockList) {
        let stretch = self.code.stretch_of_all(blocks, blocks.gate().map(|(place, _)| *place));
        let (Some(number), Some(stretch)) = (blocks.number(), stretch) else { return };
        if self.stretches.len() < MOST_STRETCHES {
            self.stretches.push((number, stretch));
        }
    }
}

/// A clone shares the code and has scratch memory of its own, so that it can be used by another thread.
impl Clone for Native {
    fn clone(&self) -> Self {
        Self::of(Arc::clone(&self.code))
    }
}

impl Executor for Native {
    type Packet = Packet;

    fn program(&self) -> &Program {
        &self.code.plan.program
    }

    fn packet(&self) -> Packet {
        Packet::new(&self.code.plan.layout)
    }

    /// # Panics
    /// Panics if the block is not an entry of the program, or if the packet or the state is of another program.
    fn run(
        &mut self,
        block: Block,
        packet: &mut Packet,
        surroundings: &mut Surroundings<'_>,
        requests: &mut Vec<Request>,
    ) -> Ending {
        let stretch = self.code.stretch(&[block]);
        if stretch.asked == 0 {
            return Ending::Done;
        }
        let mut context = Context::new(&self.code.plan, packet, surroundings, requests, &mut self.memory);
        let how = self.code.run(stretch, &mut context);
        let rejected = context.rejected;
        context.finish();
        failure(how).map_or_else(|| rejection(rejected), |(ending, _)| ending)
    }

    /// The context is built once and shared by all blocks, and blocks in the order of the program's entrances run one after
    /// the other without coming back.
    #[inline]
    fn run_each(
        &mut self,
        blocks: &BlockList,
        packet: &mut Packet,
        surroundings: &mut Surroundings<'_>,
        requests: &mut Vec<Request>,
    ) -> Ran {
        let number = blocks.number();
        let known = self.stretches.iter().find(|(own, _)| Some(*own) == number).map(|(_, stretch)| stretch);
        let mut context = Context::new(&self.code.plan, packet, surroundings, requests, &mut self.memory);
        context.gate = blocks.gate();
        let Some(&stretch) = known else {
            let ran = Self::run_stretches(&self.code, blocks, &mut context);
            context.finish();
            self.remember(blocks);
            return ran;
        };
        let how = self.code.run(stretch, &mut context);
        let mut ran = Ran { passed: context.passed, ..Ran::default() };
        if context.rejected != 0 {
            ran.goes_on(0, rejection(context.rejected));
        }
        context.finish();
        if let Some((ending, place)) = failure(how) {
            ran.goes_on(self.code.index(blocks, stretch, place), ending);
        }
        ran
    }

    fn does_nothing(&self, block: Block) -> bool {
        self.code.does_nothing(block)
    }

    fn observes(&self) -> bool {
        false
    }
}

/// Returns how a block of a chain failed, and its place, given the status of the chain.
#[inline]
fn failure(how: u64) -> Option<(Ending, u64)> {
    let ending = match how & ((1 << status::PLACE) - 1) {
        // `exit` ends a block in the same way as reaching its end.
        status::DONE | status::EXIT => return None,
        status::ASSERTION_FAILED => Ending::AssertionFailed,
        _ => Ending::Unfinished,
    };
    Some((ending, how >> status::PLACE))
}

/// Returns how the first block ended if it did not fail, given what it has left in the context.
#[inline]
fn rejection(rejected: u64) -> Ending {
    if rejected == 0 { Ending::Done } else { Ending::Rejected(ErrorId(rejected as u32)) }
}
