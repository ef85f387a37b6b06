//! Matches of fields, as written in files.

use runtime::Bits;
use runtime::tables::{FieldMatch, KeyField, MatchKind};

use super::Literal;
use crate::MatchField;

/// The file format of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// A packet test, where a number for a ternary or lpm field matches only the digits that are written: in p4c's
    /// tests, `0x25**` has a mask of `0xff00`, and `0b1` one of `0x1`.
    Test,
    /// A command file, where a number matches all bits.
    Command,
}

/// The reason why a text is not a valid match for a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FieldText {
    /// The text is malformed, as described.
    Unreadable(String),
    /// A number does not fit; with its text.
    TooWide(Bits, String),
    /// The match is of the wrong kind, such as a range for an exact field.
    Mismatch,
    /// The prefix length is missing, which commands require.
    NoLength,
}

/// A match as written.
enum WrittenMatch {
    Number { value: Bits, digits: Option<Bits> },
    Prefix(Bits, u32),
    Mask(Bits, Bits),
    Range(Bits, Bits),
    Any,
}

/// Reads the match for a field: `10.0.0.1`, `10.0.0.0/8`, `0x0a**`, `0x800&&&0xff00`, `1->5`, `*`. Bits outside the
/// mask are set to 0, as in BMv2, whereas the control plane itself would refuse them.
pub(crate) fn read(text: &str, field: &MatchField, style: Style) -> Result<FieldMatch, FieldText> {
    let width = field.width;
    let ones = || Bits::ones(width);
    let mask = |value: Bits, mask: Bits| FieldMatch::Mask { value: value.and(&mask), mask };
    let prefix = |value: Bits, length: u32| match length > width {
        true => FieldMatch::Prefix { value, length },
        false => FieldMatch::Prefix { value: value.and(&prefix_mask(length, width)), length },
    };
    let shape = KeyField { kind: field.kind, width };
    let are_digits_a_mask = style == Style::Test || text.contains('*');
    Ok(match (field.kind, parse(text, width)?) {
        (MatchKind::Exact, WrittenMatch::Any) => return Err(FieldText::Mismatch),
        (_, WrittenMatch::Any) => FieldMatch::Any,
        (MatchKind::Lpm, WrittenMatch::Number { value, digits: Some(digits) }) if are_digits_a_mask => {
            prefix(value, digits.count_ones())
        }
        (MatchKind::Ternary, WrittenMatch::Number { value, digits: Some(digits) }) if are_digits_a_mask => {
            mask(value, digits)
        }
        // A wildcard digit is a mask, which these kinds do not support.
        (MatchKind::Exact | MatchKind::Range | MatchKind::Optional, WrittenMatch::Number { .. })
            if text.contains('*') =>
        {
            return Err(FieldText::Mismatch);
        }
        // `simple_switch_CLI` also refuses this: if the length is missing, an exact match is rarely intended.
        (MatchKind::Lpm, WrittenMatch::Number { .. }) if style == Style::Command => return Err(FieldText::NoLength),
        (_, WrittenMatch::Number { value, .. }) => shape.exactly(value),
        (MatchKind::Lpm, WrittenMatch::Prefix(value, length)) => prefix(value, length),
        (MatchKind::Ternary, WrittenMatch::Prefix(value, length)) if length <= width => {
            mask(value, prefix_mask(length, width))
        }
        (MatchKind::Exact | MatchKind::Optional, WrittenMatch::Prefix(value, length)) if length == width => {
            FieldMatch::Exact(value)
        }
        (MatchKind::Ternary, WrittenMatch::Mask(value, bits)) => mask(value, bits),
        (MatchKind::Lpm, WrittenMatch::Mask(value, bits)) if bits == prefix_mask(bits.count_ones(), width) => {
            prefix(value, bits.count_ones())
        }
        (MatchKind::Optional, WrittenMatch::Mask(_, bits)) if bits.is_zero() => FieldMatch::Any,
        (MatchKind::Exact | MatchKind::Optional, WrittenMatch::Mask(value, bits)) if bits == ones() => {
            FieldMatch::Exact(value)
        }
        (MatchKind::Range, WrittenMatch::Range(low, high)) => FieldMatch::Range { low, high },
        (_, WrittenMatch::Range(low, high)) if low == high => shape.exactly(low),
        _ => return Err(FieldText::Mismatch),
    })
}

fn parse(text: &str, width: u32) -> Result<WrittenMatch, FieldText> {
    if text == "*" {
        return Ok(WrittenMatch::Any);
    }
    if let Some((value, mask)) = text.split_once("&&&") {
        return Ok(WrittenMatch::Mask(number(value, width)?, number(mask, width)?));
    }
    if let Some((low, high)) = text.split_once("->") {
        return Ok(WrittenMatch::Range(number(low, width)?, number(high, width)?));
    }
    if let Some((value, length)) = text.split_once('/') {
        let length = length.parse().map_err(|_| FieldText::Unreadable(format!("`{length}` is not a prefix length")))?;
        return Ok(WrittenMatch::Prefix(number(value, width)?, length));
    }
    let value = number(&text.replace('*', "0"), width).map_err(|error| match error {
        FieldText::TooWide(value, _) => FieldText::TooWide(value, text.to_owned()),
        error => error,
    })?;
    let digits = digits(text, width);
    if text.contains('*') && digits.is_none() {
        return Err(FieldText::Unreadable(format!(
            "`{text}` is not a number; `*` stands for digits after 0x, 0b or 0o"
        )));
    }
    Ok(match digits {
        Some(digits) if text.contains('*') && digits.is_zero() => WrittenMatch::Any,
        digits => WrittenMatch::Number { value, digits },
    })
}

fn number(text: &str, width: u32) -> Result<Bits, FieldText> {
    let literal = Literal::read(text, width).map_err(FieldText::Unreadable)?;
    literal.fit(width).map_err(|value| FieldText::TooWide(value, text.to_owned()))
}

/// Returns the mask of the digits that are written, if each digit stands for a fixed number of bits.
fn digits(text: &str, width: u32) -> Option<Bits> {
    let bits = match text.as_bytes() {
        [b'0', b'x' | b'X', ..] => 4,
        [b'0', b'o' | b'O', ..] => 3,
        [b'0', b'b' | b'B', ..] => 1,
        _ => return None,
    };
    let mut mask = Bits::zero(width);
    for (place, _) in text.bytes().skip(2).rev().enumerate().filter(|(_, digit)| *digit != b'*') {
        for bit in (0..bits).map(|bit| (place as u32).saturating_mul(bits).saturating_add(bit)) {
            if bit < width {
                mask = mask.with_slice(bit, bit, &Bits::from_u64(1, 1), width);
            }
        }
    }
    Some(mask)
}

/// Returns a mask of the first `length` bits of `width`.
fn prefix_mask(length: u32, width: u32) -> Bits {
    Bits::ones(width).shift_left(&Bits::from_u64(u64::from(width - length), 64), width)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(kind: MatchKind, width: u32, text: &str, style: Style) -> String {
        match read(text, &MatchField::new("f", width, kind), style) {
            Ok(asked) => asked.to_string(),
            Err(FieldText::Unreadable(words)) => words,
            Err(FieldText::TooWide(_, written)) => format!("{written} is too wide"),
            Err(FieldText::NoLength) => "no length".to_owned(),
            Err(FieldText::Mismatch) => "another kind".to_owned(),
        }
    }

    #[test]
    fn numbers_in_packet_tests_match_written_digits() {
        let read = |kind, width, text| shown(kind, width, text, Style::Test);
        assert_eq!(read(MatchKind::Ternary, 32, "0x****0101"), "0x101&&&0xffff");
        assert_eq!(read(MatchKind::Ternary, 16, "0x25**"), "0x2500&&&0xff00");
        assert_eq!(read(MatchKind::Ternary, 8, "0b1**"), "0x4&&&0x4");
        assert_eq!(read(MatchKind::Ternary, 16, "7"), "0x7&&&0xffff");
        assert_eq!(read(MatchKind::Ternary, 9, "0x1ff"), "0x1ff&&&0x1ff");
        assert_eq!(read(MatchKind::Lpm, 32, "0xc0a8****"), "0xc0a80000/16");
        assert_eq!(read(MatchKind::Lpm, 32, "0x0a010065"), "0xa010065/32");
        assert_eq!(read(MatchKind::Lpm, 9, "0x1ff"), "0x1ff/9");
        assert_eq!(read(MatchKind::Exact, 32, "0x01"), "0x1");
        assert_eq!(read(MatchKind::Exact, 32, "0x0*"), "another kind");
        assert_eq!(read(MatchKind::Range, 16, "3"), "0x3->0x3");
        assert_eq!(read(MatchKind::Optional, 16, "0x0003"), "0x3");
        assert_eq!(read(MatchKind::Optional, 16, "0x****"), "*");
        assert_eq!(read(MatchKind::Optional, 16, "0x**03"), "another kind");
    }

    #[test]
    fn numbers_in_commands_match_all_bits() {
        let read = |kind, width, text| shown(kind, width, text, Style::Command);
        assert_eq!(read(MatchKind::Lpm, 32, "10.0.1.10/24"), "0xa000100/24", "bits outside the mask become 0");
        assert_eq!(read(MatchKind::Lpm, 128, "2001:db8::/32"), format!("{:#x}/32", 0x2001_0db8_u128 << 96));
        assert_eq!(read(MatchKind::Lpm, 32, "10.0.0.0"), "no length");
        assert_eq!(read(MatchKind::Lpm, 32, "0x0a******"), "0xa000000/8", "the digits are the length");
        assert_eq!(read(MatchKind::Lpm, 32, "10.0.0.0/33"), "0xa000000/33", "the control plane refuses it");
        assert_eq!(read(MatchKind::Ternary, 16, "0x806&&&0xff00"), "0x800&&&0xff00");
        assert_eq!(read(MatchKind::Ternary, 32, "0x1"), "0x1&&&0xffffffff");
        assert_eq!(read(MatchKind::Ternary, 32, "0x01**"), "0x100&&&0xff00", "wildcards mean the same everywhere");
        assert_eq!(read(MatchKind::Range, 16, "1->0x10"), "0x1->0x10");
        assert_eq!(read(MatchKind::Optional, 16, "0&&&0"), "*");
        assert_eq!(read(MatchKind::Exact, 48, "00:00:00:00:00:0a"), "0xa");
    }

    #[test]
    fn reports_matches_that_do_not_fit_the_field() {
        let read = |kind, width, text| shown(kind, width, text, Style::Command);
        assert_eq!(read(MatchKind::Exact, 32, "0x1ffffffff"), "0x1ffffffff is too wide");
        assert_eq!(read(MatchKind::Exact, 16, "1->2"), "another kind");
        assert_eq!(read(MatchKind::Exact, 16, "1/8"), "another kind");
        assert_eq!(read(MatchKind::Range, 16, "1&&&2"), "another kind");
        assert_eq!(read(MatchKind::Lpm, 16, "0x0&&&0x00ff"), "another kind");
        assert_eq!(read(MatchKind::Lpm, 16, "1/x"), "`x` is not a prefix length");
        assert_eq!(
            read(MatchKind::Ternary, 16, "1*"),
            "`1*` is not a number; `*` stands for digits after 0x, 0b or 0o"
        );
        assert_eq!(read(MatchKind::Exact, 16, "*"), "another kind");
    }
}
