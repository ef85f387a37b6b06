//! What a packet that leaves must be.

use std::fmt;

/// What a packet must begin with, or be.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Expectation {
    /// Hexadecimal digits; `None` stands for any.
    digits: Vec<Option<u8>>,
    /// Whether the packet ends there.
    is_exact: bool,
}

impl Expectation {
    /// Any packet.
    pub fn any() -> Self {
        Self::default()
    }

    /// Hexadecimal digits, `*` for any digit, and `$` at the end if the packet ends there.
    ///
    /// # Errors
    /// The place in the text, in bytes, of the first character that cannot stand there.
    pub fn parse(text: &str) -> Result<Self, usize> {
        let mut expectation = Self::any();
        expectation.extend(text).map(|()| expectation)
    }

    /// Reads on.
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

    /// Whether a packet is as it must be: every digit that is written is there, and nothing follows an end.
    pub fn matches(&self, packet: &[u8]) -> bool {
        let length = packet.len() * 2;
        let has_length = if self.is_exact { length == self.digits.len() } else { length >= self.digits.len() };
        has_length && self.first_difference(packet).is_none()
    }

    /// Whether any packet is right.
    pub fn is_any(&self) -> bool {
        self.digits.is_empty() && !self.is_exact
    }

    /// Why a packet is not as it must be, for people; `None` if it is.
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

    /// The first digit, of those that the packet has, that is another.
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
    fn a_prefix_is_enough_without_an_end() {
        assert!(matches("", &[]), "no data is any packet");
        assert!(matches("", &[1, 2]));
        assert!(matches("0aF", &[0x0A, 0xF3, 7]), "half a byte is a prefix, too");
        assert!(matches("*A**", &[0x1A, 0x99]));
        assert!(!matches("0A", &[]));
        assert!(!matches("**", &[]), "any digit must still be there");
        assert!(!matches("0A", &[0x0B]));
    }

    #[test]
    fn an_end_fixes_the_length() {
        assert!(matches("0A*1$", &[0x0A, 0x51]));
        assert!(!matches("0A*1$", &[0x0A, 0x51, 0]));
        assert!(matches("$", &[]));
        assert!(!matches("0A5$", &[0x0A, 0x51]), "no packet has half a byte");
    }

    #[test]
    fn differences_are_told() {
        let difference = |text, packet: &[u8]| Expectation::parse(text).unwrap().difference(packet);
        assert_eq!(difference("0a*1", &[0x0A, 0x52]).as_deref(), Some("differs in byte 1, digit 2"));
        assert_eq!(difference("0a51", &[0x0A]).as_deref(), Some("has 2 digits of 4"));
        assert_eq!(difference("0a$", &[0x0A, 1]).as_deref(), Some("has 4 digits where 2 are expected"));
        assert_eq!(difference("0a$", &[0x0A]), None);
    }

    #[test]
    fn text_comes_back_and_what_is_no_digit_is_placed() {
        assert_eq!(Expectation::parse("0A*f$").unwrap().to_string(), "0a*f$");
        assert_eq!(Expectation::parse("0Ag"), Err(2));
        assert_eq!(Expectation::parse("0A$0"), Err(3));
    }
}
