//! JSON with locations.

use std::collections::BTreeSet;

use diagnostics::{Diagnostic, Diagnostics, SourceId, Span, did_you_mean};
use plans::json::ast::{Array, Object, ObjectProp};
use plans::json::{Ranged, place};

pub(super) use plans::json::ast::Value;
pub(super) use plans::json::parse;

use crate::Word;
use crate::client::Resolver;

/// A reader of values, which collects diagnostics.
pub(super) struct Reader<'i> {
    pub(super) resolver: Resolver<'i>,
    pub(super) source: SourceId,
    pub(super) warnings: Diagnostics,
}

impl Reader<'_> {
    pub(super) fn span(&self, value: &impl Ranged) -> Span {
        place(value.range(), self.source)
    }

    pub(super) fn object<'v, 't>(&mut self, value: &'v Value<'t>, what: &str) -> Option<&'v Object<'t>> {
        let object = value.as_object();
        if object.is_none() {
            let span = self.span(value);
            self.resolver.error(span, format!("{what} must be an object in braces"));
        }
        object
    }

    pub(super) fn list<'v, 't>(&mut self, value: &'v Value<'t>, what: &str) -> Option<&'v [Value<'t>]> {
        let list: Option<&Array<'t>> = value.as_array();
        if list.is_none() {
            let span = self.span(value);
            self.resolver.error(span, format!("`{what}` must be a list in brackets"));
        }
        list.map(|list| list.elements.as_slice())
    }

    /// Returns a required property of an object, or reports that it is missing.
    pub(super) fn need<'v, 't>(&mut self, object: &'v Object<'t>, name: &str) -> Option<&'v Value<'t>> {
        let found = object.get(name);
        if found.is_none() {
            let span = self.span(object);
            self.resolver.error(Span { end: span.start + 1, ..span }, format!("this object has no `{name}`"));
        }
        found.map(|property| &property.value)
    }

    /// Warns about unknown properties, and reports duplicates.
    pub(super) fn check_names(&mut self, object: &Object<'_>, known: &[&str]) {
        let mut seen = BTreeSet::new();
        for property in &object.properties {
            let name = property.name.as_str();
            if !seen.insert(name) {
                let span = self.span(property);
                self.resolver.error(span, format!("`{name}` is given twice"));
            } else if !known.contains(&name) {
                let warning = Diagnostic::warning(self.span(property), format!("`{name}` is unknown and ignored"));
                let hint = did_you_mean(name, known.iter().copied());
                self.warnings.push(hint.into_iter().fold(warning, Diagnostic::hint));
            }
        }
    }

    /// Returns the name of a property as a word.
    pub(super) fn name(&self, property: &ObjectProp<'_>) -> Word {
        let name = property.name.as_str().to_owned();
        let range = property.range();
        let end = (range.start + name.len() + 2).min(range.end);
        Word { text: name, span: Span::new(self.source, range.start, end) }
    }

    /// Returns a string as a word.
    pub(super) fn text(&mut self, value: &Value<'_>, what: &str) -> Option<Word> {
        let text = value.as_string_lit().map(|text| text.value.as_ref().to_owned());
        self.word(value, text, &format!("{what} must be a string"))
    }

    /// Returns a number or an address as a word.
    pub(super) fn scalar(&mut self, value: &Value<'_>, what: &str) -> Option<Word> {
        let number = value.as_number_lit().map(|number| number.value.to_owned());
        let text = || value.as_string_lit().map(|text| text.value.as_ref().to_owned());
        self.word(value, number.or_else(text), &format!("{what} must be a number or an address in quotes"))
    }

    /// Reads an index, count or identifier of 32 bits.
    pub(super) fn index(&mut self, value: &Value<'_>, what: &str) -> Option<u32> {
        let number = value.as_number_lit().map(|number| number.value.to_owned());
        let word = self.word(value, number, &format!("the {what} must be a number"))?;
        self.resolver.index(&word, what)
    }

    /// Reads an index, count or identifier that must fit in `width` bits.
    pub(super) fn narrow_index(&mut self, value: &Value<'_>, what: &str, width: u32) -> Option<u32> {
        let number = value.as_number_lit().map(|number| number.value.to_owned());
        let word = self.word(value, number, &format!("the {what} must be a number"))?;
        self.resolver.narrow_index(&word, what, width)
    }

    fn word(&mut self, value: &Value<'_>, text: Option<String>, wrong: &str) -> Option<Word> {
        let span = self.span(value);
        if text.is_none() {
            self.resolver.error(span, wrong);
        }
        text.map(|text| Word { text, span })
    }
}
