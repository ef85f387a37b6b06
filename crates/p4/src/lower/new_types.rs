//! Types made with `type`, as a controller sees their values (P4Runtime specification 1.4, section 8.4.6).

use control::{ControllerType, NewType, Representation};

use super::ControlPlane;
use crate::ast::{Annotation, AnnotationBody};
use crate::token::{Keyword, Token, TokenKind};
use crate::types::{Sort, Type};

impl<'a> ControlPlane<'_, 'a> {
    /// Returns the name of a type made with `type`, and describes the type if it was not described before.
    pub(super) fn new_type_name(&mut self, of: Type) -> Option<String> {
        let of = self.shapes.resolve(of);
        let (definition, _, sort) = self.shapes.types.named(of)?;
        let original = match *sort {
            Sort::NewType(original) => original,
            Sort::Alias(original) => return self.new_type_name(original),
            _ => return None,
        };
        let name = self.shapes.types.definitions.get(definition).name.to_string();
        if self.info.new_type(&name).is_none() {
            let annotations = self.declarations.top.get(&definition).map_or(&[][..], |own| &own.annotations);
            let representation = match annotations.iter().find_map(translation) {
                Some(translated) => translated,
                // The description has the built-in type that it is made of in the end.
                None => {
                    let original = self.shapes.original(original);
                    Representation::Original(self.data_type(original))
                }
            };
            let annotations = self.described_annotations(annotations, &["p4runtime_translation"]);
            self.info.new_types.push(NewType { name: name.clone(), representation, annotations });
        }
        Some(name)
    }
}

/// Returns the translation in `@p4runtime_translation("uri", type)`, whose type is a number of bits, `bit<N>` or
/// `string`.
fn translation(annotation: &Annotation) -> Option<Representation> {
    let AnnotationBody::Unstructured(tokens) = &annotation.body else { return None };
    if &*annotation.name.text != "p4runtime_translation" {
        return None;
    }
    let [Token { kind: TokenKind::Text(uri), .. }, _, rest @ ..] = tokens.as_slice() else { return None };
    let width = rest.iter().find_map(|token| match &token.kind {
        TokenKind::Integer(number) => u32::try_from(&number.value).ok(),
        _ => None,
    });
    let controller = match (rest, width) {
        ([Token { kind: TokenKind::Keyword(Keyword::String), .. }], _) => ControllerType::Text,
        (_, Some(width)) => ControllerType::Bits(width),
        _ => return None,
    };
    Some(Representation::Translated { uri: uri.to_string(), controller })
}
