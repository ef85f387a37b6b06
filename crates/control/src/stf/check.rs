//! What a counter must have counted.

use std::fmt;

use crate::{CounterNumber, Info, Response};

/// What a counter must have counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CounterCheck {
    /// Packets or bytes.
    pub amount: Amount,
    /// How it compares.
    pub comparison: Comparison,
    /// To what.
    pub value: u64,
}

/// What is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Amount {
    /// The number of packets.
    Packets,
    /// The number of their bytes.
    Bytes,
}

/// How numbers compare.
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
    /// Every comparison with its sign, longer signs first.
    pub(super) const ALL: [(&'static str, Self); 6] = [
        ("==", Self::Equal),
        ("!=", Self::NotEqual),
        ("<=", Self::LessOrEqual),
        (">=", Self::GreaterOrEqual),
        ("<", Self::Less),
        (">", Self::Greater),
    ];

    /// Whether two numbers compare so.
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
        let sign = Comparison::ALL.iter().find(|(_, comparison)| *comparison == self.comparison);
        write!(f, "{amount} {} {}", sign.map_or("", |(sign, _)| sign), self.value)
    }
}

impl CounterCheck {
    /// Whether the counter that was read is as it must be.
    ///
    /// # Errors
    /// What it is instead, for people.
    pub fn verify(&self, info: &Info, counter: CounterNumber, response: &Response) -> Result<(), String> {
        let name = &info.counter(counter).identity.name;
        let Response::Counters(counts) = response else {
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
