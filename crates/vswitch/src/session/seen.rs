//! What was seen of one direction of a session beside its counts: flags, round-trip times, and what its flow log does not have
//! yet.

use basis::Instant;
use serde::{Deserialize, Serialize};
use wire::tcp::flag;

use super::session::Count;
use super::tcp::{Segment, is_before};

/// The observations of one direction of a session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    /// The number of segments with each flag.
    pub flags: FlagCounts,
    /// The smoothed round-trip time from the switch to the receiver of this direction and back, in nanoseconds; 0 if none was
    /// measured. It goes up to 4.29 s.
    pub(crate) round_trip: u32,
    /// The acknowledgement number that ends the present measurement.
    expected: u32,
    /// The time at which the present measurement began; `Instant::ZERO` if there is none.
    measured_from: Instant,
    /// The counts up to the last record of the flow log.
    pub(crate) logged: Count,
    /// What was sent behind that record and discarded here, so that the counts do not have it.
    pub(crate) stopped: Count,
    /// The times of the first and the last packet that was sent behind that record.
    pub(crate) times: [Instant; 2],
}

/// The number of segments with a flag. Each count ends at 65,535.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlagCounts {
    /// The segments with SYN.
    pub syn: u16,
    /// The segments with FIN.
    pub fin: u16,
    /// The segments with RST.
    pub rst: u16,
}

/// The packets of one direction that no record of the flow log has yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unlogged {
    /// The number of packets and bytes.
    pub count: Count,
    /// The time of the first of them.
    pub first: Instant,
    /// The time of the last of them.
    pub last: Instant,
}

impl Seen {
    /// Returns the smoothed round-trip time from the switch to the receiver of this direction and back (RFC 6298, section 2), in
    /// nanoseconds, if one was measured.
    pub fn round_trip(&self) -> Option<u32> {
        (self.round_trip != 0).then_some(self.round_trip)
    }

    /// The observations of a direction in which nothing is measured at present.
    pub(crate) fn of(flags: FlagCounts, round_trip: u32, [logged, stopped]: [Count; 2], times: [Instant; 2]) -> Self {
        Self { flags, round_trip, expected: 0, measured_from: Instant::ZERO, logged, stopped, times }
    }

    /// Returns the observations without the measurement that goes on.
    pub(crate) fn at_rest(self) -> Self {
        Self { expected: 0, measured_from: Instant::ZERO, ..self }
    }

    /// Returns the observations, which have no measurement that goes on, with times of another clock.
    pub(crate) fn moved(self, at: impl Fn(Instant) -> Instant) -> Self {
        Self { times: self.times.map(at), ..self }
    }

    /// Records the time of a packet, when so many have been counted before it.
    pub(super) fn packet(&mut self, now: Instant, before: Count) {
        if before == self.logged && self.stopped == Count::default() {
            self.times[0] = now;
        }
        self.times[1] = now;
    }

    /// Records a segment that this direction sends. `end` is the sequence number behind everything that it has sent before.
    pub(super) fn sends(&mut self, now: Instant, segment: &Segment, end: Option<u32>) {
        let FlagCounts { syn, fin, rst } = &mut self.flags;
        for (count, flag) in [(syn, flag::SYN), (fin, flag::FIN), (rst, flag::RST)] {
            *count = count.saturating_add((segment.flags & flag != 0).into());
        }
        let segment_end = segment.end();
        if segment_end == segment.sequence || segment.flags & flag::RST != 0 {
            return;
        }
        let is_new = end.is_none_or(|end| is_before(end, segment_end));
        if !is_new {
            // Nobody knows which of two copies an acknowledgement is for (Karn's algorithm; RFC 6298, section 3).
            self.measured_from = Instant::ZERO;
        } else if self.measured_from == Instant::ZERO {
            (self.expected, self.measured_from) = (segment_end, now);
        }
    }

    /// Records an acknowledgement of what this direction has sent.
    pub(super) fn acknowledged(&mut self, now: Instant, acknowledgement: u32) {
        if self.measured_from == Instant::ZERO || is_before(acknowledgement, self.expected) {
            return;
        }
        let measured = now.since(self.measured_from).picoseconds() / 1000;
        let measured = u32::try_from(measured).unwrap_or(u32::MAX).max(1);
        self.measured_from = Instant::ZERO;
        // RFC 6298, section 2.3: an eighth of the new measurement.
        self.round_trip = match self.round_trip {
            0 => measured,
            smoothed => (smoothed - smoothed / 8).saturating_add(measured / 8).max(1),
        };
    }

    /// Takes the packets that no record of the flow log has yet, when so many have been counted in all: those that were sent,
    /// and those of them that have passed.
    pub(super) fn take_unlogged(&mut self, count: Count) -> [Option<Unlogged>; 2] {
        let passed = count.without(self.logged);
        let sent = passed.and(std::mem::take(&mut self.stopped));
        self.logged = count;
        let [first, last] = self.times;
        [sent, passed].map(|count| (count.packets > 0).then_some(Unlogged { count, first, last }))
    }
}

#[cfg(test)]
mod tests {
    use basis::Duration;

    use super::*;

    fn at(microseconds: u64) -> Instant {
        Instant::ZERO + Duration::from_microseconds(microseconds)
    }

    fn data(sequence: u32, payload: u32) -> Segment {
        Segment { flags: flag::ACK, sequence, acknowledgement: 0, window: 0, payload, scale: None }
    }

    #[test]
    fn round_trips_are_measured_from_data_to_its_acknowledgement() {
        let mut seen = Seen::default();
        seen.sends(at(10), &data(u32::MAX - 9, 100), None);
        seen.sends(at(20), &data(90, 100), Some(90));
        seen.acknowledged(at(50), 89);
        assert_eq!(seen.round_trip(), None, "not all of it is acknowledged");
        seen.acknowledged(at(110), 190);
        assert_eq!(seen.round_trip(), Some(100_000));
        seen.sends(at(200), &data(190, 10), Some(190));
        seen.acknowledged(at(400), 200);
        assert_eq!(seen.round_trip(), Some(87_500 + 25_000));
        seen.acknowledged(at(500), 200);
        assert_eq!(seen.round_trip(), Some(112_500), "nothing is measured");
    }

    #[test]
    fn what_is_sent_again_is_not_measured() {
        let mut seen = Seen::default();
        seen.sends(at(10), &data(0, 100), None);
        seen.sends(at(500), &data(0, 100), Some(100));
        seen.acknowledged(at(510), 100);
        assert_eq!(seen.round_trip(), None);
    }

    #[test]
    fn flags_are_counted() {
        let mut seen = Seen::default();
        for flags in [flag::SYN, flag::ACK, flag::FIN | flag::ACK, flag::RST, flag::SYN | flag::ACK] {
            seen.sends(at(1), &Segment { flags, ..data(7, 0) }, None);
        }
        assert_eq!(seen.flags, FlagCounts { syn: 2, fin: 1, rst: 1 });
    }
}
