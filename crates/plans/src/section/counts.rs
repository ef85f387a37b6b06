//! Counts in a section, alone and in lists.

use std::ops::{Range, RangeInclusive};

use super::Section;
use crate::Scalar;

impl Section<'_> {
    /// Reads a count within a range.
    pub fn count(&self, name: &'static str, range: RangeInclusive<u64>, default: u64) -> u64 {
        if !self.has(name) {
            self.remember(name, default);
            return default;
        }
        self.optional_count(name, range).unwrap_or(default)
    }

    /// Reads a count within a range. Without a default it may be missing.
    pub fn count_or(&self, name: &'static str, range: RangeInclusive<u64>, default: Option<u64>) -> Option<u64> {
        match default {
            Some(default) => Some(self.count(name, range, default)),
            None => self.optional_count(name, range),
        }
    }

    /// Reads a count, unless `instead` replaces whatever the plan says.
    pub fn count_unless(&self, name: &'static str, instead: Option<u64>, default: u64) -> u64 {
        match instead {
            Some(instead) => {
                self.scalar(name, "a count");
                self.remember(name, instead);
                instead
            }
            None => self.count(name, 0..=u64::MAX, default),
        }
    }

    /// Reads a count within a range, if it is given.
    pub fn optional_count(&self, name: &'static str, range: RangeInclusive<u64>) -> Option<u64> {
        let (scalar, span) = self.scalar(name, "a count")?;
        match scalar {
            Scalar::Count(count) if range.contains(&count) => {
                self.remember(name, count);
                Some(count)
            }
            _ => {
                let hint = match *range.end() {
                    u64::MAX => format!("a whole number from {}", range.start()),
                    end => format!("a whole number from {} to {end}", range.start()),
                };
                self.findings.error(&span, format!("invalid value for `{name}`"), hint);
                None
            }
        }
    }

    /// Reads one count or a list of counts, each within a range.
    pub fn counts(&self, name: &'static str, range: RangeInclusive<u64>, default: &[u64]) -> Vec<u64> {
        let given = self.given_counts(name, range);
        let counts = given.map_or(default.to_vec(), |given| given.into_iter().map(|(count, _)| count).collect());
        self.remember_counts(name, &counts);
        counts
    }

    /// Reads one count or a list of counts, each within a range and with its place in the file; none if the entry is not
    /// given.
    pub fn placed_counts(&self, name: &'static str, range: RangeInclusive<u64>) -> Vec<(u64, Range<usize>)> {
        let given = self.given_counts(name, range).unwrap_or_default();
        let counts: Vec<u64> = given.iter().map(|(count, _)| *count).collect();
        self.remember_counts(name, &counts);
        given
    }

    fn given_counts(&self, name: &'static str, range: RangeInclusive<u64>) -> Option<Vec<(u64, Range<usize>)>> {
        let given = self.entries.as_ref()?.scalars(name, "a count or a list of counts")?;
        let mut counts = Vec::with_capacity(given.len());
        for (scalar, span) in given {
            match scalar {
                Scalar::Count(count) if range.contains(&count) => counts.push((count, span)),
                _ => {
                    let hint = format!("whole numbers from {} to {}", range.start(), range.end());
                    self.findings.error(&span, format!("invalid value in `{name}`"), hint);
                }
            }
        }
        Some(counts)
    }

    fn remember_counts(&self, name: &str, counts: &[u64]) {
        let texts: Vec<String> = counts.iter().map(u64::to_string).collect();
        self.remember(name, format!("[{}]", texts.join(", ")));
    }
}
