//! Headers, unions, structs (sections 7.2.2 to 7.2.8) and enumerations (7.2.1).

use std::collections::HashMap;
use std::rc::Rc;

use diagnostics::Diagnostic;

use super::Checker;
use crate::ast::{self, ContainerKind};
use crate::types::{Container, Enumeration, Field, Kind, MOST_TYPE_DEPTH, Sort, Type, Types, Value};

impl<'a> Checker<'a> {
    pub(super) fn container(&mut self, own: &'a ast::Container) {
        self.scopes.open();
        let type_parameters: Vec<_> =
            own.type_parameters.iter().map(|name| self.declare(name, Sort::TypeParameter)).collect();
        let mut fields: Vec<Field> = Vec::new();
        let mut seen: HashMap<Rc<str>, diagnostics::Span> = HashMap::new();
        let (mut depth, mut varying) = (0, false);
        for field in &own.fields {
            self.annotations(&field.annotations);
            self.noted_length(&field.annotations, &seen);
            let mut of = self.written(&field.field_type);
            if let Some(first) = seen.insert(Rc::clone(&field.name.text), field.name.span) {
                let error =
                    Diagnostic::error(field.name.span, format!("the field `{}` is declared twice", field.name.text));
                self.report(error.related(first, "first here"));
            }
            if !self.may_be_field(own.kind, of) {
                let message =
                    format!("a {} cannot have a field of type {}", own.kind.keyword(), self.checked.types.describe(of));
                let hint = match own.kind {
                    ContainerKind::Header => {
                        "headers hold bits: `bit<N>`, `int<N>`, `bool`, `varbit<N>`, and structs of these"
                    }
                    ContainerKind::HeaderUnion => "a header union holds headers",
                    ContainerKind::Struct => "structs hold values that exist while the program runs",
                };
                self.hinted(field.span, message, hint);
                of = Types::UNKNOWN;
            }
            if self.varies(of) {
                varying = true;
            }
            depth = depth.max(self.checked.types.depth(of));
            if depth >= MOST_TYPE_DEPTH {
                self.error(field.span, format!("more than {MOST_TYPE_DEPTH} types lie inside one another here"));
                (of, depth) = (Types::UNKNOWN, 0);
            }
            fields.push(Field { name: Rc::clone(&field.name.text), of, span: field.span });
        }
        self.scopes.close();
        let container = Container { kind: own.kind, type_parameters, fields, depth, is_varying: varying };
        let definition = self.declare(&own.name, Sort::Container(Rc::new(container)));
        let of = self.types().make(Kind::Named(definition, vec![]));
        self.lint_odd_bits(own, of);
    }

    pub(super) fn varies(&self, of: Type) -> bool {
        matches!(self.checked.types.kind(of), Kind::Varbit(_))
            || self
                .checked
                .types
                .container(of)
                .is_some_and(|(own, _)| own.kind != ContainerKind::HeaderUnion && own.is_varying)
    }

    /// True for a type that a field of such a container can have.
    pub(super) fn may_be_field(&mut self, within: ContainerKind, of: Type) -> bool {
        let types = &self.checked.types;
        match (within, types.kind(of)) {
            (_, Kind::Unknown) => true,
            (_, Kind::Void | Kind::Integer | Kind::MatchKind) => false,
            (_, Kind::Named(..)) => match (within, types.named(of).map(|(_, _, sort)| sort)) {
                (_, Some(Sort::TypeParameter)) => true,
                (_, Some(Sort::Extern(_) | Sort::Machine(_) | Sort::Table(_))) => false,
                (ContainerKind::HeaderUnion, Some(Sort::Container(own))) => own.kind == ContainerKind::Header,
                (ContainerKind::Header, Some(Sort::Container(own))) => {
                    own.kind == ContainerKind::Struct && self.holds_bits(of)
                }
                (ContainerKind::Header, Some(Sort::Enumeration(own))) => own.underlying.is_some(),
                (ContainerKind::Header, Some(&Sort::NewType(original))) => self.may_be_field(within, original),
                (ContainerKind::HeaderUnion, _) => false,
                _ => true,
            },
            (ContainerKind::HeaderUnion, _) => false,
            (ContainerKind::Header, Kind::Bit(_) | Kind::Int(_) | Kind::Bool | Kind::Varbit(_)) => true,
            (ContainerKind::Header, &Kind::Stack(element, _)) => self.may_be_field(within, element),
            (ContainerKind::Header, _) => false,
            _ => true,
        }
    }

    /// True for a struct that a header can hold: all its fields could be fields of the header.
    fn holds_bits(&mut self, of: Type) -> bool {
        if let Some(&known) = self.holding_bits.get(&of) {
            return known;
        }
        let fields = self.checked.types.field_types(of);
        let holds = fields.into_iter().all(|field| self.may_be_field(ContainerKind::Header, field));
        self.holding_bits.insert(of, holds);
        holds
    }

    pub(super) fn enumeration(&mut self, own: &'a ast::Enumeration) {
        let underlying = own.underlying.as_ref().map(|node| {
            let of = self.written(node);
            if matches!(self.checked.types.kind(of), Kind::Bit(_) | Kind::Int(_) | Kind::Unknown) {
                return of;
            }
            let message = format!("the type of an enumeration cannot be {}", self.checked.types.describe(of));
            self.hinted(node.span, message, "it is `bit<N>` or `int<N>`");
            Types::UNKNOWN
        });
        let definition = self.define(
            &own.name,
            Sort::Enumeration(Rc::new(Enumeration { underlying, members: vec![], definitions: vec![] })),
        );
        let mut definitions = Vec::new();
        let mut members: Vec<(Rc<str>, Option<num_bigint::BigInt>)> = Vec::new();
        let mut seen: HashMap<Rc<str>, diagnostics::Span> = HashMap::new();
        // A value may name the members before it.
        self.scopes.open();
        let of = self.types().make(Kind::Named(definition, vec![]));
        for member in &own.members {
            if let Some(first) = seen.insert(Rc::clone(&member.name.text), member.name.span) {
                let error =
                    Diagnostic::error(member.name.span, format!("the member `{}` is declared twice", member.name.text));
                self.report(error.related(first, "first here"));
            }
            let value = match (&member.value, underlying) {
                (Some(value), Some(of)) => {
                    let what = format!("the value of `{}`", member.name.text);
                    let typed = self.value_of(value, of, &what);
                    self.known_number_of(value, &typed, &what)
                }
                (None, Some(_)) => {
                    let message = format!("`{}` has no value", member.name.text);
                    self.hinted(
                        member.name.span,
                        message,
                        "with an underlying type, every member has one: `name = value`",
                    );
                    None
                }
                (Some(value), None) => {
                    self.hinted(
                        value.span,
                        "only an enumeration with an underlying type gives values to its members",
                        format!("`enum bit<8> {} {{ ... }}` has one", own.name.text),
                    );
                    None
                }
                (None, None) => None,
            };
            let known = value.clone().map(|number| Rc::new(Value::Integer(number)));
            let constant = self.define(&member.name, Sort::Constant(of, known));
            if seen[&member.name.text] == member.name.span {
                self.scopes.replace(&member.name, constant);
            }
            members.push((Rc::clone(&member.name.text), value));
            definitions.push(constant);
        }
        self.scopes.close();
        self.set_sort(definition, Sort::Enumeration(Rc::new(Enumeration { underlying, members, definitions })));
        self.enter(&own.name, definition);
    }
}
