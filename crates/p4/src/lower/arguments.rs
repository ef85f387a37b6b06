//! What externs are given: arguments by parameter, values that are known, places that take results.

use std::rc::Rc;

use diagnostics::{Diagnostic, Span};
use ir::evaluate::{self, Environment};
use ir::{Expression, RegisterId, VariableId};
use runtime::Bits;

use super::Lowering;
use super::frame::Argument;
use super::places::Target as Destination;
use super::tree::{Tree, Value};
use crate::ast::{self, ArgumentValue};
use crate::types::{Callable, Parameter, Sort, Type};

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

    fn parameter(&self, parameter: usize) -> Option<&Parameter> {
        self.callable.parameters.get(parameter)
    }
}

impl<'a> Lowering<'a> {
    /// The value of an argument; the default of the parameter if it is left out.
    pub(super) fn argument_value(&mut self, arguments: &Arguments<'a>, parameter: usize) -> Value {
        if let Some(node) = arguments.node(parameter) {
            return self.value(node);
        }
        let default = arguments.parameter(parameter).and_then(|own| Some((own.default.clone()?, own.of)));
        default.map_or(Tree::Nothing, |(default, of)| self.constant(&default, of))
    }

    /// The values of some arguments, computed in the order in which they are written.
    pub(super) fn argument_values<const N: usize>(
        &mut self,
        arguments: &Arguments<'a>,
        parameters: [usize; N],
    ) -> [Value; N] {
        let mut written: Vec<usize> = parameters.into_iter().filter(|&own| arguments.node(own).is_some()).collect();
        written.sort_by_key(|&own| arguments.places[own]);
        let nodes: Vec<&'a ast::Expression> = written.iter().filter_map(|&own| arguments.node(own)).collect();
        let mut values = self.values(&nodes);
        parameters.map(|own| match written.iter().position(|&other| other == own) {
            Some(place) => std::mem::replace(&mut values[place], Tree::Nothing),
            None => self.argument_value(arguments, own),
        })
    }

    /// The values of some arguments that are scalars.
    pub(super) fn argument_scalars<const N: usize>(
        &mut self,
        arguments: &Arguments<'a>,
        parameters: [usize; N],
    ) -> [Expression; N] {
        self.argument_values(arguments, parameters).map(|value| match value {
            Tree::Scalar(scalar) => scalar,
            _ => {
                self.unsupported(arguments.span, "a value that is no number here");
                Expression::bool(false)
            }
        })
    }

    /// The values of some arguments that are numbers: those that are none are reported.
    pub(super) fn argument_numbers<const N: usize>(
        &mut self,
        arguments: &Arguments<'a>,
        parameters: [usize; N],
    ) -> [Option<Expression>; N] {
        let values = self.argument_values(arguments, parameters);
        let mut own = parameters.into_iter();
        values.map(|value| self.number_given(arguments, own.next()?, value))
    }

    /// The number that is given for a parameter; what is none is reported.
    pub(super) fn number_given(
        &mut self,
        arguments: &Arguments<'a>,
        parameter: usize,
        value: Value,
    ) -> Option<Expression> {
        let scalar = self.scalar_given(arguments, parameter, value)?;
        if self.program.type_of(&scalar) == ir::Type::Bool {
            self.no_number(arguments, parameter);
            return None;
        }
        Some(scalar)
    }

    /// The scalar that is given for a parameter; what is none is reported.
    pub(super) fn scalar_given(
        &mut self,
        arguments: &Arguments<'a>,
        parameter: usize,
        value: Value,
    ) -> Option<Expression> {
        match value {
            Tree::Scalar(scalar) => Some(scalar),
            _ => {
                self.no_number(arguments, parameter);
                None
            }
        }
    }

    /// Reports an argument that must be a number, which only the architecture knows: its types are open.
    pub(super) fn no_number(&mut self, arguments: &Arguments<'a>, parameter: usize) {
        let span = arguments.node(parameter).map_or(arguments.span, |node| node.span);
        let name = arguments.parameter(parameter).map_or_else(String::new, |own| format!(" for `{}`", own.name));
        let error = Diagnostic::error(span, format!("the argument{name} is no number"));
        self.found.push(error.hint(format!("`{}` takes a `bit<N>` or an `int<N>` there", arguments.callable.name)));
    }

    /// An index, which is a number; a flag is a number of one bit.
    pub(super) fn index_given(
        &mut self,
        arguments: &Arguments<'a>,
        parameter: usize,
        value: Value,
    ) -> Option<Expression> {
        let index = self.scalar_given(arguments, parameter, value)?;
        let is_flag = self.program.type_of(&index) == ir::Type::Bool;
        Some(if is_flag { self.cast(index, ir::Type::Bits(1)) } else { index })
    }

    /// Where a result goes; nowhere for `_`.
    pub(super) fn argument_place(&mut self, arguments: &Arguments<'a>, parameter: usize) -> Option<Destination> {
        self.place(arguments.node(parameter)?)
    }

    /// Gives a result to a place, if there is one.
    pub(super) fn give(&mut self, place: Option<Destination>, value: Value) {
        if let Some(place) = place {
            self.assign(&place, value);
        }
    }

    /// A number that has to be known before the program runs.
    pub(super) fn known_argument(&mut self, arguments: &Arguments<'a>, parameter: usize) -> Option<u64> {
        let value = self.argument_value(arguments, parameter);
        let span = arguments.node(parameter).map_or(arguments.span, |node| node.span);
        self.known_number(&value, span)
    }

    /// The raw bits of a scalar that depends on nothing. The checker knows most of them; what is computed of the
    /// arguments of an instance only shows here.
    pub(super) fn known_bits(&self, scalar: &Expression) -> Option<Bits> {
        let mut is_known = true;
        scalar.walk(&mut |part| {
            is_known &= !matches!(
                part,
                Expression::Variable(_)
                    | Expression::Read { .. }
                    | Expression::Element { .. }
                    | Expression::Undefined(_)
            );
        });
        is_known.then(|| evaluate::value(&self.program, scalar, &mut Nothing).1)
    }

    /// The same of a value.
    pub(super) fn known_number(&mut self, value: &Value, span: Span) -> Option<u64> {
        let number = value.scalar().and_then(|scalar| self.known_bits(scalar)).and_then(|bits| bits.to_u64());
        if number.is_none() {
            self.error(span, "this must be known when the program is compiled");
        }
        number
    }

    /// The name of a member of an enumeration of the architecture, by its place.
    pub(super) fn member_named(&self, enumeration: &str, place: u64) -> Option<Rc<str>> {
        let mut found = self.declarations.keys().filter_map(|&own| {
            let meaning = self.checked.types.definitions.get(own);
            match &meaning.sort {
                Sort::Enumeration(all) if &*meaning.name == enumeration => Some(all),
                _ => None,
            }
        });
        found.next()?.members.get(usize::try_from(place).ok()?).map(|(name, _)| Rc::clone(name))
    }

    /// The number that an instance is made with.
    pub(super) fn constructed_number(&mut self, constructed: &Constructed<'_, 'a>, parameter: usize) -> Option<u64> {
        match constructed.given.get(parameter) {
            Some(Some(Argument::Value(value))) => self.known_number(value, constructed.span),
            _ => None,
        }
    }

    /// The same for sizes, up to the most that there can be.
    pub(super) fn constructed_size(&mut self, constructed: &Constructed<'_, 'a>, parameter: usize, most: u32) -> u32 {
        let size = self.constructed_number(constructed, parameter).unwrap_or(0);
        if size > u64::from(most) {
            self.error(constructed.span, format!("`{}` has {size} places; the most is {most}", constructed.name));
            return 1;
        }
        size as u32
    }
}

/// Knows no variable and no register, and is asked for none.
struct Nothing;

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
