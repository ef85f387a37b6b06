//! Resolution of words to tables, actions and values, with diagnostics at their locations.

use diagnostics::{Diagnostic, Diagnostics, Span};
use runtime::Bits;
use runtime::tables::FieldMatch;

use super::{FieldText, Literal, Style, Word, matches};
use crate::error_text::list;
use crate::plane::check_field;
use crate::{
    ActionCall, ActionNumber, EntityKind, EntryError, Error, Info, MatchField, NameError, RecordTableNumber,
    TableNumber,
};

impl Error {
    /// Returns the error as a diagnostic at `span`, with a hint if there is one.
    pub fn diagnostic(&self, span: Span) -> Diagnostic {
        diagnose(self, span)
    }
}

fn diagnose(error: &Error, span: Span) -> Diagnostic {
    let diagnostic = Diagnostic::error(span, error.to_string());
    match error {
        Error::Name(NameError::Unknown { hint: Some(hint), .. }) => diagnostic.hint(hint.clone()),
        Error::Name(NameError::Unknown { kind, known, .. }) if known.is_empty() => {
            diagnostic.hint(format!("there is no {kind} at all"))
        }
        Error::Name(NameError::Unknown { known, .. }) => diagnostic.hint(format!("known names: {}", list(known))),
        Error::Name(NameError::Ambiguous { .. }) => diagnostic.hint("write more of the name"),
        _ => diagnostic,
    }
}

/// A resolver of words, which collects diagnostics.
pub(crate) struct Resolver<'i> {
    pub(crate) info: &'i Info,
    pub(crate) findings: Diagnostics,
}

impl<'i> Resolver<'i> {
    pub(crate) fn new(info: &'i Info) -> Self {
        Self { info, findings: Diagnostics::new() }
    }

    /// Returns the value, or reports the error.
    pub(crate) fn ok<T>(&mut self, found: Result<T, Error>, span: Span) -> Option<T> {
        match found {
            Ok(value) => Some(value),
            Err(error) => {
                self.findings.push(error.diagnostic(span));
                None
            }
        }
    }

    /// Reports an error.
    pub(crate) fn error(&mut self, span: Span, message: impl Into<String>) {
        self.findings.push(Diagnostic::error(span, message));
    }

    pub(crate) fn table(&mut self, word: &Word) -> Option<TableNumber> {
        self.ok(self.info.table_named(&word.text), word.span)
    }

    pub(crate) fn action(&mut self, table: TableNumber, word: &Word) -> Option<ActionNumber> {
        self.ok(self.info.action_named(table, &word.text), word.span)
    }

    /// Reads an index, count or identifier of 32 bits.
    pub(crate) fn index(&mut self, word: &Word, what: &str) -> Option<u32> {
        let digits = word.text.strip_prefix("0x").map(|digits| u32::from_str_radix(digits, 16));
        match digits.unwrap_or_else(|| word.text.parse()) {
            Ok(number) if !word.text.contains('+') => Some(number),
            _ => {
                self.error(
                    word.span,
                    format!("the {what} must be a number from 0 to 4,294,967,295, not `{}`", word.text),
                );
                None
            }
        }
    }

    /// Reads an index, count or identifier that must fit in `width` bits.
    pub(crate) fn narrow_index(&mut self, word: &Word, what: &str, width: u32) -> Option<u32> {
        let number = self.index(word, what)?;
        let value = Bits::from_u64(u64::from(number), 32);
        if value.fits(width) {
            return Some(number);
        }
        let written = Some(word.text.clone());
        self.ok(Err(Error::TooWide { place: format!("a {what}"), width, value, written }), word.span)
    }

    /// Reads a value of a given width. `place` describes its destination.
    pub(crate) fn value(&mut self, word: &Word, width: u32, place: impl FnOnce() -> String) -> Option<Bits> {
        match Literal::read(&word.text, width) {
            Ok(literal) => match literal.fit(width) {
                Ok(value) => Some(value),
                Err(value) => {
                    let error = Error::TooWide { place: place(), width, value, written: Some(word.text.clone()) };
                    self.ok(Err(error), word.span)
                }
            },
            Err(words) => {
                self.error(word.span, words);
                None
            }
        }
    }

    /// Reads the key of a record: one number of as many bits as a key has.
    pub(crate) fn record_key(&mut self, table: RecordTableNumber, word: &Word) -> Option<Vec<u8>> {
        let about = self.info.record_table(table);
        let width = 8 * about.key_bytes;
        let place = || format!("a key of table of records `{}`", about.identity.name);
        let value = self.value(word, width, place)?;
        let byte = |at: u32| value.slice(8 * at + 7, 8 * at).low() as u8;
        Some((0..about.key_bytes).rev().map(byte).collect())
    }

    /// Reads the match of a table entry for a field.
    pub(crate) fn field(&mut self, table: TableNumber, at: usize, word: &Word, style: Style) -> Option<FieldMatch> {
        let table = self.info.table(table);
        self.field_of(EntityKind::Table, &table.identity.name, &table.fields[at], word, style)
    }

    /// Reads the match of a table entry, or of a member of a value set, for a field.
    pub(crate) fn field_of(
        &mut self,
        kind: EntityKind,
        name: &str,
        field: &MatchField,
        word: &Word,
        style: Style,
    ) -> Option<FieldMatch> {
        let asked = match matches::read(&word.text, field, style) {
            Ok(asked) => check_field(kind, name, field, &asked),
            Err(FieldText::TooWide(value, written)) => {
                let place = format!("key field `{}` of {kind} `{name}`", field.called());
                Err(Error::TooWide { place, width: field.width, value, written: Some(written) })
            }
            Err(FieldText::NoLength) => {
                let place = format!("key field `{}` of {kind} `{name}`", field.called());
                let message = format!("{place} is matched as a prefix, but the prefix length is missing");
                let hint = format!("`{0}/{1}` matches exactly `{0}`", word.text, field.width);
                self.findings.push(Diagnostic::error(word.span, message).hint(hint));
                return None;
            }
            Err(FieldText::Mismatch) => {
                let error = EntryError::Mismatch { field: field.called(), kind: field.kind };
                Err(Error::Entry { kind, name: name.to_owned(), error })
            }
            Err(FieldText::Unreadable(words)) => {
                self.error(word.span, words);
                return None;
            }
        };
        self.ok(asked, word.span)
    }

    /// Reads an action whose parameters are given in order.
    pub(crate) fn call(&mut self, action: ActionNumber, words: &[Word], span: Span) -> Option<ActionCall> {
        let about = self.info.action(action);
        let name = &about.identity.name;
        if words.len() != about.parameters.len() {
            let parameters = about.parameters.iter().map(|parameter| parameter.name.clone()).collect();
            let error = Error::ParameterCount { action: name.clone(), parameters, given: words.len() };
            return self.ok(Err(error), span);
        }
        let values: Vec<Option<Bits>> = about
            .parameters
            .iter()
            .zip(words)
            .map(|(parameter, word)| {
                self.value(word, parameter.width, || format!("parameter `{}` of action `{name}`", parameter.name))
            })
            .collect();
        let data = values.into_iter().collect::<Option<Vec<Bits>>>()?;
        Some(ActionCall { action, data })
    }
}
