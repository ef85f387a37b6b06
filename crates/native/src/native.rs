//! The executor that runs machine code.

use std::sync::Arc;

use ir::interpret::{Ending, Request, Surroundings};
use ir::{Block, ErrorId, Program};
use machines::blocks::{Executor, Ran};

use crate::context::{Context, Memory};
use crate::generate::{generate, status};
use crate::machine_code::MachineCode;
use crate::{Packet, Unsupported};

/// An executor that runs the blocks of a program as machine code. It has the semantics of
/// [`ir::interpret::PacketInterpreter`], where values that the language leaves undefined are 0, and it reports nothing
/// to observers.
#[derive(Debug)]
pub struct Native {
    code: Arc<MachineCode>,
    memory: Memory,
}

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
        Self { code, memory }
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
        let Some(block) = self.code.block(block) else { return Ending::Done };
        let mut context = Context::new(&self.code.plan, packet, surroundings, requests, &mut self.memory);
        let how = block.run(&mut context);
        context.finish();
        ending(how)
    }

    /// The context is built once and shared by all blocks.
    #[inline]
    fn run_each(
        &mut self,
        blocks: &[Block],
        packet: &mut Packet,
        surroundings: &mut Surroundings<'_>,
        requests: &mut Vec<Request>,
    ) -> Ran {
        let mut context = Context::new(&self.code.plan, packet, surroundings, requests, &mut self.memory);
        let mut ran = Ran::default();
        for (place, &block) in blocks.iter().enumerate() {
            let Some(block) = self.code.block(block) else { continue };
            context.begin();
            let how = block.run(&mut context);
            // Nearly every block reaches its end.
            if how > status::EXIT && !ran.goes_on(place, ending(how)) {
                break;
            }
        }
        context.finish();
        ran
    }

    fn does_nothing(&self, block: Block) -> bool {
        self.code.does_nothing(block)
    }

    fn observes(&self) -> bool {
        false
    }
}

/// Converts the status of a block to its ending.
#[inline]
fn ending(how: u64) -> Ending {
    match how {
        status::ASSERTION_FAILED => Ending::AssertionFailed,
        status::UNFINISHED => Ending::Unfinished,
        // `exit` ends a block in the same way as reaching its end.
        status::DONE | status::EXIT => Ending::Done,
        rejected => Ending::Rejected(ErrorId(rejected as u32)),
    }
}
