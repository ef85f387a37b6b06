//! Number literals (P4_16 1.2.5, section 6.4.3.2).

use num_bigint::BigUint;
use preprocessor::Complaint;

use crate::limits::MOST_DIGITS;
use crate::token::{Integer, Radix, Width};

const FORMS: &str = "write 10, 0xA, 0o12 or 0b1010; with a width 8w10 (bit<8>) or 8s10 (int<8>)";

/// Parses a number literal, which begins with a digit and continues with letters, digits and `_`.
pub(super) fn number(text: &str) -> Result<Integer, Complaint> {
    if text.len() > MOST_DIGITS {
        let hint = "no value of a data plane is as long as this";
        return Err(Complaint::new(format!("this number has more than {MOST_DIGITS} digits"), hint));
    }
    let (width, digits) = split_width(text)?;
    let prefix = digits.get(..2).unwrap_or_default();
    let (radix, base, digits) = match prefix {
        "0x" | "0X" => (Radix::Hexadecimal, 16, &digits[2..]),
        "0o" | "0O" => (Radix::Octal, 8, &digits[2..]),
        "0b" | "0B" => (Radix::Binary, 2, &digits[2..]),
        "0d" | "0D" => (Radix::Decimal, 10, &digits[2..]),
        _ => (Radix::Decimal, 10, digits),
    };
    let plain: String = digits.chars().filter(|&c| c != '_').collect();
    if let Some(wrong) = plain.chars().find(|c| !c.is_digit(base)) {
        let message = match prefix {
            _ if radix != Radix::Decimal => format!("`{wrong}` is not a digit of a number that begins with `{prefix}`"),
            _ => format!("`{text}` is not a number: `{wrong}` is not a decimal digit"),
        };
        return Err(Complaint::new(message, FORMS));
    }
    let value = BigUint::parse_bytes(plain.as_bytes(), base);
    let value = value.ok_or_else(|| Complaint::new(format!("`{text}` is a number without digits"), FORMS))?;
    Ok(Integer { width, value, radix })
}

/// Splits the prefix `8w` or `8s` from the rest.
fn split_width(text: &str) -> Result<(Option<Width>, &str), Complaint> {
    let end = text.bytes().position(|byte| !byte.is_ascii_digit() && byte != b'_');
    let Some(end) = end.filter(|&end| matches!(text.as_bytes()[end], b'w' | b's')) else { return Ok((None, text)) };
    let bits: String = text[..end].chars().filter(|&c| c != '_').collect();
    // With digits only, the one possible failure is overflow.
    let Ok(bits) = bits.parse() else {
        let message = format!("a width of {bits} bits is too great");
        return Err(Complaint::new(message, "the width before `w` or `s` is a number of bits, such as 8 or 32"));
    };
    Ok((Some(Width { bits, signed: text.as_bytes()[end] == b's' }), &text[end + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_numbers_of_every_base_and_width() {
        for (text, printed) in [
            ("0", "0"),
            ("42", "42"),
            ("007", "7"),
            ("0x2A", "0x2a"),
            ("0XfF", "0xff"),
            ("0b1010_1010", "0b10101010"),
            ("0o17", "0o17"),
            ("0d10", "10"),
            ("8w0xFF", "8w0xff"),
            ("4s7", "4s7"),
            ("1_6w1_000", "16w1000"),
            ("128w0xffff_ffff_ffff_ffff_ffff_ffff_ffff_ffff", "128w0xffffffffffffffffffffffffffffffff"),
            ("0w0", "0w0"),
            ("340282366920938463463374607431768211456", "340282366920938463463374607431768211456"),
        ] {
            assert_eq!(number(text).unwrap().to_string(), printed);
        }
    }

    #[test]
    fn explains_invalid_numbers() {
        for (text, why) in [
            ("0x", "without digits"),
            ("8w", "without digits"),
            ("0b_", "without digits"),
            ("0b12", "`2` is not a digit"),
            ("0o8", "`8` is not a digit"),
            ("0xfg", "`g` is not a digit"),
            ("12ab", "`a` is not a decimal digit"),
            ("8W1", "`W` is not a decimal digit"),
            ("1w2w3", "`w` is not a decimal digit"),
            ("4294967296w1", "too great"),
        ] {
            let complaint = number(text).unwrap_err();
            assert!(complaint.message.contains(why), "{text}: {}", complaint.message);
        }
        assert!(number(&"9".repeat(MOST_DIGITS + 1)).is_err());
        assert!(number(&"9".repeat(MOST_DIGITS)).is_ok());
    }
}
