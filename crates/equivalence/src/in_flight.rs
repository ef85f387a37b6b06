//! What is known of the packets that are inside the machine, and of no others.

use std::collections::VecDeque;

/// Something for each packet in flight, by its place in the order of arrival.
///
/// A window over the sequence numbers from the oldest packet in flight to the newest: its memory follows how far
/// packets of a run lie apart, not the length of the run, and it hashes nothing.
#[derive(Debug)]
pub struct InFlight<T> {
    /// The packets from `lowest` on; `None` for those that have left.
    window: VecDeque<Option<T>>,
    lowest: u64,
    count: u64,
}

impl<T> InFlight<T> {
    /// Nobody is in flight.
    pub fn new() -> Self {
        Self { window: VecDeque::new(), lowest: 0, count: 0 }
    }

    /// The next packet in the order of arrival comes in.
    pub fn enter(&mut self, known: T) {
        self.window.push_back(Some(known));
        self.count += 1;
    }

    /// What is known of a packet that is in flight.
    pub fn get_mut(&mut self, sequence: u64) -> Option<&mut T> {
        let place = usize::try_from(sequence.checked_sub(self.lowest)?).ok()?;
        self.window.get_mut(place)?.as_mut()
    }

    /// A packet leaves; `None` if it is not in flight.
    pub fn leave(&mut self, sequence: u64) -> Option<T> {
        let place = usize::try_from(sequence.checked_sub(self.lowest)?).ok()?;
        let known = self.window.get_mut(place)?.take()?;
        self.count -= 1;
        while self.window.front().is_some_and(Option::is_none) {
            self.window.pop_front();
            self.lowest += 1;
        }
        Some(known)
    }

    /// The lowest sequence in flight, or the next to come in.
    pub fn lowest(&self) -> u64 {
        self.lowest
    }

    /// How many packets are in flight.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// How many have come in so far.
    pub fn entered(&self) -> u64 {
        self.lowest + self.window.len() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_window_spans_from_the_oldest_in_flight_to_the_newest() {
        let mut packets = InFlight::new();
        for name in ["a", "b", "c"] {
            packets.enter(name);
        }
        assert_eq!(packets.leave(1), Some("b"));
        assert_eq!(packets.leave(1), None, "it has left");
        assert_eq!(packets.leave(3), None, "it has not come");
        assert_eq!((packets.lowest(), packets.count(), packets.entered()), (0, 2, 3));
        assert_eq!(packets.leave(0), Some("a"));
        assert_eq!((packets.lowest(), packets.count(), packets.window.len()), (2, 1, 1));
        assert_eq!(packets.leave(0), None);
        assert_eq!(packets.get_mut(2), Some(&mut "c"));
        assert_eq!(packets.leave(2), Some("c"));
        assert_eq!((packets.lowest(), packets.count(), packets.entered()), (3, 0, 3));
    }
}
