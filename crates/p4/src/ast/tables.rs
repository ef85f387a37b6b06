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
    /// Its annotations.
    pub annotations: Vec<Annotation>,
    /// True if `const` is written before it: the control plane cannot change it.
    pub is_constant: bool,
    /// Its name.
    pub name: Name,
    /// Its kind.
    pub kind: PropertyKind,
    /// The place in the source text, without its annotations.
    pub span: Span,
}

/// The kind of a property, with its value.
#[derive(Clone, Debug, PartialEq)]
pub enum PropertyKind {
    /// `key = { ... }`
    Key(Vec<KeyElement>),
    /// `actions = { ... }`
    Actions(Vec<ActionReference>),
    /// `entries = { ... }`
    Entries(Vec<EntryDeclaration>),
    /// `name = value;`, such as `default_action` and `size`.
    Value(Expression),
}

/// `value : match_kind;`
#[derive(Clone, Debug, PartialEq)]
pub struct KeyElement {
    /// The value that is looked up.
    pub value: Expression,
    /// The match kind.
    pub match_kind: Name,
    /// The annotations behind it, such as `@name`.
    pub annotations: Vec<Annotation>,
    /// The place in the source text.
    pub span: Span,
}

/// An action that a table may run.
#[derive(Clone, Debug, PartialEq)]
pub struct ActionReference {
    /// The annotations before it, such as `@defaultonly`.
    pub annotations: Vec<Annotation>,
    /// The name of the action.
    pub path: Path,
    /// The arguments that are bound here; `None` without parentheses.
    pub arguments: Option<Vec<Argument>>,
    /// The place in the source text, without its annotations.
    pub span: Span,
}

/// One entry of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct EntryDeclaration {
    /// True if `const` is written before it.
    pub is_constant: bool,
    /// The value behind `priority =`.
    pub priority: Option<Expression>,
    /// The key that it matches.
    pub keyset: Keyset,
    /// The action that it runs.
    pub action: ActionReference,
    /// The annotations behind it.
    pub annotations: Vec<Annotation>,
    /// The place in the source text.
    pub span: Span,
}

/// The set that one case or entry matches, with one element for each value.
#[derive(Clone, Debug, PartialEq)]
pub struct Keyset {
    /// The elements in order.
    pub elements: Vec<KeysetElement>,
    /// True if it is written in parentheses as a tuple. A tuple has more than one element, or one that is not a value,
    /// because `(value)` is that value.
    pub is_tuple: bool,
    /// The place in the source text.
    pub span: Span,
}

/// The set that one value is compared with.
#[derive(Clone, Debug, PartialEq)]
pub struct KeysetElement {
    /// Its kind.
    pub kind: KeysetElementKind,
    /// The place in the source text.
    pub span: Span,
}

/// A set of values.
#[derive(Clone, Debug, PartialEq)]
pub enum KeysetElementKind {
    /// One value, or the name of a value set.
    Value(Expression),
    /// `value &&& mask`: the values that agree with `value` in the bits of the mask.
    Mask(Expression, Expression),
    /// `first .. last`: a range that includes both ends.
    Range(Expression, Expression),
    /// `default`: all values.
    Default,
    /// `_`: all values.
    Any,
}
