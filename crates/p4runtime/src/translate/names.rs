//! The numbers that stand for a controller's strings (P4Runtime specification 1.4, section 8.4.6: `sdn_string`).
//!
//! A string keeps its number as long as the names live, so that entries can be written and read back in any order. A
//! string of decimal digits stands for its own number if that is free, since ports are often named so. Other strings get
//! the lowest free number from 1; 0 comes last, because programs like to give it a meaning of their own.

use std::collections::HashMap;

use crate::failure::Failure;
use crate::message::google::rpc::Code;

/// The strings of one type and their numbers.
#[derive(Clone, Debug, Default)]
pub struct Names {
    width: u32,
    numbers: HashMap<Box<str>, u64>,
    strings: HashMap<u64, Box<str>>,
    /// No number from 1 to below this one is free.
    next: u64,
}

impl Names {
    /// Creates names for values of `width` bits. Those wider than 64 bits use only their lower 64.
    pub fn new(width: u32) -> Self {
        Self { width: width.min(64), next: 1, ..Self::default() }
    }

    /// Lets a string stand for a number, unless one of them is in use.
    pub fn set(&mut self, string: &str, number: u64) {
        if number <= self.largest() && !self.strings.contains_key(&number) && !self.numbers.contains_key(string) {
            self.numbers.insert(string.into(), number);
            self.strings.insert(number, string.into());
        }
    }

    /// Returns the number of a string, if it has one.
    pub fn get(&self, string: &str) -> Option<u64> {
        self.numbers.get(string).copied()
    }

    /// Returns the number of a string, and chooses one for a new string.
    ///
    /// # Errors
    /// Fails with `RESOURCE_EXHAUSTED` if all numbers are in use, and with `OUT_OF_RANGE` for an empty string that
    /// stands for nothing.
    pub fn number(&mut self, string: &str) -> Result<u64, Failure> {
        if let Some(number) = self.get(string) {
            return Ok(number);
        }
        if string.is_empty() {
            return Err(Failure::out_of_range("an empty string stands for no value of this type"));
        }
        let own = canonical_number(string).filter(|own| *own <= self.largest() && !self.strings.contains_key(own));
        let number = own.or_else(|| self.free()).ok_or_else(|| {
            let count = self.strings.len();
            Failure::new(Code::ResourceExhausted, format!("the type has {count} values, and all have other strings"))
        })?;
        self.set(string, number);
        Ok(number)
    }

    /// Returns the string of a number, and chooses its decimal digits if the number has come from the program.
    pub fn string(&mut self, number: u64) -> String {
        if let Some(string) = self.strings.get(&number) {
            return string.to_string();
        }
        let mut string = number.to_string();
        while self.numbers.contains_key(&*string) {
            string.insert(0, '0');
        }
        self.set(&string, number);
        string
    }

    fn free(&mut self) -> Option<u64> {
        while self.next <= self.largest() {
            if !self.strings.contains_key(&self.next) {
                return Some(self.next);
            }
            self.next = self.next.checked_add(1)?;
        }
        (!self.strings.contains_key(&0)).then_some(0)
    }

    fn largest(&self) -> u64 {
        if self.width == 64 { u64::MAX } else { (1 << self.width) - 1 }
    }
}

/// Returns the number that a string is in decimal digits, without zeros before it.
fn canonical_number(string: &str) -> Option<u64> {
    let number: u64 = string.parse().ok()?;
    (number.to_string() == string).then_some(number)
}

/// Returns the pairs of `@p4runtime_translation_mappings({{"", 0}, …})`, by which programs like SAI P4 fix the numbers of
/// some strings.
pub(super) fn fixed(annotation: &str) -> Vec<(String, u64)> {
    let mut pairs = Vec::new();
    let Some(body) = annotation.strip_prefix("@p4runtime_translation_mappings") else { return pairs };
    let mut rest = body;
    while let Some(start) = rest.find('"') {
        let Some(end) = rest[start + 1..].find('"') else { break };
        let (string, after) = (&rest[start + 1..start + 1 + end], &rest[start + end + 2..]);
        let digits = after.trim_start_matches(|letter: char| letter == ',' || letter.is_whitespace());
        let (digits, radix) = digits.strip_prefix("0x").map_or((digits, 10), |digits| (digits, 16));
        let length = digits.find(|letter: char| !letter.is_digit(radix)).unwrap_or(digits.len());
        if let Ok(number) = u64::from_str_radix(&digits[..length], radix) {
            pairs.push((string.to_owned(), number));
        }
        rest = after;
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_keep_their_numbers_and_digits_stand_for_themselves() {
        let mut names = Names::new(3);
        for (string, number) in [("Ethernet0", 1), ("3", 3), ("Ethernet1", 2), ("Ethernet2", 4), ("Ethernet0", 1)] {
            assert_eq!(names.number(string), Ok(number));
            assert_eq!(names.string(number), string);
        }
        // 1 is taken, and 9 has no place in three bits.
        assert_eq!(names.number("1"), Ok(5));
        assert_eq!(names.number("9"), Ok(6));
        assert_eq!(names.number("a"), Ok(7));
        assert_eq!(names.number("b"), Ok(0));
        assert_eq!(names.number("c").expect_err("all eight are in use").code, Code::ResourceExhausted);
        assert_eq!(names.number("").expect_err("it stands for nothing").code, Code::OutOfRange);
        assert_eq!(names.number("Ethernet2"), Ok(4));
    }

    #[test]
    fn a_value_of_the_program_is_shown_by_digits_that_lead_back_to_it() {
        let mut names = Names::new(9);
        assert_eq!(names.number("x"), Ok(1));
        assert_eq!(names.number("1"), Ok(2));
        for number in [1, 2, 7, 511] {
            let string = names.string(number);
            assert_eq!(names.number(&string), Ok(number));
        }
        assert_eq!(names.string(7), "7");
    }

    #[test]
    fn an_annotation_fixes_numbers() {
        let pairs = fixed("@p4runtime_translation_mappings({{\"\", 0}, { \"CPU\" , 0x1fe },})");
        assert_eq!(pairs, [(String::new(), 0), ("CPU".to_owned(), 510)]);
        assert_eq!(fixed("@other({{\"\", 0}})"), []);
        let mut names = Names::new(9);
        pairs.iter().for_each(|(string, number)| names.set(string, *number));
        assert_eq!((names.number(""), names.number("CPU"), names.number("0")), (Ok(0), Ok(510), Ok(1)));
    }
}
