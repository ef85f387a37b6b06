//! Conditions on state: counters, words of the memory that threads share, and records.

use std::fmt;

use super::check::{Comparison, CounterCheck};
use crate::{CounterNumber, Info, RecordTableNumber, Response, SegmentNumber};

/// A condition on what a request reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Check {
    /// A condition on counters.
    Counter(CounterNumber, CounterCheck),
    /// A condition on a word of shared memory.
    Word {
        /// The segment.
        segment: SegmentNumber,
        /// The distance of the word from the beginning of the segment, in bytes.
        offset: u64,
        /// The condition.
        check: NumberCheck,
    },
    /// A condition on the number of records of a table.
    Records(RecordTableNumber, NumberCheck),
}

/// A condition on a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NumberCheck {
    /// The comparison.
    pub comparison: Comparison,
    /// The number on its right.
    pub value: u64,
}

impl Check {
    /// Checks what was read.
    ///
    /// # Errors
    /// Returns a description of what was read if it does not satisfy the condition.
    pub fn verify(&self, info: &Info, response: &Response) -> Result<(), String> {
        match (self, response) {
            (Self::Counter(counter, check), response) => check.verify(info, *counter, response),
            (Self::Word { segment, offset, check }, Response::Words(words)) => {
                let name = &info.segment(*segment).identity.name;
                match words.first() {
                    Some(word) if check.holds(*word) => Ok(()),
                    Some(word) => {
                        Err(format!("the word at byte {offset} of segment `{name}` is {word}; it must be {check}"))
                    }
                    None => Err(format!("segment `{name}` was not read")),
                }
            }
            (Self::Records(table, check), Response::Records(records)) => {
                let (name, found) = (&info.record_table(*table).identity.name, records.len());
                match check.holds(found as u64) {
                    true => Ok(()),
                    false => Err(format!("table of records `{name}` has {found} records; it must have {check}")),
                }
            }
            (Self::Word { segment, .. }, _) => {
                Err(format!("segment `{}` was not read", info.segment(*segment).identity.name))
            }
            (Self::Records(table, _), _) => {
                Err(format!("table of records `{}` was not read", info.record_table(*table).identity.name))
            }
        }
    }
}

impl NumberCheck {
    /// Returns whether a number satisfies the condition.
    pub fn holds(&self, found: u64) -> bool {
        self.comparison.holds(found, self.value)
    }
}

impl fmt::Display for NumberCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.comparison.sign(), self.value)
    }
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Counter(_, check) => check.fmt(f),
            Self::Word { check, .. } | Self::Records(_, check) => check.fmt(f),
        }
    }
}
