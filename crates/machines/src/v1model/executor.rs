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

    /// Runs blocks one after the other, each as [`Executor::run`] does, until one fails: by an assertion, or because it
    /// did not end.
    ///
    /// # Errors
    /// The place of the block that failed, and how it ended.
    fn run_each(
        &mut self,
        blocks: &[Block],
        packet: &mut Self::Packet,
        surroundings: &mut Surroundings<'_>,
        requests: &mut Vec<Request>,
    ) -> Result<(), (usize, Ending)> {
        for (place, &block) in blocks.iter().enumerate() {
            match self.run(block, packet, surroundings, requests) {
                Ending::Done | Ending::Rejected(_) => {}
                failed @ (Ending::AssertionFailed | Ending::Unfinished) => return Err((place, failed)),
            }
        }
        Ok(())
    }

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
