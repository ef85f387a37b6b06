//! Which sequence numbers have come already (RFC 4303, section 3.4.3).

use crate::handover::WINDOW_WORDS as WORDS;

/// The number of sequence numbers that a window covers: what comes later than so many others is taken for a copy. It is a word less than
/// there is room for, so that a word can be cleared as a whole when the greatest number enters it (RFC 6479, section 2).
pub const LENGTH: u64 = (WORDS as u64 - 1) * 64;

/// The sequence numbers that have come, up to the greatest one and [`LENGTH`] back.
#[derive(Clone, Copy, Debug, Default)]
pub struct Window {
    greatest: u64,
    /// A bit for each number, at the place of the number modulo the length.
    seen: [u64; WORDS],
}

impl Window {
    /// The window with this greatest number and these bits; `None` if they do not say that the greatest number has come, and no greater one.
    pub fn of(greatest: u64, seen: [u64; WORDS]) -> Option<Self> {
        let (word, bit) = place(greatest);
        (greatest > 0 && seen[word] & !(bit - 1) == bit).then_some(Self { greatest, seen })
    }

    /// Returns the greatest number that has come, or 0, and the bits of those up to it.
    pub fn parts(&self) -> (u64, [u64; WORDS]) {
        (self.greatest, self.seen)
    }

    /// Returns true if a number can be new: it is greater than all, or within the window and not seen.
    pub fn is_new(&self, number: u64) -> bool {
        if number > self.greatest {
            return true;
        }
        let (word, bit) = place(number);
        number != 0 && self.greatest - number < LENGTH && self.seen[word] & bit == 0
    }

    /// Records a number, of a packet that was verified.
    pub fn record(&mut self, number: u64) {
        if number > self.greatest {
            let words = number / 64 - self.greatest / 64;
            // What the window moves over is not seen yet.
            for step in 1..=words.min(WORDS as u64) {
                self.seen[((self.greatest / 64 + step) % WORDS as u64) as usize] = 0;
            }
            self.greatest = number;
        }
        let (word, bit) = place(number);
        self.seen[word] |= bit;
    }

    /// Returns the number of which these are the low 32 bits: the one in the window, or the next one behind its lower end
    /// (RFC 4303, appendix A2.2).
    pub fn extended(&self, low: u32) -> u64 {
        let bottom = (self.greatest + 1).saturating_sub(LENGTH);
        let number = bottom & !u64::from(u32::MAX) | u64::from(low);
        if number < bottom { number.saturating_add(1 << 32) } else { number }
    }
}

fn place(number: u64) -> (usize, u64) {
    ((number / 64 % WORDS as u64) as usize, 1 << (number % 64))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_number_is_new_once_as_a_set_would_say(
            start in prop_oneof![Just(0_u64), Just(u64::from(u32::MAX) - 100), any::<u32>().prop_map(u64::from)],
            steps in prop::collection::vec(prop_oneof![4 => 0_u64..8, 2 => 0_u64..5000, 1 => 0_u64..1 << 33], 1..400),
        ) {
            let (mut window, mut seen, mut greatest) = (Window::default(), BTreeSet::new(), 0);
            for (at, step) in steps.into_iter().enumerate() {
                let base: u64 = if at == 0 { start } else { greatest };
                // Most go forwards; some lie behind.
                let number = if at % 3 == 2 { base.saturating_sub(step) } else { base + step };
                let is_new = number > greatest || number != 0 && greatest - number < LENGTH && !seen.contains(&number);
                prop_assert_eq!(window.is_new(number), is_new, "{} at {}", number, greatest);
                if window.is_new(number) {
                    window.record(number);
                    seen.insert(number);
                    greatest = greatest.max(number);
                }
            }
        }
    }

    #[test]
    fn high_bits_are_those_of_the_window() {
        let mut window = Window::default();
        assert_eq!(window.extended(1), 1);
        window.record(u64::from(u32::MAX) - 10);
        assert_eq!(window.extended(u32::MAX), u64::from(u32::MAX));
        assert_eq!(window.extended(3), (1 << 32) + 3, "it has turned over");
        window.record((1 << 32) + 3);
        assert_eq!(window.extended(u32::MAX - 1), u64::from(u32::MAX) - 1, "a late one");
        assert_eq!(window.extended(4), (1 << 32) + 4);
    }
}
