//! The axes of a method: what a plan may vary.

use std::ops::RangeInclusive;

use plans::Value;

/// One axis of a method.
#[derive(Clone, Debug)]
pub struct Axis {
    /// What plans call it.
    pub name: &'static str,
    /// What values it takes.
    pub accepts: Accepts,
}

/// What values an axis takes.
#[derive(Clone, Debug)]
pub enum Accepts {
    /// Counts within a range.
    Integers(RangeInclusive<u64>),
    /// One of these words.
    Words(Vec<String>),
    /// Words that a function accepts; it says what would be right.
    Checked(fn(&str) -> Result<(), String>),
}

impl Axis {
    /// An axis of counts.
    pub fn integers(name: &'static str, range: RangeInclusive<u64>) -> Self {
        Self { name, accepts: Accepts::Integers(range) }
    }

    /// An axis of words.
    pub fn words<W: ToString>(name: &'static str, words: impl IntoIterator<Item = W>) -> Self {
        let words = words.into_iter().map(|word| word.to_string()).collect();
        Self { name, accepts: Accepts::Words(words) }
    }

    /// What would be right instead of `value`; `None` if it is accepted.
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
