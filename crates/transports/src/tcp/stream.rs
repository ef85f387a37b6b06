//! Sequence numbers (RFC 9293, section 3.4), which have 32 bits on the wire and are 64-bit stream positions here.
//!
//! Position 0 is the SYN, position 1 is the first byte of payload, and the FIN follows the last byte. Wrap-around is
//! handled only in this module.

use serde::{Deserialize, Serialize};

/// The position of the first byte of payload.
pub const FIRST: u64 = 1;

/// The conversion between sequence numbers and positions of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stream {
    /// The initial sequence number, which is that of the SYN.
    pub first: u32,
}

impl Stream {
    /// Returns the sequence number of a position.
    pub fn number(self, place: u64) -> u32 {
        self.first.wrapping_add(place as u32)
    }

    /// Returns the position with a sequence number that is nearest to `near`; `None` if it would lie before the stream.
    pub fn place(self, number: u32, near: u64) -> Option<u64> {
        let distance = number.wrapping_sub(self.number(near)) as i32;
        near.checked_add_signed(i64::from(distance))
    }
}

/// The multiplier that spreads message numbers over initial sequence numbers; it is odd, so that it has an inverse.
const SPREAD: u32 = 0x9E37_79B1;
const GATHER: u32 = inverse(SPREAD);

/// Returns the initial sequence number of the connection for a message. It tells the receiver the message number at no
/// cost: any value is allowed, and RFC 6528 only asks for values that attackers cannot guess, of which a simulation has
/// none.
pub fn first_number(message: u32) -> u32 {
    message.wrapping_mul(SPREAD)
}

/// Returns the number of the message whose connection has this initial sequence number.
pub fn message_number(first: u32) -> u32 {
    first.wrapping_mul(GATHER)
}

/// Returns the inverse of an odd number modulo 2^32 by Newton's iteration: each step doubles the number of correct
/// bits.
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
    fn positions_survive_wrap_around() {
        let stream = Stream { first: u32::MAX - 9 };
        for near in [0u64, 5, 1 << 31, (1 << 32) + 3, 1 << 40] {
            for place in near.saturating_sub(1000)..near + 1000 {
                assert_eq!(stream.place(stream.number(place), near), Some(place));
            }
        }
        assert_eq!(stream.place(stream.first.wrapping_sub(1), 0), None);
    }

    #[test]
    fn the_initial_sequence_number_identifies_the_message() {
        for message in [0, 1, 2, 77_777, u32::MAX] {
            assert_eq!(message_number(first_number(message)), message);
        }
    }
}
