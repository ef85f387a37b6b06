//! The executor.

use std::sync::Arc;

use ir::interpret::{Ending, Request, Surroundings};
use ir::{Block, ErrorId, Program};
use machines::v1model::{Executor, Ran};

use crate::context::{Context, Memory};
use crate::generate::{generate, status};
use crate::machine_code::MachineCode;
use crate::{Packet, Unsupported};

/// Runs the blocks of a program as machine code. It means what [`ir::interpret::PacketInterpreter`] means, where what
/// the language leaves open is 0; and it tells observers nothing.
#[derive(Debug)]
pub struct Native {
    code: Arc<MachineCode>,
    memory: Memory,
}

impl Native {
    /// Compiles the blocks that the program's entrances name, or all if it has none. [`ir::verify::program`] accepts
    /// the program: with another one this may panic.
    ///
    /// # Errors
    /// The processor is none that code can be made for, or the code would be too large.
    pub fn compile(program: Arc<Program>) -> Result<Self, Unsupported> {
        Ok(Self::of(Arc::new(MachineCode::new(generate(&program)?))))
    }

    fn of(code: Arc<MachineCode>) -> Self {
        let memory = Memory { scratch: vec![0; code.scratch], ..Memory::default() };
        Self { code, memory }
    }
}

/// The same code with memory of its own, for another thread.
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

    /// Panics if the block is no entrance of the program, or the packet or the state are of another one.
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

    /// What is around a block is put together once for all of them.
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
            // Nearly every block comes to its end.
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

/// How a block ended, by its status.
#[inline]
fn ending(how: u64) -> Ending {
    match how {
        status::ASSERTION_FAILED => Ending::AssertionFailed,
        status::UNFINISHED => Ending::Unfinished,
        // `exit` ends a block as its end does.
        status::DONE | status::EXIT => Ending::Done,
        rejected => Ending::Rejected(ErrorId(rejected as u32)),
    }
}
