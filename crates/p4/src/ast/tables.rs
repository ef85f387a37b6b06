//! Tables (section 14.2), and the sets of values that entries and transitions compare with (section 8.15).

use diagnostics::Span;

use super::{Annotation, Argument, Expression, Name, Path};

/// A table.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// Its name.
    pub name: Name,
    /// Its properties in order.
    pub properties: Vec<Property>,
}

/// One property of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Property {
    /// What is noted beside it.
    pub annotations: Vec<Annotation>,
    /// True if `const` is written before it: the control plane cannot change it.
    pub is_constant: bool,
    /// What it is called.
    pub name: Name,
    /// What it says.
    pub kind: PropertyKind,
    /// All of it, annotations aside.
    pub span: Span,
}

/// What a property of a table says.
#[derive(Clone, Debug, PartialEq)]
pub enum PropertyKind {
    /// `key = { ... }`
    Key(Vec<KeyElement>),
    /// `actions = { ... }`
    Actions(Vec<ActionReference>),
    /// `entries = { ... }`
    Entries(Vec<Entry>),
    /// `name = value;`, `default_action` and `size` among them.
    Value(Expression),
}

/// `value : match_kind;`
#[derive(Clone, Debug, PartialEq)]
pub struct KeyElement {
    /// What is looked up.
    pub value: Expression,
    /// How it is compared.
    pub match_kind: Name,
    /// What is noted behind it, such as `@name`.
    pub annotations: Vec<Annotation>,
    /// All of it.
    pub span: Span,
}

/// An action that a table may run.
#[derive(Clone, Debug, PartialEq)]
pub struct ActionReference {
    /// What is noted before it, such as `@defaultonly`.
    pub annotations: Vec<Annotation>,
    /// Which action.
    pub path: Path,
    /// The arguments that are bound here; `None` without parentheses.
    pub arguments: Option<Vec<Argument>>,
    /// All of it, annotations aside.
    pub span: Span,
}

/// One entry of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// True if `const` is written before it.
    pub is_constant: bool,
    /// What comes behind `priority =`.
    pub priority: Option<Expression>,
    /// What it matches.
    pub keyset: Keyset,
    /// What it runs.
    pub action: ActionReference,
    /// What is noted behind it.
    pub annotations: Vec<Annotation>,
    /// All of it.
    pub span: Span,
}

/// What one case or entry compares with, one element for each value.
#[derive(Clone, Debug, PartialEq)]
pub struct Keyset {
    /// The elements in order.
    pub elements: Vec<KeysetElement>,
    /// True if it is written in parentheses as a tuple. A tuple has more than one element, or one that is no value,
    /// for `(value)` is that value.
    pub is_tuple: bool,
    /// All of it.
    pub span: Span,
}

/// What one value is compared with.
#[derive(Clone, Debug, PartialEq)]
pub struct KeysetElement {
    /// What is written.
    pub kind: KeysetElementKind,
    /// Where.
    pub span: Span,
}

/// A set of values.
#[derive(Clone, Debug, PartialEq)]
pub enum KeysetElementKind {
    /// One value, or the name of a value set.
    Value(Expression),
    /// `value &&& mask`: all that agree with it in the bits of the mask.
    Mask(Expression, Expression),
    /// `first .. last`: both ends among them.
    Range(Expression, Expression),
    /// `default`: all.
    Default,
    /// `_`: all.
    Any,
}
