//! The bytes that have arrived on a connection, if they matter. They are kept until an application takes them from a
//! socket, or until the message that they belong to is complete.

use std::collections::VecDeque;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::segment::Payload;
use super::stream::FIRST;

/// The bytes that have arrived. Positions are those of [`super::stream::Stream`].
#[derive(Debug, Serialize, Deserialize)]
pub struct Received {
    /// The bytes from `taken` on, with zeros where some are missing.
    bytes: VecDeque<u8>,
    /// The first position that was not taken.
    taken: u64,
}

impl Default for Received {
    fn default() -> Self {
        Self { bytes: VecDeque::new(), taken: FIRST }
    }
}

impl Received {
    /// Stores a payload whose first byte has the position `place`. Bytes that were already taken are skipped, and so
    /// are those at or after `window_end`.
    pub fn arrived(&mut self, place: u64, payload: &Payload, window_end: u64) {
        let skip = self.taken.saturating_sub(place);
        let end = (place + payload.len()).min(window_end);
        if place + skip >= end {
            return;
        }
        let start = (place + skip - self.taken) as usize;
        let end = (end - self.taken) as usize;
        if end > self.bytes.len() {
            self.bytes.resize(end, 0);
        }
        let bytes = payload.bytes().skip(skip as usize);
        self.bytes.range_mut(start..end).zip(bytes).for_each(|(to, from)| *to = from);
    }

    /// Moves the bytes before `place`, none of which may be missing, to the end of `into`, and returns their number.
    pub fn take(&mut self, place: u64, into: &mut Vec<u8>) -> u64 {
        let count = place.saturating_sub(self.taken).min(self.bytes.len() as u64);
        into.extend(self.bytes.drain(..count as usize));
        self.taken += count;
        count
    }

    /// Returns the first `length` bytes, none of which may have been taken.
    pub fn all(mut self, length: u64) -> Arc<[u8]> {
        self.bytes.resize(length as usize, 0);
        Vec::from(self.bytes).into()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        /// Payloads that arrive in any order, repeatedly and with any boundaries yield the bytes in order.
        #[test]
        fn bytes_are_delivered_in_order(
            cuts in proptest::collection::vec((0..60usize, 1..20usize, any::<bool>()), 0..40),
        ) {
            let sent: Vec<u8> = (1..=80).collect();
            let mut received = Received::default();
            let mut has = [false; 80];
            let mut taken = Vec::new();
            for (start, length, takes) in cuts {
                let bytes = &sent[start..start + length];
                let (head, tail) = bytes.split_at(length / 2);
                received.arrived(FIRST + start as u64, &Payload::new(head, tail, 0), u64::MAX);
                has[start..start + length].fill(true);
                let next = has.iter().position(|&has| !has).unwrap_or(80);
                if takes {
                    received.take(FIRST + next as u64, &mut taken);
                    prop_assert_eq!(&taken[..], &sent[..next]);
                }
            }
        }
    }

    #[test]
    fn lengths_and_gaps_read_as_zeros() {
        let mut received = Received::default();
        received.arrived(FIRST + 1, &Payload::new(&[5], &[6], 0), u64::MAX);
        received.arrived(FIRST + 3, &Payload::new(&[], &[], 2), u64::MAX);
        assert_eq!(&received.all(6)[..], [0, 5, 6, 0, 0, 0]);
    }
}
