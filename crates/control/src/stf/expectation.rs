//! The expected content of a packet.

use std::fmt;

/// The digits that a packet must begin with or, with an end mark, must consist of.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Expectation {
    /// The hexadecimal digits; `None` stands for any digit.
    digits: Vec<Option<u8>>,
    /// Whether the packet must end after the digits.
    is_exact: bool,
}

impl Expectation {
    /// Returns an expectation that every packet meets.
    pub fn any() -> Self {
        Self::default()
    }

    /// Parses an expectation: hexadecimal digits, `*` for any digit, and a final `$` if the packet must end there.
    ///
    /// # Errors
    /// Returns the byte offset of the first invalid character.
    pub fn parse(text: &str) -> Result<Self, usize> {
        let mut expectation = Self::any();
        expectation.extend(text).map(|()| expectation)
    }

    /// Parses further text.
    pub(super) fn extend(&mut self, text: &str) -> Result<(), usize> {
        for (at, letter) in text.char_indices() {
            match letter {
                _ if self.is_exact => return Err(at),
                '$' => self.is_exact = true,
                '*' => self.digits.push(None),
                _ => self.digits.push(Some(letter.to_digit(16).ok_or(at)? as u8)),
            }
        }
        Ok(())
    }

    /// Returns whether a packet meets the expectation: every digit is present and equal, and nothing follows an end
    /// mark.
    pub fn matches(&self, packet: &[u8]) -> bool {
        let length = packet.len() * 2;
        let has_length = if self.is_exact { length == self.digits.len() } else { length >= self.digits.len() };
        has_length && self.first_difference(packet).is_none()
    }

    /// Returns whether every packet meets the expectation.
    pub fn is_any(&self) -> bool {
        self.digits.is_empty() && !self.is_exact
    }

    /// Describes how a packet differs from the expectation; returns `None` if it meets it.
    pub fn difference(&self, packet: &[u8]) -> Option<String> {
        if self.matches(packet) {
            return None;
        }
        let (expected, found) = (self.digits.len(), packet.len() * 2);
        Some(match self.first_difference(packet) {
            Some(at) => format!("differs in byte {}, digit {}", at / 2, at % 2 + 1),
            None if found < expected => format!("has {found} digits of {expected}"),
            None => format!("has {found} digits where {expected} are expected"),
        })
    }

    /// Returns the index of the first digit of the packet that differs.
    fn first_difference(&self, packet: &[u8]) -> Option<usize> {
        let found = packet.iter().flat_map(|byte| [byte >> 4, byte & 15]);
        self.digits.iter().zip(found).position(|(expected, found)| expected.is_some_and(|digit| digit != found))
    }
}

impl fmt::Display for Expectation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for digit in &self.digits {
            match digit {
                Some(digit) => write!(f, "{digit:x}")?,
                None => f.write_str("*")?,
            }
        }
        f.write_str(if self.is_exact { "$" } else { "" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(text: &str, packet: &[u8]) -> bool {
        Expectation::parse(text).unwrap().matches(packet)
    }

    #[test]
    fn without_an_end_mark_a_prefix_suffices() {
        assert!(matches("", &[]), "an empty expectation accepts any packet");
        assert!(matches("", &[1, 2]));
        assert!(matches("0aF", &[0x0A, 0xF3, 7]), "half a byte is also a prefix");
        assert!(matches("*A**", &[0x1A, 0x99]));
        assert!(!matches("0A", &[]));
        assert!(!matches("**", &[]), "the digit must be present");
        assert!(!matches("0A", &[0x0B]));
    }

    #[test]
    fn an_end_mark_fixes_the_length() {
        assert!(matches("0A*1$", &[0x0A, 0x51]));
        assert!(!matches("0A*1$", &[0x0A, 0x51, 0]));
        assert!(matches("$", &[]));
        assert!(!matches("0A5$", &[0x0A, 0x51]), "a packet cannot have half a byte");
    }

    #[test]
    fn describes_differences() {
        let difference = |text, packet: &[u8]| Expectation::parse(text).unwrap().difference(packet);
        assert_eq!(difference("0a*1", &[0x0A, 0x52]).as_deref(), Some("differs in byte 1, digit 2"));
        assert_eq!(difference("0a51", &[0x0A]).as_deref(), Some("has 2 digits of 4"));
        assert_eq!(difference("0a$", &[0x0A, 1]).as_deref(), Some("has 4 digits where 2 are expected"));
        assert_eq!(difference("0a$", &[0x0A]), None);
    }

    #[test]
    fn prints_as_text_and_locates_invalid_digits() {
        assert_eq!(Expectation::parse("0A*f$").unwrap().to_string(), "0a*f$");
        assert_eq!(Expectation::parse("0Ag"), Err(2));
        assert_eq!(Expectation::parse("0A$0"), Err(3));
    }
}
