//! What a worker sends.

use basis::Instant;
use wire::atp::{self, flag};
use wire::{Packet, atp::LARGEST_DEGREE};

use super::Worker;
use crate::aggregation::FixedPoint;
use crate::aggregation::atp::Arithmetic;
use crate::aggregation::atp::flight::Status;
use crate::aggregation::atp::packet::Draft;
use crate::aggregation::atp::tensors::Part;

impl Worker {
    /// Returns the next packet: what is to be sent again, and then what fits into the window.
    pub(super) fn next_packet(&mut self, now: Instant) -> Option<Packet> {
        self.place?;
        while let Some((fragment, is_requested)) = self.resends.pop_front() {
            let is_open = fragment >= self.flight.first && self.flight.status(fragment) == Status::Sent;
            if fragment >= self.flight.first {
                self.flight.entry(fragment).is_queued = false;
            }
            if let Some(part) = self.tensors.part(fragment).filter(|_| is_open || is_requested) {
                self.counters.gradients_resent += 1;
                return self.gradients(now, fragment, part, true);
            }
        }
        if !self.may_send_new() {
            return None;
        }
        let fragment = self.flight.next;
        self.flight.next += 1;
        self.skip_done();
        let part = self.tensors.part(fragment)?;
        // A packet that asks where the job is must not wait in a switch.
        let packet = self.gradients(now, fragment, part, self.is_asking);
        if self.timeout_at.is_none() {
            self.set_timer(now);
        }
        packet
    }

    /// Returns true if the next fragment may be sent now.
    pub(super) fn may_send_new(&self) -> bool {
        let window = if self.is_asking { 1 } else { self.window.size() };
        self.flight.next < self.limit() && self.flight.in_flight < window
    }

    /// Moves on to a fragment that was not answered before it was sent.
    pub(super) fn skip_done(&mut self) {
        while self.flight.next < self.limit() && self.flight.status(self.flight.next) == Status::Done {
            self.flight.next += 1;
        }
    }

    /// Handles a timeout: everything that was sent so long ago is sent again.
    pub(super) fn time_out(&mut self, now: Instant) {
        self.counters.timeouts += 1;
        let timeout = self.parameters.timeout;
        let lost = self.flight.sent().filter(|(_, entry)| !entry.is_queued && now.since(entry.sent_at) >= timeout);
        let lost: Vec<u64> = lost.map(|(fragment, _)| fragment).collect();
        if !lost.is_empty() {
            self.reduce(self.flight.first);
        }
        for fragment in lost {
            self.send_again(fragment, false);
        }
        self.timeouts = self.timeouts.saturating_add(1);
        self.set_timer(now);
    }

    /// Queues a fragment that is to be sent again.
    pub(super) fn send_again(&mut self, fragment: u64, is_requested: bool) {
        if fragment >= self.flight.first {
            self.flight.entry(fragment).is_queued = true;
        }
        self.resends.push_back((fragment, is_requested));
    }

    /// Makes the window smaller for congestion or loss.
    pub(super) fn reduce(&mut self, fragment: u64) {
        if self.parameters.congestion_control {
            self.window.halve(fragment, self.flight.next);
        }
    }

    /// Makes the gradient packet of a fragment.
    fn gradients(&mut self, now: Instant, fragment: u64, part: Part, is_resent: bool) -> Option<Packet> {
        let place = self.place?;
        let mut values = [0; atp::VALUES];
        let values = &mut values[..self.parameters.values];
        // A fragment that is done is sent for a server that has lost it.
        let is_wanted = fragment < self.flight.first && self.originals.contains(&fragment);
        let is_original = self.fill(fragment, part, values, is_wanted);
        if fragment >= self.flight.first && self.flight.status(fragment) != Status::Done {
            self.flight.leaves(now, fragment);
        }
        self.counters.gradients_sent += 1;
        self.counters.originals_sent += u64::from(is_original);
        let word = self.numbering.word(fragment);
        let set = |is_set: bool, flag: u16| if is_set { flag } else { 0 };
        let draft = Draft {
            source: self.address,
            destination: self.setup.servers[self.server_of(fragment)],
            port: self.numbering.port(fragment),
            bitmaps: place.bits.map(|bit| 1 << (bit % 32)),
            fan_in: place.fan_in.map(|degree| degree.clamp(1, LARGEST_DEGREE)),
            // Without a switch in front that adds up, the packet is on its way to a further level at once (section 3.3).
            level: place.first_level(),
            has_further: self.has_further,
            flags: set(is_resent || is_original && is_wanted, flag::RESEND) | set(is_original, flag::OVERFLOW),
            word,
            aggregator: self.indices.of(word, fragment),
        };
        Some(draft.packet(now, values.len(), |bytes| {
            bytes.iter_mut().zip(&*values).for_each(|(bytes, value)| *bytes = value.to_be_bytes());
        }))
    }

    /// Writes the values of a fragment as they are sent. Returns true if these are the original ones.
    fn fill(&mut self, fragment: u64, part: Part, values: &mut [u32], is_wanted: bool) -> bool {
        let is_wanted = is_wanted || fragment >= self.flight.first && self.flight.entry(fragment).is_original;
        match self.parameters.arithmetic {
            Arithmetic::Integers => {
                let mut integers = [0; atp::VALUES];
                self.gradients.integers(part.tensor, part.first, &mut integers[..part.length]);
                values.iter_mut().zip(integers).for_each(|(bits, value)| *bits = value.cast_unsigned());
                is_wanted || self.parameters.proactive && integers.iter().any(|&value| self.is_large(value.into(), 1.0))
            }
            Arithmetic::Floats(_) => {
                let mut floats = [0.0; atp::VALUES];
                self.gradients.floats(part.tensor, part.first, &mut floats[..part.length]);
                let scale = self.scales.of(fragment).filter(|_| !is_wanted);
                let is_large = |scale| floats.iter().any(|&value| self.is_large(value.into(), scale));
                match scale {
                    Some(scale) if !(self.parameters.proactive && is_large(scale)) => {
                        let point = FixedPoint { scale };
                        let integers = floats.map(|value| point.integer(value).cast_unsigned());
                        values.copy_from_slice(&integers[..values.len()]);
                        false
                    }
                    _ => {
                        values.iter_mut().zip(floats).for_each(|(bits, value)| *bits = value.to_bits());
                        true
                    }
                }
            }
        }
    }

    /// Returns true if a sum of values as large as this one could overflow (appendix B.2).
    fn is_large(&self, value: f64, scale: f64) -> bool {
        let workers = u32::try_from(self.setup.workers.len()).unwrap_or(u32::MAX).max(1);
        value.abs() > FixedPoint { scale }.bound(workers)
    }
}
