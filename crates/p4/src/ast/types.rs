//! Types and parameters.

use diagnostics::Span;

use super::{Annotation, Expression, Name, Path};

/// A type as it is written.
#[derive(Clone, Debug, PartialEq)]
pub struct Type {
    /// What it is.
    pub kind: TypeKind,
    /// Where it is written.
    pub span: Span,
    height: u32,
}

impl Type {
    /// A type over those inside.
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

    /// How many types and values lie inside one another here, itself among them; bounded by the parser.
    pub fn height(&self) -> u32 {
        self.height
    }
}

/// What a type is.
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
    /// `void`: what a function returns that returns nothing.
    Void,
    /// `_`: a type argument that is left to inference.
    Any,
    /// `int`: numbers of any size, known before a program runs.
    Integer,
    /// `bit<width>`; without a width one bit.
    Bit(Option<Box<Expression>>),
    /// `int<width>`: with a sign, in two's complement.
    Int(Box<Expression>),
    /// `varbit<most>`: as many bits as a packet says, with a bound.
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
    /// Such as `@optional`.
    pub annotations: Vec<Annotation>,
    /// Which way values go.
    pub direction: Direction,
    /// Its type.
    pub parameter_type: Type,
    /// Its name.
    pub name: Name,
    /// What it is if the caller says nothing.
    pub default: Option<Expression>,
    /// All of it.
    pub span: Span,
}

/// Which way the values of a parameter go (section 6.8).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// None is written: known before the program runs, or, of an action, given by the control plane.
    None,
    /// `in`
    In,
    /// `out`
    Out,
    /// `inout`
    InOut,
}
