//! Controls, and what they have in common with parsers and packages (sections 7.2.12, 14 and 17).

use std::rc::Rc;

use super::{Checker, Within};
use crate::ast::{self, Direction};
use crate::types::{Machine, MachineSort, Parameter, Sort, Types};

impl<'a> Checker<'a> {
    pub(super) fn machine_type(&mut self, own: &'a ast::Signature, sort: MachineSort) {
        self.names.open();
        let type_parameters = self.type_parameters(&own.type_parameters);
        let parameters = self.parameters(&own.parameters, true);
        if sort != MachineSort::Package {
            self.refuse_machines(&own.parameters, &parameters);
        }
        self.names.close();
        let is_package = sort == MachineSort::Package;
        let machine = Machine {
            sort,
            is_type: true,
            type_parameters,
            constructor_parameters: if is_package { parameters.clone() } else { vec![] },
            parameters: if is_package { vec![] } else { parameters },
        };
        self.declare(&own.name, Sort::Machine(Rc::new(machine)));
    }

    pub(super) fn control(&mut self, own: &'a ast::Control) {
        let around = self.control_names.begin_machine(&own.signature.name, &own.constructor_parameters);
        let machine = self.declaring(&own.signature.name, |checker| {
            checker.inside(Within::Control, |checker| {
                let machine = checker.machine_head(&own.signature, &own.constructor_parameters, MachineSort::Control);
                checker.inside(Within::Control, |checker| {
                    for local in &own.locals {
                        checker.declaration(local);
                    }
                    checker.inside(Within::Apply, |checker| {
                        checker.context.result = Some(Types::VOID);
                        checker.block(&own.body);
                    });
                });
                machine
            })
        });
        self.uninitialized.lint_never_written(&self.types, &mut self.found);
        let number = self.control_names.end_machine(around);
        let definition = self.declare(&own.signature.name, Sort::Machine(Rc::new(machine)));
        self.control_names.note_machine(number, definition);
    }

    /// Checks the parameters of a parser or control with a body, and declares them in the innermost scope.
    pub(super) fn machine_head(
        &mut self,
        own: &'a ast::Signature,
        constructor: &'a [ast::Parameter],
        sort: MachineSort,
    ) -> Machine {
        let type_parameters = self.type_parameters(&own.type_parameters);
        let constructor_parameters = self.parameters(constructor, true);
        self.refuse_optional(constructor);
        for (node, parameter) in constructor.iter().zip(&constructor_parameters) {
            if parameter.direction != Direction::None {
                self.found.error(node.span, "what an instance is made with has no direction");
            }
            self.require_constructor_type(node, parameter, sort);
        }
        let parameters = self.parameters(&own.parameters, true);
        self.refuse_machines(&own.parameters, &parameters);
        Machine { sort, is_type: false, type_parameters, parameters, constructor_parameters }
    }

    /// A parser or control that another is made with is named by its type (section 15), and parsers have no controls,
    /// controls no parsers (sections 13.2 and 14).
    fn require_constructor_type(&mut self, node: &'a ast::Parameter, parameter: &Parameter, sort: MachineSort) {
        let Some((own, _)) = self.types.machine(parameter.of) else { return };
        let shown = self.types.describe(parameter.of);
        if !own.is_type {
            let message = format!("a parameter cannot be {shown}, which has a body");
            self.found.hinted(
                node.span,
                message,
                format!("a type is declared without one: `{} name(...);`", own.sort.keyword()),
            );
        } else if own.sort != sort {
            self.found.error(node.span, format!("a {} has no {} of its own", sort.keyword(), own.sort.keyword()));
        }
    }

    /// Reports parsers, controls and packages as parameters, which only constructors may have.
    pub(super) fn refuse_machines(&mut self, nodes: &'a [ast::Parameter], parameters: &[Parameter]) {
        for (node, parameter) in nodes.iter().zip(parameters) {
            let is_machine = matches!(self.types.named(parameter.of), Some((_, _, Sort::Machine(_))));
            if is_machine {
                let message = format!("a parameter cannot be {}", self.types.describe(parameter.of));
                self.found.hinted(node.span, message, "it can be a parameter of the constructor");
            }
        }
    }
}
