//! Instances (section 11.3) and the abstract methods that they implement (11.3.1).

use std::collections::HashSet;

use diagnostics::Span;

use super::{Checker, Within};
use crate::ast::{self, DeclarationKind};
use crate::types::{Kind, MachineSort, Sort, Type, Types};

impl<'a> Checker<'a> {
    pub(super) fn instantiation(&mut self, span: Span, own: &'a ast::Instantiation) {
        if matches!(self.context.within, Within::Function | Within::Action | Within::Method) {
            self.hinted(
                span,
                "no instance is declared in a function or an action",
                "declare it in the control, the parser or at the top level",
            );
        }
        if matches!(self.context.within, Within::Apply | Within::State) {
            self.hinted(
                span,
                "no instance is declared while a packet is processed",
                "declare it before `apply` or the states",
            );
        }
        let around = self.context;
        if matches!(self.context.within, Within::Apply | Within::State) {
            self.context.within = Within::Control;
        }
        let written = self.written(&own.instance_type);
        if self.context.within == Within::Top
            && let Some((_, _, Sort::Machine(machine))) = self.checked.types.named(written)
            && machine.sort != MachineSort::Package
        {
            let word = machine.sort.keyword();
            self.hinted(span, format!("no {word} is instantiated at the top level"), "packages and externs are");
        }
        let stranger = match (self.context.within, self.checked.types.named(written)) {
            (Within::Control, Some((_, _, Sort::Machine(own)))) => own.sort == MachineSort::Parser,
            (Within::Parser, Some((_, _, Sort::Machine(own)))) => own.sort == MachineSort::Control,
            _ => false,
        };
        if stranger {
            self.error(span, "controls have no parsers of their own, and parsers no controls");
        }
        let of = match *self.checked.types.kind(written) {
            // `type(arguments)[size] name` makes as many alike.
            Kind::Stack(element, size) => match self.construct(span, element, &own.arguments) {
                Some((of, ..)) => self.types().make(Kind::Stack(of, size)),
                None => Types::UNKNOWN,
            },
            _ => self.construct(span, written, &own.arguments).map_or(Types::UNKNOWN, |(of, ..)| of),
        };
        if self.is_unknown(written) {
            self.checked.note_type(&own.instance_type, of);
        }
        let is_package = matches!(self.checked.types.named(of), Some((_, _, Sort::Machine(own))) if own.sort == MachineSort::Package);
        if around.within == Within::Top && &*own.name.text == "main" && !is_package && !self.is_unknown(of) {
            let message = format!("`main` is {} and no package", self.checked.types.describe(of));
            self.hinted(span, message, "the package `main` is the program; give this another name");
        }
        self.context = around;
        self.body(own, of);
        self.declare(&own.name, Sort::Instance(of));
    }

    fn body(&mut self, own: &'a ast::Instantiation, of: Type) {
        let methods = match self.checked.types.named(of) {
            Some((_, _, Sort::Extern(object))) => object.methods.clone(),
            _ if self.is_unknown(of) => return,
            _ => vec![],
        };
        let mut implemented = HashSet::new();
        let has_abstract = methods.iter().any(|method| method.is_abstract);
        if let Some(body) = &own.body {
            if !has_abstract {
                let message = format!("{} has no abstract methods to implement", self.checked.types.describe(of));
                self.error(own.name.span, message);
            }
            self.scopes.open();
            let around = self.context;
            self.context.this = Some(of);
            for declaration in body {
                let DeclarationKind::Function(function) = &declaration.kind else {
                    self.declaration(declaration);
                    continue;
                };
                let callable = self.function_body(function, Within::Method);
                let name = &function.prototype.signature.name;
                implemented.insert(std::rc::Rc::clone(&name.text));
                let fits = methods.iter().any(|method| {
                    method.is_abstract
                        && method.name == name.text
                        && method.parameters.len() >= callable.parameters.len()
                        && method.parameters[callable.parameters.len()..].iter().all(|rest| rest.can_be_left_out)
                        && method.parameters.iter().zip(&callable.parameters).all(|(a, b)| a.direction == b.direction)
                });
                if has_abstract && !fits {
                    let message = format!("there is no such abstract method `{}` to implement", name.text);
                    self.error(name.span, message);
                }
            }
            self.context = around;
            self.scopes.close();
        }
        for method in methods
            .iter()
            .filter(|method| method.is_abstract && !method.is_optional && !implemented.contains(&method.name))
        {
            let message = format!("the abstract method `{}` is not implemented", method.name);
            self.hinted(own.name.span, message, "an instance implements it in `= { ... }` behind its name");
        }
    }
}
