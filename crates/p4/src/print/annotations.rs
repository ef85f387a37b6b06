//! Printing of annotations.

use super::Printer;
use crate::ast::{Annotation, AnnotationBody, NamedExpression};

impl Printer {
    /// Prints annotations, each followed by a space.
    pub(super) fn annotations(&mut self, annotations: &[Annotation]) {
        for annotation in annotations {
            self.annotation(annotation);
            self.push(" ");
        }
    }

    /// Prints annotations, each preceded by a space.
    pub(super) fn annotations_behind(&mut self, annotations: &[Annotation]) {
        for annotation in annotations {
            self.push(" ");
            self.annotation(annotation);
        }
    }

    /// Prints an annotation. A `@pragma` is printed in the current syntax.
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
