//! Sequence numbers (RFC 9293, section 3.4): 32 bits on the wire, places in a stream of 64 bits here.
//!
//! Place 0 is the SYN, 1 the first byte of payload, and the FIN is behind the last. So that nothing wraps but here.

use serde::{Deserialize, Serialize};

/// The place of the first byte of payload.
pub const FIRST: u64 = 1;

/// Between the numbers of a stream and its places.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stream {
    /// The number of the SYN.
    pub first: u32,
}

impl Stream {
    /// The number of a place.
    pub fn number(self, place: u64) -> u32 {
        self.first.wrapping_add(place as u32)
    }

    /// The place with a number that is nearest to another; `None` if that is before the stream.
    pub fn place(self, number: u32, near: u64) -> Option<u64> {
        let distance = number.wrapping_sub(self.number(near)) as i32;
        near.checked_add_signed(i64::from(distance))
    }
}

/// Spreads numbers of messages over initial sequence numbers; odd, so that it can be undone.
const SPREAD: u32 = 0x9E37_79B1;
const GATHER: u32 = inverse(SPREAD);

/// The initial sequence number of the connection for a message. It tells the receiver which message it is, at no cost:
/// any value is allowed, and RFC 6528 asks only that enemies cannot guess it, of which there are none here.
pub fn first_number(message: u32) -> u32 {
    message.wrapping_mul(SPREAD)
}

/// The number of the message whose connection has this initial sequence number.
pub fn message_number(first: u32) -> u32 {
    first.wrapping_mul(GATHER)
}

/// The inverse of an odd number modulo 2^32, by Newton's iteration: each step doubles the bits that are right.
const fn inverse(odd: u32) -> u32 {
    let mut result = odd;
    let mut step = 0;
    while step < 5 {
        result = result.wrapping_mul(2u32.wrapping_sub(odd.wrapping_mul(result)));
        step += 1;
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_found_across_the_end_of_the_numbers() {
        let stream = Stream { first: u32::MAX - 9 };
        for near in [0u64, 5, 1 << 31, (1 << 32) + 3, 1 << 40] {
            for place in near.saturating_sub(1000)..near + 1000 {
                assert_eq!(stream.place(stream.number(place), near), Some(place));
            }
        }
        assert_eq!(stream.place(stream.first.wrapping_sub(1), 0), None);
    }

    #[test]
    fn the_initial_sequence_number_tells_the_message() {
        for message in [0, 1, 2, 77_777, u32::MAX] {
            assert_eq!(message_number(first_number(message)), message);
        }
    }
}
