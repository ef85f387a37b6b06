//! Types and parameters.

use diagnostics::Span;

use super::{Annotation, Expression, Name, Path};

/// A type as it is written.
#[derive(Clone, Debug, PartialEq)]
pub struct Type {
    /// Its kind.
    pub kind: TypeKind,
    /// The place in the source text.
    pub span: Span,
    height: u32,
}

impl Type {
    /// Makes a type, and computes its height from those inside.
    pub fn new(kind: TypeKind, span: Span) -> Self {
        let height = match &kind {
            TypeKind::Bit(Some(width)) | TypeKind::Int(width) | TypeKind::Varbit(width) => width.height(),
            TypeKind::Specialized(_, inner) | TypeKind::Tuple(inner) => {
                inner.iter().map(Self::height).max().unwrap_or(0)
            }
            TypeKind::Array(element, size) => element.height.max(size.height()),
            TypeKind::List(element) => element.height,
            _ => 0,
        };
        Self { kind, span, height: height + 1 }
    }

    /// The depth to which types and values nest here, including the type itself; bounded by the parser.
    pub fn height(&self) -> u32 {
        self.height
    }
}

/// The kind of a type.
#[derive(Clone, Debug, PartialEq)]
pub enum TypeKind {
    /// `bool`
    Bool,
    /// `error`
    Error,
    /// `match_kind`
    MatchKind,
    /// `string`
    String,
    /// `void`: the result type of a function that returns nothing.
    Void,
    /// `_`: a type argument that is left to inference.
    Any,
    /// `int`: integers of arbitrary size, known at compile time.
    Integer,
    /// `bit<width>`; `bit` without a width has one bit.
    Bit(Option<Box<Expression>>),
    /// `int<width>`: signed, in two's complement.
    Int(Box<Expression>),
    /// `varbit<most>`: a variable number of bits, up to a bound.
    Varbit(Box<Expression>),
    /// `name` or `.name`.
    Named(Path),
    /// `name<type, type>`
    Specialized(Path, Vec<Type>),
    /// `element[size]`: a header stack, or an array.
    Array(Box<Type>, Box<Expression>),
    /// `tuple<type, type>`
    Tuple(Vec<Type>),
    /// `list<element>`
    List(Box<Type>),
}

/// One parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Its annotations, such as `@optional`.
    pub annotations: Vec<Annotation>,
    /// Its direction.
    pub direction: Direction,
    /// Its type.
    pub parameter_type: Type,
    /// Its name.
    pub name: Name,
    /// Its default value.
    pub default: Option<Expression>,
    /// The place in the source text.
    pub span: Span,
}

/// The direction of a parameter (section 6.8).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// No direction: the argument is known at compile time, or, for an action, given by the control plane.
    None,
    /// `in`
    In,
    /// `out`
    Out,
    /// `inout`
    InOut,
}
