//! Expressions (section 8).

use std::rc::Rc;

use diagnostics::Span;

use super::{Name, Path, Type};
use crate::token::Integer;

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    /// Its kind.
    pub kind: ExpressionKind,
    /// The place in the source text, including parentheses around it.
    pub span: Span,
    height: u32,
}

impl Expression {
    /// Makes an expression, and computes its height from those inside.
    pub fn new(kind: ExpressionKind, span: Span) -> Self {
        let height = match &kind {
            ExpressionKind::Type(own) => own.height(),
            ExpressionKind::Member(value, _) | ExpressionKind::Unary(_, value) => value.height,
            ExpressionKind::Index(a, b) | ExpressionKind::Binary(_, a, b) => a.height.max(b.height),
            ExpressionKind::Slice(slice) => slice.value.height.max(slice.first.height).max(slice.second.height),
            ExpressionKind::Call { callee, type_arguments, arguments } => {
                let types = type_arguments.iter().map(Type::height);
                let values = arguments.iter().filter_map(|argument| match &argument.value {
                    ArgumentValue::Given(value) => Some(value.height),
                    ArgumentValue::Ignored => None,
                });
                types.chain(values).fold(callee.height, u32::max)
            }
            ExpressionKind::Cast(to, value) => to.height().max(value.height),
            ExpressionKind::Conditional(a, b, c) => a.height.max(b.height).max(c.height),
            ExpressionKind::List(values) => values.iter().map(|value| value.height).max().unwrap_or(0),
            ExpressionKind::Record { fields, .. } => fields.iter().map(|field| field.value.height).max().unwrap_or(0),
            _ => 0,
        };
        Self { kind, span, height: height + 1 }
    }

    /// The depth to which expressions and types nest here, including the expression itself. The parser bounds it, so
    /// that trees can be traversed by recursion.
    pub fn height(&self) -> u32 {
        self.height
    }

    /// Returns the same expression with another span.
    pub fn at(self, span: Span) -> Self {
        Self { span, ..self }
    }
}

/// The kind of an expression.
#[derive(Clone, Debug, PartialEq)]
pub enum ExpressionKind {
    /// A number.
    Integer(Rc<Integer>),
    /// `true` or `false`.
    Bool(bool),
    /// A string, as it is written between the quotation marks.
    String(Rc<str>),
    /// A name: of a value, an action, a table, a function, or (before a dot or a call) a type.
    Name(Path),
    /// `this`
    This,
    /// `...`: the default value of whatever type is expected.
    Default,
    /// `{#}`: an invalid header.
    Invalid,
    /// `error`, which stands only before `.name`.
    Error,
    /// A type with type arguments, before a call or a dot: `name<types>`.
    Type(Box<Type>),
    /// `value.member`, or a member of a type.
    Member(Box<Expression>, Name),
    /// `value[index]`
    Index(Box<Expression>, Box<Expression>),
    /// A slice of the bits of a value.
    Slice(Box<Slice>),
    /// `value<types>(arguments)`: a call, or the construction of an instance.
    Call {
        /// The function, action, method or type that is called.
        callee: Box<Expression>,
        /// The type arguments; empty without `<>`.
        type_arguments: Vec<Type>,
        /// The arguments in order.
        arguments: Vec<Argument>,
    },
    /// `(type) value`
    Cast(Box<Type>, Box<Expression>),
    /// An operator before a value.
    Unary(UnaryOperator, Box<Expression>),
    /// An operator between two values.
    Binary(BinaryOperator, Box<Expression>, Box<Expression>),
    /// `condition ? if_true : if_false`
    Conditional(Box<Expression>, Box<Expression>, Box<Expression>),
    /// `{ value, value }`
    List(Vec<Expression>),
    /// `{ name = value, name = value }`
    Record {
        /// The values with the names of their fields.
        fields: Vec<NamedExpression>,
        /// The span of `...` at the end, which gives all other fields their default values.
        rest: Option<Span>,
    },
}

/// A slice of the bits of a value.
#[derive(Clone, Debug, PartialEq)]
pub struct Slice {
    /// The value.
    pub value: Expression,
    /// The meaning of the two bounds.
    pub kind: SliceKind,
    /// The first bound.
    pub first: Expression,
    /// The second bound.
    pub second: Expression,
}

/// The meaning of the bounds of a slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SliceKind {
    /// `value[high:low]`, which includes both ends.
    Bounds,
    /// `value[low +: width]`, from later versions of the language: the width is known at compile time, the position
    /// need not be.
    Width,
}

/// One argument of a call.
#[derive(Clone, Debug, PartialEq)]
pub struct Argument {
    /// The parameter that it is for, in `name = value`.
    pub name: Option<Name>,
    /// The value that is passed.
    pub value: ArgumentValue,
    /// The place in the source text.
    pub span: Span,
}

/// The value of an argument.
#[derive(Clone, Debug, PartialEq)]
pub enum ArgumentValue {
    /// An expression; for an `out` parameter the place that receives the value.
    Given(Expression),
    /// `_`: the value of an `out` parameter is discarded.
    Ignored,
}

/// `name = value`
#[derive(Clone, Debug, PartialEq)]
pub struct NamedExpression {
    /// The name of a field, or the key of an annotation.
    pub name: Name,
    /// The value.
    pub value: Expression,
}

/// A unary operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOperator {
    /// `!`
    Not,
    /// `~`
    Complement,
    /// `-`
    Negate,
    /// `+`
    Plus,
}

impl UnaryOperator {
    /// The spelling of the operator.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Not => "!",
            Self::Complement => "~",
            Self::Negate => "-",
            Self::Plus => "+",
        }
    }
}

macro_rules! binary_operators {
    ($($variant:ident $symbol:literal $binding:literal $assigns:literal)*) => {
        /// A binary operator.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum BinaryOperator {
            $(#[doc = concat!("`", $symbol, "`")] $variant,)*
        }

        impl BinaryOperator {
            /// Every operator, from the loosest to the tightest.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// The spelling of the operator.
            pub fn symbol(self) -> &'static str {
                match self { $(Self::$variant => $symbol,)* }
            }

            /// The precedence of the operator, from 1, the loosest. All operators are left-associative.
            pub fn binding(self) -> u32 {
                match self { $(Self::$variant => $binding,)* }
            }

            /// True if the operator has a compound assignment, such as `+=`.
            pub fn assigns(self) -> bool {
                match self { $(Self::$variant => $assigns,)* }
            }
        }
    };
}

// The order of the specification's grammar (1.2.5, appendix G): unlike in C, bits bind tighter than comparisons.
binary_operators! {
    Or "||" 1 false
    And "&&" 2 false
    Equal "==" 3 false
    NotEqual "!=" 3 false
    Less "<" 4 false
    LessEqual "<=" 4 false
    Greater ">" 4 false
    GreaterEqual ">=" 4 false
    BitOr "|" 5 true
    BitXor "^" 6 true
    BitAnd "&" 7 true
    ShiftLeft "<<" 8 true
    ShiftRight ">>" 8 true
    Concatenate "++" 9 false
    Add "+" 9 true
    Subtract "-" 9 true
    AddSaturating "|+|" 9 true
    SubtractSaturating "|-|" 9 true
    Multiply "*" 10 true
    Divide "/" 10 true
    Remainder "%" 10 true
}
