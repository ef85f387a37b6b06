//! The executor.

use std::sync::Arc;

use ir::interpret::{Ending, Request, Surroundings};
use ir::{Block, ErrorId, Program};
use machines::v1model::Executor;
use runtime::checksum::BitString;

use crate::context::{Around, Context};
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

/// What is used again, so that no packet allocates.
#[derive(Debug, Default)]
struct Memory {
    scratch: Vec<u64>,
    /// Where registers lie while a block runs; means nothing between two runs.
    registers: Vec<usize>,
    bit_string: BitString,
    data_room: Vec<u64>,
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
        let code = &*self.code;
        assert_eq!(packet.words.len(), code.plan.layout.words(), "a packet of this program");
        let memory = &mut self.memory;
        let mut context = Context::new(Around {
            words: &mut packet.words,
            bytes: &packet.bytes,
            position: packet.position,
            buffer: &mut packet.emitted,
            emitted_bits: packet.emitted_bits,
            state: surroundings.state,
            registers: &mut memory.registers,
            scratch: &mut memory.scratch,
            now: surroundings.now,
            length: surroundings.length,
            random: surroundings.random,
            requests,
            plan: &code.plan,
            bit_string: &mut memory.bit_string,
            data_room: &mut memory.data_room,
        });
        let how = code.run(block, &mut context);
        let (position, emitted_bits) = (context.position, context.emitted_bits);
        packet.position = position as usize;
        packet.emitted_bits = emitted_bits as usize;
        match how {
            status::ASSERTION_FAILED => Ending::AssertionFailed,
            status::UNFINISHED => Ending::Unfinished,
            // `exit` ends a block as its end does.
            status::DONE | status::EXIT => Ending::Done,
            rejected => Ending::Rejected(ErrorId(rejected as u32)),
        }
    }

    fn observes(&self) -> bool {
        false
    }
}
