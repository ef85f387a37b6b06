//! The description of a program for its control plane (P4Runtime specification 1.4, section 6).

use control::Identity;
use num_bigint::BigInt;

use super::constants::known;
use super::info::{documentation, has_annotation};
use super::{Declarations, Restrictions, Shapes};
use crate::ast::{Annotation, AnnotationBody};
use crate::check::Nodes;
use crate::token::{Token, TokenKind};

/// Describes a program to its control plane.
pub(super) struct ControlPlane<'c, 'a> {
    pub shapes: Shapes<'c>,
    pub nodes: &'c Nodes<'a>,
    pub declarations: &'c Declarations<'a>,
    pub info: &'c mut control::Info,
    pub restrictions: &'c mut Restrictions,
}

impl<'a> ControlPlane<'_, 'a> {
    /// Makes the identity of an object with this name.
    pub(super) fn identity(&mut self, name: &str, annotations: &'a [Annotation]) -> Identity {
        if let Some(here) = self.shapes.limits.here {
            self.shapes.limits.named.entry(name.to_owned()).or_default().push(here);
        }
        self.restrictions.note(name, annotations);
        let told = Identity::new(name).with_annotations(self.described_annotations(annotations, &[]));
        let told = told.with_documentation(documentation(annotations));
        if has_annotation(annotations, "hidden") {
            return told.hidden();
        }
        match self.written_id(annotations) {
            Some(id) => told.with_id(id),
            None => told,
        }
    }

    /// Returns the number in `@id`, if there is such an annotation.
    pub(super) fn written_id(&mut self, annotations: &'a [Annotation]) -> Option<u32> {
        let own = annotations.iter().find(|annotation| &*annotation.name.text == "id")?;
        let number = self.annotation_number(own).and_then(|number| u32::try_from(number).ok());
        let id = number.filter(|&id| id > 0);
        if id.is_none() {
            self.shapes.found.error(own.span, "an id is one number from 1 to 4294967295");
        }
        id
    }

    /// Returns the number in an annotation with this name, if there is one.
    pub(super) fn number_annotation(&mut self, annotations: &'a [Annotation], name: &str) -> Option<u32> {
        let own = annotations.iter().find(|annotation| &*annotation.name.text == name)?;
        let number = self.annotation_number(own).and_then(|number| u32::try_from(number).ok());
        if number.is_none() {
            self.shapes.found.error(own.span, format!("`@{name}` says one number from 0 to 4294967295"));
        }
        number
    }

    fn annotation_number(&mut self, own: &'a Annotation) -> Option<BigInt> {
        match &own.body {
            AnnotationBody::Unstructured(tokens) => match tokens.as_slice() {
                [Token { kind: TokenKind::Integer(number), .. }] => Some(number.value.clone().into()),
                _ => None,
            },
            AnnotationBody::Expressions(values) => match values.as_slice() {
                [value] => known(self.nodes, value).and_then(|value| value.integer().cloned()),
                _ => None,
            },
            _ => None,
        }
    }
}
