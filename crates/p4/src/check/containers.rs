//! Headers, header unions, structs (sections 7.2.2 to 7.2.8) and enumerations (7.2.1).

use std::collections::HashMap;
use std::rc::Rc;

use diagnostics::Diagnostic;

use super::{Checker, lints};
use crate::ast::{self, ContainerKind};
use crate::types::{Container, Enumeration, Field, MOST_TYPE_DEPTH, Sort, TypeForm, Types, Value};

impl<'a> Checker<'a> {
    pub(super) fn container(&mut self, own: &'a ast::Container) {
        self.names.open();
        let type_parameters: Vec<_> =
            own.type_parameters.iter().map(|name| self.declare(name, Sort::TypeParameter)).collect();
        let mut fields: Vec<Field> = Vec::new();
        let mut seen: HashMap<Rc<str>, diagnostics::Span> = HashMap::new();
        let (mut depth, mut varying) = (0, false);
        for field in &own.fields {
            self.expressions().annotations(&field.annotations);
            self.expressions().length_annotation(&field.annotations, &seen);
            let mut of = self.expressions().written(&field.field_type);
            if let Some(first) = seen.insert(Rc::clone(&field.name.text), field.name.span) {
                let error =
                    Diagnostic::error(field.name.span, format!("the field `{}` is declared twice", field.name.text));
                self.found.report(error.related(first, "first here"));
            }
            if !self.types.may_be_field(own.kind, of) {
                let message =
                    format!("a {} cannot have a field of type {}", own.kind.keyword(), self.types.describe(of));
                let hint = match own.kind {
                    ContainerKind::Header => {
                        "headers hold bits: `bit<N>`, `int<N>`, `bool`, `varbit<N>`, and structs of these"
                    }
                    ContainerKind::HeaderUnion => "a header union holds headers",
                    ContainerKind::Struct => "structs hold values that exist while the program runs",
                };
                self.found.hinted(field.span, message, hint);
                of = Types::UNKNOWN;
            }
            if self.types.varies(of) {
                varying = true;
            }
            depth = depth.max(self.types.depth(of));
            if depth >= MOST_TYPE_DEPTH {
                self.found.error(field.span, format!("more than {MOST_TYPE_DEPTH} types lie inside one another here"));
                (of, depth) = (Types::UNKNOWN, 0);
            }
            fields.push(Field { name: Rc::clone(&field.name.text), of, span: field.span });
        }
        self.names.close();
        let container = Container { kind: own.kind, type_parameters, fields, depth, is_varying: varying };
        let definition = self.declare(&own.name, Sort::Container(Rc::new(container)));
        let of = self.types.make(TypeForm::Named(definition, vec![]));
        lints::odd_bits(&self.names, &mut self.types, &mut self.found, own, of);
    }

    pub(super) fn enumeration(&mut self, own: &'a ast::Enumeration) {
        let underlying = own.underlying.as_ref().map(|node| {
            let of = self.expressions().written(node);
            if matches!(self.types.kind(of), TypeForm::Bit(_) | TypeForm::Int(_) | TypeForm::Unknown) {
                return of;
            }
            let message = format!("the type of an enumeration cannot be {}", self.types.describe(of));
            self.found.hinted(node.span, message, "it is `bit<N>` or `int<N>`");
            Types::UNKNOWN
        });
        let definition = self.nodes.define(
            &mut self.types,
            &own.name,
            Sort::Enumeration(Rc::new(Enumeration { underlying, members: vec![], definitions: vec![] })),
        );
        let mut definitions = Vec::new();
        let mut members: Vec<(Rc<str>, Option<num_bigint::BigInt>)> = Vec::new();
        let mut seen: HashMap<Rc<str>, diagnostics::Span> = HashMap::new();
        // A value may name the members before it.
        self.names.open();
        let of = self.types.make(TypeForm::Named(definition, vec![]));
        for member in &own.members {
            if let Some(first) = seen.insert(Rc::clone(&member.name.text), member.name.span) {
                let error =
                    Diagnostic::error(member.name.span, format!("the member `{}` is declared twice", member.name.text));
                self.found.report(error.related(first, "first here"));
            }
            let value = match (&member.value, underlying) {
                (Some(value), Some(of)) => {
                    let what = format!("the value of `{}`", member.name.text);
                    let typed = self.expressions().value_of(value, of, &what);
                    self.typing().known_number_of(value, &typed, &what)
                }
                (None, Some(_)) => {
                    let message = format!("`{}` has no value", member.name.text);
                    self.found.hinted(
                        member.name.span,
                        message,
                        "with an underlying type, every member has one: `name = value`",
                    );
                    None
                }
                (Some(value), None) => {
                    self.found.hinted(
                        value.span,
                        "only an enumeration with an underlying type gives values to its members",
                        format!("`enum bit<8> {} {{ ... }}` has one", own.name.text),
                    );
                    None
                }
                (None, None) => None,
            };
            let known = value.clone().map(|number| Rc::new(Value::Integer(number)));
            let constant = self.nodes.define(&mut self.types, &member.name, Sort::Constant(of, known));
            if seen[&member.name.text] == member.name.span {
                self.names.replace(&member.name, constant);
            }
            members.push((Rc::clone(&member.name.text), value));
            definitions.push(constant);
        }
        self.names.close();
        self.types.set_sort(definition, Sort::Enumeration(Rc::new(Enumeration { underlying, members, definitions })));
        self.enter(&own.name, definition);
    }
}
