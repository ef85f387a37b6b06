//! Field lists: the metadata that copies of packets keep, marked with `@field_list(number, ...)`.

use num_bigint::BigInt;

use crate::ast::{self, Annotation, AnnotationBody, DeclarationKind, ExpressionKind};
use crate::check::Nodes;
use crate::findings::Findings;
use crate::lower::constants::known;
use crate::lower::functions::variables;
use crate::lower::tree::LValue;
use crate::lower::{Declarations, ExternCall, Objects};
use crate::token::{Token, TokenKind};
use crate::types::{Sort, Type, Types};

/// The first number of field lists without `@field_list`, whose numbers have 8 bits.
pub(in crate::lower) const FIRST_UNNUMBERED: u32 = 256;

impl<'a> Objects<'_, 'a> {
    /// Finds the field lists in metadata.
    pub(in crate::lower) fn find_field_lists(&mut self, metadata: &LValue, of: Type) {
        let of = self.shapes.original(of);
        let Some((definition, _, Sort::Container(_))) = self.shapes.types.named(of) else { return };
        let Some(declaration) = self.declarations.top.get(&definition).copied() else { return };
        let declaration = match &declaration.kind {
            DeclarationKind::TypedefOfDeclaration(inner, _) => inner,
            _ => declaration,
        };
        let DeclarationKind::Container(container) = &declaration.kind else { return };
        let types = self.shapes.fields(of);
        for (field, (name, of)) in container.fields.iter().zip(types) {
            let Some(l_value) = metadata.part(&name).cloned() else { continue };
            for number in self.declarations.field_list_numbers(
                self.shapes.types,
                self.nodes,
                self.shapes.found,
                &field.annotations,
            ) {
                self.output.keep_in_field_list(number, variables(&l_value));
            }
            self.find_field_lists(&l_value, of);
        }
    }
}

impl<'a> ExternCall<'_, 'a> {
    /// Returns the l-values that a list names.
    pub(super) fn l_values_in(&mut self, node: &'a ast::Expression) -> Vec<LValue> {
        match &node.kind {
            ExpressionKind::List(values) => values.iter().flat_map(|value| self.l_values_in(value)).collect(),
            ExpressionKind::Record { fields, .. } => {
                fields.iter().flat_map(|field| self.l_values_in(&field.value)).collect()
            }
            ExpressionKind::Cast(_, value) => self.l_values_in(value),
            _ => self.lowering.readable_l_value(node).into_iter().collect(),
        }
    }
}

impl<'a> Declarations<'a> {
    fn field_list_numbers(
        &self,
        types: &Types,
        nodes: &Nodes<'a>,
        found: &mut Findings,
        annotations: &'a [Annotation],
    ) -> Vec<u32> {
        let mut numbers = Vec::new();
        for annotation in annotations.iter().filter(|annotation| &*annotation.name.text == "field_list") {
            let written: Vec<Option<BigInt>> = match &annotation.body {
                AnnotationBody::Unstructured(tokens) => {
                    let parts = tokens.split(|token| token.is(","));
                    parts.map(|part| self.number_written(types, part)).collect()
                }
                AnnotationBody::Expressions(values) => {
                    values.iter().map(|value| known(nodes, value)?.integer().cloned()).collect()
                }
                _ => vec![None],
            };
            for number in written {
                match number.and_then(|number| u8::try_from(number).ok()) {
                    Some(number) => numbers.push(u32::from(number)),
                    None => found.error(annotation.span, "a field list has a number from 0 to 255"),
                }
            }
        }
        numbers
    }

    /// Returns a number in an annotation: a literal, a constant of the top level, or a member of an enumeration.
    fn number_written(&self, types: &Types, tokens: &[Token]) -> Option<BigInt> {
        match tokens {
            [Token { kind: TokenKind::Integer(number), .. }] => Some(BigInt::from(number.value.clone())),
            [name] => {
                let name = name.name()?;
                self.sorts(types).find_map(|(own, sort)| match sort {
                    Sort::Constant(_, Some(value)) if *own == *name => value.integer().cloned(),
                    _ => None,
                })
            }
            [name, dot, member] if dot.is(".") => {
                let (name, member) = (name.name()?, member.name()?);
                self.sorts(types).find_map(|(own, sort)| match sort {
                    Sort::Enumeration(all) if *own == *name => {
                        all.members.iter().find(|(other, _)| *other == member)?.1.clone()
                    }
                    _ => None,
                })
            }
            _ => None,
        }
    }
}
