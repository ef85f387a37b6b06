//! The axes of a method, which plans may vary.

use std::ops::RangeInclusive;

use plans::Value;

/// An axis of a method.
#[derive(Clone, Debug)]
pub struct Axis {
    /// The name of the axis in plans.
    pub name: &'static str,
    /// The values that the axis accepts.
    pub accepts: Accepts,
    /// The value in experiments that give none; `None` if every experiment must give one.
    pub usual: Option<Value>,
}

/// The values that an axis accepts.
#[derive(Clone, Debug)]
pub enum Accepts {
    /// Integers within a range.
    Integers(RangeInclusive<u64>),
    /// One of these words.
    Words(Vec<String>),
    /// Words that a function accepts; its error says what would be accepted.
    Checked(fn(&str) -> Result<(), String>),
}

impl Axis {
    /// Makes an axis of integers.
    pub fn integers(name: &'static str, range: RangeInclusive<u64>) -> Self {
        Self { name, accepts: Accepts::Integers(range), usual: None }
    }

    /// Makes an axis of words.
    pub fn words<W: ToString>(name: &'static str, words: impl IntoIterator<Item = W>) -> Self {
        let words = words.into_iter().map(|word| word.to_string()).collect();
        Self { name, accepts: Accepts::Words(words), usual: None }
    }

    /// Makes an axis of words that `check` accepts.
    pub fn checked(name: &'static str, check: fn(&str) -> Result<(), String>) -> Self {
        Self { name, accepts: Accepts::Checked(check), usual: None }
    }

    /// Gives the axis a value for experiments that give none.
    #[must_use]
    pub fn usually(mut self, value: impl Into<Value>) -> Self {
        self.usual = Some(value.into());
        self
    }

    /// Returns what would be accepted instead of `value`; `None` if `value` is accepted.
    pub fn refuses(&self, value: &Value) -> Option<String> {
        match (&self.accepts, value) {
            (Accepts::Integers(range), Value::Integer(value)) if range.contains(value) => None,
            (Accepts::Integers(range), _) => {
                Some(format!("`{}` takes integers from {} to {}", self.name, range.start(), range.end()))
            }
            (Accepts::Words(words), Value::Word(word)) if words.contains(word) => None,
            (Accepts::Words(words), _) => Some(format!("`{}` takes {}", self.name, words.join(", "))),
            (Accepts::Checked(check), Value::Word(word)) => check(word).err(),
            (Accepts::Checked(_), _) => Some(format!("`{}` takes a word in quotes", self.name)),
        }
    }
}
