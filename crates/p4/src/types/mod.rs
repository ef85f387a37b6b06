//! The types of P4_16 (section 7). Each type is interned: two types are equal exactly if their numbers are.

mod definition;
mod questions;
mod show;
mod substitute;
mod value;

use std::collections::HashMap;
use std::rc::Rc;

pub use definition::{
    Callable, Container, Definition, Definitions, Enumeration, Extern, Field, Machine, MachineSort, Meaning, Parameter,
    Sort, TableSignature,
};
pub(crate) use substitute::Bindings;
pub use value::Value;

/// The number of a type in [`Types`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Type(u32);

/// The kind of a type, with the types that it is made of.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TypeForm {
    /// The type of an expression for which an error was reported, and of a type that is left open. It converts to and
    /// from every type.
    Unknown,
    /// `void`: the result type of a function that returns nothing.
    Void,
    /// `bool`
    Bool,
    /// `string`
    String,
    /// `error`
    Error,
    /// `match_kind`
    MatchKind,
    /// `int`: integers of arbitrary size, known at compile time.
    Integer,
    /// `bit<N>`
    Bit(u32),
    /// `int<N>`
    Int(u32),
    /// `varbit<N>`
    Varbit(u32),
    /// `tuple<...>`
    Tuple(Vec<Type>),
    /// The type of `{ a, b }` before it is coerced. Outside the checker it is a tuple.
    Listed(Vec<Type>),
    /// The type of `{ name = a }` before it is coerced. The flag is true if `...` ends the list.
    Record(Vec<(Rc<str>, Type)>, bool),
    /// `list<...>`
    List(Type),
    /// `element[size]`; `None` if the size could not be computed.
    Stack(Type, Option<u32>),
    /// A set of values, as in a keyset or a value set.
    Set(Type),
    /// A declared type with its type arguments. Type parameters are declared types too.
    Named(Definition, Vec<Type>),
    /// The result of `apply` of a table.
    Applied(Definition),
    /// The type of `action_run` of that result.
    ActionRun(Definition),
    /// `{#}` before its header type is known.
    Invalid,
    /// `...`
    Default,
}

/// The depth to which types may nest, so that types can be traversed by recursion.
pub(crate) const MOST_TYPE_DEPTH: u32 = 200;

/// The interned types of a program.
#[derive(Clone, Debug)]
pub struct Types {
    kinds: Vec<Rc<TypeForm>>,
    depths: Vec<u32>,
    /// True for each type of which a part is unknown.
    open: Vec<bool>,
    /// True for each type that mentions a type parameter.
    generic: Vec<bool>,
    /// Whether a header can hold a struct, as far as it was computed.
    holding_bits: HashMap<Type, bool>,
    /// Only looked up, never iterated over.
    numbers: HashMap<Rc<TypeForm>, Type>,
    /// The definitions of declared types and of everything else with a name.
    pub definitions: Definitions,
}

impl Default for Types {
    fn default() -> Self {
        Self::new()
    }
}

impl Types {
    /// The unknown type, which converts to and from every type.
    pub const UNKNOWN: Type = Type(0);
    /// `void`
    pub const VOID: Type = Type(1);
    /// `bool`
    pub const BOOL: Type = Type(2);
    /// `string`
    pub const STRING: Type = Type(3);
    /// `error`
    pub const ERROR: Type = Type(4);
    /// `match_kind`
    pub const MATCH_KIND: Type = Type(5);
    /// `int`
    pub const INTEGER: Type = Type(6);
    /// `{#}`
    pub const INVALID: Type = Type(7);
    /// `...`
    pub const DEFAULT: Type = Type(8);

    /// Makes the types that need no declaration.
    pub fn new() -> Self {
        let mut types = Self {
            kinds: vec![],
            depths: vec![],
            open: vec![],
            generic: vec![],
            holding_bits: HashMap::new(),
            numbers: HashMap::new(),
            definitions: Definitions::default(),
        };
        for kind in [
            TypeForm::Unknown,
            TypeForm::Void,
            TypeForm::Bool,
            TypeForm::String,
            TypeForm::Error,
            TypeForm::MatchKind,
            TypeForm::Integer,
            TypeForm::Invalid,
            TypeForm::Default,
        ] {
            types.make(kind);
        }
        types
    }

    /// Interns a kind and returns its type.
    pub fn make(&mut self, kind: TypeForm) -> Type {
        if let Some(&known) = self.numbers.get(&kind) {
            return known;
        }
        let depth = self.depth_of_kind(&kind);
        if depth > MOST_TYPE_DEPTH {
            return Self::UNKNOWN;
        }
        let (open, generic) = (self.any_part(&kind, &self.open), self.any_part(&kind, &self.generic));
        self.open.push(open || kind == TypeForm::Unknown);
        let is_parameter = match &kind {
            TypeForm::Named(definition, _) => matches!(self.definitions.get(*definition).sort, Sort::TypeParameter),
            _ => false,
        };
        self.generic.push(generic || is_parameter);
        let made = Type(self.kinds.len() as u32);
        let kind = Rc::new(kind);
        self.kinds.push(Rc::clone(&kind));
        self.depths.push(depth);
        self.numbers.insert(kind, made);
        made
    }

    /// Returns true if a flag is set for any of the types that a kind is made of.
    fn any_part(&self, kind: &TypeForm, flags: &[bool]) -> bool {
        let is_set = |part: &Type| flags[part.0 as usize];
        match kind {
            TypeForm::Tuple(parts) | TypeForm::Listed(parts) | TypeForm::Named(_, parts) => parts.iter().any(is_set),
            TypeForm::Record(fields, _) => fields.iter().any(|(_, part)| is_set(part)),
            TypeForm::List(part) | TypeForm::Set(part) | TypeForm::Stack(part, _) => is_set(part),
            _ => false,
        }
    }

    /// Returns true if a part of the type is unknown, because of an error or of `_`.
    pub fn is_open(&self, of: Type) -> bool {
        self.open[of.0 as usize]
    }

    /// Returns true if the type mentions a type parameter.
    pub(crate) fn is_generic(&self, of: Type) -> bool {
        self.generic[of.0 as usize]
    }

    /// The kind of a type, with the types that it is made of.
    pub fn kind(&self, of: Type) -> &TypeForm {
        &self.kinds[of.0 as usize]
    }

    /// Returns the kind of a type, shared, so that types can be made while it is used.
    pub(crate) fn shared(&self, of: Type) -> Rc<TypeForm> {
        Rc::clone(&self.kinds[of.0 as usize])
    }

    /// Returns the depth to which types nest in a type, including the types of fields.
    pub fn depth(&self, of: Type) -> u32 {
        self.depths[of.0 as usize]
    }

    /// Returns the depth that a type of this kind would have.
    pub(crate) fn depth_of_kind(&self, kind: &TypeForm) -> u32 {
        let deepest = |inner: &[Type]| inner.iter().map(|&part| self.depth(part)).max().unwrap_or(0);
        1 + match kind {
            TypeForm::Tuple(inner) | TypeForm::Listed(inner) => deepest(inner),
            TypeForm::Record(fields, _) => fields.iter().map(|&(_, part)| self.depth(part)).max().unwrap_or(0),
            TypeForm::List(inner) | TypeForm::Stack(inner, _) | TypeForm::Set(inner) => self.depth(*inner),
            TypeForm::Named(definition, arguments) => {
                let own = match &self.definitions.get(*definition).sort {
                    Sort::Container(container) => container.depth,
                    Sort::NewType(original) => self.depth(*original),
                    _ => 0,
                };
                own.max(deepest(arguments))
            }
            _ => 0,
        }
    }

    /// `bit<width>`
    pub fn bit(&mut self, width: u32) -> Type {
        self.make(TypeForm::Bit(width))
    }

    /// Returns the definition, the type arguments and the sort of a declared type.
    pub fn named(&self, of: Type) -> Option<(Definition, &[Type], &Sort)> {
        match self.kind(of) {
            TypeForm::Named(definition, arguments) => {
                Some((*definition, arguments, &self.definitions.get(*definition).sort))
            }
            _ => None,
        }
    }

    /// Returns the underlying type of an enumeration that has one, and any other type itself.
    pub fn underlying(&self, of: Type) -> Type {
        match self.named(of) {
            Some((_, _, Sort::Enumeration(own))) => own.underlying.unwrap_or(of),
            _ => of,
        }
    }

    /// Returns the header, header union or struct that a type is, with its type arguments.
    pub fn container(&self, of: Type) -> Option<(Rc<Container>, Vec<Type>)> {
        match self.named(of) {
            Some((_, arguments, Sort::Container(own))) => Some((Rc::clone(own), arguments.to_vec())),
            _ => None,
        }
    }

    /// Returns true for a header.
    pub fn is_header(&self, of: Type) -> bool {
        self.container_kind(of) == Some(crate::ast::ContainerKind::Header)
    }

    /// Returns whether a type is a header, a header union or a struct.
    pub fn container_kind(&self, of: Type) -> Option<crate::ast::ContainerKind> {
        match self.named(of) {
            Some((_, _, Sort::Container(own))) => Some(own.kind),
            _ => None,
        }
    }

    /// Returns true for a type parameter.
    pub fn is_parameter(&self, of: Type) -> bool {
        matches!(self.named(of), Some((_, _, Sort::TypeParameter)))
    }
}
