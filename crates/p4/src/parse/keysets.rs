//! Keysets of entries and transitions.

use super::{Parsed, Reader};
use crate::ast::{Expression, Keyset, KeysetElement, KeysetElementKind};
use crate::token::Keyword;

impl Reader<'_> {
    /// `element`, or `(element, element)`.
    pub(super) fn keyset(&mut self) -> Parsed<Keyset> {
        let start = self.current().span;
        // `(` begins a tuple, an expression in parentheses or a cast. Only what follows the first element can tell.
        if !self.is("(") || self.is_cast_at(1) {
            let element = self.keyset_element()?;
            return Ok(Keyset { elements: vec![element], is_tuple: false, span: self.since(start) });
        }
        self.advance();
        if self.is(")") {
            return self.unexpected("a value");
        }
        let mut elements = self.bracketed(|reader| reader.separated(")", false, Self::keyset_element))?;
        self.expect(")", "the set of values")?;
        let span = self.since(start);
        if elements.len() > 1 || !matches!(elements[0].kind, KeysetElementKind::Value(_)) {
            return Ok(Keyset { elements, is_tuple: true, span });
        }
        let Some(KeysetElement { kind: KeysetElementKind::Value(inner), .. }) = elements.pop() else { unreachable!() };
        let first = self.suffixes(inner.at(span), false)?;
        let value = self.operators_after(first)?;
        let element = self.keyset_element_after(value)?;
        Ok(Keyset { elements: vec![element], is_tuple: false, span: self.since(start) })
    }

    fn keyset_element(&mut self) -> Parsed<KeysetElement> {
        if let Some(span) = self.take_word(Keyword::Default) {
            return Ok(KeysetElement { kind: KeysetElementKind::Default, span });
        }
        if let Some(span) = self.take_word(Keyword::Underscore) {
            return Ok(KeysetElement { kind: KeysetElementKind::Any, span });
        }
        let value = self.nested(Self::expression)?;
        self.keyset_element_after(value)
    }

    /// Reads the rest of a keyset element whose first expression was read.
    pub(super) fn keyset_element_after(&mut self, value: Expression) -> Parsed<KeysetElement> {
        let start = value.span;
        let kind = if self.take("&&&").is_some() {
            KeysetElementKind::Mask(value, self.nested(Self::expression)?)
        } else if self.take("..").is_some() {
            KeysetElementKind::Range(value, self.nested(Self::expression)?)
        } else {
            KeysetElementKind::Value(value)
        };
        Ok(KeysetElement { kind, span: self.since(start) })
    }
}
