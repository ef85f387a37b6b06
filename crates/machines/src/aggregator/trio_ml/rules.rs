//! Decides for each packet of Trio-ML whether it is aggregated, forwarded or dropped.

use basis::Instant;
use node::Reason;
use runtime::records::Insertion;
use wire::trio_ml::{BlockRecord, JobRecord, age, bit_of, flag};
use wire::{Packet, trio_ml};

use super::packets::{self, HEADERS, Received, Said};
use super::state::{BLOCK_KEY, TrioMlSwitch};
use super::{Defect, reasons};
use crate::aggregator::Verdict;
use crate::aggregator::reasons::{AGGREGATED, DUPLICATE};

/// Returns the key of a block.
pub(super) fn key(job: u8, block: u32) -> [u8; BLOCK_KEY] {
    let [a, b, c, d] = block.to_be_bytes();
    [job, a, b, c, d]
}

impl TrioMlSwitch {
    /// Handles a packet. One that is to be answered becomes the answer.
    pub(super) fn arrive(&mut self, now: Instant, packet: &mut Packet) -> Verdict {
        let Some(received) = packets::read(packet) else { return Verdict::Forward };
        let Some(job) = self.jobs.find(&[received.job]) else { return Verdict::Forward };
        if received.to != self.job[job as usize].address {
            return Verdict::Forward;
        }
        self.catch_up(now);
        let answer = match received.age {
            age::NONE | age::AGED => self.contribution(now, packet, &received, job),
            _ => self.told(&received, job),
        };
        match answer {
            Ok(answer) => {
                *packet = answer;
                Verdict::Forward
            }
            Err(reason) => Verdict::Absorb(reason),
        }
    }

    /// Handles a packet with gradients. Returns what is to be sent, or why nothing is.
    fn contribution(&mut self, now: Instant, packet: &Packet, received: &Received, job: u32) -> Result<Packet, Reason> {
        let record = self.job[job as usize];
        let floor = self.floors[usize::from(received.job)];
        if u64::from(received.block) < floor {
            self.totals.answers += 1;
            let said = Said {
                block: floor as u32,
                flags: age::OVER << 4,
                source: received.source,
                generation: record.generation,
                ..Said::default()
            };
            return Ok(packets::make(&record, received.from, said, &[]));
        }
        if received.generation != record.generation {
            return Err(reasons::WRONG_GENERATION);
        }
        let gradients = received.gradients;
        if packet.len() < HEADERS + 4 * usize::from(gradients)
            || gradients > record.most_gradients.min(trio_ml::MOST_GRADIENTS)
        {
            return Err(reasons::WRONG_LENGTH);
        }
        if gradients == 0 {
            return self.question(received, job);
        }
        let bit = bit_of(received.source);
        if !is_in(bit, record.sources) {
            return Err(reasons::NOT_A_SOURCE);
        }
        let key = key(received.job, received.block);
        let mut place = match self.blocks.find(&key) {
            Some(place) => place,
            None => self.begin(now, received, job)?,
        };
        let found = self.place_mut(place);
        if found.record.job_address != job {
            return Err(reasons::BLOCK_ENDED);
        }
        let is_of_this_generation = found.record.generation == received.generation;
        if found.is_built && (is_of_this_generation || is_last(&record)) {
            if self.parameters.defect == Some(Defect::NoAnswer) {
                return Err(DUPLICATE);
            }
            self.totals.answers += 1;
            return Ok(self.result(place, job));
        }
        if !is_of_this_generation {
            // The setup of the job has changed: what has been added before does not count. A sum of the time before would be refused
            // by the next aggregator; if that has the result, it will be asked for it.
            self.remove(place);
            place = self.begin(now, received, job)?;
        }
        self.add(packet, received, place, job)
    }

    /// Adds a packet to the sums of a block that has no result yet.
    fn add(&mut self, packet: &Packet, received: &Received, place: u32, job: u32) -> Result<Packet, Reason> {
        let bit = bit_of(received.source);
        let mut scratch = std::mem::take(&mut self.bytes);
        let defect = self.parameters.defect;
        let found = self.place_mut(place);
        let outcome = if found.record.gradients != received.gradients {
            Err(reasons::WRONG_LENGTH)
        } else if is_in(bit, found.record.received) && defect != Some(Defect::NoMask) {
            Err(DUPLICATE)
        } else {
            packets::add(packet, received.gradients, &mut scratch, &mut found.sums);
            found.contributors += received.contributors;
            found.is_degraded |= received.flags & flag::DEGRADED != 0;
            found.record.received_count = found.record.received_count.wrapping_add(1);
            found.record.received.iter_mut().zip(bit).for_each(|(mask, bit)| *mask |= bit);
            Ok(found.record.received_count)
        };
        self.bytes = scratch;
        let count = match outcome {
            Ok(count) => count,
            Err(reason) => {
                self.totals.duplicates += u64::from(reason == DUPLICATE);
                if reason == DUPLICATE && !is_last(&self.job[job as usize]) {
                    return Ok(self.ask(received.block, job));
                }
                return Err(reason);
            }
        };
        self.totals.added += 1;
        let fewer = u8::from(defect == Some(Defect::OneSourceFewer));
        if count == self.job[job as usize].source_count.wrapping_sub(fewer) {
            Ok(self.conclude(place, job))
        } else {
            Err(AGGREGATED)
        }
    }

    /// Handles a packet without gradients: an aggregator asks for the result of a block, which it may have lost. Returns what is to be
    /// sent, or why nothing is.
    fn question(&mut self, received: &Received, job: u32) -> Result<Packet, Reason> {
        if !is_last(&self.job[job as usize]) {
            return Ok(self.ask(received.block, job));
        }
        let place = self.blocks.find(&key(received.job, received.block)).ok_or(reasons::NOTED)?;
        let found = &self.places[place as usize];
        if !found.is_built || found.record.job_address != job {
            return Err(reasons::NOTED);
        }
        self.totals.answers += 1;
        Ok(self.result(place, job))
    }

    /// Returns the packet that asks the next aggregator for the result of a block. A source has sent a block again that others have not
    /// sent: either they are late, or they have its result, and this aggregator has lost what it knew of the block.
    fn ask(&mut self, block: u32, job: u32) -> Packet {
        self.totals.questions += 1;
        let record = &self.job[job as usize];
        let (source, generation) = (record.own_source, record.generation);
        packets::make(record, record.destination, Said { block, source, generation, ..Said::default() }, &[])
    }

    /// Makes the record of a block, and returns its place.
    fn begin(&mut self, now: Instant, received: &Received, job: u32) -> Result<u32, Reason> {
        if self.blocks.is_empty() {
            // Threads of the timer that found an empty table have done nothing but take their turns.
            let before = self.age.fired;
            self.age.skip(now);
            let parts = u64::from(self.parameters.timer_threads);
            self.turn = ((u64::from(self.turn) + self.age.fired - before) % parts) as u32;
        }
        let Insertion::Made(place) = self.blocks.insert(&key(received.job, received.block)) else {
            return Err(reasons::TOO_MANY_BLOCKS);
        };
        let record = &mut self.job[job as usize];
        record.total_blocks = record.total_blocks.wrapping_add(1);
        // See the program: the count may be below 0 for a while.
        if record.active_blocks >= record.most_blocks && record.active_blocks < 0x8000 {
            self.blocks.remove(place);
            return Err(reasons::TOO_MANY_BLOCKS);
        }
        record.active_blocks = record.active_blocks.wrapping_add(1);
        let timeout = record.timeout;
        self.totals.blocks += 1;
        let found = self.place_mut(place);
        found.record = BlockRecord {
            timeout,
            start: now.picoseconds() / 1000,
            job_address: job,
            sums_address: place,
            gradients: received.gradients,
            block: received.block,
            generation: received.generation,
            ..BlockRecord::default()
        };
        (found.is_built, found.is_degraded, found.contributors) = (false, false, 0);
        found.is_final = received.flags & flag::FINAL != 0;
        Ok(place)
    }

    /// Ends a block with what is in its sums, and returns its result. The block that lies a window behind is over.
    pub(super) fn conclude(&mut self, place: u32, job: u32) -> Packet {
        let record = &mut self.job[job as usize];
        record.active_blocks = record.active_blocks.wrapping_sub(1);
        let (job_number, window, sources) = (record.job, u32::from(record.window), record.source_count);
        let found = self.place_mut(place);
        found.is_built = true;
        found.is_degraded |= found.record.received_count != sources;
        let (block, is_degraded) = (found.record.block, found.is_degraded);
        self.totals.results += 1;
        self.totals.degraded += u64::from(is_degraded);
        let result = self.result(place, job);
        if let Some(over) = block.checked_sub(window) {
            self.raise_floor(job_number, over.wrapping_add(1));
            let old = self.blocks.find(&key(job_number, over));
            if let Some(old) = old.filter(|old| self.places[*old as usize].record.job_address == job) {
                self.remove(old);
            }
        }
        result
    }

    /// Notes that all blocks of a job before one are over.
    pub(super) fn raise_floor(&mut self, job: u8, block: u32) {
        let floor = &mut self.floors[usize::from(job)];
        *floor = (*floor).max(block.into());
    }

    /// Returns the result of a block, as it is sent and sent again.
    fn result(&self, place: u32, job: u32) -> Packet {
        let (record, found) = (&self.job[job as usize], &self.places[place as usize]);
        let degraded = if found.is_degraded { age::AGED << 4 | flag::DEGRADED } else { 0 };
        let said = Said {
            block: found.record.block,
            flags: degraded | if found.is_final { flag::FINAL } else { 0 },
            source: record.own_source,
            contributors: found.contributors as u8,
            generation: found.record.generation,
        };
        packets::make(record, record.destination, said, &found.sums[..found.record.gradients.into()])
    }

    /// Removes the record of a block.
    pub(super) fn remove(&mut self, place: u32) {
        let found = &mut self.places[place as usize];
        found.sums[..found.record.gradients.into()].fill(0);
        let (is_built, job) = (found.is_built, found.record.job_address as usize);
        if !is_built {
            self.job[job].active_blocks = self.job[job].active_blocks.wrapping_sub(1);
        }
        self.blocks.remove(place);
    }

    /// Handles what another aggregator tells. Returns what it is to be told on.
    fn told(&mut self, received: &Received, job: u32) -> Result<Packet, Reason> {
        let record = self.job[job as usize];
        if received.generation != record.generation {
            return Err(reasons::WRONG_GENERATION);
        }
        if received.age == age::OVER {
            self.raise_floor(received.job, received.block);
            return Err(reasons::NOTED);
        }
        if received.gradients != 0 {
            return Err(reasons::WRONG_LENGTH);
        }
        let said = Said {
            flags: received.age << 4,
            source: received.source,
            generation: record.generation,
            ..Said::default()
        };
        Ok(packets::make(&record, record.destination, said, &[]))
    }
}

/// Returns true if an aggregator is the last one of its job: its results go to a group of workers (224.0.0.0/4).
fn is_last(job: &JobRecord) -> bool {
    job.destination >> 28 == 0b1110
}

/// Returns true if masks have the bit of a source.
fn is_in(bit: [u64; 4], masks: [u64; 4]) -> bool {
    bit.iter().zip(masks).any(|(bit, mask)| bit & mask != 0)
}
