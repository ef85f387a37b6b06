//! The bytes that a connection has to send, if they matter: the contents of messages, or what an application sends on a
//! socket. They are kept until they are acknowledged.

use std::collections::VecDeque;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use wire::Tail;

use super::stream::FIRST;

/// Appended bytes are merged into the last piece if it is shorter than this, so that many small pieces need no more
/// memory than their bytes.
const SMALL: usize = 4096;

/// The bytes to send. Positions are those of [`super::stream::Stream`].
#[derive(Debug, Serialize, Deserialize)]
pub struct ToSend {
    /// Consecutive pieces, each with the position of its first byte.
    pieces: VecDeque<(u64, Arc<[u8]>)>,
    /// The first position that is not acknowledged.
    start: u64,
    /// The position after the last piece.
    end: u64,
}

impl Default for ToSend {
    fn default() -> Self {
        Self { pieces: VecDeque::new(), start: FIRST, end: FIRST }
    }
}

impl ToSend {
    /// Appends bytes to the end.
    pub fn append(&mut self, bytes: Arc<[u8]>) {
        let place = self.end;
        self.end += bytes.len() as u64;
        match self.pieces.back_mut() {
            Some((_, last)) if last.len() < SMALL => *last = last.iter().chain(&*bytes).copied().collect(),
            _ if bytes.is_empty() => {}
            _ => self.pieces.push_back((place, bytes)),
        }
    }

    /// Returns the number of bytes that are still to be sent or acknowledged.
    pub fn unacknowledged(&self) -> usize {
        (self.end - self.start) as usize
    }

    /// Drops everything below a position, which was acknowledged.
    pub fn acknowledged(&mut self, place: u64) {
        // The position may lie beyond the FIN, which is not a byte.
        self.start = place.clamp(self.start, self.end);
        let start = self.start;
        while self.pieces.pop_front_if(|(place, bytes)| *place + bytes.len() as u64 <= start).is_some() {}
    }

    /// Returns `length` bytes from a position on, which must not have been acknowledged yet.
    pub fn payload(&self, place: u64, length: u32) -> Tail {
        let (start, length) = (place.max(FIRST), length as usize);
        if length == 0 {
            return Tail::Length(0);
        }
        let first = self.pieces.partition_point(|(place, bytes)| place + bytes.len() as u64 <= start);
        let Some((place, piece)) = self.pieces.get(first) else { return Tail::Length(length as u32) };
        let skip = start.saturating_sub(*place) as usize;
        if let Some(bytes) = piece.get(skip..skip + length) {
            return Tail::Bytes(bytes.into());
        }
        let bytes = self.pieces.range(first..).flat_map(|(_, piece)| piece.iter());
        Tail::Bytes(bytes.skip(skip).take(length).copied().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(to_send: &ToSend, place: u64, length: u32) -> Vec<u8> {
        match to_send.payload(place, length) {
            Tail::Bytes(bytes) => bytes.to_vec(),
            Tail::Length(length) => panic!("{length} bytes that are not there"),
        }
    }

    #[test]
    fn unacknowledged_bytes_can_be_read_again() {
        let mut to_send = ToSend::default();
        to_send.append([10, 11, 12, 13].into());
        assert_eq!(bytes(&to_send, 2, 2), [11, 12]);
        to_send.acknowledged(2);
        to_send.append([14].into());
        assert_eq!((bytes(&to_send, 2, 4), to_send.unacknowledged()), (vec![11, 12, 13, 14], 4));
        // This acknowledges the FIN as well.
        to_send.acknowledged(7);
        assert_eq!((to_send.unacknowledged(), to_send.pieces.len()), (0, 0));
    }

    #[test]
    fn a_payload_may_span_several_pieces() {
        let all: Vec<u8> = (0..3 * SMALL).map(|place| (place / 7) as u8).collect();
        let mut to_send = ToSend::default();
        all.chunks(SMALL).for_each(|piece| to_send.append(piece.into()));
        assert_eq!(to_send.pieces.len(), 3);
        for (start, length) in [(0, 1), (SMALL - 1, 2), (SMALL - 9, SMALL + 20), (0, 3 * SMALL)] {
            assert_eq!(bytes(&to_send, FIRST + start as u64, length as u32), all[start..start + length]);
        }
        to_send.acknowledged(FIRST + SMALL as u64 + 5);
        assert_eq!((to_send.pieces.len(), to_send.unacknowledged()), (2, 2 * SMALL - 5));
    }

    #[test]
    fn small_pieces_are_merged() {
        let mut to_send = ToSend::default();
        (0..=255).for_each(|byte| to_send.append([byte].into()));
        to_send.append([].into());
        assert_eq!((to_send.pieces.len(), to_send.unacknowledged()), (1, 256));
        assert_eq!(bytes(&to_send, FIRST + 255, 1), [255]);
    }
}
