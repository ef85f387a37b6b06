//! Declarations.

use std::rc::Rc;

use diagnostics::Diagnostic;

use super::control_names::Named;
use super::written_types::require_variable_type;
use super::{Checker, Within};
use crate::ast::{self, DeclarationKind};
use crate::types::{Extern, MachineSort, Sort, Type, TypeForm, Types};

impl<'a> Checker<'a> {
    pub(super) fn declaration(&mut self, declaration: &'a ast::Declaration) {
        if self.context.within == Within::Top {
            self.refuse_main(declaration);
        }
        self.expressions().annotations(&declaration.annotations);
        match &declaration.kind {
            DeclarationKind::Constant(own) => self.constant(own),
            DeclarationKind::Variable(own) => self.variable(own),
            DeclarationKind::Instantiation(own) => self.instantiation(declaration.span, own),
            DeclarationKind::Action(own) => {
                self.control_names.note_name(&self.nodes, Named::Action(own), &own.name, &declaration.annotations);
                self.action(own);
            }
            DeclarationKind::Function(own) => self.function(own),
            DeclarationKind::ExternFunction(own) => {
                self.names.open();
                let callable = self.prototype(own);
                self.names.close();
                self.declare(&own.signature.name, Sort::Function(Rc::new(callable)));
            }
            DeclarationKind::ExternObject(own) => self.extern_object(own),
            DeclarationKind::ExternName(name) => {
                self.declare(name, Sort::Extern(Rc::new(Extern::default())));
            }
            DeclarationKind::Container(own) => self.container(own),
            DeclarationKind::Enumeration(own) => self.enumeration(own),
            DeclarationKind::Errors(names) => {
                for name in names {
                    if self.names.errors.insert(Rc::clone(&name.text), name.span).is_some() {
                        self.found.error(name.span, format!("the error `{}` is declared twice", name.text));
                    }
                }
            }
            DeclarationKind::MatchKinds(names) => {
                for name in names {
                    if self.names.match_kinds.insert(Rc::clone(&name.text), name.span).is_some() {
                        self.found.error(name.span, format!("the match kind `{}` is declared twice", name.text));
                    }
                }
            }
            DeclarationKind::Typedef(own) => {
                let of = self.expressions().written(&own.original);
                self.declare(&own.name, Sort::Alias(of));
            }
            DeclarationKind::TypedefOfDeclaration(inner, name) => self.typedef_of(inner, name),
            DeclarationKind::NewType(own) => self.new_type(own),
            DeclarationKind::ParserType(own) => self.machine_type(own, MachineSort::Parser),
            DeclarationKind::ControlType(own) => self.machine_type(own, MachineSort::Control),
            DeclarationKind::Package(own) => self.machine_type(own, MachineSort::Package),
            DeclarationKind::Parser(own) => self.parser(own),
            DeclarationKind::Control(own) => self.control(own),
            DeclarationKind::Table(own) => {
                self.control_names.note_name(&self.nodes, Named::Table, &own.name, &declaration.annotations);
                self.table(own);
            }
            DeclarationKind::ValueSet(own) => self.value_set(own),
        }
    }

    fn value_set(&mut self, own: &'a ast::ValueSet) {
        let of = self.expressions().written(&own.member_type);
        if !self.types.has_members(of) {
            let message = format!("there are no value sets of {}", self.types.describe(of));
            let hint = "members are of numbers, flags and enumerations, or structs and tuples of them";
            self.found.hinted(own.member_type.span, message, hint);
        }
        self.expressions().size(&own.size, 0, "the size of a value set");
        self.declare(&own.name, Sort::ValueSet(of));
    }

    /// Reports a declaration of `main` that is not an instance: `main` is the package of the program (section 17).
    fn refuse_main(&mut self, declaration: &'a ast::Declaration) {
        let name = match &declaration.kind {
            DeclarationKind::Constant(own) => &own.name,
            DeclarationKind::Action(own) => &own.name,
            DeclarationKind::ExternObject(own) => &own.name,
            DeclarationKind::Parser(own) => &own.signature.name,
            DeclarationKind::Control(own) => &own.signature.name,
            _ => return,
        };
        if &*name.text == "main" {
            self.found.hinted(
                name.span,
                "`main` is not a package",
                "the package `main` is the program; give this another name",
            );
        }
    }

    fn constant(&mut self, own: &'a ast::Constant) {
        let of = self.expressions().written(&own.constant_type);
        if matches!(self.types.named(of), Some((_, _, Sort::Extern(_) | Sort::Machine(_)))) {
            let message = format!("there are no constants of type {}", self.types.describe(of));
            self.found.error(own.name.span, message);
        }
        let typed = self.expressions().value_of(&own.value, of, "the value of the constant");
        if !typed.known {
            self.found.hinted(
                own.value.span,
                format!("the value of `{}` is not known when the program is compiled", own.name.text),
                "a constant is made of literals and other constants",
            );
        }
        self.refuse_open_type(&own.constant_type, of);
        self.refuse_shadow(&own.name);
        self.declare(&own.name, Sort::Constant(of, typed.value));
    }

    fn variable(&mut self, own: &'a ast::Variable) {
        let of = self.expressions().written(&own.variable_type);
        require_variable_type(&self.types, &mut self.found, &own.variable_type, of);
        if let Some(value) = &own.value {
            self.expressions().value_of(value, of, &format!("the value of `{}`", own.name.text));
        }
        self.refuse_open_type(&own.variable_type, of);
        self.refuse_shadow(&own.name);
        let definition = self.declare(&own.name, Sort::Variable(of));
        if own.value.is_none() {
            self.uninitialized.follow(&self.types, self.context.within, definition, of);
        }
    }

    /// Reports `_` as a type argument where nothing can infer it: only instances and calls leave type arguments to
    /// inference.
    fn refuse_open_type(&mut self, node: &'a ast::Type, of: Type) {
        let is_open = match self.types.kind(of) {
            TypeForm::Named(_, arguments) => arguments.contains(&Types::UNKNOWN),
            _ => false,
        };
        if is_open && matches!(&node.kind, ast::TypeKind::Specialized(_, arguments) if arguments.iter().any(is_any)) {
            let message = format!("`{}` leaves a type open", self.types.show(of));
            self.found.hinted(node.span, message, "`_` stands for a type only where an argument tells which");
        }
    }

    /// Reports a name in statements that hides a parameter, which is a mistake: assignments meant for the parameter
    /// would miss it.
    fn refuse_shadow(&mut self, name: &'a ast::Name) {
        if matches!(self.context.within, Within::Top | Within::Parser | Within::Control) {
            return;
        }
        let path = ast::Path { absolute: false, name: name.clone(), span: name.span };
        let Some(&hidden) = self.names.find(&path).last() else { return };
        let meaning = self.types.definitions.get(hidden);
        if matches!(meaning.sort, Sort::Parameter(..)) && !self.names.is_here(&name.text) {
            let place = meaning.span;
            let error = Diagnostic::error(name.span, format!("`{}` hides the parameter of this name", name.text));
            self.found.report(error.related(place, "the parameter").hint("give one of them another name"));
        }
    }

    fn typedef_of(&mut self, inner: &'a ast::Declaration, name: &'a ast::Name) {
        self.declaration(inner);
        let declared = match &inner.kind {
            DeclarationKind::Container(own) => Some(&own.name),
            DeclarationKind::Enumeration(own) => Some(&own.name),
            _ => None,
        };
        let of = match declared.and_then(|own| self.nodes.definition(own)) {
            Some(definition) => self.types.make(TypeForm::Named(definition, vec![])),
            None => Types::UNKNOWN,
        };
        self.declare(name, Sort::Alias(of));
    }

    fn new_type(&mut self, own: &'a ast::TypeName) {
        let of = self.expressions().written(&own.original);
        let is_wrong = match self.types.named(of) {
            Some((_, _, sort)) => !matches!(sort, Sort::NewType(_) | Sort::TypeParameter | Sort::Enumeration(_)),
            None => !matches!(
                self.types.kind(of),
                TypeForm::Unknown
                    | TypeForm::Bool
                    | TypeForm::Bit(_)
                    | TypeForm::Int(_)
                    | TypeForm::Integer
                    | TypeForm::Error
                    | TypeForm::String
            ),
        };
        if is_wrong {
            let message = format!("no new type is made of {}", self.types.describe(of));
            self.found.hinted(
                own.original.span,
                message,
                "`type` is for `bit<N>`, `int<N>` and `bool`; `typedef` names any type",
            );
        }
        self.declare(&own.name, Sort::NewType(of));
    }
}

fn is_any(node: &ast::Type) -> bool {
    node.kind == ast::TypeKind::Any
}
