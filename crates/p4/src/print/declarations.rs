//! Printing of declarations.

use super::Printer;
use crate::ast::{
    Container, Declaration, DeclarationKind, Enumeration, Expression, Field, Name, Prototype, Signature, Type,
};

impl Printer {
    /// Prints a declaration on lines of its own.
    pub(super) fn declaration(&mut self, declaration: &Declaration) {
        self.line();
        self.annotations(&declaration.annotations);
        self.declared(&declaration.kind);
        self.push(if ends_in_brace(&declaration.kind) { "\n" } else { ";\n" });
    }

    /// Prints a declaration without its annotations and the end of its line.
    pub(super) fn declared(&mut self, kind: &DeclarationKind) {
        match kind {
            DeclarationKind::Constant(constant) => {
                self.push("const ");
                self.typed_name(&constant.constant_type, &constant.name);
                self.initial(Some(&constant.value));
            }
            DeclarationKind::Variable(variable) => {
                self.typed_name(&variable.variable_type, &variable.name);
                self.initial(variable.value.as_ref());
            }
            DeclarationKind::Instantiation(instance) => self.instance(instance),
            DeclarationKind::Action(action) => self.action(action),
            DeclarationKind::Function(function) => {
                self.prototype(&function.prototype);
                self.push(" ");
                self.block(&function.body);
            }
            DeclarationKind::ExternFunction(prototype) => {
                self.push("extern ");
                self.prototype(prototype);
            }
            DeclarationKind::ExternObject(object) => self.extern_object(object),
            DeclarationKind::ExternName(name) => self.word_and_name("extern", name),
            DeclarationKind::Container(container) => self.container(container),
            DeclarationKind::Enumeration(enumeration) => self.enumeration(enumeration),
            DeclarationKind::Errors(names) => self.names("error", names),
            DeclarationKind::MatchKinds(names) => self.names("match_kind", names),
            DeclarationKind::Typedef(typedef) => {
                self.push("typedef ");
                self.typed_name(&typedef.original, &typedef.name);
            }
            DeclarationKind::TypedefOfDeclaration(inner, name) => {
                self.push("typedef ");
                self.declared(&inner.kind);
                self.push(" ");
                self.push(&name.text);
            }
            DeclarationKind::NewType(new_type) => {
                self.push("type ");
                self.typed_name(&new_type.original, &new_type.name);
            }
            DeclarationKind::ParserType(signature) => self.word_and_signature("parser", signature),
            DeclarationKind::ControlType(signature) => self.word_and_signature("control", signature),
            DeclarationKind::Package(signature) => self.word_and_signature("package", signature),
            DeclarationKind::Parser(parser) => self.parser(parser),
            DeclarationKind::Control(control) => self.control(control),
            DeclarationKind::Table(table) => self.table(table),
            DeclarationKind::ValueSet(set) => {
                self.push("value_set<");
                self.type_reference(&set.member_type);
                self.push(">(");
                self.expression(&set.size);
                self.push(") ");
                self.push(&set.name.text);
            }
        }
    }

    fn word_and_name(&mut self, word: &str, name: &Name) {
        self.push(word);
        self.push(" ");
        self.push(&name.text);
    }

    pub(super) fn word_and_signature(&mut self, word: &str, signature: &Signature) {
        self.push(word);
        self.push(" ");
        self.signature(signature);
    }

    pub(super) fn signature(&mut self, signature: &Signature) {
        self.push(&signature.name.text);
        self.type_parameters(&signature.type_parameters);
        self.parameters(&signature.parameters);
    }

    pub(super) fn prototype(&mut self, prototype: &Prototype) {
        self.type_reference(&prototype.result);
        self.push(" ");
        self.signature(&prototype.signature);
    }

    fn typed_name(&mut self, own: &Type, name: &Name) {
        self.type_reference(own);
        self.push(" ");
        self.push(&name.text);
    }

    fn initial(&mut self, value: Option<&Expression>) {
        if let Some(value) = value {
            self.push(" = ");
            self.expression(value);
        }
    }

    fn container(&mut self, container: &Container) {
        self.word_and_name(container.kind.keyword(), &container.name);
        self.type_parameters(&container.type_parameters);
        self.push(" ");
        self.braces(&container.fields, |printer, field: &Field| {
            printer.line();
            printer.annotations(&field.annotations);
            printer.typed_name(&field.field_type, &field.name);
            printer.push(";\n");
        });
    }

    fn enumeration(&mut self, enumeration: &Enumeration) {
        self.push("enum ");
        if let Some(underlying) = &enumeration.underlying {
            self.type_reference(underlying);
            self.push(" ");
        }
        self.push(&enumeration.name.text);
        self.push(" ");
        self.members(&enumeration.members, |printer, member| {
            printer.push(&member.name.text);
            printer.initial(member.value.as_ref());
        });
    }

    fn names(&mut self, word: &str, names: &[Name]) {
        self.push(word);
        self.push(" ");
        self.members(names, |printer, name| printer.push(&name.text));
    }

    /// Prints members in braces, separated by commas.
    fn members<T>(&mut self, members: &[T], mut member: impl FnMut(&mut Self, &T)) {
        self.open();
        self.joined(members, ",\n", |printer, own| {
            printer.line();
            member(printer, own);
        });
        self.push("\n");
        self.close();
    }
}

fn ends_in_brace(kind: &DeclarationKind) -> bool {
    matches!(
        kind,
        DeclarationKind::Action(_)
            | DeclarationKind::Function(_)
            | DeclarationKind::ExternObject(_)
            | DeclarationKind::Container(_)
            | DeclarationKind::Enumeration(_)
            | DeclarationKind::Errors(_)
            | DeclarationKind::MatchKinds(_)
            | DeclarationKind::Parser(_)
            | DeclarationKind::Control(_)
            | DeclarationKind::Table(_)
    )
}
