//! Annotations in the description for the control plane (P4Runtime specification 1.4, section 6.1.1).

use control::{Annotation as ControlAnnotation, AnnotationValue};

use super::ControlPlane;
use super::constants::known;
use crate::ast::{Annotation, AnnotationBody, Expression};
use crate::token::{Token, TokenKind};
use crate::types::Value;

/// Annotations that the description has fields of their own for.
const UNTOLD: [&str; 4] = ["name", "id", "brief", "description"];
/// Annotations whose body the P4 compiler prints as a list of values. It joins the tokens of all others with blanks.
const LISTS: [&str; 2] = ["field_list", "match"];

impl<'a> ControlPlane<'_, 'a> {
    /// Returns the annotations that belong in the description. Unstructured annotations that `others` names are left
    /// out.
    pub(super) fn described_annotations(
        &mut self,
        annotations: &'a [Annotation],
        others: &[&str],
    ) -> Vec<ControlAnnotation> {
        let mut described = Vec::new();
        for own in annotations {
            let name = &*own.name.text;
            match &own.body {
                AnnotationBody::Expressions(values) => {
                    let values = values.iter().map(|value| (String::new(), value));
                    described.extend(self.structured(name, values.collect()));
                }
                AnnotationBody::Pairs(pairs) => {
                    let values = pairs.iter().map(|pair| (pair.name.text.to_string(), &pair.value));
                    described.extend(self.structured(name, values.collect()));
                }
                _ if UNTOLD.contains(&name) || others.contains(&name) => {}
                AnnotationBody::None => described.push(ControlAnnotation::Text(format!("@{name}"))),
                AnnotationBody::Unstructured(tokens) if tokens.is_empty() => {
                    described.push(ControlAnnotation::Text(format!("@{name}")))
                }
                AnnotationBody::Unstructured(tokens) => {
                    described.push(ControlAnnotation::Text(format!("@{name}({})", strung(name, tokens))));
                }
            }
        }
        described
    }

    /// Describes a structured annotation, or reports a value that is not known.
    fn structured(&mut self, name: &str, values: Vec<(String, &'a Expression)>) -> Option<ControlAnnotation> {
        let mut described = Vec::with_capacity(values.len());
        for (key, node) in values {
            let value = match known(self.nodes, node).as_deref() {
                Some(Value::Integer(number)) => i64::try_from(number).ok().map(AnnotationValue::Number),
                Some(Value::Bool(flag)) => Some(AnnotationValue::Flag(*flag)),
                Some(Value::String(text)) => Some(AnnotationValue::Text(text.to_string())),
                _ => None,
            };
            match value {
                Some(value) => described.push((key, value)),
                None => {
                    self.shapes
                        .found
                        .error(node.span, "an annotation says strings, `bool`s, and numbers of at most 64 bits");
                    return None;
                }
            }
        }
        Some(ControlAnnotation::Structured { name: name.to_owned(), values: described })
    }
}

/// Joins tokens with blanks.
fn strung(name: &str, tokens: &[Token]) -> String {
    let is_comma = |token: &Token| token.kind == TokenKind::Punctuator(",");
    let mut text = String::new();
    for (place, token) in tokens.iter().enumerate() {
        if place > 0 && !(LISTS.contains(&name) && is_comma(token)) {
            text.push(' ');
        }
        text.push_str(&token.kind.to_string());
    }
    text
}
