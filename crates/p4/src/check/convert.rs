//! Conversions that need no cast (section 8.11.2): `int` to a type with a width, enumerations with an underlying type
//! to that, and lists and records member by member.

use std::rc::Rc;

use diagnostics::{Diagnostic, Span};

use super::{Checker, Typed};
use crate::ast::{self, ContainerKind};
use crate::types::{Container, Kind, Machine, Sort, Type, Types};

impl<'a> Checker<'a> {
    /// Checks that a value can be where another type is expected, and notes what it becomes. What comes back has the
    /// expected type.
    pub(super) fn convert(&mut self, node: &'a ast::Expression, typed: Typed, to: Type, what: &str) -> Typed {
        if self.converts(typed.of, to) || (typed.known && self.becomes_int(typed.of, to)) {
            self.coerce(node, to);
            return self.converted(typed, to);
        }
        let shown = self.show(typed.of);
        let wanted = self.show(to);
        let mut error =
            Diagnostic::error(node.span, format!("{what} must be of type `{wanted}`, this is of type `{shown}`"));
        if to == Types::BOOL && matches!(self.checked.types.kind(typed.of), Kind::Applied(_)) {
            error = error.hint("`.hit` behind it tells whether an entry matched");
        } else if self.casts(typed.of, to) {
            error = error.hint(format!("a cast makes it one: `({wanted})`"));
        }
        self.report(error);
        Typed { of: to, ..Typed::unknown() }
    }

    /// A number that is known may lose its width where `int` is expected.
    pub(super) fn becomes_int(&self, from: Type, to: Type) -> bool {
        match (self.checked.types.kind(from), self.checked.types.kind(to)) {
            (Kind::Bit(_) | Kind::Int(_), Kind::Integer) => true,
            (Kind::Tuple(own) | Kind::Listed(own), Kind::Tuple(wanted)) if own.len() == wanted.len() => {
                own.iter().zip(wanted).all(|(&part, &wanted)| {
                    part == wanted || (self.checked.types.depth(part) == 1 && self.becomes_int(part, wanted))
                })
            }
            _ => false,
        }
    }

    /// What a value is as another type holds it.
    pub(super) fn converted(&mut self, typed: Typed, to: Type) -> Typed {
        let value = typed.value.and_then(|value| self.shaped(value, typed.of, to));
        Typed { of: to, value, ..typed }
    }

    /// True if a value of one type can be where another is expected.
    pub(super) fn converts(&mut self, from: Type, to: Type) -> bool {
        if from == to || from == Types::UNKNOWN || to == Types::UNKNOWN {
            return true;
        }
        if from == Types::DEFAULT {
            return self.has_default(to);
        }
        if let Some(&known) = self.convertible.get(&(from, to)) {
            return known;
        }
        let result = self.converts_anew(from, to);
        self.convertible.insert((from, to), result);
        result
    }

    fn converts_anew(&mut self, from: Type, to: Type) -> bool {
        let (from_kind, to_kind) = (self.checked.types.shared(from), self.checked.types.shared(to));
        let under = self.checked.types.underlying(from);
        if under != from && self.converts(under, to) {
            return true;
        }
        match (&*from_kind, &*to_kind) {
            (Kind::Integer, Kind::Bit(_) | Kind::Int(_)) => true,
            // A new type needs a cast (section 7.6), but the P4 compiler takes a number without a width for one, and
            // large programs rely on it; see `lint_missing_cast`.
            (Kind::Integer, Kind::Named(..)) => self.new_type_of_number(to).is_some(),
            (Kind::Invalid, _) => {
                matches!(
                    self.checked.types.container_kind(to),
                    Some(ContainerKind::Header | ContainerKind::HeaderUnion)
                ) || self.checked.types.is_parameter(to)
            }
            (Kind::Tuple(parts), Kind::Tuple(wanted))
            | (Kind::Listed(parts), Kind::Tuple(wanted) | Kind::Listed(wanted)) => self.all_convert(parts, wanted),
            (Kind::Listed(parts), Kind::List(wanted) | Kind::Stack(wanted, _)) => {
                if let Kind::Stack(_, Some(size)) = &*to_kind {
                    let is_open = parts.last() == Some(&Types::DEFAULT);
                    if parts.len() > *size as usize || (!is_open && parts.len() < *size as usize) {
                        return false;
                    }
                }
                parts.iter().all(|&part| self.converts(part, *wanted))
            }
            (Kind::Listed(parts), Kind::Named(..)) => match self.checked.types.container(to) {
                Some((own, _)) if own.kind == ContainerKind::HeaderUnion => false,
                Some((own, arguments)) => {
                    let wanted = self.field_types(&own, &arguments);
                    self.all_convert(parts, &wanted)
                }
                None => false,
            },
            (Kind::Record(fields, is_open), Kind::Named(..)) => match self.checked.types.container(to) {
                Some((own, arguments)) => {
                    let wanted = self.field_types(&own, &arguments);
                    let known = |name: &Rc<str>| own.fields.iter().position(|field| field.name == *name);
                    (*is_open || fields.len() == wanted.len())
                        && fields.iter().all(|(name, of)| match known(name) {
                            Some(place) => self.converts(*of, wanted[place]),
                            None => false,
                        })
                }
                None => false,
            },
            (Kind::List(part), Kind::List(wanted)) => self.converts(*part, *wanted),
            (Kind::Stack(part, size), Kind::Stack(wanted, other)) => {
                (size == other || size.is_none() || other.is_none()) && self.same(*part, *wanted)
            }
            (Kind::Set(part), Kind::Set(wanted)) => self.converts(*part, *wanted),
            (Kind::Named(one, own), Kind::Named(other, wanted)) if one == other => {
                own.iter().zip(wanted).all(|(&part, &wanted)| self.same(part, wanted))
            }
            (Kind::Named(..), Kind::Named(..)) => match (self.machine(from), self.machine(to)) {
                (Some((own, given)), Some((wanted, expected))) => self.machines_fit(&own, &given, &wanted, &expected),
                _ => false,
            },
            _ => false,
        }
    }

    /// The type with a width that a type made with `type` is made of, if it is made of one.
    pub(super) fn new_type_of_number(&self, of: Type) -> Option<Type> {
        match self.checked.types.named(of) {
            Some((_, _, Sort::NewType(_))) => {
                let inner = self.unwrapped(of);
                matches!(self.checked.types.kind(inner), Kind::Bit(_) | Kind::Int(_)).then_some(inner)
            }
            _ => None,
        }
    }

    /// True for a type that has a default value (section 7.3). What is in it was checked where it was declared.
    fn has_default(&self, of: Type) -> bool {
        match self.checked.types.kind(of) {
            Kind::List(_) | Kind::Set(_) | Kind::MatchKind | Kind::Void => false,
            Kind::Applied(_) | Kind::ActionRun(_) => false,
            Kind::Named(..) => !matches!(
                self.checked.types.named(of),
                Some((_, _, Sort::Extern(_) | Sort::Machine(_) | Sort::Table(_)))
            ),
            _ => true,
        }
    }

    /// True for types that are equal but where one of them is open.
    pub(super) fn same(&mut self, one: Type, other: Type) -> bool {
        one == other || (self.converts(one, other) && self.converts(other, one))
    }

    fn all_convert(&mut self, parts: &[Type], wanted: &[Type]) -> bool {
        let is_open = parts.last() == Some(&Types::DEFAULT);
        let fits = if is_open { parts.len() <= wanted.len() + 1 } else { parts.len() == wanted.len() };
        fits && parts.iter().zip(wanted).all(|(&part, &wanted)| self.converts(part, wanted))
    }

    /// The types of the fields with type arguments in the place of type parameters.
    pub(super) fn field_types(&mut self, own: &Container, arguments: &[Type]) -> Vec<Type> {
        let bindings = own.type_parameters.iter().copied().zip(arguments.iter().copied()).collect();
        own.fields.iter().map(|field| self.substitute(field.of, &bindings)).collect()
    }

    pub(super) fn machine(&self, of: Type) -> Option<(Rc<Machine>, Vec<Type>)> {
        match self.checked.types.named(of) {
            Some((_, arguments, Sort::Machine(own))) => Some((Rc::clone(own), arguments.to_vec())),
            _ => None,
        }
    }

    /// A parser or control has the type that a package wants if its parameters are alike (section 17).
    fn machines_fit(&mut self, own: &Machine, given: &[Type], wanted: &Machine, expected: &[Type]) -> bool {
        if own.sort != wanted.sort {
            return false;
        }
        let common = own.parameters.len().min(wanted.parameters.len());
        let mine = own.type_parameters.iter().copied().zip(given.iter().copied()).collect();
        let theirs = wanted.type_parameters.iter().copied().zip(expected.iter().copied()).collect();
        own.parameters.iter().zip(&wanted.parameters).all(|(a, b)| {
            let (one, other) = (self.substitute(a.of, &mine), self.substitute(b.of, &theirs));
            a.direction == b.direction && self.same(one, other)
        }) && own.parameters[common..].iter().chain(&wanted.parameters[common..]).all(|rest| rest.can_be_left_out)
    }

    /// Checks that something is a condition.
    pub(super) fn condition(&mut self, node: &'a ast::Expression, what: &str) {
        let typed = self.value(node);
        self.convert(node, typed, Types::BOOL, what);
    }

    /// Reports a value that cannot be assigned to.
    pub(super) fn require_writable(&mut self, span: Span, typed: &Typed) -> bool {
        let super::Writable::No(reason) = typed.writable else { return true };
        let error = Diagnostic::error(span, "this cannot be assigned to").label(reason);
        self.report(error.hint("variables, `out` and `inout` parameters, and their fields, elements and bits can"));
        false
    }
}
