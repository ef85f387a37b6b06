//! Numbers in C's notation.

use preprocessor::{Complaint, Numeral};

/// Parses a number, which begins with a digit: decimal, hexadecimal, octal or binary, up to 64 bits.
pub(crate) fn number(text: &str) -> Result<u64, Complaint> {
    let lower = text.to_ascii_lowercase();
    let numeral = Numeral::of(&lower);
    let Numeral { digits, radix, .. } = numeral;
    if radix == 10 && digits.contains('.') {
        return Err(Complaint::new(format!("`{text}` is a floating-point number"), "Microcode has only integers"));
    }
    numeral.check(text, |stem| format!("a number has the width that it needs; write `{stem}`"))?;
    // The text consists of digits, so the only remaining error is that the number is too large.
    u64::from_str_radix(digits, radix).map_err(|_| {
        Complaint::new(format!("`{text}` does not fit in 64 bits"), "the largest number is 0xffffffffffffffff")
    })
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn parses_numbers_in_every_base() {
        let good =
            [("0", 0), ("42", 42), ("0x2A", 42), ("052", 42), ("0b101010", 42), ("0xffffffffffffffff", u64::MAX)];
        for (text, value) in good {
            assert_eq!(number(text).ok(), Some(value), "{text}");
        }
        for text in ["08", "0x", "0b2", "18446744073709551616", "1.5", "12ab", "3u", "0x1UL", "1_000"] {
            assert_eq!(number(text).ok(), None, "{text}");
        }
    }

    #[test]
    fn says_what_to_write_in_place_of_a_suffix() {
        assert_eq!(number("0x1fUL").unwrap_err().hint, "a number has the width that it needs; write `0x1f`");
    }
}
