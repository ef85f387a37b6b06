//! The binary format of protobuf ("Encoding").

use super::message::{Content, Field, Message, Value};

const VARINT: u32 = 0;
const LENGTH_DELIMITED: u32 = 2;

pub(super) fn encode(message: &Message) -> Vec<u8> {
    let mut bytes = Vec::new();
    fields(message, &mut bytes);
    bytes
}

/// Returns the address of a type, with which `google.protobuf.Any` names it.
pub(super) fn type_url(type_name: &str) -> String {
    format!("type.googleapis.com/{type_name}")
}

fn fields(message: &Message, bytes: &mut Vec<u8>) {
    for Field { number, content, .. } in &message.fields {
        match content {
            Content::One(value) => field(*number, value, bytes),
            // Repeated numbers share one field.
            Content::Many(values) if values.iter().all(|value| matches!(value, Value::Number(_))) => {
                let mut packed = Vec::new();
                for value in values {
                    if let Value::Number(value) = value {
                        varint(u64::from(*value), &mut packed);
                    }
                }
                delimited(*number, &packed, bytes);
            }
            Content::Many(values) => values.iter().for_each(|value| field(*number, value, bytes)),
            Content::Map(entries) => {
                for (key, value) in entries {
                    let mut entry = Vec::new();
                    delimited(1, key.as_bytes(), &mut entry);
                    delimited(2, &encode(value), &mut entry);
                    delimited(*number, &entry, bytes);
                }
            }
        }
    }
}

fn field(number: u32, value: &Value, bytes: &mut Vec<u8>) {
    let scalar = match value {
        Value::Message(message) => return delimited(number, &encode(message), bytes),
        Value::Any(type_name, message) => {
            let mut any = Vec::new();
            delimited(1, type_url(type_name).as_bytes(), &mut any);
            delimited(2, &encode(message), &mut any);
            return delimited(number, &any, bytes);
        }
        Value::Text(text) => return delimited(number, text.as_bytes(), bytes),
        Value::Bytes(value) => return delimited(number, value, bytes),
        Value::Number(value) | Value::Symbol(value, _) => u64::from(*value),
        Value::Long(value) => *value,
        Value::Signed(value) => *value as u64,
        Value::Flag(value) => u64::from(*value),
    };
    varint(u64::from(number << 3 | VARINT), bytes);
    varint(scalar, bytes);
}

fn delimited(number: u32, content: &[u8], bytes: &mut Vec<u8>) {
    varint(u64::from(number << 3 | LENGTH_DELIMITED), bytes);
    varint(content.len() as u64, bytes);
    bytes.extend_from_slice(content);
}

/// Writes a number in groups of seven bits, the least significant one first.
fn varint(mut value: u64, bytes: &mut Vec<u8>) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}
