//! Instances (section 11.3) and the abstract methods that they implement (11.3.1).

use std::collections::HashSet;
use std::rc::Rc;

use diagnostics::{Diagnostic, Span};

use super::calls::leaves_open;
use super::construct::note_constructed;
use super::{Checker, Within};
use crate::ast::{self, DeclarationKind};
use crate::types::{Bindings, Callable, MachineSort, Sort, Type, TypeForm, Types};

impl<'a> Checker<'a> {
    pub(super) fn instantiation(&mut self, span: Span, own: &'a ast::Instantiation) {
        if matches!(self.context.within, Within::Function | Within::Action | Within::Method) {
            self.found.hinted(
                span,
                "no instance is declared in a function or an action",
                "declare it in the control, the parser or at the top level",
            );
        }
        if matches!(self.context.within, Within::Apply | Within::State) {
            self.found.hinted(
                span,
                "no instance is declared while a packet is processed",
                "declare it before `apply` or the states",
            );
        }
        let around = self.context;
        if matches!(self.context.within, Within::Apply | Within::State) {
            self.context.within = Within::Control;
        }
        let written = self.expressions().written(&own.instance_type);
        if self.context.within == Within::Top
            && let Some((_, _, Sort::Machine(machine))) = self.types.named(written)
            && machine.sort != MachineSort::Package
        {
            let word = machine.sort.keyword();
            self.found.hinted(span, format!("no {word} is instantiated at the top level"), "packages and externs are");
        }
        let stranger = match (self.context.within, self.types.named(written)) {
            (Within::Control, Some((_, _, Sort::Machine(own)))) => own.sort == MachineSort::Parser,
            (Within::Parser, Some((_, _, Sort::Machine(own)))) => own.sort == MachineSort::Control,
            _ => false,
        };
        if stranger {
            self.found.error(span, "controls have no parsers of their own, and parsers no controls");
        }
        let is_open = leaves_open(&own.instance_type);
        let of = match *self.types.kind(written) {
            // `type(arguments)[size] name` makes `size` equal instances.
            TypeForm::Stack(element, size) => {
                match self.expressions().construct(span, element, &own.arguments, is_open) {
                    Some(constructed) => {
                        let of = note_constructed(&mut self.nodes, own, constructed);
                        if let ast::TypeKind::Array(element, _) = &own.instance_type.kind {
                            self.nodes.note_type(element, of);
                        }
                        self.types.make(TypeForm::Stack(of, size))
                    }
                    None => Types::UNKNOWN,
                }
            }
            _ => match self.expressions().construct(span, written, &own.arguments, is_open) {
                Some(constructed) => note_constructed(&mut self.nodes, own, constructed),
                None => Types::UNKNOWN,
            },
        };
        // Omitted type arguments are known now.
        self.nodes.note_type(&own.instance_type, of);
        let is_package =
            matches!(self.types.named(of), Some((_, _, Sort::Machine(own))) if own.sort == MachineSort::Package);
        if around.within == Within::Top && &*own.name.text == "main" && !is_package && of != Types::UNKNOWN {
            let message = format!("`main` is {} and no package", self.types.describe(of));
            self.found.hinted(span, message, "the package `main` is the program; give this another name");
        }
        self.context = around;
        self.body(own, of);
        self.declare(&own.name, Sort::Instance(of));
    }

    /// Returns true if a function implements a method of an instance of this type: names, directions and types are the
    /// same.
    fn implements(&mut self, function: &Callable, method: &Callable, of: Type) -> bool {
        let own: Bindings = match self.types.named(of) {
            Some((_, given, Sort::Extern(object))) => {
                object.type_parameters.iter().copied().zip(given.iter().copied()).collect()
            }
            _ => return false,
        };
        let count = function.parameters.len();
        let result = self.types.substitute(method.result, &own);
        method.is_abstract
            && method.name == function.name
            && method.parameters.len() >= count
            && method.parameters[count..].iter().all(|rest| rest.can_be_left_out)
            && method.parameters.iter().zip(&function.parameters).all(|(wanted, given)| {
                let of = self.types.substitute(wanted.of, &own);
                wanted.direction == given.direction && self.conversions.same(&mut self.types, of, given.of)
            })
            && self.conversions.same(&mut self.types, result, function.result)
    }

    fn body(&mut self, own: &'a ast::Instantiation, of: Type) {
        let methods = match self.types.named(of) {
            Some((_, _, Sort::Extern(object))) => object.methods.clone(),
            _ if of == Types::UNKNOWN => return,
            _ => vec![],
        };
        let mut implemented = HashSet::new();
        let has_abstract = methods.iter().any(|method| method.is_abstract);
        if let Some(body) = &own.body {
            if !has_abstract {
                let message = format!("{} has no abstract methods to implement", self.types.describe(of));
                self.found.error(own.name.span, message);
            }
            self.names.open();
            let around = self.context;
            self.context.this = Some(of);
            for declaration in body {
                let DeclarationKind::Function(function) = &declaration.kind else {
                    self.declaration(declaration);
                    continue;
                };
                let callable = Rc::new(self.function_body(function, Within::Method));
                let name = &function.prototype.signature.name;
                // It is only called through the instance, so its name is in no scope.
                self.nodes.define(&mut self.types, name, Sort::Function(Rc::clone(&callable)));
                implemented.insert(Rc::clone(&name.text));
                if has_abstract && !methods.iter().any(|method| self.implements(&callable, method, of)) {
                    let message = format!("there is no such abstract method `{}` to implement", name.text);
                    let mut error = Diagnostic::error(name.span, message);
                    if let Some(method) = methods.iter().find(|method| method.name == name.text) {
                        error = error.related(method.span, "it is declared like this");
                    }
                    self.found.report(error.related(own.name.span, "of this instance"));
                }
            }
            self.context = around;
            self.names.close();
        }
        for method in methods
            .iter()
            .filter(|method| method.is_abstract && !method.is_optional && !implemented.contains(&method.name))
        {
            let message = format!("the abstract method `{}` is not implemented", method.name);
            self.found.hinted(own.name.span, message, "an instance implements it in `= { ... }` behind its name");
        }
    }
}
