//! The binding file: a small TOML file beside a program.

use std::ops::Range;

use diagnostics::{Diagnostic, Diagnostics, SourceId, Span};
use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

use super::path::{self, Wrong, closest};
use super::source::Source;
use super::{Binding, BoundResult, condition, result};

/// Reads a binding file into a binding as far as possible, and reports everything that is wrong with it.
pub(super) fn read(text: &str, id: SourceId, binding: &mut Binding, found: &mut Diagnostics) {
    let (table, errors) = DeTable::parse_recoverable(text);
    for error in errors {
        let span = error.span().unwrap_or(0..0);
        let message = error.message().lines().next().unwrap_or("this is not TOML").to_owned();
        found.push(Diagnostic::error(span_of(id, &span), message).hint("see docs/binding.md for an example"));
    }
    let mut reader = Reader { text, id, binding, found };
    for (key, value) in in_order(table.get_ref()) {
        match key.get_ref().as_ref() {
            "applies" => reader.applies(value),
            "fields" => reader.each(value, Reader::field),
            "results" => reader.each(value, Reader::result),
            other => {
                let hint = "a binding file has `applies`, `[fields]` and `[results]`";
                reader.error(&key.span(), format!("unknown entry `{other}`"), hint);
            }
        }
    }
}

fn span_of(id: SourceId, range: &Range<usize>) -> Span {
    Span::new(id, range.start, range.end)
}

/// Returns the entries of a table in the order of the file, so that errors are reported in that order.
fn in_order<'t, 'i>(table: &'t DeTable<'i>) -> Vec<FieldFileEntry<'t, 'i>> {
    let mut entries: Vec<FieldFileEntry<'t, 'i>> = table.iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    entries
}

type FieldFileEntry<'t, 'i> = (&'t Spanned<DeString<'i>>, &'t Spanned<DeValue<'i>>);

struct Reader<'r> {
    text: &'r str,
    id: SourceId,
    binding: &'r mut Binding,
    found: &'r mut Diagnostics,
}

impl Reader<'_> {
    fn error(&mut self, range: &Range<usize>, message: String, hint: &str) {
        self.found.push(Diagnostic::error(span_of(self.id, range), message).hint(hint));
    }

    fn wrong(&mut self, range: &Range<usize>, wrong: Wrong) {
        self.error(range, wrong.message, &wrong.hint);
    }

    fn applies(&mut self, value: &Spanned<DeValue<'_>>) {
        let Some(text) = value.get_ref().as_str() else {
            return self.error(
                &value.span(),
                "`applies` must be a string".to_owned(),
                "write a condition such as \"udp.dport == 53\"",
            );
        };
        let (tests, wrong) = condition::parse(text);
        for (inside, wrong) in wrong {
            let range = self.inside(value, text, &inside);
            self.wrong(&range, wrong);
        }
        self.binding.applies = tests;
    }

    /// Returns the location of a part of a string in the file, if the string has no escapes; otherwise that of the
    /// whole string.
    fn inside(&self, value: &Spanned<DeValue<'_>>, text: &str, inside: &Range<usize>) -> Range<usize> {
        let whole = value.span();
        let start = whole.start + 1;
        if self.text.get(start..start + text.len()) == Some(text) {
            start + inside.start..start + inside.end
        } else {
            whole
        }
    }

    /// Calls `read` for each entry of a table, whose key must be a field.
    fn each(&mut self, value: &Spanned<DeValue<'_>>, read: fn(&mut Self, usize, Range<usize>, &Spanned<DeValue<'_>>)) {
        let Some(table) = value.get_ref().as_table() else {
            let hint = "write `[fields]` or `[results]`, then one line per field";
            return self.error(&value.span(), "this must be a table of fields".to_owned(), hint);
        };
        for (key, value) in in_order(table) {
            let name = key.get_ref().as_ref();
            let names = || self.binding.fields.iter().map(|field| field.name.as_str());
            match names().position(|known| known == name) {
                Some(field) => read(self, field, key.span(), value),
                None => {
                    let hint = match closest(name, names()) {
                        Some(near) => format!("did you mean `{near}`?"),
                        None => format!("its fields are {}", names().collect::<Vec<_>>().join(", ")),
                    };
                    self.error(&key.span(), format!("the program has no field `{name}`"), &hint);
                }
            }
        }
    }

    fn field(&mut self, field: usize, _key: Range<usize>, value: &Spanned<DeValue<'_>>) {
        let source = match value.get_ref() {
            DeValue::String(text) => match path::parse(text) {
                Ok(source) => source,
                Err(wrong) => return self.wrong(&value.span(), wrong),
            },
            DeValue::Integer(integer) => {
                let width = self.binding.fields[field].width;
                let digits: String = integer.as_str().chars().filter(|&digit| digit != '_').collect();
                let number = i128::from_str_radix(&digits, integer.radix()).ok();
                let fits = |number: &i128| -(1i128 << (width - 1)) <= *number && *number < 1i128 << width;
                match number.filter(fits) {
                    Some(number) => Source::Constant(crate::arithmetic::truncate(number as u64, width)),
                    None => {
                        let message = format!("this number does not fit the field's {width} bits");
                        return self.error(&value.span(), message, "give a number that fits");
                    }
                }
            }
            other => {
                let message = format!("a field cannot be bound to a value of type {}", other.type_str());
                return self.error(
                    &value.span(),
                    message,
                    "give a part of the packet, such as \"ip.src\", or a number",
                );
            }
        };
        self.binding.fields[field].source = Some(source);
    }

    fn result(&mut self, field: usize, key: Range<usize>, value: &Spanned<DeValue<'_>>) {
        let hint = "a result is \"port\", \"drop\", or bits of a header such as \"dscp\" or \"tcp.window\"";
        let Some(text) = value.get_ref().as_str() else {
            return self.error(&value.span(), "a result must be a string".to_owned(), hint);
        };
        let target = match result::Target::parse(text) {
            Ok(target) => target,
            Err(wrong) => return self.wrong(&value.span(), wrong),
        };
        if let Some(other) = self.binding.results.iter().find(|other| other.target.overlaps(&target)) {
            let message = match (other.target.to_string(), target.to_string()) {
                (other, target) if other == target => format!("two fields are bound to `{target}` on the way out"),
                (other, target) => {
                    format!("`{target}` and `{other}` have bits in common: two fields are bound to them")
                }
            };
            return self.error(&key, message, "leave one of them out, or compute one from both in the program");
        }
        self.binding.results.push(BoundResult { field, target });
    }
}
