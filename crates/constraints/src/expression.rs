//! The syntax tree of a constraint.

use std::ops::Range;

use num_bigint::BigUint;

/// An expression and its place in the text of the constraint, in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Expression<'t> {
    pub form: Form<'t>,
    pub place: Range<usize>,
}

/// The form of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Form<'t> {
    Boolean(bool),
    /// A number or an address.
    Number(BigUint),
    /// A key of a table or a parameter of an action, with its parts joined by dots.
    Name(String),
    /// An attribute of the entry, such as `::priority`.
    Attribute(&'t str),
    /// A field of a key, such as `key::mask`.
    Field(Box<Expression<'t>>, &'t str),
    Not(Box<Expression<'t>>),
    Negative(Box<Expression<'t>>),
    /// Operands of `&&` and `;`, at least two.
    And(Vec<Expression<'t>>),
    /// Operands of `||`, at least two.
    Or(Vec<Expression<'t>>),
    Implies(Box<[Expression<'t>; 2]>),
    Comparison(Relation, Box<[Expression<'t>; 2]>),
}

/// A relation between two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Relation {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl Relation {
    /// Returns true if the relation asks only whether two values are the same.
    pub fn is_equality(self) -> bool {
        matches!(self, Self::Equal | Self::NotEqual)
    }

    /// Returns whether two values are in this relation, by their order.
    pub fn holds(self, order: std::cmp::Ordering) -> bool {
        match self {
            Self::Equal => order.is_eq(),
            Self::NotEqual => order.is_ne(),
            Self::Less => order.is_lt(),
            Self::LessOrEqual => order.is_le(),
            Self::Greater => order.is_gt(),
            Self::GreaterOrEqual => order.is_ge(),
        }
    }
}
