//! The program as its author wrote it, names not yet looked up.

use std::rc::Rc;

use diagnostics::Span;
use ir::BinaryOperator;

/// A name and where it is written.
#[derive(Clone, Debug)]
pub(crate) struct Name {
    pub text: Rc<str>,
    pub span: Span,
}

/// A whole program, its parts in order.
#[derive(Debug, Default)]
pub(crate) struct Unit {
    pub structs: Vec<Struct>,
    pub globals: Vec<Global>,
    pub functions: Vec<Function>,
    /// What was declared in a way that could not be read.
    pub broken: Vec<Name>,
}

/// A `struct`, all of whose fields are `int`.
#[derive(Debug)]
pub(crate) struct Struct {
    pub name: Name,
    pub fields: Vec<Name>,
    /// Some field could not be read.
    pub is_incomplete: bool,
}

/// State.
#[derive(Debug)]
pub(crate) struct Global {
    pub name: Name,
    pub shape: Shape,
    pub initial: Initializer,
}

/// One value or many.
#[derive(Debug)]
pub(crate) enum Shape {
    Scalar,
    /// An array; without a length it is as long as its initializer.
    Array(Option<Expression>),
}

/// The first values of state.
#[derive(Debug)]
pub(crate) enum Initializer {
    None,
    Single(Expression),
    /// Values in braces.
    List(Vec<Expression>, Span),
}

/// A function.
#[derive(Debug)]
pub(crate) struct Function {
    pub name: Name,
    pub returns_value: bool,
    pub parameters: Vec<Parameter>,
    /// `None` for a mere declaration.
    pub body: Option<Vec<Statement>>,
}

/// A parameter of a function.
#[derive(Debug)]
pub(crate) struct Parameter {
    pub name: Name,
    /// The struct that it is, if it is no `int`.
    pub structure: Option<Name>,
}

/// One step of a function.
#[derive(Debug)]
pub(crate) enum Statement {
    /// `int name;` or `int name = value;`
    Declare { name: Name, value: Option<Expression> },
    /// `target = value`, or `target operator= value`. `x++` is `x += 1`.
    Assign { target: Expression, operator: Option<BinaryOperator>, value: Expression },
    /// A call, or an expression that does nothing.
    Evaluate(Expression),
    /// A choice.
    If { condition: Expression, then: Vec<Statement>, otherwise: Vec<Statement> },
    /// Statements with names of their own.
    Block(Vec<Statement>),
    /// The end of a function.
    Return { value: Option<Expression>, span: Span },
}

/// A value.
#[derive(Debug)]
pub(crate) struct Expression {
    pub kind: ExpressionKind,
    pub span: Span,
    /// How many expressions lie inside one another here, itself among them.
    pub height: u32,
}

/// What a value is.
#[derive(Debug)]
pub(crate) enum ExpressionKind {
    /// Something that was reported already.
    Invalid,
    /// A number as it was written, from -(2^32 - 1) to 2^32 - 1, of which the lower 32 bits count.
    Number(i64),
    Name(Rc<str>),
    /// `packet.field`
    Field(Name, Name),
    /// `array[index]`
    Element(Name, Box<Expression>),
    Call(Name, Vec<Expression>),
    Unary(Unary, Box<Expression>),
    Binary(Operator, Box<Expression>, Box<Expression>),
    /// `condition ? if_true : if_false`
    Conditional(Box<Expression>, Box<Expression>, Box<Expression>),
}

/// How one value becomes another. Unary plus changes nothing and leaves no trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unary {
    Negate,
    Complement,
    Not,
}

/// How two values become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operator {
    Plain(BinaryOperator),
    /// `&&`
    Both,
    /// `||`
    Either,
}

impl Expression {
    /// An expression over those inside.
    pub fn new(kind: ExpressionKind, span: Span) -> Self {
        let height = match &kind {
            ExpressionKind::Element(_, a) | ExpressionKind::Unary(_, a) => a.height,
            ExpressionKind::Binary(_, a, b) => a.height.max(b.height),
            ExpressionKind::Conditional(a, b, c) => a.height.max(b.height).max(c.height),
            ExpressionKind::Call(_, arguments) => arguments.iter().map(|a| a.height).max().unwrap_or(0),
            _ => 0,
        };
        Self { kind, span, height: height + 1 }
    }

    /// What stands for something that was reported already.
    pub fn invalid(span: Span) -> Self {
        Self::new(ExpressionKind::Invalid, span)
    }
}
