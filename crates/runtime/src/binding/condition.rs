//! The condition under which a program applies to a packet: a conjunction of simple tests.

use super::path::{self, Wrong};
use super::source::{Layer, Source, View};

/// One test of a packet. It fails if the packet lacks the part that is tested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Test {
    /// The packet has this layer.
    Has(Layer),
    /// A part of the packet, masked, compares to a number.
    Compares { source: Source, mask: u64, comparison: Comparison, number: u64 },
}

/// A comparison of two unsigned numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Comparison {
    Equal,
    NotEqual,
    LessEqual,
    GreaterEqual,
    Less,
    Greater,
}

/// All comparisons by their symbols. `<=` precedes `<`, which is a prefix of it.
const COMPARISONS: [(&str, Comparison); 6] = [
    ("==", Comparison::Equal),
    ("!=", Comparison::NotEqual),
    ("<=", Comparison::LessEqual),
    (">=", Comparison::GreaterEqual),
    ("<", Comparison::Less),
    (">", Comparison::Greater),
];

impl Test {
    /// Returns the source of what is compared, if anything is.
    pub(super) fn source(&self) -> Option<&Source> {
        match self {
            Self::Has(_) => None,
            Self::Compares { source, .. } => Some(source),
        }
    }

    #[inline]
    pub(super) fn holds(&self, view: &View<'_>) -> bool {
        match self {
            Self::Has(layer) => layer.start(&view.layers).is_some(),
            Self::Compares { source, mask, comparison, number } => source.load(view).is_some_and(|value| {
                let value = value & mask;
                match comparison {
                    Comparison::Equal => value == *number,
                    Comparison::NotEqual => value != *number,
                    Comparison::LessEqual => value <= *number,
                    Comparison::GreaterEqual => value >= *number,
                    Comparison::Less => value < *number,
                    Comparison::Greater => value > *number,
                }
            }),
        }
    }
}

/// Parses a condition. Returns its tests, and the errors in it, each with its byte range in the text.
pub(super) fn parse(text: &str) -> (Vec<Test>, Vec<(std::ops::Range<usize>, Wrong)>) {
    let (mut tests, mut wrong) = (Vec::new(), Vec::new());
    let mut start = 0;
    for part in text.split("&&") {
        let trimmed = part.trim();
        match parse_test(trimmed) {
            Ok(test) => tests.push(test),
            Err(error) => {
                let first = start + (part.len() - part.trim_start().len());
                wrong.push((first..first + trimmed.len(), error));
            }
        }
        start += part.len() + 2;
    }
    (tests, wrong)
}

fn parse_test(text: &str) -> Result<Test, Wrong> {
    if let Some(layer) = path::layer(text) {
        return Ok(Test::Has(layer));
    }
    let found = COMPARISONS.iter().find_map(|&(sign, comparison)| Some((text.split_once(sign)?, comparison)));
    let Some(((left, right), comparison)) = found else {
        return Err(Wrong {
            message: format!("`{text}` is not a test"),
            hint:
                "a test is a layer, such as `udp`, or a comparison, such as `udp.dport == 53` or `tcp.flags & 2 != 0`; \
                   tests are joined by `&&`"
                    .to_owned(),
        });
    };
    let (path, mask) = match left.split_once('&') {
        Some((path, mask)) => (path, number(mask)?),
        None => (left, u64::MAX),
    };
    Ok(Test::Compares { source: path::parse(path.trim())?, mask, comparison, number: number(right)? })
}

/// Parses a number: decimal, hexadecimal with `0x`, or an IPv4 address.
fn number(text: &str) -> Result<u64, Wrong> {
    let text = text.trim();
    let value = match text.strip_prefix("0x") {
        Some(digits) if digits.bytes().all(|byte| byte.is_ascii_hexdigit()) => u64::from_str_radix(digits, 16).ok(),
        Some(_) => None,
        None if text.bytes().all(|byte| byte.is_ascii_digit()) => text.parse().ok(),
        None => text.parse::<std::net::Ipv4Addr>().ok().map(|address| u64::from(address.to_bits())),
    };
    value.ok_or_else(|| Wrong {
        message: format!("`{text}` is not a number"),
        hint: "numbers are decimal, hexadecimal (0x35) or IPv4 addresses (10.0.0.1), without sign, of at most 64 bits"
            .to_owned(),
    })
}
