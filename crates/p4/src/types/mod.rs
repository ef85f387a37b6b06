//! The types of P4_16 (section 7), each kept once: two types are equal if their numbers are, however large they are.

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

/// Numbers a type in [`Types`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Type(u32);

/// What a type is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Stands where an error was reported, or where a type is left open; fits everything.
    Unknown,
    /// What a function returns that returns nothing.
    Void,
    /// `bool`
    Bool,
    /// `string`
    String,
    /// `error`
    Error,
    /// `match_kind`
    MatchKind,
    /// `int`: any whole number, known before the program runs.
    Integer,
    /// `bit<N>`
    Bit(u32),
    /// `int<N>`
    Int(u32),
    /// `varbit<N>`
    Varbit(u32),
    /// `tuple<...>`
    Tuple(Vec<Type>),
    /// What `{ a, b }` is before it becomes something else. Outside the checker it is a tuple.
    Listed(Vec<Type>),
    /// What `{ name = a }` is before it becomes something else; true if `...` ends it.
    Record(Vec<(Rc<str>, Type)>, bool),
    /// `list<...>`
    List(Type),
    /// `element[size]`; no size if it could not be found out.
    Stack(Type, Option<u32>),
    /// A set of values: what a key set or a value set holds.
    Set(Type),
    /// A type with a name of its own, with its type arguments. A type parameter is one too.
    Named(Definition, Vec<Type>),
    /// What `apply` of a table returns.
    Applied(Definition),
    /// `action_run` of that.
    ActionRun(Definition),
    /// `{#}` before it is known which header it is.
    Invalid,
    /// `...`
    Default,
}

/// Types inside one another, at most: whoever goes through a type may do so by recursion.
pub(crate) const MOST_TYPE_DEPTH: u32 = 200;

/// Every type of a program.
#[derive(Clone, Debug)]
pub struct Types {
    kinds: Vec<Rc<Kind>>,
    depths: Vec<u32>,
    /// True for types of which something is not known.
    open: Vec<bool>,
    /// True for types in which a type parameter is named.
    generic: Vec<bool>,
    /// Structs that a header can hold, and those that it cannot.
    holding_bits: HashMap<Type, bool>,
    /// Only looked up, never gone through.
    numbers: HashMap<Rc<Kind>, Type>,
    /// What the names stand for.
    pub definitions: Definitions,
}

impl Default for Types {
    fn default() -> Self {
        Self::new()
    }
}

impl Types {
    /// Fits everything.
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

    /// The types that need no declaration.
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
            Kind::Unknown,
            Kind::Void,
            Kind::Bool,
            Kind::String,
            Kind::Error,
            Kind::MatchKind,
            Kind::Integer,
            Kind::Invalid,
            Kind::Default,
        ] {
            types.make(kind);
        }
        types
    }

    /// The one type of this kind.
    pub fn make(&mut self, kind: Kind) -> Type {
        if let Some(&known) = self.numbers.get(&kind) {
            return known;
        }
        let depth = self.depth_of_kind(&kind);
        if depth > MOST_TYPE_DEPTH {
            return Self::UNKNOWN;
        }
        let (open, generic) = (self.any_part(&kind, &self.open), self.any_part(&kind, &self.generic));
        self.open.push(open || kind == Kind::Unknown);
        let is_parameter = match &kind {
            Kind::Named(definition, _) => matches!(self.definitions.get(*definition).sort, Sort::TypeParameter),
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

    /// True if a flag is set for a type that this kind is made of.
    fn any_part(&self, kind: &Kind, flags: &[bool]) -> bool {
        let is_set = |part: &Type| flags[part.0 as usize];
        match kind {
            Kind::Tuple(parts) | Kind::Listed(parts) | Kind::Named(_, parts) => parts.iter().any(is_set),
            Kind::Record(fields, _) => fields.iter().any(|(_, part)| is_set(part)),
            Kind::List(part) | Kind::Set(part) | Kind::Stack(part, _) => is_set(part),
            _ => false,
        }
    }

    /// True for a type of which something is not known: an error was reported, or `_` leaves it open.
    pub fn is_open(&self, of: Type) -> bool {
        self.open[of.0 as usize]
    }

    /// True for a type in which a type parameter is named.
    pub(crate) fn is_generic(&self, of: Type) -> bool {
        self.generic[of.0 as usize]
    }

    /// What a type is.
    pub fn kind(&self, of: Type) -> &Kind {
        &self.kinds[of.0 as usize]
    }

    /// What a type is, to keep while others are made.
    pub(crate) fn shared(&self, of: Type) -> Rc<Kind> {
        Rc::clone(&self.kinds[of.0 as usize])
    }

    /// How many types lie inside one another here, fields among them.
    pub fn depth(&self, of: Type) -> u32 {
        self.depths[of.0 as usize]
    }

    /// How many types would lie inside one another.
    pub(crate) fn depth_of_kind(&self, kind: &Kind) -> u32 {
        let deepest = |inner: &[Type]| inner.iter().map(|&part| self.depth(part)).max().unwrap_or(0);
        1 + match kind {
            Kind::Tuple(inner) | Kind::Listed(inner) => deepest(inner),
            Kind::Record(fields, _) => fields.iter().map(|&(_, part)| self.depth(part)).max().unwrap_or(0),
            Kind::List(inner) | Kind::Stack(inner, _) | Kind::Set(inner) => self.depth(*inner),
            Kind::Named(definition, arguments) => {
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
        self.make(Kind::Bit(width))
    }

    /// What the name of a type stands for, if it is a type with a name.
    pub fn named(&self, of: Type) -> Option<(Definition, &[Type], &Sort)> {
        match self.kind(of) {
            Kind::Named(definition, arguments) => {
                Some((*definition, arguments, &self.definitions.get(*definition).sort))
            }
            _ => None,
        }
    }

    /// The type that an enumeration has on the wire, if `of` is one that has such a type; else `of`.
    pub fn underlying(&self, of: Type) -> Type {
        match self.named(of) {
            Some((_, _, Sort::Enumeration(own))) => own.underlying.unwrap_or(of),
            _ => of,
        }
    }

    /// The container that a type is, with its type arguments.
    pub fn container(&self, of: Type) -> Option<(Rc<Container>, Vec<Type>)> {
        match self.named(of) {
            Some((_, arguments, Sort::Container(own))) => Some((Rc::clone(own), arguments.to_vec())),
            _ => None,
        }
    }

    /// True for `header`.
    pub fn is_header(&self, of: Type) -> bool {
        self.container_kind(of) == Some(crate::ast::ContainerKind::Header)
    }

    /// Which kind of container a type is.
    pub fn container_kind(&self, of: Type) -> Option<crate::ast::ContainerKind> {
        match self.named(of) {
            Some((_, _, Sort::Container(own))) => Some(own.kind),
            _ => None,
        }
    }

    /// True for a type parameter.
    pub fn is_parameter(&self, of: Type) -> bool {
        matches!(self.named(of), Some((_, _, Sort::TypeParameter)))
    }
}
