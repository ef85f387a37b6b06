//! Expressions (section 8).

use std::rc::Rc;

use super::{
    Context, ControlNames, Conversions, Findings, Nodes, SymbolTable, Typed, Typing, Uninitialized, Within, Writable,
    constants,
};
use crate::ast::{self, Direction, ExpressionKind};
use crate::token::Integer;
use crate::types::{Definition, Sort, Type, TypeForm, Types, Value};

/// Checks expressions and the types that are written in them. Names are only read here: no expression declares one.
pub(super) struct Expressions<'c, 'a> {
    pub types: &'c mut Types,
    pub nodes: &'c mut Nodes<'a>,
    pub found: &'c mut Findings,
    pub names: &'c SymbolTable<'a>,
    pub conversions: &'c mut Conversions,
    pub control_names: &'c mut ControlNames<'a>,
    pub uninitialized: &'c mut Uninitialized,
    /// The context of the expressions.
    pub context: Context,
}

impl<'a> Expressions<'_, 'a> {
    /// Lends out what coercions need.
    pub(super) fn typing(&mut self) -> Typing<'_, 'a> {
        Typing { types: self.types, nodes: self.nodes, found: self.found, conversions: self.conversions }
    }

    /// Checks a condition.
    pub(super) fn condition(&mut self, node: &'a ast::Expression, what: &str) {
        let typed = self.value(node);
        self.typing().convert(node, typed, Types::BOOL, what);
    }

    /// Checks an expression and notes its type and value.
    pub(super) fn value(&mut self, node: &'a ast::Expression) -> Typed {
        let typed = self.value_anew(node);
        let of = self.types.tupled(typed.of);
        self.nodes.note_expression(node, of, typed.value.clone());
        if typed.known {
            self.nodes.note_known(node);
        }
        typed
    }

    /// Checks an expression where this type is expected.
    pub(super) fn value_of(&mut self, node: &'a ast::Expression, to: Type, what: &str) -> Typed {
        let typed = self.value(node);
        self.typing().convert(node, typed, to, what)
    }

    fn value_anew(&mut self, node: &'a ast::Expression) -> Typed {
        match &node.kind {
            ExpressionKind::Integer(number) => self.literal(node, number),
            ExpressionKind::Bool(flag) => Typed::known(Types::BOOL, Value::Bool(*flag)),
            ExpressionKind::String(text) => Typed::known(Types::STRING, Value::String(Rc::clone(text))),
            ExpressionKind::Name(path)
                if self.names.find(path).is_empty() && self.names.match_kinds.contains_key(&path.name.text) =>
            {
                Typed { known: true, ..Typed::new(Types::MATCH_KIND) }
            }
            ExpressionKind::Name(path) => match self.names.look_up(self.types, self.nodes, self.found, path) {
                Some(definition) => self.named_value(node, definition),
                None => Typed::unknown(),
            },
            ExpressionKind::This => match self.context.this {
                Some(of) => Typed { known: true, ..Typed::new(of) },
                None => {
                    self.found.hinted(
                        node.span,
                        "`this` has no meaning here",
                        "it is for abstract methods of an instance",
                    );
                    Typed::unknown()
                }
            },
            ExpressionKind::Default => Typed::known(Types::DEFAULT, Value::Default),
            ExpressionKind::Invalid => Typed { known: true, ..Typed::new(Types::INVALID) },
            ExpressionKind::Error => Typed::refuse(self.found, node.span, "`error` is a type, not a value"),
            ExpressionKind::Type(written) => {
                self.written(written);
                Typed::refuse(self.found, node.span, "this is a type, not a value")
            }
            ExpressionKind::Member(object, name) => self.member(node, object, name),
            ExpressionKind::Index(object, index) => self.index(object, index),
            ExpressionKind::Slice(slice) => self.slice(slice),
            ExpressionKind::Call { callee, type_arguments, arguments } => {
                self.call(node, callee, type_arguments, arguments)
            }
            ExpressionKind::Cast(to, value) => self.cast(node.span, to, value),
            ExpressionKind::Unary(operator, value) => self.unary(node.span, *operator, value),
            ExpressionKind::Binary(operator, left, right) => self.binary(node.span, *operator, left, right),
            ExpressionKind::Conditional(condition, yes, no) => self.conditional(node, condition, yes, no),
            ExpressionKind::List(values) => self.list(values),
            ExpressionKind::Record { fields, rest } => self.record(fields, rest.is_some()),
        }
    }

    fn literal(&mut self, node: &'a ast::Expression, number: &Integer) -> Typed {
        let Some(width) = number.width else {
            return Typed::known(Types::INTEGER, Value::Integer(number.value.clone().into()));
        };
        if width.bits > constants::MOST_WIDTH || (width.signed && width.bits == 0) {
            return Typed::refuse(self.found, node.span, format!("there are no numbers of {} bits", width.bits));
        }
        let of = self.types.make(if width.signed { TypeForm::Int(width.bits) } else { TypeForm::Bit(width.bits) });
        constants::number(self.types, number.value.clone().into(), of)
    }

    fn named_value(&mut self, node: &'a ast::Expression, definition: Definition) -> Typed {
        match self.types.sort(definition).clone() {
            Sort::Constant(of, value) => Typed { of, value, known: true, writable: Writable::No("a constant") },
            Sort::Variable(of) => {
                self.uninitialized.note_read(self.types, self.found, node.span, definition);
                Typed { writable: Writable::Yes, ..Typed::new(of) }
            }
            Sort::Parameter(of, direction, known) => {
                let writable = match direction {
                    Direction::Out | Direction::InOut => Writable::Yes,
                    Direction::In => Writable::No("an `in` parameter"),
                    Direction::None => Writable::No("a parameter without a direction"),
                };
                Typed { known, writable, ..Typed::new(of) }
            }
            Sort::Instance(of) => Typed { known: true, writable: Writable::No("an instance"), ..Typed::new(of) },
            Sort::ValueSet(of) => {
                let of = self.types.make(TypeForm::Set(of));
                Typed::new(of)
            }
            Sort::Table(_) => {
                let of = self.types.make(TypeForm::Named(definition, vec![]));
                Typed { writable: Writable::No("a table"), ..Typed::new(of) }
            }
            Sort::State => Typed::refuse(self.found, node.span, "a state is not a value"),
            Sort::Action(_) | Sort::Function(_) => {
                self.found.hinted(
                    node.span,
                    "functions and actions are not values",
                    "a call is written `name(arguments)`",
                );
                Typed::unknown()
            }
            _ => Typed::refuse(self.found, node.span, "this is a type, not a value"),
        }
    }

    /// Returns the type that is named where an expression could stand, as in `Colour.red`.
    pub(super) fn type_named(&mut self, node: &'a ast::Expression) -> Option<Type> {
        match &node.kind {
            ExpressionKind::Type(written) => Some(self.written(written)),
            ExpressionKind::Name(path) => {
                let definition = self.names.find(path).last().copied()?;
                let is_type = matches!(
                    self.types.sort(definition),
                    Sort::TypeParameter
                        | Sort::Container(_)
                        | Sort::Enumeration(_)
                        | Sort::Alias(_)
                        | Sort::NewType(_)
                        | Sort::Extern(_)
                        | Sort::Machine(_)
                );
                is_type.then(|| self.named_type(node.span, path, None))
            }
            _ => None,
        }
    }

    fn conditional(
        &mut self,
        node: &'a ast::Expression,
        condition: &'a ast::Expression,
        yes: &'a ast::Expression,
        no: &'a ast::Expression,
    ) -> Typed {
        let decides = self.value_of(condition, Types::BOOL, "the condition");
        let (one, other) = (self.value(yes), self.value(no));
        let of = if self.conversions.converts(self.types, other.of, one.of) {
            one.of
        } else if self.conversions.converts(self.types, one.of, other.of) {
            other.of
        } else {
            let (left, right) = (self.types.show(one.of), self.types.show(other.of));
            return Typed::refuse(
                self.found,
                node.span,
                format!("both values must be of one type, these are `{left}` and `{right}`"),
            );
        };
        if of == Types::INTEGER && !decides.known && self.context.within != Within::Top {
            self.found.hinted(
                node.span,
                "both values are numbers without a width, and which is taken is not known before the program runs",
                "give one of them a width: `8w1`",
            );
            return Typed::unknown();
        }
        self.typing().coerce(yes, of);
        self.typing().coerce(no, of);
        let (one, other) =
            (self.conversions.converted(self.types, one, of), self.conversions.converted(self.types, other, of));
        let known = decides.known && one.known && other.known;
        let value = match decides.value.as_deref() {
            Some(Value::Bool(true)) => one.value,
            Some(Value::Bool(false)) => other.value,
            _ => None,
        };
        Typed { value, known, ..Typed::new(of) }
    }

    fn list(&mut self, values: &'a [ast::Expression]) -> Typed {
        let parts: Vec<Typed> = values.iter().map(|value| self.value(value)).collect();
        if let Some(early) = values.iter().rev().skip(1).find(|value| value.kind == ExpressionKind::Default) {
            self.found.error(early.span, "`...` only stands at the end of a list");
        }
        let known = parts.iter().all(|part| part.known);
        let value: Option<Vec<Rc<Value>>> = parts.iter().map(|part| part.value.clone()).collect();
        let of = self.types.make(TypeForm::Listed(parts.into_iter().map(|part| part.of).collect()));
        let value = value.map(|parts| Rc::new(Value::Parts(parts)));
        Typed { value, known, ..Typed::new(of) }
    }

    fn record(&mut self, fields: &'a [ast::NamedExpression], is_open: bool) -> Typed {
        let mut types = Vec::new();
        let mut values = Some(Vec::new());
        let mut known = true;
        let mut seen = std::collections::HashSet::new();
        for field in fields {
            if !seen.insert(&field.name.text) {
                self.found.error(field.name.span, format!("the field `{}` is given twice", field.name.text));
            }
            let typed = self.value(&field.value);
            types.push((Rc::clone(&field.name.text), typed.of));
            known &= typed.known;
            match (&mut values, typed.value) {
                (Some(values), Some(value)) => values.push((Rc::clone(&field.name.text), value)),
                (values, _) => *values = None,
            }
        }
        let of = self.types.make(TypeForm::Record(types, is_open));
        let value = values.map(|values| Rc::new(Value::Fields(values)));
        Typed { value, known, ..Typed::new(of) }
    }

    /// Checks an expression that may be the target of a write, which alone does not read the variable.
    pub(super) fn place_or_value(&mut self, node: &'a ast::Expression) -> super::Typed {
        let is_place = super::uninitialized::root(node).is_some();
        let around = std::mem::replace(&mut self.uninitialized.is_place, is_place);
        let typed = self.value(node);
        self.uninitialized.is_place = around;
        typed
    }
}
