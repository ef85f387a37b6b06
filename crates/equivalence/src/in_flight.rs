//! Storage for data about the packets in flight.

use std::collections::VecDeque;

/// Data about each packet in flight, by index in the order of arrival.
///
/// This is a window over the sequence numbers from the oldest packet in flight to the newest. Its size depends on how
/// far packets in flight are apart, not on the length of the run, and no hashing is necessary.
#[derive(Debug)]
pub struct InFlight<T> {
    /// The data of the packets from `lowest` on; `None` for those that have left.
    window: VecDeque<Option<T>>,
    lowest: u64,
    count: u64,
}

impl<T> InFlight<T> {
    /// Creates storage without packets in flight.
    pub fn new() -> Self {
        Self { window: VecDeque::new(), lowest: 0, count: 0 }
    }

    /// Adds the next packet in the order of arrival.
    pub fn enter(&mut self, known: T) {
        self.window.push_back(Some(known));
        self.count += 1;
    }

    /// Returns the data of a packet, or `None` if it is not in flight.
    pub fn get_mut(&mut self, sequence: u64) -> Option<&mut T> {
        let place = usize::try_from(sequence.checked_sub(self.lowest)?).ok()?;
        self.window.get_mut(place)?.as_mut()
    }

    /// Removes a packet and returns its data, or `None` if it is not in flight.
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

    /// Returns the lowest sequence number in flight, or the next one to be added if none is.
    pub fn lowest(&self) -> u64 {
        self.lowest
    }

    /// Returns the number of packets in flight.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Returns the number of packets added so far.
    pub fn entered(&self) -> u64 {
        self.lowest + self.window.len() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_window_covers_exactly_the_packets_in_flight() {
        let mut packets = InFlight::new();
        for name in ["a", "b", "c"] {
            packets.enter(name);
        }
        assert_eq!(packets.leave(1), Some("b"));
        assert_eq!(packets.leave(1), None, "it has left");
        assert_eq!(packets.leave(3), None, "it has not arrived");
        assert_eq!((packets.lowest(), packets.count(), packets.entered()), (0, 2, 3));
        assert_eq!(packets.leave(0), Some("a"));
        assert_eq!((packets.lowest(), packets.count(), packets.window.len()), (2, 1, 1));
        assert_eq!(packets.leave(0), None);
        assert_eq!(packets.get_mut(2), Some(&mut "c"));
        assert_eq!(packets.leave(2), Some("c"));
        assert_eq!((packets.lowest(), packets.count(), packets.entered()), (3, 0, 3));
    }
}
