//! Names of keys without `@name`: the key as it is written, with the control-plane names of fields, and the validity of
//! a header as in P4Runtime (specification 1.4, section 6.4.1).

use super::Declarations;
use super::names::written_name;
use crate::ast::{self, ExpressionKind, SliceKind};
use crate::check::Nodes;
use crate::print_expression;
use crate::token::Integer;
use crate::types::{Sort, Types};

impl<'a> Declarations<'a> {
    pub(super) fn key_name(&self, types: &Types, nodes: &Nodes<'a>, value: &'a ast::Expression) -> String {
        match &value.kind {
            ExpressionKind::Call { callee, arguments, .. } => match &callee.kind {
                ExpressionKind::Member(header, name) if &*name.text == "isValid" && arguments.is_empty() => {
                    format!("{}.$valid$", self.key_name(types, nodes, header))
                }
                _ => print_expression(value),
            },
            ExpressionKind::Member(base, member) => {
                let field = self.field_name(types, nodes, base, member);
                match field.strip_prefix('.') {
                    Some(alone) => alone.to_owned(),
                    None => format!("{}.{field}", self.key_name(types, nodes, base)),
                }
            }
            ExpressionKind::Index(base, index) => {
                format!("{}[{}]", self.key_name(types, nodes, base), self.key_name(types, nodes, index))
            }
            ExpressionKind::Slice(own) if own.kind == SliceKind::Bounds => {
                let [value, first, second] =
                    [&own.value, &own.first, &own.second].map(|part| self.key_name(types, nodes, part));
                format!("{value}[{first}:{second}]")
            }
            ExpressionKind::Binary(ast::BinaryOperator::BitAnd, left, right) => {
                format!("{} & {}", self.key_name(types, nodes, left), self.key_name(types, nodes, right))
            }
            ExpressionKind::Integer(number) => Integer { width: None, ..(**number).clone() }.to_string(),
            _ => print_expression(value),
        }
    }

    /// Returns the control-plane name of a field.
    fn field_name(&self, types: &Types, nodes: &Nodes<'a>, base: &'a ast::Expression, member: &ast::Name) -> String {
        let of = nodes.expression(base).and_then(|own| types.named(own.of));
        let noted = of.and_then(|(definition, _, sort)| match sort {
            Sort::Container(_) => self.field_annotations(definition, &member.text),
            _ => None,
        });
        noted.and_then(written_name).unwrap_or_else(|| member.text.to_string())
    }
}
