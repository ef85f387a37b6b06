//! What a worker does with parameter packets.

use basis::Instant;
use wire::atp::{self, flag};

use super::Worker;
use crate::aggregation::Outcomes;
use crate::aggregation::atp::Arithmetic;
use crate::aggregation::atp::flight::Status;
use crate::aggregation::atp::packet::Opened;

/// The answers to later fragments in a row that show a loss (section 3.7).
const OUT_OF_ORDER: u8 = 3;

impl Worker {
    /// Handles a parameter packet. Returns false if it is of another setup.
    pub(super) fn parameter(&mut self, now: Instant, opened: &Opened<'_>, reports: &mut Outcomes) -> bool {
        let header = opened.header();
        let Some(fragment) = self.numbering.fragment(header.job_and_sequence(), opened.envelope.source_port) else {
            return false;
        };
        if self.place.is_none() || !header.has(flag::ACK) || self.servers.is_empty() {
            return false;
        }
        match (header.has(flag::RESEND), header.has(flag::OVERFLOW)) {
            (true, true) => self.begin_at(now, fragment, header.bitmap1().into(), reports),
            (true, false) => self.requested(now, fragment, false),
            (false, true) => self.requested(now, fragment, true),
            (false, false) => self.answered(now, fragment, opened, reports),
        }
        true
    }

    /// Takes the sums of a fragment.
    fn answered(&mut self, now: Instant, fragment: u64, opened: &Opened<'_>, reports: &mut Outcomes) {
        let first = self.flight.first;
        if fragment < first || fragment >= self.limit() || self.flight.status(fragment) == Status::Done {
            self.counters.duplicates += 1;
            return;
        }
        let entry = *self.flight.entry(fragment);
        if entry.times == 1 {
            // RFC 6298, section 3: only what was sent once.
            self.round_trip.measured(now.since(entry.sent_at));
        }
        self.counters.parameters_received += 1;
        let server = self.server_of(fragment);
        self.servers[server].is_new = false;
        self.heard_from(server);
        self.report(fragment, opened, reports);
        self.flight.done(fragment);

        let header = opened.header();
        // Indices have 16 bits.
        let index = header.has(flag::COLLISION).then(|| header.bitmap0() as u16);
        self.indices.answered(fragment, index);
        if opened.has_met_congestion() {
            self.counters.marks += 1;
            self.reduce(fragment);
        } else if self.parameters.congestion_control {
            self.window.grow();
        }
        if fragment == first {
            self.advance(now, reports);
            return;
        }
        self.out_of_order += 1;
        let pause = self.round_trip.mean().unwrap_or(self.parameters.timeout).min(self.parameters.timeout);
        let oldest = *self.flight.entry(first);
        if self.out_of_order >= OUT_OF_ORDER {
            self.out_of_order = 0;
            // Section 3.7; but what was sent again less than a round trip ago cannot have been answered.
            let is_lost = oldest.times <= 1 || now.since(oldest.sent_at) >= pause;
            if oldest.status == Status::Sent && !oldest.is_queued && is_lost {
                self.counters.losses += 1;
                self.reduce(first);
                self.send_again(first, false);
            }
        }
    }

    /// Goes on to the oldest fragment that is neither answered nor complete elsewhere, and reports those that the worker has
    /// missed.
    pub(super) fn advance(&mut self, now: Instant, reports: &mut Outcomes) {
        let before = self.flight.first;
        let mut missed: Option<(u32, u64, u64)> = None;
        loop {
            self.flight.slide();
            let first = self.flight.first;
            let is_over = self.servers.get(self.server_of(first)).is_some_and(|heard| heard.done_before > first);
            let Some(part) = self.tensors.part(first).filter(|_| is_over) else { break };
            let length = part.length as u64;
            match &mut missed {
                Some((tensor, start, all)) if *tensor == part.tensor && *start + *all == part.first => *all += length,
                other => {
                    if let Some((tensor, start, all)) = other.replace((part.tensor, part.first, length)) {
                        reports.missed(tensor, start, all);
                    }
                }
            }
            self.counters.missed += 1;
            self.flight.skip_to(first + 1);
            if self.tensors.reported(first) {
                if let Some((tensor, start, all)) = missed.take() {
                    reports.missed(tensor, start, all);
                }
                reports.finished(part.tensor);
            }
        }
        if let Some((tensor, start, all)) = missed {
            reports.missed(tensor, start, all);
        }
        if self.flight.first != before {
            self.tensors.forget(self.flight.first.saturating_sub(4 * u64::from(self.parameters.largest_window)));
            (self.out_of_order, self.timeouts) = (0, 0);
            self.set_timer(now);
        }
        self.skip_done();
    }

    fn report(&mut self, fragment: u64, opened: &Opened<'_>, reports: &mut Outcomes) {
        self.scales.learn(fragment, opened.values().map(f32::from_bits));
        let Some(part) = self.tensors.part(fragment) else { return };
        let sources = self.setup.workers.len() as u16;
        match self.parameters.arithmetic {
            Arithmetic::Integers => {
                let mut sums = [0; atp::VALUES];
                sums.iter_mut().zip(opened.values()).for_each(|(sum, bits)| *sum = bits.cast_signed());
                reports.integers(part.tensor, part.first, sources, &sums[..part.length]);
            }
            Arithmetic::Floats(_) => {
                let mut sums = [0.0; atp::VALUES];
                sums.iter_mut().zip(opened.values()).for_each(|(sum, bits)| *sum = f32::from_bits(bits));
                reports.floats(part.tensor, part.first, sources, &sums[..part.length]);
            }
        }
        if self.tensors.reported(fragment) {
            reports.finished(part.tensor);
        }
    }

    /// Handles the server asking for a fragment again, or for its original values.
    fn requested(&mut self, now: Instant, fragment: u64, is_original: bool) {
        self.counters.requests_received += 1;
        if fragment >= self.limit() || self.tensors.part(fragment).is_none() {
            return;
        }
        if fragment < self.flight.first {
            // The server has lost what this worker has the answer of.
            if !self.resends.contains(&(fragment, true)) {
                self.resends.push_back((fragment, true));
            }
            if is_original {
                self.originals.insert(fragment);
            }
            return;
        }
        let pause = self.parameters.pause();
        let entry = self.flight.entry(fragment);
        let is_new = is_original && !entry.is_original;
        entry.is_original |= is_original;
        let is_recent = entry.status == Status::Sent && now.since(entry.sent_at) < pause;
        if entry.status != Status::Unsent && !entry.is_queued && (is_new || !is_recent) {
            self.send_again(fragment, true);
        }
    }

    /// Handles a server saying where the job is (appendix A.3): everything before `fragment` is complete, and of that the last
    /// `kept` fragments are still answered. A worker that was started again goes there; any other one gives up only what
    /// nobody answers any more.
    fn begin_at(&mut self, now: Instant, fragment: u64, kept: u64, reports: &mut Outcomes) {
        let server = self.server_of(fragment);
        let heard = &mut self.servers[server];
        let before = if heard.is_new { fragment } else { fragment.saturating_sub(kept) };
        heard.done_before = heard.done_before.max(before);
        self.heard_from(server);
        self.advance(now, reports);
    }

    /// Notes that it is known where the job is, as far as a server goes.
    fn heard_from(&mut self, server: usize) {
        self.servers[server].is_known = true;
        self.is_asking &= self.servers.iter().any(|heard| !heard.is_known);
    }
}
