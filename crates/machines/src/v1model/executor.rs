//! Who runs the blocks of a program.

use ir::interpret::{Ending, Packet, PacketInterpreter, Request, Surroundings};
use ir::{Block, Program};

/// Runs the blocks of one program on packets. All executors of a program mean the same: what
/// [`PacketInterpreter`] does.
pub trait Executor: Send {
    /// What it runs.
    fn program(&self) -> &Program;

    /// Runs a block on a packet to its end. What it asks the machine for goes to the end of `requests`, in order; it
    /// stays there however the block ends.
    fn run(
        &mut self,
        block: Block,
        packet: &mut Packet,
        surroundings: &mut Surroundings<'_>,
        requests: &mut Vec<Request>,
    ) -> Ending;
}

impl Executor for PacketInterpreter {
    fn program(&self) -> &Program {
        PacketInterpreter::program(self)
    }

    fn run(
        &mut self,
        block: Block,
        packet: &mut Packet,
        surroundings: &mut Surroundings<'_>,
        requests: &mut Vec<Request>,
    ) -> Ending {
        PacketInterpreter::run(self, block, packet, surroundings, requests)
    }
}
