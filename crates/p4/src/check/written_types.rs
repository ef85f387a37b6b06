//! Type expressions (section 7).

use std::rc::Rc;

use diagnostics::{Diagnostic, Span};

use super::{Expressions, Findings};
use crate::ast::{self, TypeKind};
use crate::types::{Definition, MOST_TYPE_DEPTH, MachineSort, Sort, Type, TypeForm, Types};

impl<'a> Expressions<'_, 'a> {
    /// Checks a type expression and returns its type; the unknown type if it is wrong.
    pub(super) fn written(&mut self, node: &'a ast::Type) -> Type {
        let of = self.written_anew(node);
        self.nodes.note_type(node, of);
        of
    }

    fn written_anew(&mut self, node: &'a ast::Type) -> Type {
        let kind = match &node.kind {
            TypeKind::Bool => return Types::BOOL,
            TypeKind::Error => return Types::ERROR,
            TypeKind::MatchKind => return Types::MATCH_KIND,
            TypeKind::String => return Types::STRING,
            TypeKind::Void => return Types::VOID,
            TypeKind::Any => return Types::UNKNOWN,
            TypeKind::Integer => return Types::INTEGER,
            TypeKind::Bit(None) => TypeForm::Bit(1),
            TypeKind::Bit(Some(width)) => match self.width(width, 0, "the width of `bit`") {
                Some(width) => TypeForm::Bit(width),
                None => return Types::UNKNOWN,
            },
            TypeKind::Int(width) => match self.width(width, 1, "the width of `int`") {
                Some(width) => TypeForm::Int(width),
                None => return Types::UNKNOWN,
            },
            TypeKind::Varbit(width) => match self.width(width, 0, "the width of `varbit`") {
                Some(width) => TypeForm::Varbit(width),
                None => return Types::UNKNOWN,
            },
            TypeKind::Named(path) => return self.named_type(node.span, path, None),
            TypeKind::Specialized(path, arguments) => return self.named_type(node.span, path, Some(arguments)),
            TypeKind::Array(element, size) => {
                let of = self.written(element);
                // An empty stack is only good for asking the size of an element, which no program for a switch does.
                let least = u32::from(self.names.architecture().is_some());
                let size = self.size(size, least, "the size of a stack");
                if !may_be_element(self.types, of) {
                    let message = format!("there are no stacks of {}", self.types.describe(of));
                    self.found.error(element.span, message);
                    return Types::UNKNOWN;
                }
                TypeForm::Stack(of, size)
            }
            TypeKind::Tuple(parts) => {
                let parts: Vec<Type> = parts.iter().map(|part| self.part(part, "a tuple")).collect();
                TypeForm::Tuple(parts)
            }
            TypeKind::List(part) => TypeForm::List(self.written(part)),
        };
        made(self.types, self.found, node.span, kind)
    }

    fn part(&mut self, node: &'a ast::Type, what: &str) -> Type {
        let of = self.written(node);
        let is_wrong =
            matches!(self.types.named(of), Some((_, _, Sort::Extern(_) | Sort::Machine(_)))) || of == Types::VOID;
        if is_wrong {
            let message = format!("{what} cannot hold {}", self.types.describe(of));
            self.found.error(node.span, message);
            return Types::UNKNOWN;
        }
        of
    }

    pub(super) fn named_type(&mut self, span: Span, path: &'a ast::Path, arguments: Option<&'a [ast::Type]>) -> Type {
        let given: Option<Vec<Type>> =
            arguments.map(|arguments| arguments.iter().map(|argument| self.argument_type(argument)).collect());
        let Some(definition) = self.type_definition(path, given.as_ref().map_or(0, Vec::len)) else {
            return Types::UNKNOWN;
        };
        self.nodes.note_name(&path.name, definition);
        let expected = match self.types.sort(definition) {
            Sort::Alias(original) => {
                let original = *original;
                if given.is_some() {
                    self.found.error(span, format!("`{}` takes no type arguments", path.name.text));
                }
                return original;
            }
            Sort::Container(own) => own.type_parameters.len(),
            Sort::Extern(own) => own.type_parameters.len(),
            Sort::Machine(own) => own.type_parameters.len(),
            Sort::TypeParameter | Sort::Enumeration(_) | Sort::NewType(_) => 0,
            _ => {
                self.found.error(path.span, format!("`{}` is not a type", path.name.text));
                return Types::UNKNOWN;
            }
        };
        let arguments = match given {
            // The type arguments of an instance may be inferred from the arguments of its constructor.
            None => {
                if expected > 0 && matches!(self.types.sort(definition), Sort::Container(_)) {
                    let message = format!("`{}` needs {expected} type arguments", path.name.text);
                    self.found.hinted(span, message, "they are written `name<type, type>`");
                    return Types::UNKNOWN;
                }
                vec![Types::UNKNOWN; expected]
            }
            Some(given) if given.len() == expected => given,
            Some(given) => {
                let message =
                    format!("`{}` takes {expected} type arguments, {} are given", path.name.text, given.len());
                self.found.error(span, message);
                return Types::UNKNOWN;
            }
        };
        require_fields(self.types, self.found, span, definition, &arguments);
        made(self.types, self.found, span, TypeForm::Named(definition, arguments))
    }

    /// Resolves the name of a type. Externs, and types of parsers and controls, with different numbers of type
    /// parameters may share a name.
    fn type_definition(&mut self, path: &'a ast::Path, count: usize) -> Option<Definition> {
        let candidates = self.names.find(path).to_vec();
        if candidates.len() > 1 {
            let fitting = candidates.iter().copied().find(|&candidate| match self.types.sort(candidate) {
                Sort::Extern(own) => own.type_parameters.len() == count,
                Sort::Machine(own) => own.type_parameters.len() == count,
                _ => true,
            });
            if fitting.is_some() {
                return fitting;
            }
        }
        self.names.look_up(self.types, self.nodes, self.found, path)
    }

    /// Checks a type argument, which may not be a parser, a control or a package.
    pub(super) fn argument_type(&mut self, node: &'a ast::Type) -> Type {
        let of = self.written(node);
        let machine = match self.types.named(of) {
            Some((_, _, Sort::Machine(own))) if own.sort != MachineSort::Package || !own.is_type => Some(own.sort),
            _ => None,
        };
        if let Some(sort) = machine {
            self.found.error(node.span, format!("a {} cannot be a type argument", sort.keyword()));
            return Types::UNKNOWN;
        }
        of
    }
}

fn made(types: &mut Types, found: &mut Findings, span: Span, kind: TypeForm) -> Type {
    if types.depth_of_kind(&kind) > MOST_TYPE_DEPTH {
        found.error(span, format!("more than {MOST_TYPE_DEPTH} types lie inside one another here"));
        return Types::UNKNOWN;
    }
    types.make(kind)
}

fn may_be_element(types: &Types, of: Type) -> bool {
    !matches!(types.named(of), Some((_, _, Sort::Machine(_) | Sort::Table(_)))) && of != Types::VOID
}

/// Checks that a generic header or header union has legal fields with these type arguments.
fn require_fields(types: &mut Types, found: &mut Findings, span: Span, definition: Definition, arguments: &[Type]) {
    let Sort::Container(own) = types.sort(definition) else { return };
    let own = Rc::clone(own);
    if arguments.is_empty() {
        return;
    }
    let fields = types.fields_with(&own, arguments);
    for (field, of) in own.fields.iter().zip(fields) {
        if of != field.of && !types.may_be_field(own.kind, of) {
            let kind = own.kind.keyword();
            let message = format!("a {kind} cannot have a field of type {}", types.describe(of));
            let error = Diagnostic::error(span, message).related(field.span, "this field becomes one");
            found.report(error);
        }
    }
}

/// Reports types that variables cannot have, such as externs, parsers, controls, packages and `int`.
pub(super) fn require_variable_type(types: &Types, found: &mut Findings, node: &ast::Type, of: Type) {
    let words = match types.named(of) {
        Some((_, _, Sort::Extern(_) | Sort::Machine(_))) => {
            "an instance is declared with `(arguments)` behind its type"
        }
        _ => match types.kind(of) {
            TypeForm::Integer => {
                "`int` is only for what is known when the program is compiled; use `bit<N>` or `int<N>`"
            }
            TypeForm::String => "strings are only for what is known when the program is compiled",
            TypeForm::Void => "`void` is only what a function returns",
            TypeForm::MatchKind => "match kinds are only for the keys of tables",
            TypeForm::Set(_) => "sets are only for transitions",
            _ => return,
        },
    };
    let message = format!("there are no variables of type {}", types.describe(of));
    found.hinted(node.span, message, words);
}
