//! Questions about a type alone: what it is made of, how large it is, where it may stand.

use std::collections::HashMap;
use std::rc::Rc;

use super::{Container, Definition, Machine, Meaning, Sort, Type, TypeForm, Types};
use crate::ast::ContainerKind;

/// The largest stack whose known values are kept element by element.
const MOST_PARTS: u32 = 1 << 12;

impl Types {
    pub(crate) fn sort(&self, definition: Definition) -> &Sort {
        &self.definitions.get(definition).sort
    }

    pub(crate) fn set_sort(&mut self, definition: Definition, sort: Sort) {
        let Meaning { sort: own, .. } = self.definitions.get_mut(definition);
        *own = sort;
    }

    /// Returns true for `int`, `bit<N>` and `int<N>`, and for the unknown type and `...`.
    pub(crate) fn is_numeric(&self, of: Type) -> bool {
        matches!(
            self.kind(of),
            TypeForm::Integer | TypeForm::Bit(_) | TypeForm::Int(_) | TypeForm::Unknown | TypeForm::Default
        )
    }

    /// Returns the width of `bit<N>` or `int<N>`.
    pub(crate) fn bits_of(&self, of: Type) -> Option<u32> {
        match *self.kind(self.underlying(of)) {
            TypeForm::Bit(width) | TypeForm::Int(width) => Some(width),
            _ => None,
        }
    }

    /// Returns the type that types made with `type`, and enumerations with an underlying type, are made of in the end.
    pub(crate) fn unwrapped(&self, mut of: Type) -> Type {
        loop {
            of = match self.named(of) {
                Some((_, _, Sort::NewType(original))) => *original,
                _ => {
                    let under = self.underlying(of);
                    if under == of {
                        return of;
                    }
                    under
                }
            };
        }
    }

    /// Returns the type with a width that a type made with `type` is made of, if it is made of one.
    pub(crate) fn new_type_of_number(&self, of: Type) -> Option<Type> {
        match self.named(of) {
            Some((_, _, Sort::NewType(_))) => {
                let inner = self.unwrapped(of);
                matches!(self.kind(inner), TypeForm::Bit(_) | TypeForm::Int(_)).then_some(inner)
            }
            _ => None,
        }
    }

    /// Returns true if a known number of one type may lose its width where another type, an `int`, is expected.
    pub(crate) fn becomes_int(&self, from: Type, to: Type) -> bool {
        match (self.kind(from), self.kind(to)) {
            (TypeForm::Bit(_) | TypeForm::Int(_), TypeForm::Integer) => true,
            (TypeForm::Tuple(own) | TypeForm::Listed(own), TypeForm::Tuple(wanted)) if own.len() == wanted.len() => own
                .iter()
                .zip(wanted)
                .all(|(&part, &wanted)| part == wanted || (self.depth(part) == 1 && self.becomes_int(part, wanted))),
            _ => false,
        }
    }

    pub(crate) fn machine(&self, of: Type) -> Option<(Rc<Machine>, Vec<Type>)> {
        match self.named(of) {
            Some((_, arguments, Sort::Machine(own))) => Some((Rc::clone(own), arguments.to_vec())),
            _ => None,
        }
    }

    /// Returns true for a type that has a default value (section 7.3). Its parts were checked where it was declared.
    pub(crate) fn has_default(&self, of: Type) -> bool {
        match self.kind(of) {
            TypeForm::List(_) | TypeForm::Set(_) | TypeForm::MatchKind | TypeForm::Void => false,
            TypeForm::Applied(_) | TypeForm::ActionRun(_) => false,
            TypeForm::Named(..) => {
                !matches!(self.named(of), Some((_, _, Sort::Extern(_) | Sort::Machine(_) | Sort::Table(_))))
            }
            _ => true,
        }
    }

    /// Returns true for a type that members of a value set can have (section 13.11): scalars of at least one bit, and
    /// structs and tuples of them.
    pub(crate) fn has_members(&mut self, of: Type) -> bool {
        let of = self.underlying(of);
        let parts = match &*self.shared(of) {
            TypeForm::Bool | TypeForm::Error | TypeForm::Unknown => return true,
            TypeForm::Bit(width) | TypeForm::Int(width) => return *width > 0,
            TypeForm::Tuple(parts) => parts.clone(),
            TypeForm::Named(..) => match self.named(of) {
                Some((_, _, Sort::Container(_))) if self.container_kind(of) == Some(ContainerKind::Struct) => {
                    self.field_types(of)
                }
                Some((_, _, &(Sort::NewType(original) | Sort::Alias(original)))) => return self.has_members(original),
                Some((_, _, sort)) => return matches!(sort, Sort::Enumeration(_) | Sort::TypeParameter),
                None => return false,
            },
            _ => return false,
        };
        !parts.is_empty() && parts.into_iter().all(|part| self.has_members(part))
    }

    pub(crate) fn varies(&self, of: Type) -> bool {
        matches!(self.kind(of), TypeForm::Varbit(_))
            || self.container(of).is_some_and(|(own, _)| own.kind != ContainerKind::HeaderUnion && own.is_varying)
    }

    /// Returns true for a type that a field of such a container can have.
    pub(crate) fn may_be_field(&mut self, within: ContainerKind, of: Type) -> bool {
        let types = &*self;
        match (within, types.kind(of)) {
            (_, TypeForm::Unknown) => true,
            (_, TypeForm::Void | TypeForm::Integer | TypeForm::MatchKind) => false,
            (_, TypeForm::Named(..)) => match (within, types.named(of).map(|(_, _, sort)| sort)) {
                (_, Some(Sort::TypeParameter)) => true,
                (_, Some(Sort::Extern(_) | Sort::Machine(_) | Sort::Table(_))) => false,
                (ContainerKind::HeaderUnion, Some(Sort::Container(own))) => own.kind == ContainerKind::Header,
                (ContainerKind::Header, Some(Sort::Container(own))) => {
                    own.kind == ContainerKind::Struct && self.holds_bits(of)
                }
                (ContainerKind::Header, Some(Sort::Enumeration(own))) => own.underlying.is_some(),
                (ContainerKind::Header, Some(&Sort::NewType(original))) => self.may_be_field(within, original),
                (ContainerKind::HeaderUnion, _) => false,
                _ => true,
            },
            (ContainerKind::HeaderUnion, _) => false,
            (ContainerKind::Header, TypeForm::Bit(_) | TypeForm::Int(_) | TypeForm::Bool | TypeForm::Varbit(_)) => true,
            (ContainerKind::Header, &TypeForm::Stack(element, _)) => self.may_be_field(within, element),
            (ContainerKind::Header, _) => false,
            _ => true,
        }
    }

    /// Returns true for a struct that a header can hold: all its fields could be fields of the header.
    fn holds_bits(&mut self, of: Type) -> bool {
        if let Some(&known) = self.holding_bits.get(&of) {
            return known;
        }
        let fields = self.field_types(of);
        let holds = fields.into_iter().all(|field| self.may_be_field(ContainerKind::Header, field));
        self.holding_bits.insert(of, holds);
        holds
    }

    /// Returns true if a type mentions this type parameter.
    pub(crate) fn mentions(&self, of: Type, parameter: Definition) -> bool {
        match self.kind(of) {
            _ if !self.is_generic(of) => false,
            TypeForm::Named(definition, arguments) => {
                *definition == parameter || arguments.iter().any(|&argument| self.mentions(argument, parameter))
            }
            TypeForm::Tuple(parts) => parts.iter().any(|&part| self.mentions(part, parameter)),
            TypeForm::List(part) | TypeForm::Set(part) | TypeForm::Stack(part, _) => self.mentions(*part, parameter),
            _ => false,
        }
    }

    /// Replaces the types of list expressions in a type by tuples.
    pub(crate) fn tupled(&mut self, of: Type) -> Type {
        let kind = self.shared(of);
        let made = match &*kind {
            TypeForm::Listed(parts) => TypeForm::Tuple(parts.iter().map(|&part| self.tupled(part)).collect()),
            TypeForm::Record(fields, is_open) => {
                let fields = fields.iter().map(|(name, part)| (Rc::clone(name), self.tupled(*part)));
                TypeForm::Record(fields.collect(), *is_open)
            }
            _ => return of,
        };
        self.make(made)
    }

    /// Returns the types of the parts of a value whose parts have positions; `count` is their number where the type
    /// does not determine it.
    pub(crate) fn part_types(&mut self, of: Type, count: usize) -> Option<Vec<Type>> {
        Some(match &*self.shared(of) {
            TypeForm::Tuple(parts) | TypeForm::Listed(parts) => parts.clone(),
            TypeForm::Stack(_, Some(size)) if *size > MOST_PARTS => return None,
            TypeForm::Stack(part, Some(size)) => vec![*part; *size as usize],
            TypeForm::Stack(part, None) | TypeForm::List(part) => vec![*part; count],
            _ => self.field_types(of),
        })
    }

    /// Returns the minimum and the maximum size of a type in bits. `done` holds the types that were computed before,
    /// because a type may double in size with each declaration.
    pub(crate) fn sizes(&mut self, of: Type, done: &mut HashMap<Type, (u64, u64)>) -> (u64, u64) {
        if let Some(&known) = done.get(&of) {
            return known;
        }
        let kind = self.shared(of);
        let sizes = match &*kind {
            TypeForm::Bool => (1, 1),
            TypeForm::Bit(width) | TypeForm::Int(width) => (u64::from(*width), u64::from(*width)),
            TypeForm::Varbit(width) => (0, u64::from(*width)),
            TypeForm::Tuple(parts) | TypeForm::Listed(parts) => self.sum(parts, done),
            TypeForm::Stack(element, size) => {
                let count = u64::from(size.unwrap_or(0));
                let (least, most) = self.sizes(*element, done);
                (least.saturating_mul(count), most.saturating_mul(count))
            }
            TypeForm::Named(..) => match self.container(of) {
                Some((own, arguments)) => {
                    let fields = self.fields_with(&own, &arguments);
                    if own.kind == ContainerKind::HeaderUnion {
                        let all: Vec<_> = fields.iter().map(|&field| self.sizes(field, done)).collect();
                        let least = all.iter().map(|size| size.0).min().unwrap_or(0);
                        (least, all.iter().map(|size| size.1).max().unwrap_or(0))
                    } else {
                        self.sum(&fields, done)
                    }
                }
                None => {
                    let under = self.underlying(of);
                    if under == of { (0, 0) } else { self.sizes(under, done) }
                }
            },
            _ => (0, 0),
        };
        done.insert(of, sizes);
        sizes
    }

    fn sum(&mut self, parts: &[Type], done: &mut HashMap<Type, (u64, u64)>) -> (u64, u64) {
        parts.iter().fold((0, 0), |(least, most): (u64, u64), &part| {
            let (a, b) = self.sizes(part, done);
            (least.saturating_add(a), most.saturating_add(b))
        })
    }

    /// Returns the types of the fields with type arguments substituted for type parameters.
    pub(crate) fn fields_with(&mut self, own: &Container, arguments: &[Type]) -> Vec<Type> {
        let bindings = own.type_parameters.iter().copied().zip(arguments.iter().copied()).collect();
        own.fields.iter().map(|field| self.substitute(field.of, &bindings)).collect()
    }
}
