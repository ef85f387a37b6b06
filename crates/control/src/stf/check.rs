//! A condition on the value of a counter.

use std::fmt;

use crate::{CounterNumber, Info, Response};

/// A condition on the value of a counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CounterCheck {
    /// Whether packets or bytes are compared.
    pub amount: Amount,
    /// The comparison.
    pub comparison: Comparison,
    /// The number that the counter is compared with.
    pub value: u64,
}

/// The part of a counter that is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Amount {
    /// The number of packets.
    Packets,
    /// The number of bytes.
    Bytes,
}

/// A comparison of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
}

impl Comparison {
    /// All comparisons with their signs, longer signs first.
    pub(super) const ALL: [(&'static str, Self); 6] = [
        ("==", Self::Equal),
        ("!=", Self::NotEqual),
        ("<=", Self::LessOrEqual),
        (">=", Self::GreaterOrEqual),
        ("<", Self::Less),
        (">", Self::Greater),
    ];

    /// Returns the sign of the comparison.
    pub(super) fn sign(self) -> &'static str {
        Self::ALL.iter().find(|(_, comparison)| *comparison == self).map_or("", |(sign, _)| sign)
    }

    /// Returns whether the comparison holds for two numbers.
    pub fn holds(self, left: u64, right: u64) -> bool {
        match self {
            Self::Equal => left == right,
            Self::NotEqual => left != right,
            Self::Less => left < right,
            Self::LessOrEqual => left <= right,
            Self::Greater => left > right,
            Self::GreaterOrEqual => left >= right,
        }
    }
}

impl fmt::Display for CounterCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let amount = match self.amount {
            Amount::Packets => "packets",
            Amount::Bytes => "bytes",
        };
        write!(f, "{amount} {} {}", self.comparison.sign(), self.value)
    }
}

impl CounterCheck {
    /// Checks the counters that were read.
    ///
    /// # Errors
    /// Returns a description of the actual value if a counter does not satisfy the condition.
    pub fn verify(&self, info: &Info, counter: CounterNumber, response: &Response) -> Result<(), String> {
        let name = &info.counter(counter).identity.name;
        // What all pipes have counted together, if the line names none.
        let Response::Counters(counts) = response.clone().merged() else {
            return Err(format!("counter `{name}` was not read"));
        };
        for count in counts {
            let found = match self.amount {
                Amount::Packets => count.packets,
                Amount::Bytes => count.bytes,
            };
            if !self.comparison.holds(found, self.value) {
                let all = format!("{} packets, {} bytes", count.packets, count.bytes);
                return Err(format!("counter `{name}` has counted {all}; it must have counted {self}"));
            }
        }
        Ok(())
    }
}
