//! Cumulative counts of quanta, of which only the low bits are sent on the wire.

/// Returns the count nearest to `known` with the given low 16 bits; `None` if it would be negative.
pub fn whole_of_16(known: u64, low: u16) -> Option<u64> {
    let difference = low.wrapping_sub(known as u16) as i16;
    known.checked_add_signed(i64::from(difference))
}

/// Returns the count nearest to `known` with the given low 32 bits; `None` if it would be negative.
pub fn whole_of_32(known: u64, low: u32) -> Option<u64> {
    let difference = low.wrapping_sub(known as u32) as i32;
    known.checked_add_signed(i64::from(difference))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_restored_from_their_low_bits() {
        for known in [0_u64, 5, 32_767, 32_768, 65_535, 65_536, 70_000, 1 << 31, 1 << 32, (1 << 40) - 3] {
            for difference in [-32_768_i64, -20_000, -1, 0, 1, 32_767] {
                let count = known.checked_add_signed(difference);
                assert_eq!(whole_of_16(known, known.wrapping_add_signed(difference) as u16), count);
                assert_eq!(whole_of_32(known, known.wrapping_add_signed(difference) as u32), count);
            }
        }
    }
}
