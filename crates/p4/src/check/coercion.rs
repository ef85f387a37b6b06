//! What the parts of a value become when all of it becomes something: the numbers of a list that fills a struct get the
//! widths of its fields (sections 8.11.2, 8.12 and 8.13).

use std::rc::Rc;

use super::calls::in_order;
use super::{Called, Checker, Target};
use crate::ast::{self, ExpressionKind};
use crate::types::{Kind, Sort, Type, Types};

impl<'a> Checker<'a> {
    /// Notes what a value and its parts become.
    pub(super) fn coerce(&mut self, node: &'a ast::Expression, to: Type) {
        if to == Types::UNKNOWN {
            return;
        }
        let to = self.tupled(to);
        self.lint_lost_bits(node, to);
        self.lint_missing_cast(node, to);
        self.checked.note_conversion(node, to);
        match &node.kind {
            ExpressionKind::List(values) => {
                let kind = self.checked.types.shared(to);
                let parts = match &*kind {
                    Kind::Tuple(parts) => parts.clone(),
                    Kind::List(part) | Kind::Stack(part, _) => vec![*part; values.len()],
                    _ => self.checked.types.field_types(to),
                };
                for (value, part) in values.iter().zip(parts) {
                    self.coerce(value, part);
                }
            }
            ExpressionKind::Record { fields, .. } => {
                let Some((own, _)) = self.checked.types.container(to) else { return };
                let parts = self.checked.types.field_types(to);
                for field in fields {
                    let place = own.fields.iter().position(|other| other.name == field.name.text);
                    if let Some(place) = place {
                        self.coerce(&field.value, parts[place]);
                    }
                }
            }
            ExpressionKind::Conditional(_, yes, no) => {
                self.coerce(yes, to);
                self.coerce(no, to);
            }
            ExpressionKind::Call { .. } => self.close_constructor(node, to),
            _ => {}
        }
    }

    /// A type in which lists as they are written are tuples.
    pub(super) fn tupled(&mut self, of: Type) -> Type {
        let kind = self.checked.types.shared(of);
        let made = match &*kind {
            Kind::Listed(parts) => Kind::Tuple(parts.iter().map(|&part| self.tupled(part)).collect()),
            Kind::Record(fields, is_open) => {
                let fields = fields.iter().map(|(name, part)| (Rc::clone(name), self.tupled(*part)));
                Kind::Record(fields.collect(), *is_open)
            }
            _ => return of,
        };
        self.types().make(made)
    }

    /// The type parameters of a parser or control that is made where a package wants one of known types
    /// (section 17): what they stand for is known only there.
    fn close_constructor(&mut self, node: &'a ast::Expression, to: Type) {
        let Some(Called { target: Target::Constructor(of, callable), type_arguments, arguments }) =
            self.checked.call(node).cloned()
        else {
            return;
        };
        let Some((definition, given, Sort::Machine(own))) = self.checked.types.named(of) else { return };
        if !given.contains(&Types::UNKNOWN) || of == to {
            return;
        }
        let parameters = own.type_parameters.clone();
        let mut bindings = type_arguments.into_iter().filter(|(_, of)| *of != Types::UNKNOWN).collect();
        let open = parameters.iter().copied().collect();
        let generic = parameters.iter().map(|&one| self.types().make(Kind::Named(one, vec![]))).collect();
        let generic = self.types().make(Kind::Named(definition, generic));
        self.infer(generic, to, &open, &mut bindings);
        for &parameter in &parameters {
            bindings.entry(parameter).or_insert(Types::UNKNOWN);
        }
        let of = self.types().substitute(generic, &bindings);
        let target = Target::Constructor(of, callable);
        self.checked.note_call(node, Called { target, type_arguments: in_order(bindings), arguments });
    }
}
