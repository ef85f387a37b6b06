//! Annotations in P4Info.

use super::message::Message;
use crate::{Annotation, AnnotationValue};

/// Adds the unstructured annotations.
pub(super) fn texts(message: &mut Message, annotations: &[Annotation]) {
    let texts = annotations.iter().filter_map(|annotation| match annotation {
        Annotation::Text(text) => Some(text.clone()),
        Annotation::Structured { .. } => None,
    });
    message.texts("annotations", &texts.collect::<Vec<_>>());
}

/// Adds the structured annotations.
pub(super) fn structured(message: &mut Message, annotations: &[Annotation]) {
    let all = annotations.iter().filter_map(|annotation| match annotation {
        Annotation::Structured { name, values } => Some(one(name, values)),
        Annotation::Text(_) => None,
    });
    message.messages("structured_annotations", all.collect::<Vec<_>>());
}

fn one(name: &str, values: &[(String, AnnotationValue)]) -> Message {
    let mut message = Message::default();
    message.text("name", name);
    let have_keys = values.iter().any(|(key, _)| !key.is_empty());
    let mut body = Message::default();
    if have_keys {
        body.messages(
            "kv_pairs",
            values.iter().map(|(key, own)| {
                let mut pair = Message::default();
                pair.text("key", key).message("value", value(own));
                pair
            }),
        );
        message.message("kv_pair_list", body);
    } else if !values.is_empty() {
        body.messages("expressions", values.iter().map(|(_, own)| value(own)));
        message.message("expression_list", body);
    }
    message
}

fn value(value: &AnnotationValue) -> Message {
    let mut message = Message::default();
    match value {
        AnnotationValue::Text(text) => message.chosen_text("string_value", text),
        AnnotationValue::Number(number) => message.signed("int64_value", *number),
        AnnotationValue::Flag(flag) => message.chosen_flag("bool_value", *flag),
    };
    message
}
