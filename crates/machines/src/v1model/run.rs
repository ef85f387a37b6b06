//! Running blocks of the program on a packet.

use basis::Instant;
use ir::interpret::{Ending, Observer, Surroundings, Unobserved};
use ir::{Block, ErrorId};
use node::Reason;

use super::layout::{Blocks, Stage};
use super::metadata::PacketProperties;
use super::reasons;
use super::switch::Switch;
use super::traveller::Traveller;
use crate::blocks::Executor;

impl<E: Executor> Switch<E> {
    /// Runs a block. Returns the error with which a parser ended, or the reason why the packet is discarded.
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
            length: traveller.way.counted_bytes,
            packets: traveller.way.packets,
            random: &mut self.random,
            undefined: &mut self.undefined,
            observer,
        };
        let ending = self.executor.run(block, &mut traveller.packet, &mut surroundings, &mut self.requests);
        if let Some(recorder) = &mut self.recorder {
            recorder.end(ending);
        }
        goes_on(ending)
    }

    /// Runs the blocks of a stage one after the other; fails with the reason why the packet is discarded.
    #[inline(always)]
    pub(super) fn run_stage(
        &mut self,
        stage: impl Fn(&Blocks) -> &Stage,
        now: Instant,
        traveller: &mut Traveller<E::Packet>,
    ) -> Result<(), Reason> {
        match self.recorder {
            Some(_) => self.record_stage(stage, now, traveller),
            None => self.run_all(stage, now, traveller).2,
        }
    }

    /// Runs the blocks of a stage without a recorder. Also returns the error of the first block, in case it is a
    /// parser, and the port to which the packet passed the gate, if the stage has one.
    #[inline(always)]
    pub(super) fn run_all(
        &mut self,
        stage: impl Fn(&Blocks) -> &Stage,
        now: Instant,
        traveller: &mut Traveller<E::Packet>,
    ) -> (ErrorId, Option<u64>, Result<(), Reason>) {
        let Stage { last, names, blocks } = stage(&self.layout.blocks);
        traveller.way.block = last;
        if blocks.is_empty() {
            return (ErrorId::NO_ERROR, None, Ok(()));
        }
        let mut surroundings = Surroundings {
            state: &mut self.state,
            now,
            length: traveller.way.counted_bytes,
            packets: traveller.way.packets,
            random: &mut self.random,
            undefined: &mut self.undefined,
            observer: &mut Unobserved,
        };
        let ran = self.executor.run_each(blocks, &mut traveller.packet, &mut surroundings, &mut self.requests);
        let failed = ran.failed.map_or(Ok(()), |(place, ending)| {
            traveller.way.block = names[place];
            goes_on(ending).map(|_| ())
        });
        (ran.rejected, ran.passed, failed)
    }

    /// Runs the blocks of a stage with a recorder, which needs to see each block.
    #[cold]
    fn record_stage(
        &mut self,
        stage: impl Fn(&Blocks) -> &Stage,
        now: Instant,
        traveller: &mut Traveller<E::Packet>,
    ) -> Result<(), Reason> {
        let Stage { names, blocks, .. } = stage(&self.layout.blocks).clone();
        for (name, &block) in names.into_iter().zip(blocks.iter()) {
            self.run(name, block, now, traveller)?;
        }
        Ok(())
    }

    /// Runs parser and ingress.
    #[inline(always)]
    pub(super) fn until_queue(&mut self, now: Instant, traveller: &mut Traveller<E::Packet>) -> Result<(), Reason> {
        if self.layout.joins_parser() && self.recorder.is_none() {
            let (error, _, ran) = self.run_all(|blocks| &blocks.until_queue, now, traveller);
            self.count_error(error, traveller);
            return ran;
        }
        self.parse(now, traveller)?;
        self.run_stage(|blocks| &blocks.ingress, now, traveller)
    }

    /// Counts the packets whose parser ended with an error.
    #[inline(always)]
    pub(super) fn count_error(&mut self, error: ErrorId, traveller: &Traveller<E::Packet>) {
        self.statistics.parser_errors += u64::from(error != ErrorId::NO_ERROR) * traveller.way.packets;
    }

    /// Runs the parser from the first byte. A rejected packet is not dropped; ingress sees the error.
    pub(super) fn parse(&mut self, now: Instant, traveller: &mut Traveller<E::Packet>) -> Result<(), Reason> {
        let (name, block) = self.layout.blocks.parser;
        let error = self.run(name, block, now, traveller)?;
        self.count_error(error, traveller);
        let known = PacketProperties { error: error.0.into(), ..PacketProperties::default() };
        self.assign_metadata(&self.layout.intrinsics.metadata.after_parser, traveller, known);
        if self.layout.tells_length {
            traveller.way.header_bits = self.layout.header_bits(&traveller.packet);
        }
        Ok(())
    }
}

/// Converts the ending of a block to the error with which a parser ended, or to the reason why the packet is discarded.
#[inline]
fn goes_on(ending: Ending) -> Result<ErrorId, Reason> {
    match ending {
        Ending::Done => Ok(ErrorId::NO_ERROR),
        Ending::Rejected(error) => Ok(error),
        Ending::AssertionFailed => Err(reasons::ASSERTION_FAILED),
        Ending::Unfinished => Err(reasons::UNFINISHED),
    }
}
