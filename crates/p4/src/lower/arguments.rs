//! Arguments of calls and of constructors of externs.

use std::rc::Rc;

use diagnostics::Span;
use ir::evaluate::Environment;
use ir::{Expression, RegisterId, VariableId};
use runtime::Bits;

use super::Output;
use super::frame::Argument;
use super::tree::{Tree, Value};
use crate::ast::{self, ArgumentValue};
use crate::findings::Findings;
use crate::types::{Callable, Parameter, Type};

/// The arguments of one call of an extern, by parameter.
pub(super) struct Arguments<'a> {
    /// The whole call.
    pub span: Span,
    /// The function or method that is called.
    pub callable: Rc<Callable>,
    /// The types that the type parameters of the callee stand for, in the order of their declaration.
    pub types: Vec<Type>,
    /// The arguments in the order of the source text.
    pub given: &'a [ast::Argument],
    /// The index of the argument for each parameter.
    pub places: Vec<Option<usize>>,
    /// The type of the call's result.
    pub result: Type,
}

/// The arguments of the constructor of an extern.
pub(super) struct Constructed<'c, 'a> {
    /// Its name for the control plane.
    pub name: &'c str,
    /// The place of the construction.
    pub span: Span,
    /// The type arguments of the extern.
    pub types: Vec<Type>,
    /// The arguments by parameter of the constructor.
    pub given: &'c [Option<Argument<'a>>],
    /// Its annotations.
    pub annotations: &'a [ast::Annotation],
}

impl<'a> Arguments<'a> {
    /// Returns the expression for a parameter; `None` for `_` and for an omitted argument.
    pub(super) fn node(&self, parameter: usize) -> Option<&'a ast::Expression> {
        let argument = self.given.get((*self.places.get(parameter)?)?)?;
        match &argument.value {
            ArgumentValue::Given(value) => Some(value),
            ArgumentValue::Ignored => None,
        }
    }

    pub(super) fn parameter(&self, parameter: usize) -> Option<&Parameter> {
        self.callable.parameters.get(parameter)
    }
}

/// Returns the number that a value is, or reports that it is not known.
pub(super) fn known_number(output: &Output, found: &mut Findings, value: &Value, span: Span) -> Option<u64> {
    let number = value.scalar().and_then(|scalar| output.known_bits(scalar)).and_then(|bits| bits.to_u64());
    if number.is_none() {
        found.error(span, "this must be known when the program is compiled");
    }
    number
}

/// An environment without variables and registers, for expressions that read none.
pub(super) struct Nothing;

impl Environment for Nothing {
    type Value = Bits;

    fn variable(&mut self, _: VariableId) -> Bits {
        unreachable!("the value depends on nothing")
    }

    fn read(&mut self, _: RegisterId, _: usize) -> Bits {
        unreachable!("the value depends on nothing")
    }
}

/// Collects the scalars of a value as they stand on the wire, without validity and indices; those of a `varbit` with
/// their lengths.
pub(super) fn wire_scalars(value: &Value, all: &mut Vec<(Expression, Option<Expression>)>) {
    match value {
        Tree::Scalar(scalar) => all.push((scalar.clone(), None)),
        Tree::Varbit { value, length } => all.push((value.clone(), Some(length.clone()))),
        Tree::Struct(parts) | Tree::Union(parts) => parts.iter().for_each(|(_, part)| wire_scalars(part, all)),
        Tree::Header(header) => header.fields.iter().for_each(|(_, part)| wire_scalars(part, all)),
        Tree::Stack(stack) => stack.elements.iter().for_each(|element| wire_scalars(element, all)),
        Tree::Text(_) | Tree::Nothing => {}
    }
}
