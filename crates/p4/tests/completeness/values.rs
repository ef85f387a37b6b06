//! Values and calls.

use diagnostics::Span;
use p4::Called;
use p4::ast::{Argument, ArgumentValue, Expression, ExpressionKind};
use p4::types::{Sort, Types};

use super::Walk;

impl<'a> Walk<'a> {
    /// An action that a table or a `switch` names, with or without arguments.
    pub fn action(&mut self, node: &'a Expression) {
        match &node.kind {
            ExpressionKind::Name(path) => {
                self.name(&path.name);
                if self.checked.nodes.call(node).is_none() {
                    self.gap(node.span, "an action");
                }
            }
            _ => self.call(node),
        }
    }

    pub fn arguments(&mut self, all: &'a [Argument]) {
        for argument in all {
            if let ArgumentValue::Given(value) = &argument.value {
                self.value(value);
            }
        }
    }

    pub fn called(&mut self, span: Span, called: &Called) {
        for (parameter, of) in &called.type_arguments {
            if self.is_open(*of) {
                let name = &self.checked.types.definitions.get(*parameter).name;
                let shown = self.checked.types.show(*of);
                self.gap(span, format!("the type parameter {name} is `{shown}`"));
            }
        }
    }

    pub fn value(&mut self, node: &'a Expression) {
        match self.checked.nodes.expression(node) {
            None => self.gap(node.span, "a value"),
            Some(known) if self.is_open(known.coerced) => {
                self.gap(node.span, format!("a value becomes `{}`", self.checked.types.show(known.coerced)));
            }
            // `int` is what a number is until it stands somewhere; there its value is known.
            Some(known)
                if known.coerced == Types::INTEGER && known.value.is_none() && !self.is_of_constructor(node) =>
            {
                self.gap(node.span, "a number of no width and no value");
            }
            _ => {}
        }
        self.parts(node);
    }

    /// A parameter of a constructor may be an `int` that only the instance knows.
    fn is_of_constructor(&self, node: &'a Expression) -> bool {
        match &node.kind {
            ExpressionKind::Name(path) => self.checked.nodes.definition(&path.name).is_some_and(|definition| {
                matches!(self.checked.types.definitions.get(definition).sort, Sort::Parameter(_, _, true))
            }),
            ExpressionKind::Unary(_, value) => self.is_of_constructor(value),
            ExpressionKind::Binary(_, one, other) => self.is_of_constructor(one) || self.is_of_constructor(other),
            ExpressionKind::Call { .. } => true,
            _ => false,
        }
    }

    fn parts(&mut self, node: &'a Expression) {
        match &node.kind {
            ExpressionKind::Name(path) => {
                let is_match_kind =
                    self.checked.nodes.expression(node).is_some_and(|known| known.of == Types::MATCH_KIND);
                if !is_match_kind {
                    self.name(&path.name);
                }
            }
            ExpressionKind::Member(object, _) => self.object(object),
            ExpressionKind::Index(one, other) | ExpressionKind::Binary(_, one, other) => {
                self.value(one);
                self.value(other);
            }
            ExpressionKind::Slice(slice) => {
                self.value(&slice.value);
                self.value(&slice.first);
                self.value(&slice.second);
            }
            ExpressionKind::Call { .. } => self.call(node),
            ExpressionKind::Cast(to, value) => {
                self.written(to);
                self.value(value);
            }
            ExpressionKind::Unary(_, value) => self.value(value),
            ExpressionKind::Conditional(condition, yes, no) => {
                self.value(condition);
                self.value(yes);
                self.value(no);
            }
            ExpressionKind::List(values) => values.iter().for_each(|value| self.value(value)),
            ExpressionKind::Record { fields, .. } => fields.iter().for_each(|field| self.value(&field.value)),
            _ => {}
        }
    }

    /// What stands before a dot: a value, a type or `error`.
    fn object(&mut self, node: &'a Expression) {
        match &node.kind {
            ExpressionKind::Error => {}
            ExpressionKind::Type(written) => self.written(written),
            ExpressionKind::Name(path) => match self.checked.nodes.definition(&path.name) {
                Some(definition) if self.is_type(definition) => {}
                _ => self.value(node),
            },
            _ => self.value(node),
        }
    }

    fn is_type(&self, definition: p4::types::Definition) -> bool {
        matches!(
            self.checked.types.definitions.get(definition).sort,
            Sort::TypeParameter
                | Sort::Container(_)
                | Sort::Enumeration(_)
                | Sort::Alias(_)
                | Sort::NewType(_)
                | Sort::Extern(_)
                | Sort::Machine(_)
        )
    }

    fn call(&mut self, node: &'a Expression) {
        let ExpressionKind::Call { callee, type_arguments, arguments } = &node.kind else {
            self.gap(node.span, "this is no call");
            return;
        };
        match self.checked.nodes.call(node) {
            None => self.gap(node.span, "a call"),
            Some(called) => self.called(node.span, called),
        }
        match &callee.kind {
            ExpressionKind::Name(path) => self.name(&path.name),
            ExpressionKind::Type(written) => self.written(written),
            ExpressionKind::Member(object, _) => self.object(object),
            _ => self.gap(callee.span, "what is called"),
        }
        type_arguments.iter().for_each(|argument| self.written(argument));
        self.arguments(arguments);
    }
}
