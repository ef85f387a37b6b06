//! Annotations as text.

use super::Printer;
use crate::ast::{Annotation, AnnotationBody, NamedExpression};

impl Printer {
    /// Annotations, each followed by a space.
    pub(super) fn annotations(&mut self, annotations: &[Annotation]) {
        for annotation in annotations {
            self.annotation(annotation);
            self.push(" ");
        }
    }

    /// Annotations behind something, each with a space before it.
    pub(super) fn annotations_behind(&mut self, annotations: &[Annotation]) {
        for annotation in annotations {
            self.push(" ");
            self.annotation(annotation);
        }
    }

    /// A `@pragma` is printed as what it is the older spelling of.
    fn annotation(&mut self, annotation: &Annotation) {
        self.push("@");
        self.push(&annotation.name.text);
        match &annotation.body {
            AnnotationBody::None => {}
            AnnotationBody::Unstructured(tokens) => {
                self.push("(");
                for (index, token) in tokens.iter().enumerate() {
                    if index > 0 && !token.touches_previous {
                        self.push(" ");
                    }
                    self.push(&token.kind.to_string());
                }
                self.push(")");
            }
            AnnotationBody::Expressions(values) => {
                self.push("[");
                self.joined(values, ", ", Self::expression);
                self.push("]");
            }
            AnnotationBody::Pairs(pairs) => {
                self.push("[");
                self.joined(pairs, ", ", Self::named_expression);
                self.push("]");
            }
        }
    }

    /// `name = value`
    pub(super) fn named_expression(&mut self, pair: &NamedExpression) {
        self.push(&pair.name.text);
        self.push(" = ");
        self.expression(&pair.value);
    }
}
