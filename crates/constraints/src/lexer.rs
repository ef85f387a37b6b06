//! Splits the text of a constraint into tokens.

use num_bigint::BigUint;

use crate::finding::Problems;
use crate::token::{SIGNS, Token, TokenKind};

/// The most bits that a number may have: the widest value of a program. Longer numbers take long to read.
const MOST_BITS: u64 = runtime::Bits::MAXIMUM_WIDTH as u64;

/// Splits a text into tokens, of which the last one is the end. What is no token is reported and left out.
pub(crate) fn lex<'t>(text: &'t str, problems: &mut Problems) -> Vec<Token<'t>> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let length = match first {
            _ if first.is_whitespace() => first.len_utf8(),
            _ if rest.starts_with("//") => rest.find(['\n', '\r']).unwrap_or(rest.len()),
            _ if rest.starts_with("/*") => match rest[2..].find("*/") {
                Some(end) => end + 4,
                None => {
                    problems.error(&(at..at + 2), "this comment is not closed", Some("it ends with `*/`".to_owned()));
                    rest.len()
                }
            },
            '\'' => match rest[1..].find('\'') {
                Some(end) => {
                    tokens.push(Token { kind: TokenKind::Text(&rest[1..=end]), place: at..at + end + 2 });
                    end + 2
                }
                None => {
                    problems.error(&(at..at + 1), "this text is not closed", Some("it ends with `'`".to_owned()));
                    rest.len()
                }
            },
            _ if first.is_ascii_digit() => {
                let length = word_length(rest);
                match number(&rest[..length]) {
                    Ok(value) => tokens.push(Token { kind: TokenKind::Number(value), place: at..at + length }),
                    Err((message, hint)) => problems.error(&(at..at + length), message, hint),
                }
                length
            }
            _ if first == '_' || first.is_ascii_alphabetic() => {
                let length = word_length(rest);
                let kind = match &rest[..length] {
                    "true" => TokenKind::True,
                    "false" => TokenKind::False,
                    name => TokenKind::Identifier(name),
                };
                tokens.push(Token { kind, place: at..at + length });
                length
            }
            _ => match SIGNS.iter().find(|(sign, _)| rest.starts_with(sign)) {
                Some((sign, kind)) => {
                    tokens.push(Token { kind: kind.clone(), place: at..at + sign.len() });
                    sign.len()
                }
                None => {
                    let length = first.len_utf8();
                    let message = format!("`{}` is no sign of the constraint language", first.escape_debug());
                    problems.error(&(at..at + length), message, sign_hint(first));
                    length
                }
            },
        };
        at += length;
    }
    tokens.push(Token { kind: TokenKind::End, place: at..at });
    tokens
}

/// Returns the length of the letters, digits and underscores at the beginning of a text.
fn word_length(text: &str) -> usize {
    text.find(|character: char| !character.is_ascii_alphanumeric() && character != '_').unwrap_or(text.len())
}

/// Reads a number: decimal, or after a prefix binary, octal, decimal or hexadecimal.
fn number(word: &str) -> Result<BigUint, (String, Option<String>)> {
    let (radix, digits) = match word.as_bytes() {
        [b'0', b'b' | b'B', ..] => (2, &word[2..]),
        [b'0', b'o' | b'O', ..] => (8, &word[2..]),
        [b'0', b'd' | b'D', ..] => (10, &word[2..]),
        [b'0', b'x' | b'X', ..] => (16, &word[2..]),
        _ => (10, word),
    };
    if digits.is_empty() {
        return Err((format!("`{word}` has no digits"), None));
    }
    if let Some(other) = digits.chars().find(|character| !character.is_digit(radix)) {
        let hint = match other {
            'w' | 's' => Some("numbers have no width here; they take that of what they are compared with".to_owned()),
            '_' => Some("digits are not separated here".to_owned()),
            _ => None,
        };
        return Err((format!("`{other}` is not a digit of the number `{word}`"), hint));
    }
    // Each significant digit takes at least one bit, so that a text of more digits is not even read.
    let significant = digits.trim_start_matches('0');
    let value = (significant.len() as u64 <= MOST_BITS)
        .then(|| BigUint::parse_bytes(significant.as_bytes(), radix).unwrap_or_default());
    value
        .filter(|value| value.bits() <= MOST_BITS)
        .ok_or_else(|| (format!("the number has more than {MOST_BITS} bits"), None))
}

/// Suggests what may have been meant by a sign of other languages.
fn sign_hint(sign: char) -> Option<String> {
    let meant = match sign {
        '&' => "a conjunction is written `&&`, and a match under a mask with `::value` and `::mask`",
        '|' => "a disjunction is written `||`",
        '=' => "equality is written `==`",
        ':' => "a field of a key is written `key::value`",
        '"' => "a text is written in single quotes",
        '[' | ']' | '$' => "a key whose name has such signs is given another one by `@name`",
        _ => return None,
    };
    Some(meant.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Subject;

    fn kinds(text: &str) -> (Vec<TokenKind<'_>>, Vec<String>) {
        let mut problems = Problems::new(Subject::Table(control::TableNumber::from(0usize)));
        let tokens = lex(text, &mut problems);
        (
            tokens.into_iter().map(|token| token.kind).collect(),
            problems.found.into_iter().map(|own| own.message).collect(),
        )
    }

    #[test]
    fn numbers_have_four_bases() {
        let (tokens, errors) = kinds("10 0d10 0B1010 0o12 0xA 000");
        assert_eq!(errors, [""; 0]);
        let ten = TokenKind::Number(10u8.into());
        let zero = TokenKind::Number(0u8.into());
        assert_eq!(tokens, [ten.clone(), ten.clone(), ten.clone(), ten.clone(), ten, zero, TokenKind::End]);
    }

    #[test]
    fn a_number_is_read_to_its_end_or_refused() {
        for (text, message) in [
            ("0b2", "`2` is not a digit of the number `0b2`"),
            ("0x", "`0x` has no digits"),
            ("8w5", "`w` is not a digit of the number `8w5`"),
            ("1_000", "`_` is not a digit of the number `1_000`"),
        ] {
            assert_eq!(kinds(text), (vec![TokenKind::End], vec![message.to_owned()]));
        }
    }

    #[test]
    fn a_number_as_wide_as_the_widest_value_is_read_and_no_wider_one() {
        let widest = "f".repeat(MOST_BITS as usize / 4) + "f";
        assert_eq!(kinds(&format!("0x{}", &widest[1..])).1, [""; 0]);
        assert_eq!(kinds(&format!("0x{widest}")).1, ["the number has more than 65535 bits"]);
        assert_eq!(kinds(&"9".repeat(1_000_000)).1, ["the number has more than 65535 bits"]);
    }

    #[test]
    fn keywords_are_whole_words() {
        let (tokens, _) = kinds("true trueish _false");
        let expected = [TokenKind::True, TokenKind::Identifier("trueish"), TokenKind::Identifier("_false")];
        assert_eq!(tokens[..3], expected);
    }

    #[test]
    fn comments_are_left_out() {
        let (tokens, errors) = kinds("a // b ' /*\n/* c\n // */ d /**/");
        assert_eq!(errors, [""; 0]);
        assert_eq!(tokens, [TokenKind::Identifier("a"), TokenKind::Identifier("d"), TokenKind::End]);
    }

    #[test]
    fn what_is_not_closed_is_reported_where_it_begins() {
        let mut problems = Problems::new(Subject::Table(control::TableNumber::from(0usize)));
        lex("a 'b", &mut problems);
        lex("a /* b", &mut problems);
        let places: Vec<_> = problems.found.iter().map(|own| own.place.clone()).collect();
        assert_eq!(places, [Some(2..3), Some(2..4)]);
    }

    #[test]
    fn other_signs_are_reported_each() {
        let (tokens, errors) = kinds("a & b é");
        assert_eq!(tokens.len(), 3);
        assert_eq!(errors.len(), 2);
    }
}
