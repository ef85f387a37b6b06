//! Statements (section 12).

use diagnostics::Span;

use super::{Annotation, BinaryOperator, Declaration, Expression, KeysetElement, Name, Type};

/// One step of a block.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// What it does.
    pub kind: StatementKind,
    /// All of it.
    pub span: Span,
}

/// What a statement does.
#[derive(Clone, Debug, PartialEq)]
pub enum StatementKind {
    /// `;`
    Empty,
    /// A constant, a variable or an instance.
    Declare(Box<Declaration>),
    /// `target = value;` and `target += value;`
    Assign {
        /// What changes.
        target: Expression,
        /// How.
        operator: AssignmentOperator,
        /// The value.
        value: Expression,
    },
    /// A call; what it returns is dropped. The expression is always [`super::ExpressionKind::Call`].
    Call(Expression),
    /// Statements with names of their own.
    Block(Block),
    /// A choice.
    If {
        /// What decides.
        condition: Expression,
        /// What happens if it holds.
        then: Box<Statement>,
        /// What happens otherwise.
        otherwise: Option<Box<Statement>>,
    },
    /// `switch (value) { cases }`
    Switch {
        /// What decides: `table.apply().action_run`, or a value.
        value: Expression,
        /// The cases in order.
        cases: Vec<SwitchCase>,
    },
    /// `for (first; condition; step) body`
    For {
        /// What is noted beside it.
        annotations: Vec<Annotation>,
        /// What happens first.
        first: Vec<Statement>,
        /// What has to hold for another turn.
        condition: Expression,
        /// What happens after each turn.
        step: Vec<Statement>,
        /// What is repeated.
        body: Box<Statement>,
    },
    /// `for (type name in collection) body`
    ForIn {
        /// What is noted beside it.
        annotations: Vec<Annotation>,
        /// What takes one value after the other.
        variable: LoopVariable,
        /// A value or a range.
        collection: Box<KeysetElement>,
        /// What is repeated.
        body: Box<Statement>,
    },
    /// `break;`
    Break,
    /// `continue;`
    Continue,
    /// `return;` or `return value;`
    Return(Option<Expression>),
    /// `exit;`
    Exit,
}

/// The variable of a `for ... in`.
#[derive(Clone, Debug, PartialEq)]
pub struct LoopVariable {
    /// What is noted beside it.
    pub annotations: Vec<Annotation>,
    /// Its type.
    pub variable_type: Type,
    /// Its name.
    pub name: Name,
}

/// Statements in braces.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// Such as `@atomic`.
    pub annotations: Vec<Annotation>,
    /// The statements in order.
    pub statements: Vec<Statement>,
    /// From the opening brace to the closing one.
    pub span: Span,
}

/// How an assignment changes its target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AssignmentOperator {
    /// `=`
    Plain,
    /// `+=` and its like: the target becomes `target operator value`.
    With(BinaryOperator),
}

/// A case of a `switch`.
#[derive(Clone, Debug, PartialEq)]
pub struct SwitchCase {
    /// What the value is compared with.
    pub label: SwitchLabel,
    /// What happens; without a block that of the next case that has one.
    pub block: Option<Block>,
    /// All of it.
    pub span: Span,
}

/// What the value of a `switch` is compared with.
#[derive(Clone, Debug, PartialEq)]
pub enum SwitchLabel {
    /// `default`, at this place.
    Default(Span),
    /// The name of an action, or a value.
    Value(Expression),
}
