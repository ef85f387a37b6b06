//! Annotations in P4Info.

use super::message::Message;
use crate::{Annotation, AnnotationValue};

/// Adds the unstructured annotations.
pub(super) fn texts(message: &mut Message, number: u32, annotations: &[Annotation]) {
    let texts = annotations.iter().filter_map(|annotation| match annotation {
        Annotation::Text(text) => Some(text.clone()),
        Annotation::Structured { .. } => None,
    });
    message.texts(number, "annotations", &texts.collect::<Vec<_>>());
}

/// Adds the structured annotations.
pub(super) fn structured(message: &mut Message, number: u32, annotations: &[Annotation]) {
    let all = annotations.iter().filter_map(|annotation| match annotation {
        Annotation::Structured { name, values } => Some(one(name, values)),
        Annotation::Text(_) => None,
    });
    message.messages(number, "structured_annotations", all.collect::<Vec<_>>());
}

fn one(name: &str, values: &[(String, AnnotationValue)]) -> Message {
    let mut message = Message::default();
    message.text(1, "name", name);
    let have_keys = values.iter().any(|(key, _)| !key.is_empty());
    let mut body = Message::default();
    if have_keys {
        body.messages(
            1,
            "kv_pairs",
            values.iter().map(|(key, own)| {
                let mut pair = Message::default();
                pair.text(1, "key", key).message(2, "value", value(own));
                pair
            }),
        );
        message.message(3, "kv_pair_list", body);
    } else if !values.is_empty() {
        body.messages(1, "expressions", values.iter().map(|(_, own)| value(own)));
        message.message(2, "expression_list", body);
    }
    message
}

fn value(value: &AnnotationValue) -> Message {
    let mut message = Message::default();
    match value {
        AnnotationValue::Text(text) => message.chosen_text(1, "string_value", text),
        AnnotationValue::Number(number) => message.signed(2, "int64_value", *number),
        AnnotationValue::Flag(flag) => message.chosen_flag(3, "bool_value", *flag),
    };
    message
}
