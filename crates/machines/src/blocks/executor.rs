//! The interface of what runs the blocks of a program.

use ir::interpret::{Ending, Packet, PacketInterpreter, Request, Surroundings};
use ir::{Block, ErrorId, Program};

use super::frame::Frame;
use super::list::BlockList;

/// The outcome of blocks that were run one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ran {
    /// The error with which the first block rejected the packet, or `NO_ERROR`.
    pub rejected: ErrorId,
    /// The index of the block that failed and its ending, if one failed. No block was run after it.
    pub failed: Option<(usize, Ending)>,
    /// The port to which the packet passed the gate of the list, if it did. Otherwise no block behind the gate was run.
    pub passed: Option<u64>,
}

/// The outcome before any block has run.
impl Default for Ran {
    fn default() -> Self {
        Self { rejected: ErrorId::NO_ERROR, failed: None, passed: None }
    }
}

impl Ran {
    /// Records the ending of the block at index `place`, and returns true if the next block runs.
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

/// An executor of the blocks of one program. All executors have the semantics of [`PacketInterpreter`].
pub trait Executor: Send {
    /// The form of packets that the blocks work on.
    type Packet: Frame;

    /// Returns the program.
    fn program(&self) -> &Program;

    /// Returns a packet without bytes whose variables are all 0.
    fn packet(&self) -> Self::Packet;

    /// Runs a block on a packet to its end. Its requests to the machine are appended to `requests` in order, and stay
    /// there however the block ends.
    fn run(
        &mut self,
        block: Block,
        packet: &mut Self::Packet,
        surroundings: &mut Surroundings<'_>,
        requests: &mut Vec<Request>,
    ) -> Ending;

    /// Runs blocks one after the other, each as [`Executor::run`] does, until one fails by an assertion or by not
    /// ending, or until the packet does not pass the gate of the list. It does not if there are any requests.
    fn run_each(
        &mut self,
        blocks: &BlockList,
        packet: &mut Self::Packet,
        surroundings: &mut Surroundings<'_>,
        requests: &mut Vec<Request>,
    ) -> Ran {
        let mut ran = Ran::default();
        for (place, &block) in blocks.iter().enumerate() {
            if let Some((_, gate)) = blocks.gate().filter(|(behind, _)| *behind == place) {
                let opens = gate.opens(|variable| packet.low(variable));
                let Some(port) = opens.filter(|_| requests.is_empty()) else { break };
                gate.assign(port, |variable, value| packet.set(variable, value));
                ran.passed = Some(port);
            }
            if !ran.goes_on(place, self.run(block, packet, surroundings, requests)) {
                break;
            }
        }
        ran
    }

    /// Returns true if a block has no effect at all, so that a switch need not run it. Executors that observe always
    /// return false, because observers may want to see the block.
    fn does_nothing(&self, _block: Block) -> bool {
        false
    }

    /// Returns true if the executor reports events to the observer in the surroundings, and draws undefined values at
    /// random where the surroundings say so. Otherwise undefined values are 0, and a switch refuses to record traces or
    /// to draw undefined values.
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
