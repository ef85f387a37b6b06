//! Assignment of numbers as in BMv2.

use std::collections::BTreeMap;

/// A collection of numbered items, in which each new item gets the smallest unused number.
#[derive(Clone, Debug)]
pub(crate) struct Numbered<T> {
    things: BTreeMap<u32, T>,
    /// A number below which all are used, so that adding an item does not search through all of them.
    least_free: u32,
}

impl<T> Default for Numbered<T> {
    fn default() -> Self {
        Self { things: BTreeMap::new(), least_free: 0 }
    }
}

impl<T> Numbered<T> {
    pub(crate) fn add(&mut self, thing: T) -> u32 {
        let mut number = self.least_free;
        while self.things.contains_key(&number) {
            number += 1;
        }
        self.things.insert(number, thing);
        self.least_free = number + 1;
        number
    }

    pub(crate) fn get(&self, number: u32) -> Option<&T> {
        self.things.get(&number)
    }

    pub(crate) fn get_mut(&mut self, number: u32) -> Option<&mut T> {
        self.things.get_mut(&number)
    }

    pub(crate) fn remove(&mut self, number: u32) -> Option<T> {
        let removed = self.things.remove(&number);
        if removed.is_some() {
            self.least_free = self.least_free.min(number);
        }
        removed
    }

    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Returns a description of the used numbers for messages.
    pub(crate) fn known(&self, what: &str) -> String {
        match (self.things.keys().next(), self.things.keys().next_back()) {
            (Some(first), Some(last)) if first == last => format!("the only {what} is {first}"),
            (Some(first), Some(last)) => format!("there are {} from {first} to {last}", self.things.len()),
            _ => format!("there is no {what} yet"),
        }
    }
}

impl<T> FromIterator<T> for Numbered<T> {
    fn from_iter<I: IntoIterator<Item = T>>(things: I) -> Self {
        let mut numbered = Self::default();
        for thing in things {
            numbered.add(thing);
        }
        numbered
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assigns_the_smallest_unused_number() {
        let mut letters: Numbered<char> = "abcd".chars().collect();
        assert_eq!((letters.remove(2), letters.remove(1)), (Some('c'), Some('b')));
        assert_eq!([letters.add('x'), letters.add('y'), letters.add('z')], [1, 2, 4]);
        assert_eq!(letters.remove(9), None);
        letters.clear();
        assert_eq!(letters.add('a'), 0);
    }
}
