//! What texts mean, each read once.

use std::collections::BTreeMap;
use std::rc::Rc;

/// Shorter texts are read again in less time than it takes to look them up.
const SHORT: usize = 32;

/// What the numbers of a program mean. Each is read once, however often a macro puts it somewhere: to read decimal
/// digits takes time that grows with their square.
#[derive(Debug)]
pub struct ReadOnce<V> {
    /// By the place of the text in memory, where it stays as long as it is kept here.
    read: BTreeMap<*const u8, (Rc<str>, V)>,
}

impl<V: Clone> ReadOnce<V> {
    /// Nothing was read.
    pub fn new() -> Self {
        Self { read: BTreeMap::new() }
    }

    /// What `read` makes of this text, or made of it before.
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
    fn a_long_text_is_read_once_and_another_one_of_the_same_letters_is_another_one() {
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
