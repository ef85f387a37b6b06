//! The syntax tree: the program as written, before names are resolved.

use std::rc::Rc;

use diagnostics::Span;
use ir::BinaryOperator;
use runtime::tables::MatchKind;

/// A name, with its location.
#[derive(Clone, Debug)]
pub(crate) struct Name {
    pub text: Rc<str>,
    pub span: Span,
}

/// A whole program.
#[derive(Debug, Default)]
pub(crate) struct Unit {
    /// The parts of the program, in order.
    pub items: Vec<Item>,
    /// The names whose declarations are malformed.
    pub broken: Vec<Name>,
}

/// A part of a program.
#[derive(Debug)]
pub(crate) enum Item {
    /// A struct or union that is declared for later use.
    Structure(Rc<Structure>),
    Variable(Variable),
    Object(Object),
    Entrance(Entrance),
    /// `flow (value, …);`: which packets keep their order.
    Flow(Vec<Expression>, Span),
    Code(Code),
    Function(Function),
}

/// A label or an instruction.
#[derive(Debug)]
pub(crate) enum Code {
    Label(Name),
    Instruction(Instruction),
}

/// A subroutine.
#[derive(Debug)]
pub(crate) struct Function {
    pub name: Name,
    pub code: Vec<Code>,
}

/// `begin … end`: one instruction.
#[derive(Debug)]
pub(crate) struct Instruction {
    pub statements: Vec<Statement>,
    /// The location of `begin`.
    pub span: Span,
    /// Whether some statement is malformed, or the end is missing.
    pub is_incomplete: bool,
}

/// A type as written.
#[derive(Clone, Debug)]
pub(crate) struct TypeName {
    pub kind: TypeNameKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum TypeNameKind {
    Void,
    Bool,
    Label,
    /// `: width`, or `:` alone for the width of the value.
    Number {
        signed: bool,
        width: Option<Rc<Expression>>,
    },
    /// The name of a struct or union.
    Named(Name),
    /// A struct or union that is declared here.
    Defined(Rc<Structure>),
    Pointer(Rc<TypeName>),
    Array(Rc<TypeName>, Rc<Expression>),
}

/// A struct or union.
#[derive(Debug)]
pub(crate) struct Structure {
    pub is_union: bool,
    pub name: Option<Name>,
    pub fields: Vec<Field>,
    pub span: Span,
    /// Whether some field declaration is malformed.
    pub is_incomplete: bool,
}

/// A field; without a name it takes its room only, or lends its own fields if it is a struct or union.
#[derive(Debug)]
pub(crate) struct Field {
    pub name: Option<Name>,
    pub ty: TypeName,
    pub span: Span,
}

/// Where a variable is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// `memory`: in the local memory of the thread.
    Memory,
    /// `register`: in registers of the thread.
    Register,
    /// `bus`: an input of an ALU.
    Bus,
    /// `virtual` or `const`: a name for a value.
    Virtual,
    /// `sram`: in shared memory, on the chip.
    Sram,
    /// `dram`: in shared memory, off the chip.
    Dram,
}

/// A declaration of a variable.
#[derive(Debug)]
pub(crate) struct Variable {
    pub class: Class,
    pub ty: TypeName,
    pub name: Name,
    pub initial: Option<Initializer>,
    pub span: Span,
}

/// First contents.
#[derive(Debug)]
pub(crate) enum Initializer {
    Single(Expression),
    /// Values in braces, each for the next element or field.
    List(Vec<Initializer>, Span),
}

/// Something outside of the thread that transactions name.
#[derive(Debug)]
pub(crate) struct Object {
    pub name: Name,
    pub kind: ObjectKind,
}

#[derive(Debug)]
pub(crate) enum ObjectKind {
    /// `hash record name[size] key type;`, with `sram` or `dram` in front
    Hash { record: TypeName, size: Expression, key: TypeName, class: Class },
    /// `filter result name[size] key type;`, with `exact` or `lpm` behind `key` and `action name` at the end
    Filter(Filter),
    /// `policer name[size];`, with `sram` or `dram` in front
    Policer { size: Expression, class: Class },
    /// `timer name every interval;` with the interval in nanoseconds; a timer without one is not running at first.
    Timer { interval: Option<Expression> },
    /// `event name;`
    Event,
    /// `reason name;`: why packets are dropped
    Reason,
    /// `digest type name;`: a message to the control plane
    Digest { ty: TypeName },
}

/// Entries that the control plane makes.
#[derive(Debug)]
pub(crate) struct Filter {
    pub result: TypeName,
    pub size: Expression,
    pub key: TypeName,
    /// How entries say which keys they are for.
    pub kind: MatchKind,
    /// What the control plane calls giving a result, if the program says it.
    pub action: Option<Name>,
}

/// `on cause goto label;`
#[derive(Debug)]
pub(crate) struct Entrance {
    pub cause: Cause,
    pub label: Name,
    pub span: Span,
}

/// Why a thread begins.
#[derive(Debug)]
pub(crate) enum Cause {
    Packet,
    /// A timer fires.
    Timer(Name),
    /// An event happens.
    Event(Name),
}

/// Whether a thread is suspended until a transaction is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Synchronous,
    Asynchronous,
}

/// A statement of an instruction.
#[derive(Debug)]
pub(crate) enum Statement {
    Declare(Variable),
    /// `target = value`, or `target operator= value`. `x++` is `x += 1`.
    Assign {
        target: Expression,
        operator: Option<BinaryOperator>,
        value: Expression,
    },
    /// An expression that is no call.
    Evaluate(Expression),
    /// A transaction, or a call of a subroutine.
    Call {
        name: Name,
        arguments: Vec<Expression>,
        mode: Option<(Mode, Span)>,
        span: Span,
    },
    If {
        condition: Expression,
        then: Vec<Statement>,
        otherwise: Vec<Statement>,
        span: Span,
    },
    Switch {
        value: Expression,
        groups: Vec<Group>,
        span: Span,
    },
    /// A block, with the location of its `{`.
    Block(Vec<Statement>, Span),
    Goto {
        target: Expression,
        span: Span,
    },
    Break(Span),
    Return(Span),
    Exit(Span),
}

/// The statements of a `switch` behind one or several labels.
#[derive(Debug)]
pub(crate) struct Group {
    pub labels: Vec<Case>,
    pub body: Vec<Statement>,
    pub span: Span,
}

/// `case value:`, or `default:` without a value.
#[derive(Debug)]
pub(crate) struct Case {
    pub value: Option<Expression>,
    pub span: Span,
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
    Number(u64),
    Bool(bool),
    Name(Rc<str>),
    /// `value.field`
    Field(Box<Expression>, Name),
    /// `pointer->field`
    Arrow(Box<Expression>, Name),
    /// `array[index]`
    Element(Box<Expression>, Box<Expression>),
    /// `*pointer`
    Dereference(Box<Expression>),
    /// `&variable`
    Address(Box<Expression>),
    Cast(TypeName, Box<Expression>),
    SizeOfType(TypeName),
    SizeOfValue(Box<Expression>),
    Call(Name),
    Unary(Unary, Box<Expression>),
    Binary(Operator, Box<Expression>, Box<Expression>),
    /// `condition ? if_true : if_false`
    Conditional(Box<Expression>, Box<Expression>, Box<Expression>),
}

/// A unary operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unary {
    Plus,
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
            ExpressionKind::Field(a, _)
            | ExpressionKind::Arrow(a, _)
            | ExpressionKind::Dereference(a)
            | ExpressionKind::Address(a)
            | ExpressionKind::Cast(_, a)
            | ExpressionKind::SizeOfValue(a)
            | ExpressionKind::Unary(_, a) => a.height,
            ExpressionKind::Element(a, b) | ExpressionKind::Binary(_, a, b) => a.height.max(b.height),
            ExpressionKind::Conditional(a, b, c) => a.height.max(b.height).max(c.height),
            _ => 0,
        };
        Self { kind, span, height: height + 1 }
    }

    /// Creates a placeholder for an expression with an error that has been reported.
    pub fn invalid(span: Span) -> Self {
        Self::new(ExpressionKind::Invalid, span)
    }
}
