//! The effect of an acknowledgement on the sending half: progress, duplicates, recovery and congestion marks.

use basis::{Duration, Instant};
use wire::tcp::flag;

use super::TcpParameters;
use super::congestion::{Cause, Heard};
use super::counters::Counters;
use super::scoreboard::DUPLICATE_THRESHOLD;
use super::segment::Segment;
use super::sending::{Recovery, Sending};

/// An acknowledgement that has arrived and is within the data that was sent.
pub struct Acknowledgement<'a> {
    /// The first position that it does not acknowledge.
    pub place: u64,
    /// True if the segment has neither payload nor SYN nor FIN and does not change the window, as is required of
    /// duplicate acknowledgements.
    pub is_plain: bool,
    /// The echo of our timestamp, if there is one.
    pub echo: Option<u32>,
    pub segment: &'a Segment,
}

impl Sending {
    /// Handles an acknowledgement.
    pub fn acknowledged(
        &mut self,
        now: Instant,
        acknowledgement: &Acknowledgement,
        parameters: &TcpParameters,
        counters: &mut Counters,
    ) {
        let &Acknowledgement { place, is_plain, echo, segment } = acknowledgement;
        let news = self.read_blocks(place, segment);
        let is_progress = place > self.unacknowledged;
        let bytes = place.saturating_sub(self.unacknowledged);
        // In a SYN-ACK, ECE negotiates ECN and does not report a mark.
        let has_echo = self.is_capable && segment.has(flag::ECE) && !segment.has(flag::SYN);
        counters.ecn_echoes += u64::from(has_echo);
        let mut round_trip = None;
        if is_progress {
            round_trip = self.measure(now, place, echo, parameters);
            self.progress(now, place, parameters);
        } else if self.in_flight() > 0 && place == self.unacknowledged && (is_plain || news > 0) {
            counters.duplicate_acks += 1;
            self.duplicates += 1;
            // After a timeout, nothing that was sent before it counts as in the network (RFC 6582, section 4).
            if !self.has_sack && is_plain && !matches!(self.recovery, Recovery::Timeout(_)) {
                self.inflation += u64::from(self.segment);
            }
        }
        if self.window == 0 {
            // The peer is alive, even though its window is closed.
            self.timeouts = 0;
        }
        let heard = Heard {
            now,
            bytes,
            unacknowledged: self.unacknowledged,
            next: self.next,
            round_trip,
            smoothed_round_trip: self.timeout.round_trip().unwrap_or(Duration::ZERO),
            has_echo,
        };
        self.congestion.heard(&heard);
        // Data beyond that position has carried CWR, so that an ECE for it reports a new mark.
        if has_echo && self.unacknowledged > self.reduced_until && self.recovery == Recovery::None {
            self.congestion.reduce(Cause::Mark, self.in_flight() + bytes);
            self.reduced_until = self.next;
            self.owes_cwr = true;
            counters.ecn_reductions += 1;
        } else if is_progress && !has_echo && self.may_grow(bytes) {
            self.congestion.acknowledged(&heard);
        }
        self.begin_recovery(counters);
    }

    /// Returns true if the window may grow for `bytes` newly acknowledged bytes: it was what limited the sender (RFC
    /// 9438, section 5.8, gives the reasons), and there is no fast recovery.
    fn may_grow(&self, bytes: u64) -> bool {
        let before = self.unacknowledged - bytes;
        self.limited_at >= before && !matches!(self.recovery, Recovery::Fast(_))
    }

    /// Records selective acknowledgements, and returns the number of bytes that were not known to have arrived.
    fn read_blocks(&mut self, place: u64, segment: &Segment) -> u64 {
        if !self.has_sack {
            return 0;
        }
        let unacknowledged = self.unacknowledged.max(place);
        let mut news = 0;
        for &(first, behind) in segment.options.sack_blocks() {
            let start = self.stream.place(first, unacknowledged);
            let end = self.stream.place(behind, unacknowledged);
            // Blocks below the cumulative acknowledgement report duplicates (RFC 2883) or are old.
            if let (Some(start), Some(end)) = (start, end)
                && unacknowledged < start
                && start < end
                && end <= self.next
            {
                news += self.scoreboard.insert(start, end);
            }
        }
        news
    }

    /// Measures a round trip and returns it, if it is certain which transmission was acknowledged (RFC 6298, section
    /// 3).
    fn measure(&mut self, now: Instant, place: u64, echo: Option<u32>, parameters: &TcpParameters) -> Option<Duration> {
        // Of a retransmitted segment, only the timestamp tells which transmission was acknowledged (RFC 7323, section 4).
        let by_timestamp = || {
            let ticks = timestamp(now).wrapping_sub(echo?);
            (ticks < 1 << 31).then(|| Duration::from_microseconds(u64::from(ticks.max(1))))
        };
        let round_trip = match self.timed {
            Some((end, sent)) if end <= place => {
                self.timed = None;
                Some(now.since(sent))
            }
            // One segment a round trip is timed for the timeout; congestion control may want every one.
            Some(_) => return by_timestamp(),
            None => by_timestamp(),
        };
        if let Some(round_trip) = round_trip {
            self.timeout.measured(round_trip, parameters);
        }
        round_trip
    }

    fn progress(&mut self, now: Instant, place: u64, parameters: &TcpParameters) {
        let bytes = place - self.unacknowledged;
        self.unacknowledged = place;
        self.scoreboard.advance(place);
        self.timeouts = 0;
        self.duplicates = 0;
        let mut restarts = true;
        match self.recovery {
            Recovery::None => self.inflation = 0,
            Recovery::Timeout(point) => {
                if place >= point {
                    self.recovery = Recovery::None;
                }
            }
            Recovery::Fast(point) if place >= point => {
                self.recovery = Recovery::None;
                self.inflation = 0;
                if !self.has_sack {
                    self.congestion.limit(self.in_flight());
                }
            }
            // A partial acknowledgement means that the next segment was lost too (RFC 6582, section 3.2, step 3).
            Recovery::Fast(_) if !self.has_sack => {
                self.must_send = true;
                let segment = u64::from(self.segment);
                self.inflation = self.inflation.saturating_sub(bytes) + if bytes >= segment { segment } else { 0 };
                restarts = !self.had_partial;
                self.had_partial = true;
            }
            Recovery::Fast(_) => {}
        }
        // RFC 6298, rules 5.2 and 5.3.
        if self.in_flight() == 0 {
            self.timer = None;
        } else if restarts {
            self.timer = Some(now + self.timeout.length(parameters));
        }
    }

    /// Begins a fast recovery if a loss was detected (RFC 6675, section 5; RFC 6582, section 3.2, step 2).
    fn begin_recovery(&mut self, counters: &mut Counters) {
        let is_lost = || {
            self.duplicates >= DUPLICATE_THRESHOLD
                || self.scoreboard.lost_below(self.unacknowledged, self.segment) > self.unacknowledged
        };
        if self.recovery != Recovery::None || self.in_flight() == 0 || self.unacknowledged == 0 || !is_lost() {
            return;
        }
        counters.fast_retransmits += 1;
        // The window is reduced at most once per window of data, for a mark or a loss, whichever comes first (RFC 3168,
        // section 6.1.2).
        if self.unacknowledged >= self.reduced_until {
            self.congestion.reduce(Cause::Loss, self.in_flight());
            self.reduced_until = self.next;
            self.owes_cwr = self.is_capable;
        }
        self.recovery = Recovery::Fast(self.next);
        self.must_send = true;
        self.is_rescued = false;
        self.had_partial = false;
    }
}

/// Returns the timestamp clock, in microseconds. RFC 7323, section 5.4, recommends milliseconds, which are too coarse
/// for the round-trip times of a data centre.
pub fn timestamp(now: Instant) -> u32 {
    now.microseconds() as u32
}
