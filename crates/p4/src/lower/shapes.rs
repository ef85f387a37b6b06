//! The representation of types in the IR.

use std::rc::Rc;

use arch::Architecture;
use ir::Expression;
use num_bigint::BigInt;

use super::constants::number;
use super::layout::ORDINAL;
use super::tree::{HeaderName, HeaderTree, StackTree, Tree, Value};
use super::{Limits, Scopes};
use crate::ast;
use crate::findings::Findings;
use crate::types::{Bindings, Sort, Type, TypeForm, Types};

/// Answers how types are represented in the IR, for the type arguments of the instance that is written.
pub(super) struct Shapes<'c> {
    pub architecture: &'static Architecture,
    pub types: &'c mut Types,
    /// The types that type parameters stand for here.
    pub bindings: &'c Bindings,
    pub limits: &'c mut Limits,
    pub found: &'c mut Findings,
}

impl<'c> Shapes<'c> {
    pub(super) fn new(
        architecture: &'static Architecture,
        types: &'c mut Types,
        scopes: &'c Scopes<'_>,
        limits: &'c mut Limits,
        found: &'c mut Findings,
    ) -> Self {
        Self { architecture, types, bindings: scopes.types(), limits, found }
    }
}

impl Shapes<'_> {
    /// Lends out the same parts for a shorter time.
    pub(super) fn lend(&mut self) -> Shapes<'_> {
        Shapes {
            architecture: self.architecture,
            types: self.types,
            bindings: self.bindings,
            limits: self.limits,
            found: self.found,
        }
    }

    /// Returns the names and types of the parts of a type, of which values and variables consist.
    pub(super) fn part_types(&mut self, of: Type) -> Vec<(Rc<str>, Type)> {
        let numbered = |types: Vec<Type>| -> Vec<(Rc<str>, Type)> {
            types.into_iter().enumerate().map(|(place, of)| (Rc::from(place.to_string()), of)).collect()
        };
        match self.types.kind(of).clone() {
            TypeForm::Tuple(types) => numbered(types),
            TypeForm::Record(fields, _) => fields,
            TypeForm::Stack(element, Some(size)) => numbered(vec![element; size as usize]),
            TypeForm::Named(..) => self.held_fields(of),
            _ => Vec::new(),
        }
    }

    /// Returns the default value of a type (7.3): zeros, and invalid headers.
    pub(super) fn default_value(&mut self, of: Type) -> Value {
        let of = self.original(of);
        if let Some(ty) = self.scalar_type(of) {
            return Tree::Scalar(number(ty, &BigInt::ZERO));
        }
        if !self.is_small(of) {
            return Tree::Nothing;
        }
        let length = || Expression::number(super::layout::LENGTH, 0);
        match self.types.kind(of).clone() {
            TypeForm::Varbit(width) => {
                let ty = ir::Type::Bits(u16::try_from(width).unwrap_or(u16::MAX));
                Tree::Varbit { value: number(ty, &BigInt::ZERO), length: length() }
            }
            TypeForm::Stack(element, Some(size)) => {
                let element = self.default_value(element);
                let elements = vec![element; size as usize];
                Tree::Stack(Box::new(StackTree { next: length(), elements, arrays: None }))
            }
            TypeForm::Tuple(_) | TypeForm::Record(..) | TypeForm::Named(..) => {
                let parts = self.part_types(of);
                let parts: Vec<_> = parts.into_iter().map(|(name, part)| (name, self.default_value(part))).collect();
                match self.types.container_kind(of) {
                    Some(ast::ContainerKind::Header) => {
                        let valid = Expression::bool(false);
                        Tree::Header(Box::new(HeaderTree { name: HeaderName::Value, valid, fields: parts }))
                    }
                    Some(ast::ContainerKind::HeaderUnion) => Tree::Union(parts),
                    _ => Tree::Struct(parts),
                }
            }
            _ => Tree::Nothing,
        }
    }

    /// Returns the scalar type of the IR that represents a type, if it is a scalar.
    pub(super) fn scalar_type(&mut self, of: Type) -> Option<ir::Type> {
        let of = self.resolve(of);
        match *self.types.kind(of) {
            TypeForm::Bool => Some(ir::Type::Bool),
            TypeForm::Bit(width) => u16::try_from(width).ok().filter(|&width| width > 0).map(ir::Type::Bits),
            TypeForm::Int(width) => u16::try_from(width).ok().filter(|&width| width > 0).map(ir::Type::Int),
            TypeForm::Error => Some(ORDINAL),
            TypeForm::Named(..) => match self.types.named(of).map(|(_, _, sort)| sort.clone()) {
                Some(Sort::Enumeration(own)) => match own.underlying {
                    Some(underlying) => self.scalar_type(underlying),
                    None => Some(ORDINAL),
                },
                Some(Sort::NewType(original) | Sort::Alias(original)) => self.scalar_type(original),
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns the type that a type made with `type` is made of; any other type is returned as it is.
    pub(super) fn original(&mut self, of: Type) -> Type {
        let mut of = self.resolve(of);
        while let Some((_, _, Sort::NewType(original))) = self.types.named(of) {
            of = *original;
        }
        of
    }

    /// Returns the fields of a container, and then the flags of those fields that are invalid until they are assigned.
    pub(super) fn held_fields(&mut self, of: Type) -> Vec<(Rc<str>, Type)> {
        let mut fields = self.fields(of);
        if let Some((definition, ..)) = self.types.named(of) {
            let name = &*self.types.definitions.get(definition).name;
            let invalid = self.architecture.invalid_in(name);
            let declared = invalid.filter(|selector| fields.iter().any(|(own, _)| **own == **selector));
            let flags: Vec<_> = declared.map(|selector| (validity_of(selector), Types::BOOL)).collect();
            fields.extend(flags);
        }
        fields
    }

    /// Returns the fields of a header, a header union or a struct, in order, with their types.
    pub(super) fn fields(&mut self, of: Type) -> Vec<(Rc<str>, Type)> {
        let Some((own, arguments)) = self.types.container(of) else { return Vec::new() };
        let bindings = own.type_parameters.iter().copied().zip(arguments).collect();
        own.fields.iter().map(|field| (Rc::clone(&field.name), self.types.substitute(field.of, &bindings))).collect()
    }

    /// Substitutes the type arguments of the instance that is written.
    pub(super) fn resolve(&mut self, of: Type) -> Type {
        self.types.substitute(of, self.bindings)
    }
}

/// Returns the name of the flag that says whether a field, which is invalid until it is assigned, is valid.
pub(super) fn validity_of(field: &str) -> Rc<str> {
    arch::validity_of(field).into()
}
