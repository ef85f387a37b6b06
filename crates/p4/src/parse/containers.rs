//! Headers, header unions, structs, enumerations, errors and match kinds (sections 7.1.2, 7.1.3 and 7.2).

use super::{Parsed, Reader};
use crate::ast::{Container, ContainerKind, DeclarationKind, Enumeration, Field, Member, Name};
use crate::token::Keyword;

impl Reader<'_> {
    /// `header`, `header_union` or `struct`, and no `;` behind it.
    pub(super) fn container(&mut self) -> Parsed<DeclarationKind> {
        let kind = match self.advance().kind {
            crate::token::TokenKind::Keyword(Keyword::Header) => ContainerKind::Header,
            crate::token::TokenKind::Keyword(Keyword::HeaderUnion) => ContainerKind::HeaderUnion,
            _ => ContainerKind::Struct,
        };
        let name = self.name(&format!("the name of the {}", kind.keyword()))?;
        self.declare_type(&name);
        self.scoped(|reader| {
            let type_parameters = reader.type_parameters()?;
            let mut fields = Vec::new();
            reader.braced("the fields", |reader| {
                fields.push(reader.field()?);
                Ok(())
            })?;
            Ok(DeclarationKind::Container(Container { kind, name, type_parameters, fields }))
        })
    }

    fn field(&mut self) -> Parsed<Field> {
        let annotations = self.annotations()?;
        let start = self.current().span;
        let field_type = self.type_reference()?;
        let name = self.name("the name of the field")?;
        let field_type = self.array_sizes(field_type)?;
        self.expect(";", "the field")?;
        Ok(Field { annotations, field_type, name, span: self.since(start) })
    }

    /// `enum name { ... }` or `enum type name { ... }`
    pub(super) fn enumeration(&mut self) -> Parsed<DeclarationKind> {
        self.advance();
        let is_plain = self.is_name_at(0) && self.ahead(1).is("{");
        let underlying = if is_plain { None } else { Some(self.type_reference()?) };
        let name = self.name("the name of the enumeration")?;
        self.declare_type(&name);
        let has_values = underlying.is_some();
        let members = self.members("the members of the enumeration", true, |reader| {
            let name = reader.name("the name of a member")?;
            let value = if has_values {
                reader.expect("=", "the member of an enumeration with a type")?;
                Some(reader.expression()?)
            } else {
                None
            };
            Ok(Member { name, value })
        })?;
        Ok(DeclarationKind::Enumeration(Enumeration { underlying, name, members }))
    }

    /// `error { ... }`
    pub(super) fn errors(&mut self) -> Parsed<DeclarationKind> {
        self.advance();
        let names = self.members("the errors", false, |reader| reader.name("the name of an error"))?;
        Ok(DeclarationKind::Errors(names))
    }

    /// `match_kind { ... }`
    pub(super) fn match_kinds(&mut self) -> Parsed<DeclarationKind> {
        self.advance();
        let names: Vec<Name> =
            self.members("the match kinds", true, |reader| reader.name("the name of a match kind"))?;
        Ok(DeclarationKind::MatchKinds(names))
    }

    /// Reads at least one member in braces, separated by commas. The grammar allows a trailing comma everywhere except
    /// in `error`.
    fn members<T>(&mut self, what: &str, trailing: bool, member: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        self.expect("{", "the name")?;
        if self.is("}") {
            return self.unexpected(&format!("{what} before `}}`"));
        }
        let members = self.separated("}", trailing, member)?;
        self.expect("}", what)?;
        Ok(members)
    }
}
