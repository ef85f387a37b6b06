//! Declarations: the choice among them, and the short ones.

use diagnostics::{Diagnostic, Span};

use super::typed::DeclarationContext;
use super::{Parsed, Reader};
use crate::ast::{Annotation, Constant, Declaration, DeclarationKind, Signature, TypeName};
use crate::token::{Keyword, TokenKind};

impl Reader<'_> {
    /// Reads a declaration of the top level.
    pub(super) fn declaration(&mut self) -> Parsed<Declaration> {
        let annotations = self.annotations()?;
        self.refuse_p4_14()?;
        let token = self.current();
        let start = token.span;
        let TokenKind::Keyword(keyword) = &token.kind else {
            return self.typed_at_top(annotations);
        };
        let kind = match keyword {
            Keyword::Const => self.constant()?,
            Keyword::Extern => self.extern_declaration()?,
            Keyword::Action => self.action()?,
            Keyword::Parser => self.parser()?,
            Keyword::Control => self.control()?,
            Keyword::Package => self.package()?,
            Keyword::Header | Keyword::HeaderUnion | Keyword::Struct => self.container()?,
            Keyword::Enum => self.enumeration()?,
            Keyword::Typedef => self.typedef()?,
            Keyword::Type => self.new_type()?,
            Keyword::Error if self.ahead(1).is("{") => self.errors()?,
            Keyword::MatchKind if self.ahead(1).is("{") => self.match_kinds()?,
            Keyword::Table | Keyword::ValueSet | Keyword::State => {
                let (what, home) = match keyword {
                    Keyword::Table => ("table", "control"),
                    Keyword::State => ("state", "parser"),
                    _ => ("value set", "parser"),
                };
                let error = Diagnostic::error(start, format!("a {what} cannot stand at the top level"));
                return self
                    .fail(error.hint(format!("declare it inside of a {home}; or a `}}` is one too many before it")));
            }
            Keyword::Void => return self.typed_at_top(annotations),
            _ if self.is_type_at(0) || self.is_name_at(0) => return self.typed_at_top(annotations),
            _ => return self.unexpected("a declaration"),
        };
        Ok(self.declared(annotations, kind, start))
    }

    fn typed_at_top(&mut self, annotations: Vec<Annotation>) -> Parsed<Declaration> {
        let starts_type = self.is_word(Keyword::Void) || self.is_type_at(0) || self.is_name_at(0) || self.is(".");
        if !starts_type {
            return self.unexpected("a declaration");
        }
        self.typed_declaration(annotations, DeclarationContext::Top)
    }

    /// Makes the node of a declaration that was read.
    pub(super) fn declared(&self, annotations: Vec<Annotation>, kind: DeclarationKind, start: Span) -> Declaration {
        Declaration { annotations, kind, span: self.since(start) }
    }

    /// `const type name = value;`
    pub(super) fn constant(&mut self) -> Parsed<DeclarationKind> {
        self.advance();
        let constant_type = self.type_reference()?;
        let name = self.name("the name of the constant")?;
        let constant_type = self.array_sizes(constant_type)?;
        self.declare_value(&name);
        self.expect("=", "the name of the constant")?;
        let value = self.expression()?;
        self.expect(";", "the constant")?;
        Ok(DeclarationKind::Constant(Constant { constant_type, name, value }))
    }

    /// `package name<types>(parameters);`
    fn package(&mut self) -> Parsed<DeclarationKind> {
        self.advance();
        let name = self.name("the name of the package")?;
        self.declare_type(&name);
        let signature = self.scoped(|reader| {
            let type_parameters = reader.type_parameters()?;
            let parameters = reader.parameters()?;
            Ok(Signature { name, type_parameters, parameters })
        })?;
        self.expect(";", "the package")?;
        Ok(DeclarationKind::Package(signature))
    }

    /// `typedef type name;`
    fn typedef(&mut self) -> Parsed<DeclarationKind> {
        self.advance();
        let start = self.current().span;
        let TokenKind::Keyword(Keyword::Header | Keyword::HeaderUnion | Keyword::Struct | Keyword::Enum) =
            self.current().kind
        else {
            return Ok(DeclarationKind::Typedef(self.type_name("typedef")?));
        };
        let kind = if self.is_word(Keyword::Enum) { self.enumeration()? } else { self.container()? };
        let inner = self.declared(Vec::new(), kind, start);
        let name = self.name("the new name of the type")?;
        self.declare_type(&name);
        self.expect(";", "the `typedef`")?;
        Ok(DeclarationKind::TypedefOfDeclaration(Box::new(inner), name))
    }

    /// `type type name;`
    fn new_type(&mut self) -> Parsed<DeclarationKind> {
        self.advance();
        Ok(DeclarationKind::NewType(self.type_name("type")?))
    }

    fn type_name(&mut self, what: &str) -> Parsed<TypeName> {
        let original = self.type_reference()?;
        let name = self.name("the new name of the type")?;
        let original = self.array_sizes(original)?;
        self.declare_type(&name);
        self.expect(";", &format!("the `{what}`"))?;
        Ok(TypeName { original, name })
    }
}
