//! One block of the program on one packet.

use basis::Instant;
use ir::interpret::{Ending, Observer, Surroundings, Unobserved};
use ir::{Block, ErrorId};
use node::Reason;

use super::executor::Executor;
use super::reasons;
use super::switch::Switch;
use super::traveller::Traveller;

impl<E: Executor> Switch<E> {
    /// Runs a block: how a parser ended, or why the packet goes no further.
    pub(super) fn run(
        &mut self,
        name: &'static str,
        block: Block,
        now: Instant,
        traveller: &mut Traveller<E::Packet>,
    ) -> Result<ErrorId, Reason> {
        traveller.way.block = name;
        let mut unobserved = Unobserved;
        let observer: &mut dyn Observer = match &mut self.recorder {
            Some(recorder) => {
                recorder.begin(traveller.way.pass, name);
                recorder
            }
            None => &mut unobserved,
        };
        let mut surroundings = Surroundings {
            state: &mut self.state,
            now,
            length: traveller.way.length,
            random: &mut self.random,
            undefined: &mut self.undefined,
            observer,
        };
        let ending = self.executor.run(block, &mut traveller.packet, &mut surroundings, &mut self.requests);
        if let Some(recorder) = &mut self.recorder {
            recorder.end(ending);
        }
        match ending {
            Ending::Done => Ok(ErrorId::NO_ERROR),
            Ending::Rejected(error) => Ok(error),
            Ending::AssertionFailed => Err(reasons::ASSERTION_FAILED),
            Ending::Unfinished => Err(reasons::UNFINISHED),
        }
    }

    /// Runs the parser from the first byte. That it rejects is no reason to drop the packet: ingress sees the error
    /// (`v1model.p4`, `parser_error`).
    pub(super) fn parse(&mut self, now: Instant, traveller: &mut Traveller<E::Packet>) -> Result<(), Reason> {
        let error = self.run("parser", self.layout.blocks.parser, now, traveller)?;
        self.statistics.parser_errors += u64::from(error != ErrorId::NO_ERROR);
        self.layout.intrinsics.parser_error.set(&mut traveller.packet, error.0.into());
        traveller.way.header_bits = self.layout.header_bits(&traveller.packet);
        Ok(())
    }
}
