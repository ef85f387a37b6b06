//! The syntax tree: the program as written, before names are resolved.

use std::rc::Rc;

use diagnostics::Span;
use ir::BinaryOperator;

/// A name, with its location.
#[derive(Clone, Debug)]
pub(crate) struct Name {
    pub text: Rc<str>,
    pub span: Span,
}

/// A whole program, with its parts in order of declaration.
#[derive(Debug, Default)]
pub(crate) struct Unit {
    pub structs: Vec<Struct>,
    pub globals: Vec<Global>,
    pub functions: Vec<Function>,
    /// The names whose declarations are malformed.
    pub broken: Vec<Name>,
}

/// A `struct`, all of whose fields are `int`.
#[derive(Debug)]
pub(crate) struct Struct {
    pub name: Name,
    pub fields: Vec<Name>,
    /// Whether some field declaration is malformed.
    pub is_incomplete: bool,
}

/// A declaration of state.
#[derive(Debug)]
pub(crate) struct Global {
    pub name: Name,
    pub shape: Shape,
    pub initial: Initializer,
}

/// Whether state is a single value or an array.
#[derive(Debug)]
pub(crate) enum Shape {
    Scalar,
    /// An array. Without a length, it is as long as its initializer.
    Array(Option<Expression>),
}

/// The initial values of state.
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
    /// The statements, or `None` for a declaration without a body.
    pub body: Option<Vec<Statement>>,
}

/// A parameter of a function.
#[derive(Debug)]
pub(crate) struct Parameter {
    pub name: Name,
    /// The name of the parameter's struct type, or `None` for an `int`.
    pub structure: Option<Name>,
}

/// A statement of a function.
#[derive(Debug)]
pub(crate) enum Statement {
    /// `int name;` or `int name = value;`
    Declare { name: Name, value: Option<Expression> },
    /// `target = value`, or `target operator= value`. `x++` is `x += 1`.
    Assign { target: Expression, operator: Option<BinaryOperator>, value: Expression },
    /// An expression statement: a call, or an expression without effect.
    Evaluate(Expression),
    /// An `if` statement.
    If { condition: Expression, then: Vec<Statement>, otherwise: Vec<Statement> },
    /// A block, which is a scope of its own.
    Block(Vec<Statement>),
    /// A `return` statement.
    Return { value: Option<Expression>, span: Span },
}

/// An expression.
#[derive(Debug)]
pub(crate) struct Expression {
    pub kind: ExpressionKind,
    pub span: Span,
    /// The height of the expression tree, including this node.
    pub height: u32,
}

/// The kind of an expression.
#[derive(Debug)]
pub(crate) enum ExpressionKind {
    /// An expression with an error that has been reported.
    Invalid,
    /// A number as written, from -(2^32 - 1) to 2^32 - 1, of which the lower 32 bits are used.
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

/// A unary operator. Unary plus has no effect and is not represented.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unary {
    Negate,
    Complement,
    Not,
}

/// A binary operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operator {
    Plain(BinaryOperator),
    /// `&&`
    Both,
    /// `||`
    Either,
}

impl Expression {
    /// Creates an expression and computes its height from its operands.
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

    /// Creates a placeholder for an expression with an error that has been reported.
    pub fn invalid(span: Span) -> Self {
        Self::new(ExpressionKind::Invalid, span)
    }
}
