//! One pass of a packet through the blocks of a gress.

use basis::Instant;
use ir::ErrorId;
use ir::interpret::{Ending, Observer, Surroundings, Unobserved};
use node::Reason;

use super::item::untraced;
use super::layout::{Gress, NamedBlock};
use super::reasons;
use super::switch::Tofino;
use crate::blocks::{Executor, Frame};

/// The end of a pass that did not come to its end: the reason, and the block.
pub(super) type Failed = (Reason, &'static str);

/// One pass of a packet through a gress.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pass {
    /// The time of the cycle in which the gress takes the packet.
    pub(super) taken: Instant,
    pub(super) pipe: usize,
    /// The length of the packet in bytes, without what lies in front.
    pub(super) length: usize,
    /// The number of the packet in its trace.
    pub(super) traced: usize,
}

impl<E: Executor> Tofino<E> {
    /// Gives the frame the bytes of a packet behind what lies in front of it (`self.front`).
    pub(super) fn load(&self, frame: &mut E::Packet, packet: &wire::Packet) {
        frame.clear();
        frame.set_bytes(|bytes| {
            bytes.extend_from_slice(&self.front);
            bytes.extend_from_slice(packet.head.bytes());
        });
        frame.set_rest(packet.tail.clone());
    }

    /// Runs a parser, and sets what it tells the program. Returns the error with which it ended.
    pub(super) fn parse(&mut self, pass: Pass, gress: Gress, frame: &mut E::Packet) -> Result<ErrorId, Failed> {
        self.note(pass.traced, |recorder| recorder.reads(pass.traced, frame.bytes()));
        let rejected = self.run(pass, gress.parser, frame)?;
        self.statistics.parser_errors += u64::from(rejected != ErrorId::NO_ERROR);
        Ok(rejected)
    }

    /// Runs a block; fails with the reason why the packet is discarded. Returns the error of a parser.
    pub(super) fn run(
        &mut self,
        pass: Pass,
        (name, block): NamedBlock,
        frame: &mut E::Packet,
    ) -> Result<ErrorId, Failed> {
        let state = self.state_of(pass.pipe);
        let mut unobserved = Unobserved;
        let is_traced = pass.traced != untraced();
        let observer: &mut dyn Observer = match &mut self.recorder {
            Some(recorder) if is_traced => {
                recorder.begin(pass.traced, name);
                recorder
            }
            _ => &mut unobserved,
        };
        let mut surroundings = Surroundings {
            state: &mut self.states[state],
            // Meters, filters and idle timeouts count with the cycle: packets that wait for theirs come one after the other.
            now: pass.taken,
            length: pass.length as u64,
            packets: 1,
            random: &mut self.random,
            undefined: &mut self.undefined,
            observer,
        };
        let ending = self.executor.run(block, frame, &mut surroundings, &mut self.requests);
        self.note(pass.traced, |recorder| recorder.end(ending));
        match ending {
            Ending::Done => Ok(ErrorId::NO_ERROR),
            // A program that says `reject` has no error for it: it wants what a state without a matching case has.
            Ending::Rejected(ErrorId::NO_ERROR) => Ok(ErrorId::NO_MATCH),
            Ending::Rejected(error) => Ok(error),
            Ending::AssertionFailed => Err((reasons::ASSERTION_FAILED, name)),
            Ending::Unfinished => Err((reasons::UNFINISHED, name)),
        }
    }

    /// Returns the packet as the deparser has written it: what it emitted, and what the parser left. Metadata in front that
    /// no parser read is not part of the packet.
    pub(super) fn written(&self, frame: &E::Packet, packet: &wire::Packet) -> wire::Packet {
        let front = self.front.len();
        let parsed = frame.position().div_ceil(8).max(front) - front;
        let head = packet.head.bytes();
        let mut tail = packet.tail.clone();
        if parsed > head.len() {
            tail.skip(parsed - head.len());
        }
        let mut sidecar = packet.sidecar;
        sidecar.checksum = sidecar.checksum.moved(parsed, frame.emitted().len());
        wire::Packet::of_parts(frame.emitted(), &head[parsed.min(head.len())..], tail, sidecar)
    }

    /// Cuts a packet to the greatest length that the program has set.
    pub(super) fn cut(frame: &E::Packet, greatest: Option<ir::VariableId>, packet: &mut wire::Packet) {
        cut(Self::decided(frame, greatest), packet);
    }

    /// Returns the value of a variable by which the program decides; 0 if it has none.
    pub(super) fn decided(frame: &E::Packet, variable: Option<ir::VariableId>) -> u64 {
        variable.map_or(0, |variable| frame.low(variable))
    }
}

/// Cuts a packet to a length in bytes; 0 leaves it as it is.
pub(super) fn cut(greatest: u64, packet: &mut wire::Packet) {
    if greatest > 0 {
        packet.truncate(greatest as usize);
    }
}
