//! Coercion of values and of their parts: the numbers in a list that initializes a struct get the widths of its fields
//! (sections 8.11.2, 8.12 and 8.13).

use diagnostics::Diagnostic;

use super::calls::in_order;
use super::{Called, Conversions, Findings, Nodes, Target, Typed};
use crate::ast::{self, ExpressionKind};
use crate::types::{Sort, Type, TypeForm, Types};

/// Decides whether a value can stand where another type is expected, and notes its coercion.
pub(super) struct Typing<'c, 'a> {
    pub types: &'c mut Types,
    pub nodes: &'c mut Nodes<'a>,
    pub found: &'c mut Findings,
    pub conversions: &'c mut Conversions,
}

impl<'a> Typing<'_, 'a> {
    /// Notes that a value is coerced to a type, and its parts to the parts of that type.
    pub(super) fn coerce(&mut self, node: &'a ast::Expression, to: Type) {
        self.coerce_parts(node, to, false);
    }

    /// Notes that a value is coerced to the type of a cast, whose author may mean to lose bits.
    pub(super) fn coerce_by_cast(&mut self, node: &'a ast::Expression, to: Type) {
        self.coerce_parts(node, to, true);
    }

    fn coerce_parts(&mut self, node: &'a ast::Expression, to: Type, is_cast: bool) {
        if to == Types::UNKNOWN {
            return;
        }
        let to = self.types.tupled(to);
        self.lint_lost_bits(node, to, is_cast);
        self.lint_missing_cast(node, to, is_cast);
        self.nodes.note_conversion(node, to);
        match &node.kind {
            ExpressionKind::List(values) => {
                let kind = self.types.shared(to);
                let parts = match &*kind {
                    TypeForm::Tuple(parts) => parts.clone(),
                    TypeForm::List(part) | TypeForm::Stack(part, _) => vec![*part; values.len()],
                    _ => self.types.field_types(to),
                };
                for (value, part) in values.iter().zip(parts) {
                    self.coerce_parts(value, part, is_cast);
                }
            }
            ExpressionKind::Record { fields, .. } => {
                let Some((own, _)) = self.types.container(to) else { return };
                let parts = self.types.field_types(to);
                for field in fields {
                    let place = own.fields.iter().position(|other| other.name == field.name.text);
                    if let Some(place) = place {
                        self.coerce_parts(&field.value, parts[place], is_cast);
                    }
                }
            }
            ExpressionKind::Conditional(_, yes, no) => {
                self.coerce_parts(yes, to, is_cast);
                self.coerce_parts(no, to, is_cast);
            }
            ExpressionKind::Call { .. } => self.close_constructor(node, to),
            _ => {}
        }
    }

    /// Infers the type arguments of a parser or control that is constructed as an argument of a package (section 17),
    /// which alone determines them.
    fn close_constructor(&mut self, node: &'a ast::Expression, to: Type) {
        let Some(Called { target: Target::Constructor(of, callable), type_arguments, arguments }) =
            self.nodes.call(node).cloned()
        else {
            return;
        };
        let Some((definition, given, Sort::Machine(own))) = self.types.named(of) else { return };
        if !given.contains(&Types::UNKNOWN) || of == to {
            return;
        }
        let parameters = own.type_parameters.clone();
        let mut bindings = type_arguments.into_iter().filter(|(_, of)| *of != Types::UNKNOWN).collect();
        let open = parameters.iter().copied().collect();
        let generic = parameters.iter().map(|&one| self.types.make(TypeForm::Named(one, vec![]))).collect();
        let generic = self.types.make(TypeForm::Named(definition, generic));
        self.conversions.infer(self.types, generic, to, &open, &mut bindings);
        for &parameter in &parameters {
            bindings.entry(parameter).or_insert(Types::UNKNOWN);
        }
        let of = self.types.substitute(generic, &bindings);
        let target = Target::Constructor(of, callable);
        self.nodes.note_call(node, Called { target, type_arguments: in_order(bindings), arguments });
    }

    /// Checks that a value can stand where another type is expected, and notes its coercion. The result has the
    /// expected type.
    pub(super) fn convert(&mut self, node: &'a ast::Expression, typed: Typed, to: Type, what: &str) -> Typed {
        if self.conversions.converts(self.types, typed.of, to) || (typed.known && self.types.becomes_int(typed.of, to))
        {
            self.coerce(node, to);
            return self.conversions.converted(self.types, typed, to);
        }
        let shown = self.types.show(typed.of);
        let wanted = self.types.show(to);
        let mut error =
            Diagnostic::error(node.span, format!("{what} must be of type `{wanted}`, this is of type `{shown}`"));
        if to == Types::BOOL && matches!(self.types.kind(typed.of), TypeForm::Applied(_)) {
            error = error.hint("`.hit` behind it tells whether an entry matched");
        } else if self.conversions.casts(self.types, typed.of, to) {
            error = error.hint(format!("a cast makes it one: `({wanted})`"));
        }
        self.found.report(error);
        Typed { of: to, ..Typed::unknown() }
    }
}
