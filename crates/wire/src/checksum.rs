//! The Internet checksum (RFC 1071), computed at once or in parts, and its incremental update (RFC 1624).

/// A one's complement sum of the parts of a packet, which may be added in any order, at even or odd offsets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sum(u64);

impl Sum {
    /// Adds bytes that start at an even offset of the summed data.
    pub fn add(&mut self, bytes: &[u8]) {
        self.0 += u64::from(partial(bytes));
    }

    /// Adds bytes that start at an odd offset of the summed data: their sum with its two bytes swapped (RFC 1071,
    /// section 2, B).
    pub fn add_at_odd_place(&mut self, bytes: &[u8]) {
        self.0 += u64::from(partial(bytes).swap_bytes());
    }

    /// Adds one 16-bit word.
    pub fn add_word(&mut self, word: u16) {
        self.0 += u64::from(word);
    }

    /// Adds the sum of bytes that start at an even offset of the summed data.
    pub fn add_sum(&mut self, sum: Self) {
        self.0 += sum.0;
    }

    /// Returns the sum as 16 bits, not complemented.
    pub fn folded(self) -> u16 {
        let mut sum = self.0;
        while sum >> 16 != 0 {
            sum = (sum & 0xFFFF) + (sum >> 16);
        }
        sum as u16
    }

    /// Returns the checksum: the complement of the sum.
    pub fn checksum(self) -> u16 {
        !self.folded()
    }
}

/// The number of bytes that are summed at a time, in words of 32 bits side by side.
const LANES: usize = 32;

/// Returns the sum of bytes that start at an even offset, folded to 16 bits. A last byte without a partner is padded
/// with a zero byte.
///
/// Words are summed as the processor has them, 32 bits at a time: the sum of bytes in the other order is the sum with its
/// two bytes swapped, and carries of wider words fold into it like others (RFC 1071, section 2, B and C).
fn partial(bytes: &[u8]) -> u16 {
    let mut lanes = [0u64; LANES / 4];
    let (blocks, rest) = bytes.as_chunks::<LANES>();
    for block in blocks {
        for (lane, word) in lanes.iter_mut().zip(block.as_chunks::<4>().0) {
            *lane += u64::from(u32::from_le_bytes(*word));
        }
    }
    let mut sum: u64 = lanes.iter().sum();
    let (words, last) = rest.as_chunks::<2>();
    for word in words {
        sum += u64::from(u16::from_le_bytes(*word));
    }
    if let [last] = last {
        sum += u64::from(*last);
    }
    Sum(sum).folded().swap_bytes()
}

/// Returns the checksum of `bytes`, which is 0 if they contain their own correct checksum.
pub fn of(bytes: &[u8]) -> u16 {
    let mut sum = Sum::default();
    sum.add(bytes);
    sum.checksum()
}

/// Returns the checksum after some of the summed bytes have changed from `old` to `new`, which must be equally long.
/// `at_odd_place` says that they start at an odd offset of the summed data.
///
/// RFC 1624, equation 3: HC' = ~(~HC + ~m + m'). The equation of RFC 1141, which it replaces, could give 0xFFFF for a
/// sum of zero.
///
/// # Panics
///
/// Panics in builds with debug assertions if `old` and `new` differ in length.
pub fn update(checksum: u16, old: &[u8], new: &[u8], at_odd_place: bool) -> u16 {
    debug_assert_eq!(old.len(), new.len());
    let (mut before, mut after) = (partial(old), partial(new));
    if at_odd_place {
        (before, after) = (before.swap_bytes(), after.swap_bytes());
    }
    let mut sum = Sum::default();
    sum.add_word(!checksum);
    sum.add_word(!before);
    sum.add_word(after);
    sum.checksum()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn computes_the_example_of_rfc_1071() {
        assert_eq!(of(&[0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7]), !0xddf2);
    }

    #[test]
    fn updates_the_example_of_rfc_1624() {
        // Section 4: HC = 0xDD2F, m = 0x5555, m' = 0x3285 gives 0x0000, where RFC 1141 gave 0xFFFF.
        assert_eq!(update(0xDD2F, &[0x55, 0x55], &[0x32, 0x85], false), 0x0000);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn an_update_equals_a_fresh_computation(
            mut bytes in proptest::collection::vec(any::<u8>(), 3..80),
            new in proptest::collection::vec(any::<u8>(), 1..9),
            place in any::<prop::sample::Index>(),
        ) {
            // A first byte that never changes keeps the data from being all zeros, the only case in which a fresh
            // computation distinguishes the two zeros of one's complement and an update cannot.
            bytes[0] = 1;
            let start = 1 + place.index(bytes.len() - 1);
            let end = (start + new.len()).min(bytes.len());
            let before = of(&bytes);
            let old = bytes[start..end].to_vec();
            bytes[start..end].copy_from_slice(&new[..end - start]);
            prop_assert_eq!(update(before, &old, &bytes[start..end], start % 2 == 1), of(&bytes));
        }

        /// RFC 1071, section 1: words of 16 bits are added one by one, and carries are added to the sum.
        #[test]
        fn wide_words_give_the_sum_of_narrow_ones(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let add = |sum: u16, word: &[u8]| {
                let (sum, carry) = sum.overflowing_add(u16::from_be_bytes([word[0], *word.get(1).unwrap_or(&0)]));
                sum + u16::from(carry)
            };
            prop_assert_eq!(partial(&bytes), bytes.chunks(2).fold(0, add));
        }

        #[test]
        fn parts_sum_to_the_whole(bytes in proptest::collection::vec(any::<u8>(), 0..80), cut in any::<prop::sample::Index>()) {
            let cut = cut.index(bytes.len() + 1);
            let mut sum = Sum::default();
            sum.add(&bytes[..cut]);
            if cut % 2 == 0 { sum.add(&bytes[cut..]) } else { sum.add_at_odd_place(&bytes[cut..]) }
            prop_assert_eq!(sum.checksum(), of(&bytes));
        }
    }
}
