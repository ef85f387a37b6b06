//! The syntax tree: a program as its author wrote it, before names are resolved.
//!
//! The tree follows the grammar of the P4_16 specification, version 1.2.5, appendix G. Every node carries its span.
//! Constructs that only the meaning of a name can tell apart (a call and the construction of an instance, a field of a
//! value and a member of a type) share one node; the checker tells them apart.

mod annotation;
mod controls;
mod declaration;
mod expression;
mod parsers;
mod statement;
mod tables;
mod types;

use std::rc::Rc;

use diagnostics::Span;

pub use annotation::{Annotation, AnnotationBody};
pub use controls::Control;
pub use declaration::{
    Action, Constant, Container, ContainerKind, Declaration, DeclarationKind, Enumeration, ExternObject, Field,
    Function, Instantiation, Member, Method, Prototype, Signature, TypeName, ValueSet, Variable,
};
pub use expression::{
    Argument, ArgumentValue, BinaryOperator, Expression, ExpressionKind, NamedExpression, Slice, SliceKind,
    UnaryOperator,
};
pub use parsers::{Parser, SelectCase, StateDeclaration, Transition, TransitionKind};
pub use statement::{AssignmentOperator, Block, LoopVariable, Statement, StatementKind, SwitchCase, SwitchLabel};
pub use tables::{
    ActionReference, EntryDeclaration, KeyElement, Keyset, KeysetElement, KeysetElementKind, Property, PropertyKind,
    Table,
};
pub use types::{Direction, Parameter, Type, TypeKind};

/// A whole program: its declarations in order, including those of included files.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Program {
    /// The declarations at the top level.
    pub declarations: Vec<Declaration>,
    /// The end of its main file, if it was read from one.
    pub end: Option<Span>,
}

/// A name and its span.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The name itself.
    pub text: Rc<str>,
    /// The place in the source text.
    pub span: Span,
}

/// A use of a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    /// True for `.name`, which is looked up at the top level only.
    pub absolute: bool,
    /// The name.
    pub name: Name,
    /// The place in the source text, including its dot.
    pub span: Span,
}
