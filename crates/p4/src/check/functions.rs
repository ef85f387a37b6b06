//! Functions, actions and their parameters (sections 6.8, 10 and 14.1).

use std::rc::Rc;

use super::{Checker, Within};
use crate::ast::{self, Direction};
use crate::types::{Callable, Definition, Parameter, Sort, TypeForm, Types};

impl<'a> Checker<'a> {
    pub(super) fn type_parameters(&mut self, names: &'a [ast::Name]) -> Vec<Definition> {
        names.iter().map(|name| self.declare(name, Sort::TypeParameter)).collect()
    }

    /// Checks a prototype, and declares its type parameters and parameters in the innermost scope.
    pub(super) fn prototype(&mut self, own: &'a ast::Prototype) -> Callable {
        let type_parameters = self.type_parameters(&own.signature.type_parameters);
        let result = self.expressions().written(&own.result);
        let is_machine = matches!(self.types.named(result), Some((_, _, Sort::Machine(_))));
        if is_machine {
            let message = format!("a function does not return {}", self.types.describe(result));
            self.found.error(own.result.span, message);
        }
        let parameters = self.parameters(&own.signature.parameters, true);
        self.refuse_machines(&own.signature.parameters, &parameters);
        Callable {
            name: Rc::clone(&own.signature.name.text),
            span: own.signature.name.span,
            type_parameters,
            parameters,
            result,
            is_abstract: false,
            is_optional: false,
        }
    }

    /// Declares parameters. With `known`, directionless parameters are known at compile time.
    pub(super) fn parameters(&mut self, all: &'a [ast::Parameter], known: bool) -> Vec<Parameter> {
        all.iter().map(|own| self.parameter(own, known)).collect()
    }

    fn parameter(&mut self, own: &'a ast::Parameter, known: bool) -> Parameter {
        self.expressions().annotations(&own.annotations);
        let of = self.expressions().written(&own.parameter_type);
        let is_instance = matches!(self.types.named(of), Some((_, _, Sort::Extern(_) | Sort::Machine(_))));
        let is_compile_time = matches!(self.types.kind(of), TypeForm::Integer | TypeForm::String);
        if own.direction != Direction::None && (is_instance || is_compile_time) {
            let message = format!("a parameter of type `{}` has no direction", self.types.show(of));
            self.found.hinted(own.span, message, "what is known before the program runs goes in no direction");
        }
        if of == Types::VOID {
            self.found.error(own.parameter_type.span, "there are no values of type `void`");
        }
        let mut given = None;
        if let Some(default) = &own.default {
            if matches!(own.direction, Direction::Out | Direction::InOut) {
                self.found.error(default.span, "an `out` parameter has no default value");
            }
            let mut typed = self.expressions().value(default);
            // The arguments of a package may depend on type parameters that only its instance determines.
            if self.types.machine(of).is_none() {
                typed = self.typing().convert(default, typed, of, "the default value");
            }
            if !typed.known {
                self.found.error(default.span, "a default value must be known when the program is compiled");
            }
            given = typed.value;
        }
        let known = is_instance || (known && own.direction == Direction::None);
        let definition = self.declare(&own.name, Sort::Parameter(of, own.direction, known));
        Parameter {
            name: Rc::clone(&own.name.text),
            direction: own.direction,
            of,
            can_be_left_out: own.default.is_some() || own.annotations.iter().any(|one| &*one.name.text == "optional"),
            has_default: own.default.is_some(),
            default: given,
            definition,
            span: own.span,
        }
    }

    pub(super) fn action(&mut self, own: &'a ast::Action) {
        let callable = self.declaring(&own.name, |checker| {
            checker.inside(Within::Action, |checker| {
                let parameters = checker.parameters(&own.parameters, false);
                let data = own.parameters.iter().position(|parameter| parameter.direction == Direction::None);
                if let Some(late) = data.and_then(|data| {
                    own.parameters[data..].iter().find(|parameter| parameter.direction != Direction::None)
                }) {
                    checker
                        .found
                        .error(late.span, "parameters that the control plane gives come after those with a direction");
                }
                for (node, parameter) in own.parameters.iter().zip(&parameters) {
                    if matches!(checker.types.named(parameter.of), Some((_, _, Sort::Extern(_) | Sort::Machine(_)))) {
                        let message = format!("an action does not take {}", checker.types.describe(parameter.of));
                        checker.found.error(node.span, message);
                    }
                    if parameter.of == Types::INTEGER {
                        checker.found.hinted(
                            node.span,
                            "an action does not take `int`",
                            "give it a width: `bit<N>` or `int<N>`",
                        );
                    }
                }
                checker.refuse_optional(&own.parameters);
                checker.context.result = Some(Types::VOID);
                checker.block(&own.body);
                Callable {
                    name: Rc::clone(&own.name.text),
                    span: own.name.span,
                    type_parameters: vec![],
                    parameters,
                    result: Types::VOID,
                    is_abstract: false,
                    is_optional: false,
                }
            })
        });
        self.declare(&own.name, Sort::Action(Rc::new(callable)));
    }

    pub(super) fn refuse_optional(&mut self, parameters: &'a [ast::Parameter]) {
        for parameter in parameters {
            if let Some(note) = parameter.annotations.iter().find(|note| &*note.name.text == "optional") {
                self.found.hinted(
                    note.span,
                    "`@optional` is only for what architectures declare",
                    "a default value is: `= value`",
                );
            }
        }
    }

    pub(super) fn function(&mut self, own: &'a ast::Function) {
        let callable =
            self.declaring(&own.prototype.signature.name, |checker| checker.function_body(own, Within::Function));
        self.declare(&own.prototype.signature.name, Sort::Function(Rc::new(callable)));
    }

    /// Checks a function. It is declared after its body, so that recursion is an error.
    pub(super) fn function_body(&mut self, own: &'a ast::Function, within: Within) -> Callable {
        self.inside(within, |checker| {
            let callable = checker.prototype(&own.prototype);
            if within == Within::Function {
                checker.refuse_optional(&own.prototype.signature.parameters);
            }
            checker.context.result = Some(callable.result);
            checker.block(&own.body);
            if callable.result != Types::VOID && callable.result != Types::UNKNOWN && may_end(&own.body.statements) {
                let name = &own.prototype.signature.name;
                let message = format!("`{}` may end without returning a value", name.text);
                checker.found.hinted(name.span, message, "every way through it ends with `return value;`");
            }
            callable
        })
    }
}

/// Returns true if control may reach the end of the statements.
fn may_end(statements: &[ast::Statement]) -> bool {
    use ast::StatementKind as Step;
    statements.iter().all(|statement| match &statement.kind {
        Step::Return(_) | Step::Exit => false,
        Step::Block(block) => may_end(&block.statements),
        Step::If { then, otherwise: Some(otherwise), .. } => {
            may_end(std::slice::from_ref(then)) || may_end(std::slice::from_ref(otherwise))
        }
        Step::Switch { cases, .. } => {
            let has_default = cases.iter().any(|case| matches!(case.label, ast::SwitchLabel::Default(_)));
            !has_default || cases.iter().filter_map(|case| case.block.as_ref()).any(|block| may_end(&block.statements))
        }
        _ => true,
    })
}
