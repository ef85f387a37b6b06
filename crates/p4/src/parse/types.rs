//! Types, type parameters and parameters.

use diagnostics::{Diagnostic, Span};

use super::scopes::Sort;
use super::{MOST_NESTING, Parsed, Reader};
use crate::ast::{Direction, Expression, Name, Parameter, Path, Type, TypeKind};
use crate::token::{Keyword, TokenKind};

impl Reader<'_> {
    /// Returns true if a type begins `count` tokens ahead. `error` also begins `error.name`, which is an expression,
    /// and `list` is a name unless type arguments follow.
    pub(super) fn is_type_at(&self, count: usize) -> bool {
        match &self.ahead(count).kind {
            TokenKind::Keyword(keyword) => match keyword {
                Keyword::Bit
                | Keyword::Bool
                | Keyword::Int
                | Keyword::MatchKind
                | Keyword::String
                | Keyword::Tuple
                | Keyword::Varbit => true,
                Keyword::Error => !self.ahead(count + 1).is("."),
                Keyword::List => self.ahead(count + 1).is("<"),
                keyword => keyword.is_name() && self.is_type_name(keyword.text(), false),
            },
            TokenKind::Identifier(name) => self.is_type_name(name, false),
            TokenKind::Punctuator(".") => {
                self.ahead(count + 1).name().is_some_and(|name| self.is_type_name(&name, true))
            }
            _ => false,
        }
    }

    /// Returns true if the type that begins `count` tokens ahead is a name, which may also begin an expression.
    pub(super) fn is_named_type_at(&self, count: usize) -> bool {
        let count = count + usize::from(self.ahead(count).is("."));
        matches!(self.ahead(count).kind, TokenKind::Identifier(_))
    }

    fn is_type_name(&self, name: &str, absolute: bool) -> bool {
        self.scopes.find(name, absolute) == Some(Sort::Type)
    }

    /// Reads a type.
    pub(super) fn type_reference(&mut self) -> Parsed<Type> {
        let element = self.nested(Self::type_without_size)?;
        self.array_sizes(element)
    }

    /// Reads the array sizes behind a type, or behind the name that has the type.
    pub(super) fn array_sizes(&mut self, mut element: Type) -> Parsed<Type> {
        while self.take("[").is_some() {
            let size = self.bracketed(|reader| reader.nested(Self::expression))?;
            self.expect("]", "the size")?;
            let span = self.since(element.span);
            element = self.made_type(TypeKind::Array(Box::new(element), Box::new(size)), span)?;
        }
        Ok(element)
    }

    /// Reads a result type, which may be `void`.
    pub(super) fn type_or_void(&mut self) -> Parsed<Type> {
        match self.take_word(Keyword::Void) {
            Some(span) => Ok(Type::new(TypeKind::Void, span)),
            None => self.type_reference(),
        }
    }

    /// Reads a type argument, which may be `_`.
    fn type_argument(&mut self) -> Parsed<Type> {
        match self.take_word(Keyword::Underscore) {
            Some(span) => Ok(Type::new(TypeKind::Any, span)),
            None => self.type_or_void(),
        }
    }

    /// `<type, type>`
    pub(super) fn type_arguments(&mut self) -> Parsed<Vec<Type>> {
        self.expect("<", "the name")?;
        let types = self.separated(">", false, Self::type_argument)?;
        self.expect(">", "the type arguments")?;
        Ok(types)
    }

    /// Makes a type, unless its height is too great: sizes make it higher although the rules do not nest.
    fn made_type(&mut self, kind: TypeKind, span: Span) -> Parsed<Type> {
        let made = Type::new(kind, span);
        if made.height() > MOST_NESTING { self.too_deep(span) } else { Ok(made) }
    }

    fn type_without_size(&mut self) -> Parsed<Type> {
        let token = self.current();
        let start = token.span;
        let kind = match &token.kind {
            TokenKind::Keyword(keyword) => match keyword {
                Keyword::Bool => self.plain(TypeKind::Bool),
                Keyword::Error => self.plain(TypeKind::Error),
                Keyword::MatchKind => self.plain(TypeKind::MatchKind),
                Keyword::String => self.plain(TypeKind::String),
                Keyword::Bit => {
                    self.advance();
                    TypeKind::Bit(if self.is("<") { Some(self.width()?) } else { None })
                }
                Keyword::Int => {
                    self.advance();
                    if self.is("<") { TypeKind::Int(self.width()?) } else { TypeKind::Integer }
                }
                Keyword::Varbit => {
                    self.advance();
                    TypeKind::Varbit(self.width()?)
                }
                Keyword::Tuple => {
                    self.advance();
                    TypeKind::Tuple(self.type_arguments()?)
                }
                Keyword::List if self.ahead(1).is("<") => {
                    self.advance();
                    self.advance();
                    let element = self.type_argument()?;
                    self.expect(">", "the type of the elements")?;
                    TypeKind::List(Box::new(element))
                }
                Keyword::Void => {
                    let error = Diagnostic::error(start, "`void` is not the type of any value");
                    return self.fail(error.hint("only a function can return `void`"));
                }
                keyword if keyword.is_name() => self.named_type()?,
                _ => return self.unexpected("a type"),
            },
            TokenKind::Identifier(_) | TokenKind::Punctuator(".") => self.named_type()?,
            _ => return self.unexpected("a type"),
        };
        let span = self.since(start);
        self.made_type(kind, span)
    }

    fn plain(&mut self, kind: TypeKind) -> TypeKind {
        self.advance();
        kind
    }

    fn named_type(&mut self) -> Parsed<TypeKind> {
        let path = self.path("a type")?;
        let is_type = self.is_type_name(&path.name.text, path.absolute);
        self.require_type(&path);
        if !is_type && self.is("<") && matches!(self.ahead(1).kind, TokenKind::Integer(_)) {
            self.width()?; // `bit` was meant, or another type with a width
            return Ok(TypeKind::Named(path));
        }
        if self.is("<") { Ok(TypeKind::Specialized(path, self.type_arguments()?)) } else { Ok(TypeKind::Named(path)) }
    }

    /// `name` or `.name`
    pub(super) fn path(&mut self, what: &str) -> Parsed<Path> {
        let start = self.current().span;
        let absolute = self.take(".").is_some();
        let name = self.name(what)?;
        let span = if absolute { start.to(name.span) } else { name.span };
        Ok(Path { absolute, name, span })
    }

    /// Reports a name that is not a type, unless type parameters that are still to come may declare it.
    fn require_type(&mut self, path: &Path) {
        if self.is_type_name(&path.name.text, path.absolute) {
            return;
        }
        match &mut self.waiting {
            Some(waiting) if !path.absolute => waiting.push(path.name.clone()),
            _ => self.refuse_type(&path.name, path.absolute),
        }
    }

    /// Reads a rule that may use type parameters before they are declared. [`Self::settle`] has to follow.
    pub(super) fn ahead_of_parameters<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Parsed<T>,
    ) -> Parsed<(T, Vec<Name>)> {
        let around = self.waiting.replace(Vec::new());
        let result = read(self);
        let waiting = std::mem::replace(&mut self.waiting, around).unwrap_or_default();
        Ok((result?, waiting))
    }

    /// Reports the names that are still not types.
    pub(super) fn settle(&mut self, waiting: &[Name]) {
        for name in waiting {
            if !self.is_type_name(&name.text, false) {
                self.refuse_type(name, false);
            }
        }
    }

    /// `<width>`
    fn width(&mut self) -> Parsed<Box<Expression>> {
        self.expect("<", "the type")?;
        let around = std::mem::replace(&mut self.no_greater, true);
        let width = self.nested(Self::expression);
        self.no_greater = around;
        let width = width?;
        self.expect(">", "the width")?;
        Ok(Box::new(width))
    }

    /// Reads `<name, name>`, if present. The names are types from here on.
    pub(super) fn type_parameters(&mut self) -> Parsed<Vec<Name>> {
        if self.take("<").is_none() {
            return Ok(Vec::new());
        }
        let names = self.separated(">", false, |reader| reader.name("the name of a type parameter"))?;
        self.expect(">", "the type parameters")?;
        if names.is_empty() {
            let error = Diagnostic::error(self.before().span, "there are no type parameters between `<` and `>`");
            self.report(error.hint("leave both away"));
        }
        for name in &names {
            self.declare_type(name);
        }
        Ok(names)
    }

    /// Reads `(parameter, parameter)`. The names are values from here on.
    pub(super) fn parameters(&mut self) -> Parsed<Vec<Parameter>> {
        self.expect("(", "the name")?;
        let parameters = self.separated(")", false, Self::parameter)?;
        self.expect(")", "the parameters")?;
        Ok(parameters)
    }

    fn parameter(&mut self) -> Parsed<Parameter> {
        let annotations = self.annotations()?;
        let start = self.current().span;
        let direction = match &self.current().kind {
            TokenKind::Keyword(Keyword::In) => Direction::In,
            TokenKind::Keyword(Keyword::Out) => Direction::Out,
            TokenKind::Keyword(Keyword::Inout) => Direction::InOut,
            _ => Direction::None,
        };
        if direction != Direction::None {
            self.advance();
        }
        let parameter_type = self.type_reference()?;
        let name = self.name("the name of the parameter")?;
        let parameter_type = self.array_sizes(parameter_type)?;
        self.declare_value(&name);
        let default = if self.take("=").is_some() { Some(self.expression()?) } else { None };
        Ok(Parameter { annotations, direction, parameter_type, name, default, span: self.since(start) })
    }

    pub(super) fn declare_type(&mut self, name: &Name) {
        self.scopes.declare(&name.text, Sort::Type);
    }

    pub(super) fn declare_value(&mut self, name: &Name) {
        self.scopes.declare(&name.text, Sort::Other);
    }
}
