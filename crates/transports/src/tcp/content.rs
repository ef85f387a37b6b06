//! The bytes of a connection, where they matter: those that are to be sent, until they are acknowledged, and those that
//! have arrived, until the application has taken them. Messages of simulations have none, and pay nothing for them.

use std::collections::VecDeque;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::segment::Payload;

/// The first place of payload; see [`super::stream::Stream`].
const FIRST: u64 = 1;

/// The bytes of a connection, and what its application knows of it.
#[derive(Debug, Serialize, Deserialize)]
pub struct Content {
    outgoing: VecDeque<u8>,
    /// The place of its first byte.
    outgoing_start: u64,
    /// From `taken` on, with zeros where something is missing.
    incoming: VecDeque<u8>,
    /// The first place that the application has not taken.
    taken: u64,
    /// The application does not want to hear of it any more.
    pub is_released: bool,
    /// It ended by a RST, or because the other side was silent for too long.
    pub is_broken: bool,
}

impl Default for Content {
    fn default() -> Self {
        Self {
            outgoing: VecDeque::new(),
            outgoing_start: FIRST,
            incoming: VecDeque::new(),
            taken: FIRST,
            is_released: false,
            is_broken: false,
        }
    }
}

impl Content {
    /// Takes bytes to be sent behind all others.
    pub fn append(&mut self, bytes: &[u8]) {
        self.outgoing.extend(bytes);
    }

    /// How many bytes are to be sent or wait for their acknowledgement.
    pub fn unacknowledged(&self) -> usize {
        self.outgoing.len()
    }

    /// Everything below a place was acknowledged.
    pub fn acknowledged(&mut self, place: u64) {
        // A FIN is no byte.
        let count = place.saturating_sub(self.outgoing_start).min(self.outgoing.len() as u64);
        self.outgoing.drain(..count as usize);
        self.outgoing_start += count;
    }

    /// `length` bytes from a place on, which were not acknowledged.
    pub fn payload(&self, place: u64, length: u32) -> Arc<[u8]> {
        let start = place.max(FIRST).saturating_sub(self.outgoing_start) as usize;
        self.outgoing.iter().skip(start).take(length as usize).copied().collect()
    }

    /// A payload has arrived whose first byte has this place. What the application has taken is skipped, and so is what
    /// lies at or behind `window_end`.
    pub fn arrived(&mut self, place: u64, payload: &Payload, window_end: u64) {
        let skip = self.taken.saturating_sub(place);
        let end = (place + payload.len()).min(window_end);
        if self.is_released || place + skip >= end {
            return;
        }
        let start = (place + skip - self.taken) as usize;
        let end = (end - self.taken) as usize;
        if end > self.incoming.len() {
            self.incoming.resize(end, 0);
        }
        let bytes = payload.bytes().skip(skip as usize);
        self.incoming.range_mut(start..end).zip(bytes).for_each(|(to, from)| *to = from);
    }

    /// Nobody will take anything any more.
    pub fn release(&mut self) {
        self.is_released = true;
        self.incoming = VecDeque::new();
    }

    /// Hands on what lies before a place, before which nothing is missing. Says how many bytes that are.
    pub fn take(&mut self, place: u64, into: &mut Vec<u8>) -> u64 {
        let count = place.saturating_sub(self.taken).min(self.incoming.len() as u64);
        into.extend(self.incoming.drain(..count as usize));
        self.taken += count;
        count
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        /// Payloads that come in any order, more than once and in any cut give the bytes in their order.
        #[test]
        fn what_arrives_is_handed_on_in_order(
            cuts in proptest::collection::vec((0..60usize, 1..20usize, any::<bool>()), 0..40),
        ) {
            let sent: Vec<u8> = (1..=80).collect();
            let mut content = Content::default();
            let mut has = [false; 80];
            let mut taken = Vec::new();
            for (start, length, takes) in cuts {
                let bytes = &sent[start..start + length];
                let (head, tail) = bytes.split_at(length / 2);
                content.arrived(FIRST + start as u64, &Payload::new(head, tail, 0), u64::MAX);
                has[start..start + length].fill(true);
                let next = has.iter().position(|&has| !has).unwrap_or(80);
                if takes {
                    content.take(FIRST + next as u64, &mut taken);
                    prop_assert_eq!(&taken[..], &sent[..next]);
                }
            }
        }
    }

    #[test]
    fn what_is_sent_again_has_the_same_bytes_until_it_is_acknowledged() {
        let mut content = Content::default();
        content.append(&[10, 11, 12, 13]);
        assert_eq!(&content.payload(2, 2)[..], [11, 12]);
        content.acknowledged(2);
        content.append(&[14]);
        assert_eq!((&content.payload(2, 9)[..], content.unacknowledged()), (&[11, 12, 13, 14][..], 4));
        // With the FIN.
        content.acknowledged(7);
        assert_eq!(content.unacknowledged(), 0);
    }
}
