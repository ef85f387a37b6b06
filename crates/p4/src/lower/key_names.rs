//! Names of keys that have no `@name`: as they are written, with the names that the control plane knows fields by, the
//! validity of a header as P4Runtime has it (specification 1.4, section 6.4.1).

use crate::ast::{self, DeclarationKind, ExpressionKind, SliceKind};
use crate::print_expression;
use crate::token::Integer;
use crate::types::Sort;

use super::Lowering;
use super::names::written_name;

impl<'a> Lowering<'a> {
    pub(super) fn key_name(&self, value: &'a ast::Expression) -> String {
        match &value.kind {
            ExpressionKind::Call { callee, arguments, .. } => match &callee.kind {
                ExpressionKind::Member(header, name) if &*name.text == "isValid" && arguments.is_empty() => {
                    format!("{}.$valid$", self.key_name(header))
                }
                _ => print_expression(value),
            },
            ExpressionKind::Member(base, member) => {
                let field = self.field_name(base, member);
                match field.strip_prefix('.') {
                    Some(alone) => alone.to_owned(),
                    None => format!("{}.{field}", self.key_name(base)),
                }
            }
            ExpressionKind::Index(base, index) => format!("{}[{}]", self.key_name(base), self.key_name(index)),
            ExpressionKind::Slice(own) if own.kind == SliceKind::Bounds => {
                let [value, first, second] = [&own.value, &own.first, &own.second].map(|part| self.key_name(part));
                format!("{value}[{first}:{second}]")
            }
            ExpressionKind::Binary(ast::BinaryOperator::BitAnd, left, right) => {
                format!("{} & {}", self.key_name(left), self.key_name(right))
            }
            ExpressionKind::Integer(number) => Integer { width: None, ..(**number).clone() }.to_string(),
            _ => print_expression(value),
        }
    }

    /// What `@name` says of a field, else its own name.
    fn field_name(&self, base: &'a ast::Expression, member: &ast::Name) -> String {
        let of = self.checked.nodes.expression(base).and_then(|own| self.checked.types.named(own.of));
        let noted = of.and_then(|(definition, _, sort)| match sort {
            Sort::Container(_) => self.field_annotations(definition, &member.text),
            _ => None,
        });
        noted.and_then(written_name).unwrap_or_else(|| member.text.to_string())
    }

    /// What is noted beside a field of a struct, a header or a header union.
    pub(super) fn field_annotations(
        &self,
        definition: crate::types::Definition,
        field: &str,
    ) -> Option<&'a [ast::Annotation]> {
        let DeclarationKind::Container(node) = &self.declarations.get(&definition)?.kind else { return None };
        let own = node.fields.iter().find(|own| &*own.name.text == field)?;
        Some(&own.annotations)
    }
}
