//! Bytes as settings write them: hexadecimal digits, with or without `0x` and spaces.

use plans::Section;

/// Reads bytes, if they are given: at most `most`.
pub(super) fn optional_bytes(section: &Section<'_>, name: &'static str, most: usize) -> Option<Vec<u8>> {
    let (text, span) = section.text(name)?;
    match parse(&text) {
        Some(bytes) if bytes.len() <= most => return Some(bytes),
        Some(bytes) => {
            let message = format!("`{name}` has {} bytes", bytes.len());
            section.error(&span, message, format!("at most {most} bytes"));
        }
        None => section.error(
            &span,
            format!("`{name}` must be bytes"),
            "two hexadecimal digits a byte, such as \"0x0a1b\" or \"0a 1b\"",
        ),
    }
    None
}

fn parse(text: &str) -> Option<Vec<u8>> {
    let digits = text.strip_prefix("0x").unwrap_or(text);
    let digits: Vec<u8> = digits
        .chars()
        .filter(|character| !character.is_whitespace() && *character != '_')
        .map(|character| character.to_digit(16).map(|digit| digit as u8))
        .collect::<Option<_>>()?;
    let (pairs, rest) = digits.as_chunks::<2>();
    rest.is_empty().then(|| pairs.iter().map(|[high, low]| high << 4 | low).collect())
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn bytes_are_pairs_of_hexadecimal_digits() {
        assert_eq!(parse("0x0aFF"), Some(vec![10, 255]));
        assert_eq!(parse("0a ff_01"), Some(vec![10, 255, 1]));
        assert_eq!(parse(""), Some(vec![]));
        assert_eq!([parse("0a f"), parse("0g"), parse("é0")], [None, None, None]);
    }
}
