//! Packet sequence numbers, which have 24 bits on the wire and are 64-bit positions here. Wrap-around is handled only
//! in this module.

use wire::infiniband::NUMBERS;

/// The sequence number of the first packet of every queue pair. Both sides agree on it when they are connected, which
/// is not modelled. It is shortly before the end of the number space, so that every longer run wraps around.
const FIRST: u32 = NUMBERS - 200;

/// Returns the sequence number of a position.
pub fn number(position: u64) -> u32 {
    FIRST.wrapping_add(position as u32) % NUMBERS
}

/// Returns the position with a sequence number that is nearest to `near` (as in RFC 1982); `None` if it would lie
/// before the first packet.
pub fn position(number_there: u32, near: u64) -> Option<u64> {
    let distance = number_there.wrapping_sub(number(near)) << 8;
    near.checked_add_signed(i64::from(distance as i32 >> 8))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_survive_wrap_around() {
        assert_eq!([number(0), number(199), number(200)], [NUMBERS - 200, NUMBERS - 1, 0]);
        for near in [0u64, 199, 1 << 23, (1 << 24) - 1, (1 << 24) + 5, (1 << 40) + 3] {
            let half = u64::from(NUMBERS / 2);
            for position_there in [near.saturating_sub(half), near.saturating_sub(1), near, near + 1, near + half - 1] {
                assert_eq!(position(number(position_there), near), Some(position_there));
            }
        }
        assert_eq!(position(FIRST - 1, 0), None);
    }
}
