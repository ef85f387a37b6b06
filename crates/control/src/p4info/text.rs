//! The text format of protobuf.

use std::fmt::Write;

use super::binary::{encode, type_url};
use super::message::{Content, Field, Message, Value};

pub(super) fn print(message: &Message) -> String {
    let mut text = String::new();
    fields(message, 0, &mut text);
    text
}

fn fields(message: &Message, depth: usize, text: &mut String) {
    for Field { name, content, .. } in &message.fields {
        match content {
            Content::One(value) => field(name, value, depth, text),
            Content::Many(values) => values.iter().for_each(|value| field(name, value, depth, text)),
            Content::Map(entries) => {
                for (key, value) in entries {
                    let mut entry = Message::default();
                    entry.text(1, "key", key).message(2, "value", value.clone());
                    field(name, &Value::Message(entry), depth, text);
                }
            }
        }
    }
}

fn field(name: &str, value: &Value, depth: usize, text: &mut String) {
    let indent = "  ".repeat(depth);
    let scalar = match value {
        Value::Message(message) => {
            _ = writeln!(text, "{indent}{name} {{");
            fields(message, depth + 1, text);
            _ = writeln!(text, "{indent}}}");
            return;
        }
        // The form with a type in brackets is for readers that know the type.
        Value::Any(type_name, message) => {
            let mut any = Message::default();
            any.text(1, "type_url", &type_url(type_name)).bytes(2, "value", encode(message));
            return field(name, &Value::Message(any), depth, text);
        }
        Value::Text(value) => quoted(value.as_bytes(), false),
        Value::Bytes(value) => quoted(value, true),
        Value::Number(value) => value.to_string(),
        Value::Long(value) => value.to_string(),
        Value::Signed(value) => value.to_string(),
        Value::Flag(value) => value.to_string(),
        Value::Symbol(_, value) => (*value).to_owned(),
    };
    _ = writeln!(text, "{indent}{name}: {scalar}");
}

/// Returns a quoted string. Control characters are written in octal, as are bytes from 0x80 in binary data; in text,
/// these are UTF-8 and remain as they are.
fn quoted(bytes: &[u8], are_binary: bool) -> String {
    let mut text = vec![b'"'];
    for byte in bytes {
        match byte {
            b'\n' => text.extend(b"\\n"),
            b'\r' => text.extend(b"\\r"),
            b'\t' => text.extend(b"\\t"),
            b'"' | b'\'' | b'\\' => text.extend([b'\\', *byte]),
            b' '..=b'~' => text.push(*byte),
            0x80.. if !are_binary => text.push(*byte),
            _ => text.extend(format!("\\{byte:03o}").bytes()),
        }
    }
    text.push(b'"');
    String::from_utf8_lossy(&text).into_owned()
}
