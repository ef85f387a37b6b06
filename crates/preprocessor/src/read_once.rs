//! A cache for the values of number literals.

use std::collections::BTreeMap;
use std::rc::Rc;

/// The length, in bytes, up to which reading a text again is cheaper than a look-up.
const SHORT: usize = 32;

/// A cache for the values of the numbers in a program. Each number is converted once, however often macros repeat it:
/// the time to convert decimal digits grows with the square of their number.
#[derive(Debug)]
pub struct ReadOnce<V> {
    /// The values, by the address of the text; the texts are kept here so that their addresses stay valid.
    read: BTreeMap<*const u8, (Rc<str>, V)>,
}

impl<V: Clone> ReadOnce<V> {
    /// Creates an empty cache.
    pub fn new() -> Self {
        Self { read: BTreeMap::new() }
    }

    /// Returns the result of `read` for this text, which is computed at most once for long texts. Only clones of the
    /// same [`Rc`] share a result.
    pub fn get(&mut self, text: &Rc<str>, read: impl FnOnce(&str) -> V) -> V {
        if text.len() <= SHORT {
            return read(text);
        }
        self.read.entry(text.as_ptr()).or_insert_with(|| (Rc::clone(text), read(text))).1.clone()
    }
}

impl<V: Clone> Default for ReadOnce<V> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_each_long_text_once_by_address() {
        let mut read = ReadOnce::new();
        let mut times = 0;
        let text: Rc<str> = Rc::from("7".repeat(40));
        let copy: Rc<str> = Rc::from(&*text);
        for text in [&text, &Rc::clone(&text), &copy, &text] {
            let length = read.get(text, |text| {
                times += 1;
                text.len()
            });
            assert_eq!(length, 40);
        }
        assert_eq!(times, 2);
    }
}
