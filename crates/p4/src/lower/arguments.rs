//! What externs are given: arguments by parameter, values that are known, places that take results.

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
    /// What is called.
    pub callable: Rc<Callable>,
    /// What the type parameters of the called stand for, in the order in which they are declared.
    pub types: Vec<Type>,
    /// All that is written.
    pub given: &'a [ast::Argument],
    /// Which of it each parameter gets.
    pub places: Vec<Option<usize>>,
}

/// What an instance of an extern is made with.
pub(super) struct Constructed<'c, 'a> {
    /// Its name for the control plane.
    pub name: &'c str,
    /// Where it is made.
    pub span: Span,
    /// The type arguments of the extern.
    pub types: Vec<Type>,
    /// By parameter of the constructor.
    pub given: &'c [Option<Argument<'a>>],
    /// What is noted beside it.
    pub annotations: &'a [ast::Annotation],
}

impl<'a> Arguments<'a> {
    /// What is written for a parameter; nothing for `_` and for what is left out.
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

/// The same of a value.
pub(super) fn known_number(output: &Output, found: &mut Findings, value: &Value, span: Span) -> Option<u64> {
    let number = value.scalar().and_then(|scalar| output.known_bits(scalar)).and_then(|bits| bits.to_u64());
    if number.is_none() {
        found.error(span, "this must be known when the program is compiled");
    }
    number
}

/// Knows no variable and no register, and is asked for none.
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

/// The scalars of a value as they stand on the wire: no validity, no index; of a `varbit` also how long it is.
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
