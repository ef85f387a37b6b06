//! Integers in C's notation.

use crate::Complaint;

/// A number as it is written in C, without its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Numeral<'t> {
    /// The digits, without the prefix, in lower case.
    pub digits: &'t str,
    /// The base: 2, 8, 10 or 16.
    pub radix: u32,
    /// What a number of this base looks like, for messages.
    form: &'static str,
}

impl<'t> Numeral<'t> {
    /// Takes the prefix off a number in lower case, which begins with a digit or with `.` and a digit.
    pub fn of(lower: &'t str) -> Self {
        let (digits, radix, form) = if let Some(rest) = lower.strip_prefix("0x") {
            (rest, 16, "`0x` is followed by digits from 0 to f")
        } else if let Some(rest) = lower.strip_prefix("0b") {
            (rest, 2, "`0b` is followed by the digits 0 and 1")
        } else if lower.len() > 1 && lower.starts_with('0') && lower.bytes().all(|byte| byte.is_ascii_digit()) {
            (&lower[1..], 8, "a number that begins with 0 is octal and has the digits 0 to 7")
        } else {
            (lower, 10, "a number consists of digits")
        };
        Self { digits, radix, form }
    }

    /// Checks that there are only digits of the base; `text` is the number as written.
    ///
    /// # Errors
    /// If it has a suffix, whose complaint is the hint that `instead` makes of the number without it, or if it is not a number.
    pub fn check(&self, text: &str, instead: impl FnOnce(&str) -> String) -> Result<(), Complaint> {
        let is_number = |digits: &str| !digits.is_empty() && digits.chars().all(|digit| digit.is_digit(self.radix));
        let stem = self.digits.trim_end_matches(['u', 'l']);
        if stem.len() < self.digits.len() && is_number(stem) {
            let hint = instead(&text[..text.len() - self.digits.len() + stem.len()]);
            return Err(Complaint::new(format!("the suffix of `{text}` is not supported"), hint));
        }
        if is_number(self.digits) {
            return Ok(());
        }
        Err(Complaint::new(format!("`{text}` is not a number"), self.form))
    }
}
