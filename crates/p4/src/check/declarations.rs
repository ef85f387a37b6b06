//! Declarations: what each name stands for.

use std::rc::Rc;

use diagnostics::Diagnostic;

use super::control_names::Named;
use super::{Checker, Within};
use crate::ast::{self, ContainerKind, DeclarationKind};
use crate::types::{Definition, Extern, Kind, MachineSort, Meaning, Sort, Type, Types};

impl<'a> Checker<'a> {
    pub(super) fn declaration(&mut self, declaration: &'a ast::Declaration) {
        if self.context.within == Within::Top {
            self.refuse_main(declaration);
        }
        self.annotations(&declaration.annotations);
        match &declaration.kind {
            DeclarationKind::Constant(own) => self.constant(own),
            DeclarationKind::Variable(own) => self.variable(own),
            DeclarationKind::Instantiation(own) => self.instantiation(declaration.span, own),
            DeclarationKind::Action(own) => {
                self.note_control_name(Named::Action(own), &own.name, &declaration.annotations);
                self.action(own);
            }
            DeclarationKind::Function(own) => self.function(own),
            DeclarationKind::ExternFunction(own) => {
                self.scopes.open();
                let callable = self.prototype(own);
                self.scopes.close();
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
                    if self.errors.insert(Rc::clone(&name.text), name.span).is_some() {
                        self.error(name.span, format!("the error `{}` is declared twice", name.text));
                    }
                }
            }
            DeclarationKind::MatchKinds(names) => {
                for name in names {
                    if self.match_kinds.insert(Rc::clone(&name.text), name.span).is_some() {
                        self.error(name.span, format!("the match kind `{}` is declared twice", name.text));
                    }
                }
            }
            DeclarationKind::Typedef(own) => {
                let of = self.written(&own.original);
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
                self.note_control_name(Named::Table, &own.name, &declaration.annotations);
                self.table(own);
            }
            DeclarationKind::ValueSet(own) => self.value_set(own),
        }
    }

    fn value_set(&mut self, own: &'a ast::ValueSet) {
        let of = self.written(&own.member_type);
        if !self.has_members(of) {
            let message = format!("there are no value sets of {}", self.checked.types.describe(of));
            let hint = "members are of numbers, flags and enumerations, or structs and tuples of them";
            self.hinted(own.member_type.span, message, hint);
        }
        self.size(&own.size, 0, "the size of a value set");
        self.declare(&own.name, Sort::ValueSet(of));
    }

    /// True for a type that members of a value set can have (section 13.11): scalars of at least one bit, and structs
    /// and tuples of them.
    fn has_members(&mut self, of: Type) -> bool {
        let of = self.checked.types.underlying(of);
        let parts = match &*self.checked.types.shared(of) {
            Kind::Bool | Kind::Error | Kind::Unknown => return true,
            Kind::Bit(width) | Kind::Int(width) => return *width > 0,
            Kind::Tuple(parts) => parts.clone(),
            Kind::Named(..) => match self.checked.types.named(of) {
                Some((_, _, Sort::Container(_)))
                    if self.checked.types.container_kind(of) == Some(ContainerKind::Struct) =>
                {
                    self.checked.types.field_types(of)
                }
                Some((_, _, &(Sort::NewType(original) | Sort::Alias(original)))) => return self.has_members(original),
                Some((_, _, sort)) => return matches!(sort, Sort::Enumeration(_) | Sort::TypeParameter),
                None => return false,
            },
            _ => return false,
        };
        !parts.is_empty() && parts.into_iter().all(|part| self.has_members(part))
    }

    /// `main` is the package that the program is (section 17).
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
            self.hinted(name.span, "`main` is no package", "the package `main` is the program; give this another name");
        }
    }

    fn constant(&mut self, own: &'a ast::Constant) {
        let of = self.written(&own.constant_type);
        if matches!(self.checked.types.named(of), Some((_, _, Sort::Extern(_) | Sort::Machine(_)))) {
            let message = format!("there are no constants of type {}", self.checked.types.describe(of));
            self.error(own.name.span, message);
        }
        let typed = self.value_of(&own.value, of, "the value of the constant");
        if !typed.known {
            self.hinted(
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
        let of = self.written(&own.variable_type);
        self.require_variable_type(&own.variable_type, of);
        if let Some(value) = &own.value {
            self.value_of(value, of, &format!("the value of `{}`", own.name.text));
        }
        self.refuse_open_type(&own.variable_type, of);
        self.refuse_shadow(&own.name);
        let definition = self.declare(&own.name, Sort::Variable(of));
        if own.value.is_none() {
            self.follow(definition, of);
        }
    }

    /// Only instances and calls leave type arguments to inference.
    fn refuse_open_type(&mut self, node: &'a ast::Type, of: Type) {
        let is_open = match self.checked.types.kind(of) {
            Kind::Named(_, arguments) => arguments.contains(&Types::UNKNOWN),
            _ => false,
        };
        if is_open && matches!(&node.kind, ast::TypeKind::Specialized(_, arguments) if arguments.iter().any(is_any)) {
            let message = format!("`{}` leaves a type open", self.show(of));
            self.hinted(node.span, message, "`_` stands for a type only where an argument tells which");
        }
    }

    /// In statements, a name that hides a parameter is a mistake: what is meant for the parameter goes elsewhere.
    fn refuse_shadow(&mut self, name: &'a ast::Name) {
        if matches!(self.context.within, Within::Top | Within::Parser | Within::Control) {
            return;
        }
        let path = ast::Path { absolute: false, name: name.clone(), span: name.span };
        let Some(&hidden) = self.scopes.find(&path).last() else { return };
        let meaning = self.checked.types.definitions.get(hidden);
        if matches!(meaning.sort, Sort::Parameter(..)) && !self.scopes.is_here(&name.text) {
            let place = meaning.span;
            let error = Diagnostic::error(name.span, format!("`{}` hides the parameter of this name", name.text));
            self.report(error.related(place, "the parameter").hint("give one of them another name"));
        }
    }

    fn typedef_of(&mut self, inner: &'a ast::Declaration, name: &'a ast::Name) {
        self.declaration(inner);
        let declared = match &inner.kind {
            DeclarationKind::Container(own) => Some(&own.name),
            DeclarationKind::Enumeration(own) => Some(&own.name),
            _ => None,
        };
        let of = match declared.and_then(|own| self.checked.definition(own)) {
            Some(definition) => self.types().make(Kind::Named(definition, vec![])),
            None => Types::UNKNOWN,
        };
        self.declare(name, Sort::Alias(of));
    }

    fn new_type(&mut self, own: &'a ast::TypeName) {
        let of = self.written(&own.original);
        let is_wrong = match self.checked.types.named(of) {
            Some((_, _, sort)) => !matches!(sort, Sort::NewType(_) | Sort::TypeParameter | Sort::Enumeration(_)),
            None => !matches!(
                self.checked.types.kind(of),
                Kind::Unknown | Kind::Bool | Kind::Bit(_) | Kind::Int(_) | Kind::Integer | Kind::Error | Kind::String
            ),
        };
        if is_wrong {
            let message = format!("no new type is made of {}", self.checked.types.describe(of));
            self.hinted(
                own.original.span,
                message,
                "`type` is for `bit<N>`, `int<N>` and `bool`; `typedef` names any type",
            );
        }
        self.declare(&own.name, Sort::NewType(of));
    }

    pub(super) fn set_sort(&mut self, definition: Definition, sort: Sort) {
        let Meaning { sort: own, .. } = self.types().definitions.get_mut(definition);
        *own = sort;
    }
}

fn is_any(node: &ast::Type) -> bool {
    node.kind == ast::TypeKind::Any
}
