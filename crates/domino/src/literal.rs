//! Number and character literals in C's notation.

use preprocessor::{Complaint, Numeral};

use crate::token::Integer;

/// Parses a number, which begins with a digit or with `.` and a digit.
pub(crate) fn number(text: &str) -> Result<Integer, Complaint> {
    let lower = text.to_ascii_lowercase();
    let numeral = Numeral::of(&lower);
    let Numeral { digits, radix, .. } = numeral;
    if radix == 10 && is_floating_point(digits) {
        let hint = "Domino has only 32-bit integers; use scaled values, such as thousandths";
        return Err(Complaint::new(format!("`{text}` is a floating-point number"), hint));
    }
    numeral.check(text, |stem| format!("every number is a 32-bit `int`; write `{stem}`"))?;
    // The text consists of digits, so the only remaining error is that the number is too large.
    match u32::from_str_radix(digits, radix) {
        Ok(bits) => Ok(Integer { bits, decimal: radix == 10 }),
        Err(_) => {
            let hint = "the largest number is 0xffffffff, which is -1";
            Err(Complaint::new(format!("`{text}` does not fit in 32 bits"), hint))
        }
    }
}

/// Returns whether C would read the text as a floating-point number.
fn is_floating_point(digits: &str) -> bool {
    let mantissa = digits.trim_end_matches(['f', 'l']);
    digits.contains('.') && digits.bytes().next().is_some_and(|b| b.is_ascii_digit() || b == b'.')
        || mantissa.split_once('e').is_some_and(|(before, after)| {
            let exponent = after.trim_start_matches(['+', '-']);
            [before, exponent].iter().all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()))
        })
}

/// Parses a character constant, given the text between its quotes.
pub(crate) fn character(text: &str) -> Result<Integer, Complaint> {
    let hint = "a character is one ASCII letter, or an escape such as '\\n', '\\0' or '\\x2a'";
    let value = character_value(text).ok_or_else(|| Complaint::new(format!("'{text}' is not a character"), hint))?;
    Ok(Integer { bits: value as u32, decimal: false })
}

/// Returns the value of a character constant, from -128 to 127, or `None` if the text is not a character.
pub(crate) fn character_value(text: &str) -> Option<i64> {
    let Some(escape) = text.strip_prefix('\\') else {
        let [single] = text.as_bytes() else { return None };
        return single.is_ascii().then_some(i64::from(*single));
    };
    let simple = [("n", 10), ("t", 9), ("r", 13), ("a", 7), ("b", 8), ("v", 11), ("f", 12), ("\\", 92), ("'", 39)];
    if let Some((_, value)) = simple.iter().chain(&[("\"", 34), ("?", 63)]).find(|(name, _)| *name == escape) {
        return Some(*value);
    }
    let (digits, radix) = escape.strip_prefix('x').map_or((escape, 8), |hexadecimal| (hexadecimal, 16));
    let all_digits = !digits.is_empty() && digits.len() <= 3 && digits.chars().all(|c| c.is_digit(radix));
    // `char` is signed on the platforms where C programs for switches are usually written, so values above 127 are
    // negative.
    let byte = u32::from_str_radix(digits, radix).ok().and_then(|value| u8::try_from(value).ok());
    byte.filter(|_| all_digits).map(|byte| i64::from(byte as i8))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bits(read: Result<Integer, Complaint>) -> Option<u32> {
        read.ok().map(|integer| integer.bits)
    }

    #[test]
    fn parses_numbers_in_every_base() {
        let good = [("0", 0), ("42", 42), ("0x2A", 42), ("052", 42), ("0b101010", 42), ("0xffffffff", u32::MAX)];
        for (text, value) in good {
            assert_eq!(bits(number(text)), Some(value), "{text}");
        }
        for text in ["08", "0x", "0b2", "4294967296", "1.5", ".5", "1e3", "1e+3", "1f", "12ab", "3u", "0x1UL", "1_000"]
        {
            assert_eq!(bits(number(text)), None, "{text}");
        }
        assert_eq!(bits(number("0x1e3")), Some(0x1e3), "an e is a hexadecimal digit, not an exponent");
    }

    #[test]
    fn escapes_in_characters_are_signed_bytes() {
        let good = [("a", 97), ("\\n", 10), ("\\0", 0), ("\\x2a", 42), ("\\52", 42), ("\\\\", 92), ("\\xff", u32::MAX)];
        for (text, value) in good {
            assert_eq!(bits(character(text)), Some(value), "{text}");
        }
        for text in ["", "ab", "é", "\\q", "\\x", "\\777", "\\"] {
            assert_eq!(bits(character(text)), None, "{text}");
        }
    }
}
