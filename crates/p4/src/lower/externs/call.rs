//! One call of an extern, with its arguments as values, as targets of assignments, and as known numbers.

use diagnostics::Diagnostic;
use ir::Expression;

use crate::ast;
use crate::lower::Lowering;
use crate::lower::arguments::{Arguments, known_number};
use crate::lower::l_values::Destination;
use crate::lower::tree::{Tree, Value};

/// Writes one call of an extern function or of a method of an extern.
pub(in crate::lower) struct ExternCall<'c, 'a> {
    pub lowering: &'c mut Lowering<'a>,
    pub arguments: &'c Arguments<'a>,
}

impl<'a> ExternCall<'_, 'a> {
    /// Returns the value of an argument, or the default value of the parameter if the argument is omitted.
    pub(in crate::lower) fn argument_value(&mut self, parameter: usize) -> Value {
        if let Some(node) = self.arguments.node(parameter) {
            return self.lowering.value(node);
        }
        let default = self.arguments.parameter(parameter).and_then(|own| Some((own.default.clone()?, own.of)));
        default.map_or(Tree::Nothing, |(default, of)| self.lowering.storage().constant(&default, of))
    }

    /// Returns the values of some arguments, computed in the order of the source text.
    pub(in crate::lower) fn argument_values<const N: usize>(&mut self, parameters: [usize; N]) -> [Value; N] {
        let mut written: Vec<usize> =
            parameters.into_iter().filter(|&own| self.arguments.node(own).is_some()).collect();
        written.sort_by_key(|&own| self.arguments.places[own]);
        let nodes: Vec<&'a ast::Expression> = written.iter().filter_map(|&own| self.arguments.node(own)).collect();
        let mut values = self.lowering.values(&nodes);
        parameters.map(|own| match written.iter().position(|&other| other == own) {
            Some(place) => std::mem::replace(&mut values[place], Tree::Nothing),
            None => self.argument_value(own),
        })
    }

    /// Returns the values of some arguments that are scalars.
    pub(in crate::lower) fn argument_scalars<const N: usize>(&mut self, parameters: [usize; N]) -> [Expression; N] {
        self.argument_values(parameters).map(|value| match value {
            Tree::Scalar(scalar) => scalar,
            _ => {
                self.lowering.found.unsupported(self.arguments.span, "a value that is not a number here");
                Expression::bool(false)
            }
        })
    }

    /// Returns the values of some arguments that are numbers, and reports those that are not.
    pub(in crate::lower) fn argument_numbers<const N: usize>(
        &mut self,
        parameters: [usize; N],
    ) -> [Option<Expression>; N] {
        let values = self.argument_values(parameters);
        let mut own = parameters.into_iter();
        values.map(|value| self.number_given(own.next()?, value))
    }

    /// Returns the number that is the argument for a parameter, or reports that it is not one.
    pub(in crate::lower) fn number_given(&mut self, parameter: usize, value: Value) -> Option<Expression> {
        let scalar = self.scalar_given(parameter, value)?;
        if self.lowering.output.program.type_of(&scalar) == ir::Type::Bool {
            self.no_number(parameter);
            return None;
        }
        Some(scalar)
    }

    /// Returns the scalar that is the argument for a parameter, or reports that it is not one.
    pub(in crate::lower) fn scalar_given(&mut self, parameter: usize, value: Value) -> Option<Expression> {
        match value {
            Tree::Scalar(scalar) => Some(scalar),
            _ => {
                self.no_number(parameter);
                None
            }
        }
    }

    /// Reports an argument that is not a number. Only the architecture requires one: the declaration has a type
    /// parameter.
    pub(in crate::lower) fn no_number(&mut self, parameter: usize) {
        let span = self.arguments.node(parameter).map_or(self.arguments.span, |node| node.span);
        let name = self.arguments.parameter(parameter).map_or_else(String::new, |own| format!(" for `{}`", own.name));
        let error = Diagnostic::error(span, format!("the argument{name} is not a number"));
        self.lowering
            .found
            .report(error.hint(format!("`{}` takes a `bit<N>` or an `int<N>` there", self.arguments.callable.name)));
    }

    /// Returns an index, which is a number; a `bool` counts as a number of one bit.
    pub(in crate::lower) fn index_given(&mut self, parameter: usize, value: Value) -> Option<Expression> {
        let index = self.scalar_given(parameter, value)?;
        let is_flag = self.lowering.output.program.type_of(&index) == ir::Type::Bool;
        Some(if is_flag { self.lowering.output.cast(index, ir::Type::Bits(1)) } else { index })
    }

    /// Returns the target of a result; `None` for `_`.
    pub(in crate::lower) fn argument_target(&mut self, parameter: usize) -> Option<Destination> {
        self.lowering.target(self.arguments.node(parameter)?)
    }

    /// Returns a number that must be known at compile time.
    pub(in crate::lower) fn known_argument(&mut self, parameter: usize) -> Option<u64> {
        let value = self.argument_value(parameter);
        let span = self.arguments.node(parameter).map_or(self.arguments.span, |node| node.span);
        known_number(&self.lowering.output, &mut self.lowering.found, &value, span)
    }
}
