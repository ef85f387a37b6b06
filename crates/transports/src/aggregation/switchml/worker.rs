//! The worker.

use std::collections::VecDeque;
use std::sync::Arc;

use basis::Instant;
use node::{Counter, Reason, UnfinishedWork};
use serde::{Deserialize, Serialize};
use wire::{Packet, Tail, switchml};

use super::SwitchMlParameters;
use super::parts::{Part, Parts};
use crate::aggregation::{Collective, Gradients, Member, Outcomes, Setup, Tensor};
use crate::frame::{ENVELOPE, Envelope, congestion};
use crate::{Endpoint, reasons};

const HEADER: usize = ENVELOPE + switchml_length();

const fn switchml_length() -> usize {
    wire::SwitchMl::<&[u8]>::LENGTH
}

crate::counters::counters! {
    /// Packets that were sent, those that were sent again included.
    sent,
    /// Packets that were sent again, because no sum had come in time.
    sent_again,
    /// Sums that have come.
    sums,
    /// Sums that had come before.
    superfluous_sums,
}

/// A worker's side of SwitchML. Sums are of integers; the switch's wrap around, so that a job has to keep them within 32 bits
/// ([`crate::aggregation::FixedPoint::without_overflow`]).
#[derive(Debug)]
pub struct SwitchMl {
    address: u32,
    setup: Arc<Setup>,
    gradients: Arc<dyn Gradients>,
    parameters: SwitchMlParameters,
    parts: Parts,
    slots: Vec<Slot>,
    /// The slots whose parts are to be sent, in order.
    ready: VecDeque<u16>,
    /// The times at which parts are due to be sent again, in order, for the timeout is the same for all.
    timers: VecDeque<Timer>,
    has_lost_its_memory: bool,
    /// The setup to change to when no tensor is under way.
    next_setup: Option<Arc<Setup>>,
    counters: Counters,
    /// Scratch memory, reused between packets.
    values: Vec<i32>,
    frame: Vec<u8>,
}

/// A slot of the switch as the worker uses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Slot {
    /// The part that the slot has, or will have as soon as its tensor begins.
    part: u64,
    /// The number of times that it has been sent.
    sent: u32,
    is_ready: bool,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Timer {
    at: Instant,
    slot: u16,
    part: u64,
    sent: u32,
}

impl SwitchMl {
    /// Creates the worker at `address`. The job's slots are `setup.aggregators`, and its switch has the first address of
    /// `setup.servers`.
    ///
    /// # Panics
    /// If the setup has no such worker, no switch, or no slots, or slots beyond [`switchml::MOST_SLOTS`].
    pub fn new(address: u32, setup: Arc<Setup>, gradients: Arc<dyn Gradients>, parameters: SwitchMlParameters) -> Self {
        assert!(setup.rank(address).is_some() && !setup.servers.is_empty(), "a worker of the job, and its switch");
        assert!(!setup.aggregators.is_empty() && setup.aggregators.end <= switchml::MOST_SLOTS, "slots of the switch");
        let mut worker = Self {
            address,
            setup,
            gradients,
            parameters,
            parts: Parts::default(),
            slots: Vec::new(),
            ready: VecDeque::new(),
            timers: VecDeque::new(),
            has_lost_its_memory: false,
            next_setup: None,
            counters: Counters::default(),
            values: Vec::new(),
            frame: Vec::new(),
        };
        worker.empty_slots();
        worker
    }

    fn empty_slots(&mut self) {
        let count = self.setup.aggregators.len() as u64;
        self.slots = (0..count).map(|part| Slot { part, sent: 0, is_ready: false }).collect();
        self.parts = Parts::default();
        self.ready.clear();
        self.timers.clear();
    }

    fn change_setup(&mut self) {
        if self.parts.missing().next().is_none()
            && let Some(setup) = self.next_setup.take()
        {
            self.setup = setup;
            self.empty_slots();
        }
    }

    /// Has a slot's part sent, if its tensor has begun.
    fn prepare(&mut self, slot: usize) {
        let own = &mut self.slots[slot];
        if !own.is_ready && own.part < self.parts.end() {
            own.is_ready = true;
            self.ready.push_back(slot as u16);
        }
    }

    /// Returns the place in the switch's memory for a part of a slot: its slots are used in turn with both sets.
    fn place(&self, slot: usize, part: u64) -> u16 {
        let set = part / self.slots.len() as u64 % 2;
        switchml::place((self.setup.aggregators.start as usize + slot) as u16, set as usize)
    }

    /// Returns what stands for a part in packets: parts of a later setup have greater numbers (in serial arithmetic, RFC 1982), so
    /// that the switch takes them for new.
    fn tag(&self, part: u64) -> u32 {
        (part as u32).wrapping_add(u32::from(self.setup.generation) << 24)
    }

    /// Returns the slot whose part a sum is of, with the sum's values as bytes.
    fn slot_of<'p>(&self, packet: &'p Packet) -> Option<(usize, &'p [u8])> {
        let (envelope, rest) = Envelope::open(packet)?;
        let header = wire::SwitchMl::new(rest)?;
        let values = rest.get(switchml_length()..)?;
        let is_ours = envelope.source_port & switchml::PORT_MASK == switchml::PORT
            && [self.address, self.setup.group].contains(&envelope.destination)
            && (header.kind(), header.job()) == (switchml::kind::RESULT, self.setup.job)
            && header.values() == self.parameters.values.count()
            && values.len() == 4 * self.parameters.values.count();
        let slot = usize::from(header.slot()).checked_sub(self.setup.aggregators.start as usize)?;
        (is_ours && slot < self.slots.len()).then_some((slot, values))
    }

    fn take(&mut self, slot: usize, values: &[u8], outcomes: &mut Outcomes) {
        let number = self.slots[slot].part;
        let Some(part) = self.parts.part(number, self.parameters.values.count()) else { return };
        self.values.clear();
        self.values.extend(values.as_chunks().0[..part.length].iter().copied().map(i32::from_be_bytes));
        outcomes.integers(part.tensor, part.first, self.setup.workers.len() as u16, &self.values);
        if let Some(tensor) = self.parts.complete(number) {
            outcomes.finished(tensor);
        }
        self.counters.sums += 1;
        // A part that was to be sent again is there after all; the next one may be sent in its place.
        let next = number + self.slots.len() as u64;
        self.slots[slot] = Slot { part: next, sent: 0, is_ready: self.slots[slot].is_ready };
        if self.slots[slot].is_ready && next >= self.parts.end() {
            self.slots[slot].is_ready = false;
            self.ready.retain(|ready| usize::from(*ready) != slot);
        }
        self.prepare(slot);
        self.change_setup();
    }

    fn packet(&mut self, now: Instant, slot: usize, number: u64, part: Part) -> Packet {
        let count = self.parameters.values.count();
        self.values.clear();
        self.values.resize(part.length, 0);
        self.gradients.integers(part.tensor, part.first, &mut self.values);
        self.frame.clear();
        self.frame.resize(HEADER + 4 * count, 0);
        let (tag, place) = (self.tag(number), self.place(slot, number));
        let mut header = wire::SwitchMl::new(&mut self.frame[ENVELOPE..]).expect("a frame has room for the header");
        header.set_kind_and_size(switchml::kind::CONTRIBUTION << 4 | (count / 32).trailing_zeros() as u8);
        header.set_job(self.setup.job);
        header.set_part(tag);
        header.set_place(place);
        // The last part of a tensor is filled up with zeros.
        for (bytes, value) in self.frame[HEADER..].as_chunks_mut().0.iter_mut().zip(&self.values) {
            *bytes = value.to_be_bytes();
        }
        let envelope = Envelope {
            source: self.address,
            destination: self.setup.servers[0],
            dscp: 0,
            ecn: congestion::NOT_CAPABLE,
            // The switch returns sums to the port of the last packet, so that all workers have one.
            source_port: switchml::PORT,
            destination_port: switchml::PORT,
        };
        envelope.seal(now, &mut self.frame, 0)
    }

    /// Removes timers of parts whose sums have come, or that have been sent again.
    fn forget_old_timers(&mut self) {
        while let Some(timer) = self.timers.front()
            && !self.is_valid(timer)
        {
            self.timers.pop_front();
        }
    }

    fn is_valid(&self, timer: &Timer) -> bool {
        let slot = &self.slots[usize::from(timer.slot)];
        (slot.part, slot.sent) == (timer.part, timer.sent) && !slot.is_ready
    }
}

impl Endpoint<Outcomes> for SwitchMl {
    fn accepts(&self, packet: &Packet) -> bool {
        self.slot_of(packet).is_some()
    }

    fn receive(&mut self, _now: Instant, packet: Packet, outcomes: &mut Outcomes) -> Result<(), (Packet, Reason)> {
        // Memory of the driver, or of another host, is read in place; only a packet whose values are not known is not.
        let packet = match packet.tail {
            Tail::Length(0) => packet,
            _ => return Err((packet, reasons::UNEXPECTED)),
        };
        let Some((slot, values)) = self.slot_of(&packet) else { return Err((packet, reasons::UNEXPECTED)) };
        let header = wire::SwitchMl::new(&packet.head.bytes()[ENVELOPE..]).expect("it was read before");
        let (part, sent) = (self.slots[slot].part, self.slots[slot].sent);
        let is_awaited = sent > 0 && header.part() == self.tag(part) && header.place() == self.place(slot, part);
        if is_awaited {
            self.take(slot, values, outcomes);
        } else {
            self.counters.superfluous_sums += 1;
        }
        self.forget_old_timers();
        Ok(())
    }

    fn wake(&mut self, now: Instant, _outcomes: &mut Outcomes) {
        while let Some(timer) = self.timers.front().copied()
            && timer.at <= now
        {
            self.timers.pop_front();
            if self.is_valid(&timer) {
                self.prepare(timer.slot.into());
            }
        }
        self.forget_old_timers();
    }

    fn transmit(&mut self, now: Instant) -> Option<Packet> {
        let slot = self.ready.pop_front()?;
        let own = &mut self.slots[usize::from(slot)];
        own.is_ready = false;
        self.counters.sent += 1;
        self.counters.sent_again += u64::from(own.sent > 0);
        own.sent += 1;
        let Slot { part: number, sent, .. } = *own;
        if let Some(timeout) = self.parameters.timeout {
            self.timers.push_back(Timer { at: now + timeout, slot, part: number, sent });
        }
        let part = self.parts.part(number, self.parameters.values.count())?;
        Some(self.packet(now, slot.into(), number, part))
    }

    fn is_ready(&self, _at: Instant) -> bool {
        !self.ready.is_empty()
    }

    fn deadline(&self) -> Option<Instant> {
        self.timers.front().map(|timer| timer.at)
    }

    fn waiting(&self, _now: Instant) -> Vec<UnfinishedWork> {
        let explain = |(tensor, missing, first): (Tensor, u64, u64)| {
            let end = first + tensor.length.div_ceil(self.parameters.values.count() as u64);
            let waiting = self.slots.iter().enumerate().filter(|(_, slot)| (first..end).contains(&slot.part));
            let why = if self.has_lost_its_memory {
                "this worker was started again, and SwitchML's switch does not send sums that all workers had before"
                    .to_owned()
            } else if let Some((at, slot)) = waiting.min_by_key(|(_, slot)| slot.part) {
                let place = self.setup.aggregators.start as usize + at;
                format!(
                    "{missing} sums are missing; the first is of part {} in slot {place}, which was sent {} times",
                    slot.part - first,
                    slot.sent
                )
            } else {
                format!("{missing} sums are missing, and earlier parts have its slots")
            };
            UnfinishedWork { what: format!("tensor {} of job {} (SwitchML)", tensor.number, self.setup.job), why }
        };
        self.parts.missing().map(explain).collect()
    }

    fn counters(&self, tell: &mut dyn FnMut(Counter)) {
        self.counters.tell(tell);
    }
}

impl Member for SwitchMl {
    /// Takes over the setup for the tensors that are begun when none is under way. SwitchML cannot change who takes part while sums
    /// are under way: a worker that has a sum does not contribute to it again.
    fn set_up(&mut self, _now: Instant, setup: Arc<Setup>) {
        self.next_setup = Some(setup);
        self.change_setup();
    }

    fn restart(&mut self, _now: Instant) {
        self.empty_slots();
        self.has_lost_its_memory = true;
    }
}

impl Collective for SwitchMl {
    fn begin(&mut self, _now: Instant, tensor: Tensor) {
        self.parts.begin(tensor, self.parameters.values.count());
        (0..self.slots.len()).for_each(|slot| self.prepare(slot));
    }
}

basis::snapshot!(SwitchMl { values setup, parts, slots, ready, timers, has_lost_its_memory, next_setup, counters; });
