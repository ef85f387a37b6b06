//! The receiving end of a reliable tunnel: what has come, and when it is acknowledged.

use basis::{Duration, Instant};
use transports::parts::Ranges;

use super::frame::{MOST_RANGES, Message, Numbered};

/// The number of sequence numbers below the greatest one that are told apart. A sender keeps fewer packets.
const REMEMBERED: u64 = 4096;
/// The longest time for which an acknowledgement waits for another packet.
const LONGEST_DELAY: Duration = Duration::from_microseconds(1000);

/// The receiving end of a tunnel.
#[derive(Debug, Default)]
pub struct Receiver {
    /// The sender, and the one before it, whose late packets are not taken for those of a third one.
    sender: Option<u32>,
    earlier: Option<u32>,
    ranges: Ranges,
    greatest: u64,
    /// The number of packets that are not acknowledged yet.
    pending: u32,
    due: Option<Instant>,
}

impl Receiver {
    /// The receiving end that another process had, of which everything is still to be acknowledged.
    pub fn resumed(now: Instant, [sender, earlier]: [Option<u32>; 2], ranges: &[(u64, u64)]) -> Self {
        let mut all = Ranges::default();
        ranges.iter().for_each(|(start, end)| _ = all.insert(*start, *end, 0));
        let greatest = all.last().map_or(0, |(_, end)| end.saturating_sub(1));
        Self { sender, earlier, ranges: all, greatest, pending: 0, due: sender.map(|_| now) }
    }

    /// Returns the numbers of the sender and of the one before it, and what has come of the sender.
    pub fn parts(&self) -> ([Option<u32>; 2], Vec<(u64, u64)>) {
        let mut ranges: Vec<(u64, u64)> = self.ranges.descending().collect();
        ranges.reverse();
        ([self.sender, self.earlier], ranges)
    }

    /// Records a packet. Returns false if it has come before, or is so old that nobody knows.
    pub fn arrives(&mut self, now: Instant, numbered: Numbered) -> bool {
        if self.sender != Some(numbered.sender) {
            if self.earlier == Some(numbered.sender) {
                return false;
            }
            *self = Self { sender: Some(numbered.sender), earlier: self.sender, ..Self::default() };
        }
        let sequence = u64::from(numbered.sequence);
        let expected = self.ranges.last().map_or(0, |(_, end)| end);
        let is_new = self.ranges.insert(sequence, sequence + 1, 0).all == 1;
        self.greatest = self.greatest.max(sequence);
        if let Some(edge) = self.greatest.checked_sub(REMEMBERED) {
            self.ranges.insert(0, edge + 1, 0);
        }
        self.pending += 1;
        // What shows a loss, and what was sent in vain, is told at once (RFC 9000, section 13.2.1).
        let is_urgent = self.pending >= 2 || sequence != expected;
        let at = if is_urgent { now } else { now + LONGEST_DELAY };
        self.due = Some(self.due.map_or(at, |due| due.min(at)));
        is_new
    }

    /// Returns the time at which an acknowledgement is due.
    pub fn deadline(&self) -> Option<Instant> {
        self.due
    }

    /// Returns the acknowledgement if it is due.
    pub fn acknowledgement(&mut self, now: Instant) -> Option<Message> {
        self.due.filter(|due| *due <= now)?;
        let sender = self.sender?;
        (self.due, self.pending) = (None, 0);
        // The lowest range says what is done with; the highest ones say what is new.
        let lowest = self.ranges.first();
        let highest = self.ranges.descending().take(MOST_RANGES - 1).filter(|range| Some(*range) != lowest);
        // A sender begins another count before numbers end.
        let narrow = |(start, end): (u64, u64)| (start as u32, end.min(u64::from(u32::MAX)) as u32);
        let ranges = lowest.into_iter().chain(highest).map(narrow).filter(|(start, end)| start < end).collect();
        Some(Message::Acknowledgement(sender, ranges))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbered(sender: u32, sequence: u32) -> Numbered {
        Numbered { sender, sequence, path: 0 }
    }

    #[test]
    fn each_number_comes_once_and_is_acknowledged() {
        let mut receiver = Receiver::default();
        assert!(receiver.arrives(Instant::ZERO, numbered(1, 0)));
        assert_eq!(receiver.acknowledgement(Instant::ZERO), None, "it waits for another one");
        assert_eq!(receiver.deadline(), Some(Instant::ZERO + LONGEST_DELAY));
        for sequence in [1, 2, 4, 9] {
            assert!(receiver.arrives(Instant::ZERO, numbered(1, sequence)));
        }
        assert!(!receiver.arrives(Instant::ZERO, numbered(1, 4)));
        let ranges = vec![(0, 3), (9, 10), (4, 5)];
        assert_eq!(receiver.acknowledgement(Instant::ZERO), Some(Message::Acknowledgement(1, ranges)));
        assert_eq!(receiver.deadline(), None);
    }

    #[test]
    fn a_sender_that_was_started_again_begins_anew_and_its_late_packets_are_copies() {
        let mut receiver = Receiver::default();
        assert!(receiver.arrives(Instant::ZERO, numbered(1, 0)) && receiver.arrives(Instant::ZERO, numbered(2, 0)));
        assert!(!receiver.arrives(Instant::ZERO, numbered(1, 1)));
        assert!(!receiver.arrives(Instant::ZERO, numbered(2, 0)));
    }

    #[test]
    fn memory_is_bounded_whatever_comes() {
        let mut receiver = Receiver::default();
        for number in 0..20_000_u32 {
            assert!(receiver.arrives(Instant::ZERO, numbered(1, 2 * number)));
        }
        assert!(receiver.ranges.descending().count() <= REMEMBERED as usize / 2 + 2);
        assert!(receiver.arrives(Instant::ZERO, numbered(1, u32::MAX)));
        assert_eq!(receiver.ranges.descending().count(), 2);
        assert!(receiver.acknowledgement(Instant::ZERO).is_some());
    }
}
