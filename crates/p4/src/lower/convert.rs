//! Conversion of values: implicit conversions (8.11.2), casts (8.11.1), lists and records (8.12, 8.13).

use std::rc::Rc;

use ir::Expression;

use super::Storage;
use super::tree::{HeaderName, HeaderTree, StackTree, Tree, Value};
use crate::ast::ContainerKind;
use crate::types::{Type, TypeForm};

impl Storage<'_> {
    /// Converts a value to a type, part by part. Missing parts (`...`, `{#}`) get their default values.
    pub(super) fn convert(&mut self, value: Value, to: Type) -> Value {
        let to = self.shapes.original(to);
        if let Some(ty) = self.shapes.scalar_type(to) {
            return match value {
                Tree::Scalar(scalar) => Tree::Scalar(self.output.cast(scalar, ty)),
                Tree::Nothing => self.shapes.default_value(to),
                other => other,
            };
        }
        match (self.shapes.types.kind(to).clone(), value) {
            (TypeForm::Tuple(_) | TypeForm::Named(..) | TypeForm::Stack(_, Some(_)), Tree::Nothing) => {
                self.shapes.default_value(to)
            }
            (TypeForm::Stack(element, Some(size)), Tree::Struct(parts)) => {
                let mut elements: Vec<Value> = parts.into_iter().map(|(_, part)| self.convert(part, element)).collect();
                while elements.len() < size as usize {
                    elements.push(self.shapes.default_value(element));
                }
                let next = Expression::number(super::layout::LENGTH, 0);
                Tree::Stack(Box::new(StackTree { next, elements, arrays: None }))
            }
            (TypeForm::Tuple(_) | TypeForm::Record(..), Tree::Struct(parts)) => {
                Tree::Struct(self.convert_parts(parts, to))
            }
            (TypeForm::Named(..), Tree::Struct(parts)) => match self.shapes.types.container_kind(to) {
                Some(ContainerKind::Struct) => Tree::Struct(self.convert_parts(parts, to)),
                Some(ContainerKind::HeaderUnion) => Tree::Union(self.convert_parts(parts, to)),
                Some(ContainerKind::Header) => {
                    let fields = self.convert_parts(parts, to);
                    let valid = Expression::bool(true);
                    Tree::Header(Box::new(HeaderTree { name: HeaderName::Value, valid, fields }))
                }
                None => Tree::Struct(parts),
            },
            (_, value) => value,
        }
    }

    /// Converts parts, matched by name if all names are known, and else by position.
    fn convert_parts(&mut self, mut parts: Vec<(Rc<str>, Value)>, to: Type) -> Vec<(Rc<str>, Value)> {
        let wanted = self.shapes.part_types(to);
        let by_name = parts.iter().all(|(name, _)| wanted.iter().any(|(other, _)| other == name));
        let convert = |(place, (name, of)): (usize, (Rc<str>, Type))| {
            let found = if by_name { parts.iter().position(|(own, _)| *own == name) } else { Some(place) };
            let given = found.and_then(|place| parts.get_mut(place));
            let given = given.map_or(Tree::Nothing, |(_, part)| std::mem::replace(part, Tree::Nothing));
            (name, self.convert(given, of))
        };
        wanted.into_iter().enumerate().map(convert).collect()
    }
}
