//! Tables (section 14.2).

use diagnostics::{Diagnostic, Span};

use super::{Parsed, Reader};
use crate::ast::{
    ActionReference, Annotation, DeclarationKind, EntryDeclaration, KeyElement, Property, PropertyKind, Table,
};
use crate::token::{Keyword, TokenKind};

impl Reader<'_> {
    /// `table name { properties }`
    pub(super) fn table(&mut self) -> Parsed<DeclarationKind> {
        self.advance();
        let name = self.name("the name of the table")?;
        self.declare_value(&name);
        let (mut properties, mut failed) = (Vec::new(), false);
        let span = self.braced("the properties of a table", |reader| {
            let property = reader.property();
            failed |= property.is_err();
            properties.push(property?);
            Ok(())
        })?;
        if properties.is_empty() && !failed {
            let error = Diagnostic::error(span, format!("the table `{}` has no properties", name.text));
            self.report(error.hint("it needs `actions = { ... }` at least"));
        }
        Ok(DeclarationKind::Table(Table { name, properties }))
    }

    fn property(&mut self) -> Parsed<Property> {
        let annotations = self.annotations()?;
        let start = self.current().span;
        let constant = self.take_word(Keyword::Const);
        let name = self.name("a property of the table")?;
        let meant = self.meant_property(&name);
        if meant.is_none() || self.is("=") {
            let begins = self.is("{") && matches!(&*name.text, "key" | "actions" | "entries");
            let sign = self.expect("=", "the name of the property");
            // If only the `=` is missing, continue as if it were there.
            if !begins {
                sign?;
            }
        }
        let kind = match meant.unwrap_or(&name.text) {
            "key" => PropertyKind::Key(self.braced_items("the elements of the key", Self::key_element)?),
            "actions" => PropertyKind::Actions(self.braced_items("the actions of a table", |reader| {
                let annotations = reader.annotations()?;
                let action = reader.action_reference(annotations)?;
                reader.expect(";", "the action")?;
                Ok(action)
            })?),
            "entries" => PropertyKind::Entries(self.braced_items("the entries of a table", Self::entry)?),
            _ => {
                let value = self.expression()?;
                self.expect(";", "the property")?;
                PropertyKind::Value(value)
            }
        };
        let span = self.since(start);
        self.refuse_around_braces(&kind, constant, &name.text);
        Ok(Property { annotations, is_constant: constant.is_some(), name, kind, span })
    }

    /// Reports a `const` before a property that cannot change anyway, and a `;` behind braces.
    fn refuse_around_braces(&mut self, kind: &PropertyKind, constant: Option<Span>, name: &str) {
        if let (Some(constant), PropertyKind::Key(_) | PropertyKind::Actions(_)) = (constant, kind) {
            let error = Diagnostic::error(constant, format!("`{name}` cannot be `const`"));
            self.report(error.hint(format!("`{name}` never changes; leave `const` away")));
        }
        if !matches!(kind, PropertyKind::Value(_)) && self.is(";") {
            let error = Diagnostic::error(self.advance().span, format!("`;` cannot stand behind `{name} = {{ ... }}`"));
            self.report(error.hint("leave it away"));
        }
    }

    fn braced_items<T>(&mut self, what: &str, mut item: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut items = Vec::new();
        self.braced(what, |reader| {
            items.push(item(reader)?);
            Ok(())
        })?;
        Ok(items)
    }

    /// `value : match_kind;`
    fn key_element(&mut self) -> Parsed<KeyElement> {
        let start = self.current().span;
        let value = self.expression()?;
        self.expect(":", "what is looked up")?;
        let match_kind = self.name("a match kind")?;
        let annotations = self.annotations()?;
        self.expect(";", "the element of the key")?;
        Ok(KeyElement { value, match_kind, annotations, span: self.since(start) })
    }

    /// `name` or `name(arguments)`
    fn action_reference(&mut self, annotations: Vec<Annotation>) -> Parsed<ActionReference> {
        let path = self.path("the name of an action")?;
        let arguments = if self.is("(") { Some(self.arguments()?) } else { None };
        let span = self.since(path.span);
        Ok(ActionReference { annotations, path, arguments, span })
    }

    /// Reads `const priority = 3 : keyset : action;`, in which `const` and the priority are optional.
    fn entry(&mut self) -> Parsed<EntryDeclaration> {
        let start = self.current().span;
        let is_constant = self.take_word(Keyword::Const).is_some();
        let priority = if self.is_word(Keyword::Priority) && self.ahead(1).is("=") {
            self.advance();
            self.advance();
            if !self.is("(") && !matches!(self.current().kind, TokenKind::Integer(_)) {
                return self.unexpected("a number or a value in parentheses as the priority");
            }
            let priority = self.expression()?;
            self.expect(":", "the priority")?;
            Some(priority)
        } else {
            None
        };
        let keyset = self.keyset()?;
        self.expect(":", "the set of values")?;
        let action = self.action_reference(Vec::new())?;
        let annotations = self.annotations()?;
        self.expect(";", "the entry")?;
        Ok(EntryDeclaration { is_constant, priority, keyset, action, annotations, span: self.since(start) })
    }
}
