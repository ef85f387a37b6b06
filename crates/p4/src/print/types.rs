//! Printing of types and parameters.

use super::Printer;
use crate::ast::{Direction, Expression, ExpressionKind, Name, Parameter, Path, Type, TypeKind};

impl Printer {
    pub(super) fn type_reference(&mut self, own: &Type) {
        match &own.kind {
            TypeKind::Bool => self.push("bool"),
            TypeKind::Error => self.push("error"),
            TypeKind::MatchKind => self.push("match_kind"),
            TypeKind::String => self.push("string"),
            TypeKind::Void => self.push("void"),
            TypeKind::Any => self.push("_"),
            TypeKind::Integer => self.push("int"),
            TypeKind::Bit(None) => self.push("bit"),
            TypeKind::Bit(Some(width)) => self.width("bit", width),
            TypeKind::Int(width) => self.width("int", width),
            TypeKind::Varbit(width) => self.width("varbit", width),
            TypeKind::Named(path) => self.path(path),
            TypeKind::Specialized(path, types) => {
                self.path(path);
                self.type_arguments(types);
            }
            TypeKind::Array(element, size) => {
                self.type_reference(element);
                self.push("[");
                self.expression(size);
                self.push("]");
            }
            TypeKind::Tuple(types) => {
                self.push("tuple");
                self.type_arguments(types);
            }
            TypeKind::List(element) => {
                self.push("list<");
                self.type_reference(element);
                self.push(">");
            }
        }
    }

    /// Prints `<width>`, in parentheses unless it is a number or a name, because a `>` in it would end it.
    fn width(&mut self, name: &str, width: &Expression) {
        self.push(name);
        if matches!(width.kind, ExpressionKind::Integer(_) | ExpressionKind::Name(_)) {
            self.push("<");
            self.expression(width);
            self.push(">");
        } else {
            self.push("<(");
            self.expression(width);
            self.push(")>");
        }
    }

    pub(super) fn path(&mut self, path: &Path) {
        if path.absolute {
            self.push(".");
        }
        self.push(&path.name.text);
    }

    /// `<type, type>`
    pub(super) fn type_arguments(&mut self, types: &[Type]) {
        self.push("<");
        self.joined(types, ", ", Self::type_reference);
        self.push(">");
    }

    /// Prints `<name, name>`, if there are any.
    pub(super) fn type_parameters(&mut self, names: &[Name]) {
        if !names.is_empty() {
            self.push("<");
            self.joined(names, ", ", |printer, name| printer.push(&name.text));
            self.push(">");
        }
    }

    /// `(parameter, parameter)`
    pub(super) fn parameters(&mut self, parameters: &[Parameter]) {
        self.push("(");
        self.joined(parameters, ", ", Self::parameter);
        self.push(")");
    }

    fn parameter(&mut self, parameter: &Parameter) {
        self.annotations(&parameter.annotations);
        self.push(match parameter.direction {
            Direction::None => "",
            Direction::In => "in ",
            Direction::Out => "out ",
            Direction::InOut => "inout ",
        });
        self.type_reference(&parameter.parameter_type);
        self.push(" ");
        self.push(&parameter.name.text);
        if let Some(value) = &parameter.default {
            self.push(" = ");
            self.expression(value);
        }
    }
}
