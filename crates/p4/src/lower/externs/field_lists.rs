//! What copies of packets keep of the metadata: fields with the annotation `@field_list(number, ...)`.

use ir::{FieldList, VariableId};
use num_bigint::BigInt;

use crate::ast::{self, Annotation, AnnotationBody, DeclarationKind, ExpressionKind};
use crate::lower::Lowering;
use crate::lower::functions::variables;
use crate::lower::tree::Place;
use crate::token::{Token, TokenKind};
use crate::types::{Sort, Type};

/// Numbers of field lists have 8 bits; those that a program writes out have greater ones.
const FIRST_UNNUMBERED: u32 = 256;

impl<'a> Lowering<'a> {
    /// Finds the field lists in metadata.
    pub(in crate::lower) fn find_field_lists(&mut self, metadata: &Place, of: Type) {
        let of = self.original(of);
        let Some((definition, _, Sort::Container(_))) = self.checked.types.named(of) else { return };
        let Some(declaration) = self.declarations.get(&definition).copied() else { return };
        let declaration = match &declaration.kind {
            DeclarationKind::TypedefOfDeclaration(inner, _) => inner,
            _ => declaration,
        };
        let DeclarationKind::Container(container) = &declaration.kind else { return };
        let types = self.fields(of);
        for (field, (name, of)) in container.fields.iter().zip(types) {
            let Some(place) = metadata.part(&name).cloned() else { continue };
            for number in self.field_list_numbers(&field.annotations) {
                self.keep_in_field_list(number, variables(&place));
            }
            self.find_field_lists(&place, of);
        }
    }

    fn keep_in_field_list(&mut self, number: u32, kept: Vec<VariableId>) {
        let lists = &mut self.program.field_lists;
        let place = lists.iter().position(|list| list.number == number).unwrap_or_else(|| {
            lists.push(FieldList { number, variables: vec![] });
            lists.len() - 1
        });
        for variable in kept {
            if !lists[place].variables.contains(&variable) {
                lists[place].variables.push(variable);
            }
        }
    }

    /// A field list that has no number in the program.
    pub(super) fn unnumbered_field_list(&mut self, kept: Vec<VariableId>) -> usize {
        let lists = &mut self.program.field_lists;
        if let Some(same) = lists.iter().position(|list| list.variables == kept && list.number >= FIRST_UNNUMBERED) {
            return same;
        }
        let number = lists.iter().map(|list| list.number + 1).fold(FIRST_UNNUMBERED, u32::max);
        lists.push(FieldList { number, variables: kept });
        lists.len() - 1
    }

    /// The places that a list names.
    pub(super) fn places_in(&mut self, node: &'a ast::Expression) -> Vec<Place> {
        match &node.kind {
            ExpressionKind::List(values) => values.iter().flat_map(|value| self.places_in(value)).collect(),
            ExpressionKind::Record { fields, .. } => {
                fields.iter().flat_map(|field| self.places_in(&field.value)).collect()
            }
            ExpressionKind::Cast(_, value) => self.places_in(value),
            _ => self.readable_place(node).into_iter().collect(),
        }
    }

    fn field_list_numbers(&mut self, annotations: &'a [Annotation]) -> Vec<u32> {
        let mut numbers = Vec::new();
        for annotation in annotations.iter().filter(|annotation| &*annotation.name.text == "field_list") {
            let found: Vec<Option<BigInt>> = match &annotation.body {
                AnnotationBody::Unstructured(tokens) => {
                    let parts = tokens.split(|token| token.is(","));
                    parts.map(|part| self.number_written(part)).collect()
                }
                AnnotationBody::Expressions(values) => {
                    values.iter().map(|value| self.known(value)?.integer().cloned()).collect()
                }
                _ => vec![None],
            };
            for number in found {
                match number.and_then(|number| u8::try_from(number).ok()) {
                    Some(number) => numbers.push(u32::from(number)),
                    None => self.error(annotation.span, "a field list has a number from 0 to 255"),
                }
            }
        }
        numbers
    }

    /// A number in an annotation: itself, a constant of the top level, or a member of an enumeration.
    fn number_written(&self, tokens: &[Token]) -> Option<BigInt> {
        match tokens {
            [Token { kind: TokenKind::Integer(number), .. }] => Some(BigInt::from(number.value.clone())),
            [name] => {
                let name = name.name()?;
                self.sorts().find_map(|(own, sort)| match sort {
                    Sort::Constant(_, Some(value)) if *own == *name => value.integer().cloned(),
                    _ => None,
                })
            }
            [name, dot, member] if dot.is(".") => {
                let (name, member) = (name.name()?, member.name()?);
                self.sorts().find_map(|(own, sort)| match sort {
                    Sort::Enumeration(all) if *own == *name => {
                        all.members.iter().find(|(other, _)| *other == member)?.1.clone()
                    }
                    _ => None,
                })
            }
            _ => None,
        }
    }

    /// What the top level declares, by name.
    fn sorts(&self) -> impl Iterator<Item = (&str, &Sort)> {
        // Names of the top level are unique but for those of functions, so that the order does not matter.
        self.declarations.keys().map(|&definition| {
            let meaning = self.checked.types.definitions.get(definition);
            (&*meaning.name, &meaning.sort)
        })
    }
}
