//! Statements (section 12).

use diagnostics::Span;

use super::{Annotation, BinaryOperator, Declaration, Expression, KeysetElement, Name, Type};

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// Its kind.
    pub kind: StatementKind,
    /// The place in the source text.
    pub span: Span,
}

/// The kind of a statement.
#[derive(Clone, Debug, PartialEq)]
pub enum StatementKind {
    /// `;`
    Empty,
    /// The declaration of a constant, a variable or an instance.
    Declare(Box<Declaration>),
    /// `target = value;` and `target += value;`
    Assign {
        /// The target of the assignment.
        target: Expression,
        /// The operator.
        operator: AssignmentOperator,
        /// The value on the right.
        value: Expression,
    },
    /// A call whose result is discarded. The expression is always an [`super::ExpressionKind::Call`].
    Call(Expression),
    /// A block, which has a scope of its own.
    Block(Block),
    /// `if (condition) then else otherwise`
    If {
        /// The condition.
        condition: Expression,
        /// The statement that runs if the condition holds.
        then: Box<Statement>,
        /// The statement that runs otherwise.
        otherwise: Option<Box<Statement>>,
    },
    /// `switch (value) { cases }`
    Switch {
        /// The value that selects the case, or `table.apply().action_run`.
        value: Expression,
        /// The cases in order.
        cases: Vec<SwitchCase>,
    },
    /// `for (first; condition; step) body`
    For {
        /// Its annotations.
        annotations: Vec<Annotation>,
        /// The statements that run before the first iteration.
        first: Vec<Statement>,
        /// The condition for another iteration.
        condition: Expression,
        /// The statements that run after each iteration.
        step: Vec<Statement>,
        /// The body of the loop.
        body: Box<Statement>,
    },
    /// `for (type name in collection) body`
    ForIn {
        /// Its annotations.
        annotations: Vec<Annotation>,
        /// The variable, which takes one value after the other.
        variable: LoopVariable,
        /// A value or a range.
        collection: Box<KeysetElement>,
        /// The body of the loop.
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
    /// Its annotations.
    pub annotations: Vec<Annotation>,
    /// Its type.
    pub variable_type: Type,
    /// Its name.
    pub name: Name,
}

/// Statements in braces.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// Its annotations, such as `@atomic`.
    pub annotations: Vec<Annotation>,
    /// The statements in order.
    pub statements: Vec<Statement>,
    /// From the opening brace to the closing one.
    pub span: Span,
}

/// The way in which an assignment changes its target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AssignmentOperator {
    /// `=`
    Plain,
    /// A compound assignment such as `+=`: the target becomes `target operator value`.
    With(BinaryOperator),
}

/// A case of a `switch`.
#[derive(Clone, Debug, PartialEq)]
pub struct SwitchCase {
    /// The operand of the comparison.
    pub label: SwitchLabel,
    /// Its block; a case without one shares the block of the next case that has one.
    pub block: Option<Block>,
    /// The place in the source text.
    pub span: Span,
}

/// The operand with which the value of a `switch` is compared.
#[derive(Clone, Debug, PartialEq)]
pub enum SwitchLabel {
    /// `default`, at this place.
    Default(Span),
    /// The name of an action, or a value.
    Value(Expression),
}
