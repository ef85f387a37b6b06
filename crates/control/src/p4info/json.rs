//! The JSON format of protobuf ("ProtoJSON"): names are in lower camel case, 64-bit numbers are strings, and bytes are
//! encoded in base64.

use std::fmt::Write;

use super::binary::type_url;
use super::message::{Content, Message, Value};

pub(super) fn print(message: &Message) -> String {
    let mut text = String::new();
    object(message, 0, &mut text);
    text.push('\n');
    text
}

fn object(message: &Message, depth: usize, text: &mut String) {
    let fields = message.fields.iter().map(|field| (camel_case(field.name), &field.content));
    brackets(['{', '}'], fields, depth, text, |(name, content), text| {
        _ = write!(text, "\"{name}\": ");
        match content {
            Content::One(one) => value(one, depth + 1, text),
            Content::Many(many) => {
                brackets(['[', ']'], many.iter(), depth + 1, text, |one, text| value(one, depth + 2, text));
            }
            Content::Map(entries) => {
                brackets(['{', '}'], entries.iter(), depth + 1, text, |(key, one), text| {
                    quoted(key, text);
                    text.push_str(": ");
                    object(one, depth + 2, text);
                });
            }
        }
    });
}

/// Writes items on separate lines between brackets.
fn brackets<T>(
    [open, close]: [char; 2],
    items: impl Iterator<Item = T>,
    depth: usize,
    text: &mut String,
    print: impl Fn(T, &mut String),
) {
    text.push(open);
    let mut is_empty = true;
    for item in items {
        text.push_str(if is_empty { "\n" } else { ",\n" });
        text.push_str(&"  ".repeat(depth + 1));
        print(item, text);
        is_empty = false;
    }
    if !is_empty {
        text.push('\n');
        text.push_str(&"  ".repeat(depth));
    }
    text.push(close);
}

fn value(value: &Value, depth: usize, text: &mut String) {
    match value {
        Value::Message(message) => object(message, depth, text),
        Value::Any(type_name, message) => {
            let mut any = Message::default();
            any.text(0, "@type", &type_url(type_name));
            any.fields.extend(message.fields.iter().cloned());
            object(&any, depth, text);
        }
        Value::Text(value) => quoted(value, text),
        Value::Number(value) => _ = write!(text, "{value}"),
        Value::Long(value) => _ = write!(text, "\"{value}\""),
        Value::Signed(value) => _ = write!(text, "\"{value}\""),
        Value::Flag(value) => _ = write!(text, "{value}"),
        Value::Symbol(_, value) => _ = write!(text, "\"{value}\""),
        Value::Bytes(value) => _ = write!(text, "\"{}\"", base_64(value)),
    }
}

fn camel_case(name: &str) -> String {
    let mut words = name.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |name, word| name + &word[..1].to_ascii_uppercase() + &word[1..])
}

/// Writes a JSON string (RFC 8259, section 7).
fn quoted(value: &str, text: &mut String) {
    text.push('"');
    for letter in value.chars() {
        match letter {
            '"' | '\\' => text.extend(['\\', letter]),
            '\n' => text.push_str("\\n"),
            '\u{0}'..='\u{1f}' => _ = write!(text, "\\u{:04x}", letter as u32),
            _ => text.push(letter),
        }
    }
    text.push('"');
}

/// Encodes bytes in base64 (RFC 4648, section 4).
fn base_64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let groups = bytes.chunks(3).map(|group| {
        let number = (0..3).fold(0, |number, at| number << 8 | usize::from(group.get(at).copied().unwrap_or(0)));
        let digit = |at: usize| if at > group.len() { '=' } else { ALPHABET[number >> (18 - 6 * at) & 63] as char };
        [digit(0), digit(1), digit(2), digit(3)]
    });
    groups.flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodes_base64_as_in_rfc_4648() {
        for (bytes, expected) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")] {
            assert_eq!(base_64(bytes.as_bytes()), expected, "RFC 4648, section 10");
        }
    }
}
