//! Who runs the blocks of a program.

use ir::interpret::{Ending, Packet, PacketInterpreter, Request, Surroundings};
use ir::{Block, ErrorId, Program};

use super::frame::Frame;

/// How blocks came out that ran one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ran {
    /// The error with which the first block rejected the packet; that of none if it did not.
    pub rejected: ErrorId,
    /// The place of the block that failed, and how it ended, if one did. No other block ran behind it.
    pub failed: Option<(usize, Ending)>,
}

/// None of them has run yet.
impl Default for Ran {
    fn default() -> Self {
        Self { rejected: ErrorId::NO_ERROR, failed: None }
    }
}

impl Ran {
    /// The block of a place has ended: whether the next one runs.
    #[inline]
    pub fn goes_on(&mut self, place: usize, ending: Ending) -> bool {
        match ending {
            Ending::Done => true,
            Ending::Rejected(error) => {
                if place == 0 {
                    self.rejected = error;
                }
                true
            }
            Ending::AssertionFailed | Ending::Unfinished => {
                self.failed = Some((place, ending));
                false
            }
        }
    }
}

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
    fn run_each(
        &mut self,
        blocks: &[Block],
        packet: &mut Self::Packet,
        surroundings: &mut Surroundings<'_>,
        requests: &mut Vec<Request>,
    ) -> Ran {
        let mut ran = Ran::default();
        for (place, &block) in blocks.iter().enumerate() {
            if !ran.goes_on(place, self.run(block, packet, surroundings, requests)) {
                break;
            }
        }
        ran
    }

    /// Whether a block does nothing at all, so that a switch need not run it. One that observes says so of no block, for
    /// somebody may want to be told of it.
    fn does_nothing(&self, _block: Block) -> bool {
        false
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
