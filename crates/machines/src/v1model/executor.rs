//! Who runs the blocks of a program.

use ir::interpret::{Ending, Packet, PacketInterpreter, Request, Surroundings};
use ir::{Block, Program};

use super::frame::Frame;

/// Runs the blocks of one program on packets. All executors of a program mean the same: what
/// [`PacketInterpreter`] does.
pub trait Executor: Send {
    /// What its blocks work on.
    type Packet: Frame;

    /// What it runs.
    fn program(&self) -> &Program;

    /// A packet without bytes whose variables are all 0.
    fn packet(&self) -> Self::Packet;

    /// Runs a block on a packet to its end. What it asks the machine for goes to the end of `requests`, in order; it
    /// stays there however the block ends.
    fn run(
        &mut self,
        block: Block,
        packet: &mut Self::Packet,
        surroundings: &mut Surroundings<'_>,
        requests: &mut Vec<Request>,
    ) -> Ending;

    /// Whether it tells the observer in the surroundings what happens, and draws the values that the language leaves
    /// open where the surroundings say so. One that does not takes them to be 0, and a switch refuses to record what it
    /// does or to draw.
    fn observes(&self) -> bool;
}

impl Executor for PacketInterpreter {
    type Packet = Packet;

    fn program(&self) -> &Program {
        PacketInterpreter::program(self)
    }

    fn packet(&self) -> Packet {
        Packet::new(PacketInterpreter::program(self), Vec::new())
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

    fn observes(&self) -> bool {
        true
    }
}
