//! Formats the result of a packet test for people.

use std::fmt;

use super::{ExpectationOutcome, TestOutcome};
use crate::words::counted;

/// The number of bytes of a packet in one row.
const ROW: usize = 24;

impl fmt::Display for TestOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for expectation in &self.expectations {
            if let Some(difference) = &expectation.difference {
                writeln!(f, "{}:{}: port {}: {difference}", self.test, expectation.line, expectation.port)?;
                rows(f, expectation)?;
            }
        }
        for packet in &self.unexpected {
            write!(f, "{}", self.test)?;
            if let Some(line) = packet.no_packet {
                write!(f, ":{line}")?;
            }
            writeln!(f, ": port {}: an unexpected packet at {} us", packet.port, packet.time)?;
            rows_of(f, "found", &packet.bytes)?;
        }
        for check in &self.checks {
            if let Some(difference) = &check.difference {
                writeln!(f, "{}:{}: {difference}", self.test, check.line)?;
            }
        }
        for read in &self.reads {
            let found = if read.found.is_empty() { "nothing".to_owned() } else { read.found.join(", ") };
            writeln!(f, "{}:{}: {} = {found}", self.test, read.line, read.what)?;
        }
        let unmet = self.expectations.iter().filter(|expectation| expectation.difference.is_some()).count();
        let wrong = self.checks.iter().filter(|check| check.difference.is_some()).count();
        let received = counted(self.statistics.received, "packet");
        write!(f, "{}: {received} in, {} out", self.test, self.statistics.transmitted)?;
        match (self.expectations.len(), unmet) {
            (0, _) => write!(f, "; none expected")?,
            (1, 0) => write!(f, "; 1 expectation met")?,
            (1, _) => write!(f, "; 1 expectation not met")?,
            (all, 0) => write!(f, "; all {all} expectations met")?,
            (all, unmet) => write!(f, "; {unmet} of {all} expectations not met")?,
        }
        if !self.unexpected.is_empty() {
            write!(f, "; {} not expected", self.unexpected.len())?;
        }
        match (self.checks.len(), wrong) {
            (0, _) => {}
            (1, 0) => write!(f, "; 1 check right")?,
            (1, _) => write!(f, "; 1 check wrong")?,
            (all, wrong) => write!(f, "; {} of {all} checks right", all - wrong)?,
        }
        writeln!(f)
    }
}

/// Writes both packets row by row, with marks under the digits that differ. Rows without differences are left out.
fn rows(f: &mut fmt::Formatter<'_>, expectation: &ExpectationOutcome) -> fmt::Result {
    let expected = expectation.expected.trim_end_matches('$').as_bytes();
    let Some(found) = &expectation.found else { return rows_of(f, "expected", &expectation.expected) };
    let found = found.as_bytes();
    let is_exact = expectation.expected.ends_with('$');
    let all = if is_exact { expected.len().max(found.len()) } else { expected.len() };
    for start in (0..all).step_by(2 * ROW) {
        let end = start + 2 * ROW;
        let row = |digits: &[u8]| -> Vec<u8> { digits.iter().take(end).skip(start).copied().collect() };
        let (wanted, came) = (row(expected), row(found));
        let marks: Vec<u8> = (0..wanted.len().max(if is_exact { came.len() } else { 0 }))
            .map(|at| match (wanted.get(at), came.get(at)) {
                (Some(b'*'), Some(_)) => b' ',
                (Some(wanted), Some(came)) if wanted == came => b' ',
                _ => b'^',
            })
            .collect();
        if marks.contains(&b'^') {
            writeln!(f, "  byte {:<4} expected  {}", start / 2, spaced(&wanted))?;
            writeln!(f, "            found     {}", spaced(&came))?;
            writeln!(f, "                      {}", spaced(&marks).trim_end())?;
        }
    }
    Ok(())
}

/// Writes one packet row by row.
fn rows_of(f: &mut fmt::Formatter<'_>, what: &str, digits: &str) -> fmt::Result {
    for (number, row) in digits.trim_end_matches('$').as_bytes().chunks(2 * ROW).enumerate() {
        writeln!(f, "  byte {:<4} {what:<8}  {}", number * ROW, spaced(row))?;
    }
    Ok(())
}

/// Separates pairs of digits by spaces.
fn spaced(digits: &[u8]) -> String {
    let pairs: Vec<&str> = digits.chunks(2).map(|pair| std::str::from_utf8(pair).unwrap_or("")).collect();
    pairs.join(" ")
}
