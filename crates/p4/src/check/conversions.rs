//! Conversions that need no cast (section 8.11.2): `int` to a type with a width, enumerations with an underlying type
//! to that, and lists and records member by member.

use std::collections::HashMap;
use std::rc::Rc;

use super::Typed;
use crate::ast::ContainerKind;
use crate::types::{Machine, Sort, Type, TypeForm, Types, Value};

/// The conversions between types, and the known values after them. Results are remembered, because types
/// and values may double in size with each declaration.
#[derive(Default)]
pub(super) struct Conversions {
    /// The results of [`Conversions::converts`].
    convertible: HashMap<(Type, Type), bool>,
    /// The default values of types.
    pub defaults: HashMap<Type, Option<Rc<Value>>>,
}

impl Conversions {
    /// Returns true if a cast from one type to the other is legal.
    pub(super) fn casts(&mut self, types: &mut Types, from: Type, to: Type) -> bool {
        if self.converts(types, from, to) {
            return true;
        }
        // Only values of its original type can be cast to a new type (section 7.6).
        if let Some((_, _, Sort::NewType(original))) = types.named(to) {
            let original = *original;
            let inner = types.unwrapped(from);
            return self.converts(types, from, original) || self.converts(types, inner, original) || {
                let is_new = matches!(types.named(original), Some((_, _, Sort::NewType(_))));
                is_new && self.casts(types, from, original)
            };
        }
        let from = types.unwrapped(from);
        let to = types.unwrapped(to);
        match (types.kind(from), types.kind(to)) {
            (TypeForm::Bit(_), TypeForm::Bit(_))
            | (TypeForm::Int(_), TypeForm::Int(_))
            | (TypeForm::Bit(1), TypeForm::Bool)
            | (TypeForm::Bool, TypeForm::Bit(1))
            | (TypeForm::Integer, TypeForm::Bool | TypeForm::Integer | TypeForm::Bit(_) | TypeForm::Int(_))
            | (TypeForm::Bit(_) | TypeForm::Int(_), TypeForm::Integer) => true,
            (TypeForm::Bit(one), TypeForm::Int(other)) | (TypeForm::Int(one), TypeForm::Bit(other)) => one == other,
            _ => self.converts(types, from, to),
        }
    }

    /// Converts the type of an expression, and its value if known.
    pub(super) fn converted(&mut self, types: &mut Types, typed: Typed, to: Type) -> Typed {
        let value = typed.value.and_then(|value| self.convert_value(types, value, typed.of, to));
        Typed { of: to, value, ..typed }
    }

    /// Returns true if a value of one type can stand where another type is expected.
    pub(super) fn converts(&mut self, types: &mut Types, from: Type, to: Type) -> bool {
        if from == to || from == Types::UNKNOWN || to == Types::UNKNOWN {
            return true;
        }
        if from == Types::DEFAULT {
            return types.has_default(to);
        }
        if let Some(&known) = self.convertible.get(&(from, to)) {
            return known;
        }
        let result = self.converts_anew(types, from, to);
        self.convertible.insert((from, to), result);
        result
    }

    fn converts_anew(&mut self, types: &mut Types, from: Type, to: Type) -> bool {
        let (from_kind, to_kind) = (types.shared(from), types.shared(to));
        let under = types.underlying(from);
        if under != from && self.converts(types, under, to) {
            return true;
        }
        match (&*from_kind, &*to_kind) {
            (TypeForm::Integer, TypeForm::Bit(_) | TypeForm::Int(_)) => true,
            // A new type needs a cast (section 7.6), but the P4 compiler accepts a number without a width, and large
            // programs rely on it; see `lint_missing_cast`.
            (TypeForm::Integer, TypeForm::Named(..)) => types.new_type_of_number(to).is_some(),
            (TypeForm::Invalid, _) => {
                matches!(types.container_kind(to), Some(ContainerKind::Header | ContainerKind::HeaderUnion))
                    || types.is_parameter(to)
            }
            (TypeForm::Tuple(parts), TypeForm::Tuple(wanted))
            | (TypeForm::Listed(parts), TypeForm::Tuple(wanted) | TypeForm::Listed(wanted)) => {
                self.all_convert(types, parts, wanted)
            }
            (TypeForm::Listed(parts), TypeForm::List(wanted) | TypeForm::Stack(wanted, _)) => {
                if let TypeForm::Stack(_, Some(size)) = &*to_kind {
                    let is_open = parts.last() == Some(&Types::DEFAULT);
                    if parts.len() > *size as usize || (!is_open && parts.len() < *size as usize) {
                        return false;
                    }
                }
                parts.iter().all(|&part| self.converts(types, part, *wanted))
            }
            (TypeForm::Listed(parts), TypeForm::Named(..)) => match types.container(to) {
                Some((own, _)) if own.kind == ContainerKind::HeaderUnion => false,
                Some((own, arguments)) => {
                    let wanted = types.fields_with(&own, &arguments);
                    self.all_convert(types, parts, &wanted)
                }
                None => false,
            },
            (TypeForm::Record(fields, is_open), TypeForm::Named(..)) => match types.container(to) {
                Some((own, arguments)) => {
                    let wanted = types.fields_with(&own, &arguments);
                    let known = |name: &Rc<str>| own.fields.iter().position(|field| field.name == *name);
                    (*is_open || fields.len() == wanted.len())
                        && fields.iter().all(|(name, of)| match known(name) {
                            Some(place) => self.converts(types, *of, wanted[place]),
                            None => false,
                        })
                }
                None => false,
            },
            (TypeForm::List(part), TypeForm::List(wanted)) => self.converts(types, *part, *wanted),
            (TypeForm::Stack(part, size), TypeForm::Stack(wanted, other)) => {
                (size == other || size.is_none() || other.is_none()) && self.same(types, *part, *wanted)
            }
            (TypeForm::Set(part), TypeForm::Set(wanted)) => self.converts(types, *part, *wanted),
            (TypeForm::Named(one, own), TypeForm::Named(other, wanted)) if one == other => {
                own.iter().zip(wanted).all(|(&part, &wanted)| self.same(types, part, wanted))
            }
            (TypeForm::Named(..), TypeForm::Named(..)) => match (types.machine(from), types.machine(to)) {
                (Some((own, given)), Some((wanted, expected))) => {
                    self.machines_fit(types, &own, &given, &wanted, &expected)
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// Returns true for types that are equal except where one of them is open.
    pub(super) fn same(&mut self, types: &mut Types, one: Type, other: Type) -> bool {
        one == other || (self.converts(types, one, other) && self.converts(types, other, one))
    }

    fn all_convert(&mut self, types: &mut Types, parts: &[Type], wanted: &[Type]) -> bool {
        let is_open = parts.last() == Some(&Types::DEFAULT);
        let fits = if is_open { parts.len() <= wanted.len() + 1 } else { parts.len() == wanted.len() };
        fits && parts.iter().zip(wanted).all(|(&part, &wanted)| self.converts(types, part, wanted))
    }

    /// Returns true if the parameters of a parser or control match those of the type that a package expects (section
    /// 17).
    fn machines_fit(
        &mut self,
        types: &mut Types,
        own: &Machine,
        given: &[Type],
        wanted: &Machine,
        expected: &[Type],
    ) -> bool {
        if own.sort != wanted.sort {
            return false;
        }
        let common = own.parameters.len().min(wanted.parameters.len());
        let mine = own.type_parameters.iter().copied().zip(given.iter().copied()).collect();
        let theirs = wanted.type_parameters.iter().copied().zip(expected.iter().copied()).collect();
        own.parameters.iter().zip(&wanted.parameters).all(|(a, b)| {
            let (one, other) = (types.substitute(a.of, &mine), types.substitute(b.of, &theirs));
            a.direction == b.direction && self.same(types, one, other)
        }) && own.parameters[common..].iter().chain(&wanted.parameters[common..]).all(|rest| rest.can_be_left_out)
    }
}
