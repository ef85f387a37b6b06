//! Conditions on the value of a register: `== 1`, `>= now`.

use std::fmt;

use basis::{Duration, Instant};
use plans::Section;

/// A condition on a value at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Condition {
    comparison: Comparison,
    against: Against,
}

/// How a value is compared with the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comparison {
    Equal,
    NotEqual,
    Less,
    AtMost,
    AtLeast,
    Greater,
}

/// What a value is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Against {
    Number(u64),
    /// The simulated time in whole units of this length.
    Now(Duration),
}

const COMPARISONS: [(&str, Comparison); 6] = [
    ("==", Comparison::Equal),
    ("!=", Comparison::NotEqual),
    ("<=", Comparison::AtMost),
    (">=", Comparison::AtLeast),
    ("<", Comparison::Less),
    (">", Comparison::Greater),
];

/// The unit of time stamps of most programs.
const NANOSECOND: Duration = Duration::from_picoseconds(1000);

impl Condition {
    /// Reads `condition` and, if it compares with the time, `unit`; `None` if there is no condition, or after reporting
    /// an error.
    pub(super) fn read(section: &Section<'_>) -> Option<Self> {
        let (text, span) = section.text("condition")?;
        let Some(condition) = Self::new(&text) else {
            let hint = "one of ==, !=, <, <=, >= and >, and a number or `now`: condition = \">= now\"";
            section.error(&span, format!("`{text}` is no condition"), hint);
            return None;
        };
        Some(match condition.against {
            Against::Now(unit) => Self { against: Against::Now(section.positive("unit", unit)), ..condition },
            Against::Number(_) => condition,
        })
    }

    /// Parses a comparison and what is compared with; `now` is in nanoseconds.
    fn new(text: &str) -> Option<Self> {
        let text = text.trim();
        let (word, comparison) = COMPARISONS.into_iter().find(|(word, _)| text.starts_with(word))?;
        let against = match text[word.len()..].trim() {
            "now" => Against::Now(NANOSECOND),
            number => Against::Number(units::count(number, 0, u64::MAX).ok()?),
        };
        Some(Self { comparison, against })
    }

    /// Returns true if the condition holds for a value at a time.
    pub fn holds(&self, value: u64, at: Instant) -> bool {
        let other = match self.against {
            Against::Number(number) => number,
            Against::Now(unit) => at.picoseconds() / unit.picoseconds().max(1),
        };
        match self.comparison {
            Comparison::Equal => value == other,
            Comparison::NotEqual => value != other,
            Comparison::Less => value < other,
            Comparison::AtMost => value <= other,
            Comparison::AtLeast => value >= other,
            Comparison::Greater => value > other,
        }
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = COMPARISONS.iter().find(|(_, comparison)| *comparison == self.comparison);
        write!(f, "{} ", word.map_or("", |(word, _)| word))?;
        match self.against {
            Against::Number(number) => write!(f, "{number}"),
            Against::Now(_) => f.write_str("now"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_compared_with_a_number_or_with_the_time() {
        let holds = |text: &str, value| {
            let condition = Condition::new(text).expect("a condition");
            assert_eq!(condition.to_string(), text);
            condition.holds(value, Instant::from_microseconds(3))
        };
        assert_eq!([4, 5, 6].map(|value| holds("== 5", value)), [false, true, false]);
        assert_eq!([4, 5, 6].map(|value| holds("!= 5", value)), [true, false, true]);
        assert_eq!([4, 5, 6].map(|value| holds("< 5", value)), [true, false, false]);
        assert_eq!([4, 5, 6].map(|value| holds("<= 5", value)), [true, true, false]);
        assert_eq!([4, 5, 6].map(|value| holds(">= 5", value)), [false, true, true]);
        assert_eq!([4, 5, 6].map(|value| holds("> 5", value)), [false, false, true]);
        assert_eq!([2999, 3000, 3001].map(|value| holds(">= now", value)), [false, true, true]);
        for text in ["5", "= 5", ">=", ">= soon", "=> 5", "> -1", ""] {
            assert_eq!(Condition::new(text), None, "{text}");
        }
    }

    #[test]
    fn the_time_is_in_whole_units() {
        let unit = Duration::from_picoseconds(1_024_000);
        let condition = Condition { against: Against::Now(unit), comparison: Comparison::Equal };
        // 3 us are 2.93 units of 1024 ns.
        assert!(
            condition.holds(2, Instant::from_microseconds(3)) && !condition.holds(3, Instant::from_microseconds(3))
        );
    }
}
