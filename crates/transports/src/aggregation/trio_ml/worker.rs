//! The state machine of a worker.

use std::sync::Arc;

use basis::Instant;
use node::{Counter, Reason, UnfinishedWork};
use wire::trio_ml::age;
use wire::{Packet, TrioMl as Header};

use super::blocks::Blocks;
use super::counters::Counters;
use super::format::{self, From};
use super::parameters::TrioMlParameters;
use super::tensors::Tensors;
use crate::aggregation::{Collective, Gradients, Member, Outcomes, Setup, Tensor};
use crate::{Endpoint, reasons};

/// A worker of a job that Trio-ML carries. Sums come out as integers, each with the number of workers that they contain; a
/// job that wants a mean divides by it (section 5).
///
/// Of its [`Setup`], a worker sends to the first server, which is its switch, as source `bits[0]` of its place.
#[derive(Debug)]
pub struct TrioMl {
    address: u32,
    parameters: TrioMlParameters,
    gradients: Arc<dyn Gradients>,
    setup: Arc<Setup>,
    /// The generation with which this worker began: results of older ones are of another job with the same number.
    first_generation: u16,
    tensors: Tensors,
    blocks: Blocks,
    /// Blocks before this one are over in the network.
    floor: u32,
    counters: Counters,
    /// Scratch memory, reused between packets.
    values: Vec<i32>,
    bytes: Vec<u8>,
}

basis::snapshot!(TrioMl { values setup, first_generation, tensors, blocks, floor, counters; });

impl TrioMl {
    /// Creates the worker of the host with this address.
    ///
    /// # Panics
    /// If [`TrioMlParameters::problems`] finds any.
    pub fn new(address: u32, setup: Arc<Setup>, gradients: Arc<dyn Gradients>, parameters: TrioMlParameters) -> Self {
        let problems = parameters.problems(setup.workers.len());
        assert!(problems.is_empty(), "{}", problems.join("; "));
        Self {
            address,
            parameters,
            gradients,
            first_generation: setup.generation,
            setup,
            tensors: Tensors::default(),
            blocks: Blocks::default(),
            floor: 0,
            counters: Counters::default(),
            values: Vec::new(),
            bytes: Vec::new(),
        }
    }

    /// Returns where this worker sends and as whom; `None` if it does not take part.
    fn from(&self) -> Option<From> {
        let place = self.setup.workers.iter().find(|worker| worker.address == self.address)?;
        Some(From {
            address: self.address,
            switch: *self.setup.servers.first()?,
            job: self.setup.job,
            source: place.bits[0],
            generation: self.setup.generation,
        })
    }

    /// Handles the result of a block.
    fn result(&mut self, packet: &Packet, header: &Header<&[u8]>, outcomes: &mut Outcomes) -> bool {
        let block = header.block();
        // RFC 1982: a generation is older if it lies behind by less than half of all.
        if (header.generation().wrapping_sub(self.first_generation) as i16) < 0 {
            return false;
        }
        if block >= self.tensors.end() {
            self.counters.early_results += 1;
            return true;
        }
        if self.blocks.is_over(block) {
            self.counters.repeated_results += 1;
            return true;
        }
        let Some(part) = self.tensors.part(block, self.parameters.gradients) else { return false };
        if header.gradients() != part.length
            || !format::gradients(packet, part.length, &mut self.bytes, &mut self.values)
        {
            return false;
        }
        self.counters.results += 1;
        self.counters.degraded_results += u64::from(header.has(wire::trio_ml::flag::DEGRADED));
        outcomes.integers(part.tensor, part.first, header.contributors(), &self.values);
        self.close(block, part.tensor, outcomes);
        true
    }

    /// Notes that a block needs nothing any more.
    fn close(&mut self, block: u32, tensor: u32, outcomes: &mut Outcomes) {
        self.blocks.close(block);
        if self.tensors.close(block) {
            outcomes.finished(tensor);
        }
    }

    /// Gives up the blocks whose results the network keeps no longer.
    fn miss(&mut self, outcomes: &mut Outcomes) {
        let end = self.floor.min(self.tensors.end());
        for block in self.blocks.first()..end {
            if self.blocks.is_over(block) {
                continue;
            }
            let Some(part) = self.tensors.part(block, self.parameters.gradients) else { continue };
            self.counters.missed_blocks += 1;
            outcomes.missed(part.tensor, part.first, part.length.into());
            self.close(block, part.tensor, outcomes);
        }
    }

    /// Handles the network having told that a worker straggles.
    fn straggler(&mut self, source: u8, is_permanent: bool, outcomes: &mut Outcomes) {
        self.counters.straggler_messages += 1;
        if let Some(rank) = self.setup.workers.iter().position(|worker| worker.bits[0] == source) {
            outcomes.straggler(rank as u16, is_permanent);
        }
    }
}

impl Endpoint<Outcomes> for TrioMl {
    fn accepts(&self, packet: &Packet) -> bool {
        format::open(packet).is_some_and(|(envelope, header)| {
            header.job() == self.setup.job
                && (envelope.destination == self.setup.group || envelope.destination == self.address)
        })
    }

    fn receive(&mut self, _now: Instant, packet: Packet, outcomes: &mut Outcomes) -> Result<(), (Packet, Reason)> {
        let Some((_, header)) = format::open(&packet).filter(|_| self.accepts(&packet)) else {
            return Err((packet, reasons::UNEXPECTED));
        };
        let is_known = match header.age_operation() {
            age::NONE | age::AGED => self.result(&packet, &header, outcomes),
            age::OVER => {
                // Blocks that this worker has not begun may be over as well: it began anew, or lags behind.
                self.floor = self.floor.max(header.block());
                self.miss(outcomes);
                true
            }
            age::TEMPORARY_STRAGGLER => {
                self.straggler(header.source(), false, outcomes);
                true
            }
            age::PERMANENT_STRAGGLER => {
                self.straggler(header.source(), true, outcomes);
                true
            }
            age::RECOVERED => {
                self.counters.straggler_messages += 1;
                true
            }
            _ => false,
        };
        if is_known { Ok(()) } else { Err((packet, reasons::UNEXPECTED)) }
    }

    fn wake(&mut self, now: Instant, outcomes: &mut Outcomes) {
        self.miss(outcomes);
        self.blocks.wake(now);
    }

    fn transmit(&mut self, now: Instant) -> Option<Packet> {
        let from = self.from()?;
        let TrioMlParameters { gradients, window, timeout } = self.parameters;
        let (block, is_again) = self.blocks.send(now, window, self.tensors.end(), timeout)?;
        let part = self.tensors.part(block, gradients)?;
        self.values.clear();
        self.values.resize(part.length.into(), 0);
        self.gradients.integers(part.tensor, part.first, &mut self.values);
        if is_again {
            self.counters.retransmissions += 1;
        } else {
            self.counters.blocks_sent += 1;
        }
        Some(format::contribution(now, &from, block, part, &self.values, &mut self.bytes))
    }

    fn is_ready(&self, _at: Instant) -> bool {
        self.blocks.can_send(self.parameters.window, self.tensors.end()) && self.from().is_some()
    }

    fn deadline(&self) -> Option<Instant> {
        // Blocks that are over before they were begun are given up at once.
        let is_behind = self.blocks.first() < self.floor.min(self.tensors.end());
        if is_behind { Some(Instant::ZERO) } else { self.blocks.deadline() }
    }

    fn waiting(&self, _now: Instant) -> Vec<UnfinishedWork> {
        let (first, times) = (self.blocks.first(), self.blocks.times_sent());
        let why = match self.from() {
            None => "this host is no worker of the job any more".to_owned(),
            Some(_) if times == 0 => format!("block {first} has not been sent"),
            Some(_) => format!("block {first} has been sent {times} times, and has no result"),
        };
        let work = |(tensor, open)| UnfinishedWork {
            what: format!("tensor {tensor} of job {}, of which {open} blocks have no result", self.setup.job),
            why: why.clone(),
        };
        self.tensors.open().map(work).collect()
    }

    fn counters(&self, tell: &mut dyn FnMut(Counter)) {
        self.counters.tell(tell);
    }
}

impl Member for TrioMl {
    fn set_up(&mut self, _now: Instant, setup: Arc<Setup>) {
        let is_newer = setup.generation != self.setup.generation;
        self.setup = setup;
        if is_newer {
            self.blocks.send_all_again();
        }
    }

    fn restart(&mut self, _now: Instant) {
        self.tensors = Tensors::default();
        self.blocks = Blocks::default();
        self.floor = 0;
    }
}

impl Collective for TrioMl {
    /// # Panics
    /// If the job has 2^32 blocks or more: block numbers have 32 bits.
    fn begin(&mut self, _now: Instant, tensor: Tensor) {
        self.tensors.begin(tensor, self.parameters.gradients);
    }
}
