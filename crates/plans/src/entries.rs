//! Reads a TOML table entry by entry. Every mistake is reported, and so is every entry with an unknown name; reading
//! into structs with serde would stop at the first.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::ops::Range;

use diagnostics::{Diagnostic, Diagnostics, SourceId, Span};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::Value;

/// The errors found so far in the file that is being read.
pub struct Findings {
    id: SourceId,
    found: RefCell<Diagnostics>,
}

/// One table of the file. It keeps track of the entries that were requested by name, so that [`Entries::end`] can
/// report the others.
pub struct Entries<'t> {
    findings: &'t Findings,
    /// The name of the table in error messages.
    name: String,
    span: Range<usize>,
    entries: Vec<PlanEntry<'t>>,
    /// The names that were requested so far, which hints suggest.
    asked: RefCell<Vec<&'static str>>,
}

/// A single value as it is written in the file.
#[derive(Clone, Debug, PartialEq)]
pub enum Scalar {
    /// A text in quotes, without surrounding white space.
    Text(String),
    /// A count.
    Count(u64),
    /// Any other finite number.
    Number(f64),
    /// A Boolean.
    Flag(bool),
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Count(count) => count.fmt(f),
            Self::Number(number) => number.fmt(f),
            Self::Flag(flag) => flag.fmt(f),
        }
    }
}

struct PlanEntry<'t> {
    name: &'t str,
    key: Range<usize>,
    value: &'t Spanned<DeValue<'t>>,
    is_asked: Cell<bool>,
    /// Whether it was reported already that the value is of the wrong kind. Entries may be read several times.
    is_wrong: Cell<bool>,
}

/// A value and its place in the file.
#[derive(Clone, Debug)]
pub struct Placed {
    /// The value.
    pub value: Value,
    /// The place of the value, in bytes of the file.
    pub span: Range<usize>,
}

impl Findings {
    /// Returns an empty list of errors for the file that `id` names.
    pub fn new(id: SourceId) -> Self {
        Self { id, found: RefCell::new(Diagnostics::new()) }
    }

    /// Adds an error at a place of the file.
    pub fn error(&self, range: &Range<usize>, message: impl Into<String>, hint: impl Into<String>) {
        let span = Span::new(self.id, range.start, range.end);
        self.found.borrow_mut().push(Diagnostic::error(span, message).hint(hint));
    }

    /// Returns the number of errors found so far.
    pub fn count(&self) -> usize {
        self.found.borrow().iter().count()
    }

    /// Returns everything that was found.
    pub fn end(self) -> Diagnostics {
        self.found.into_inner()
    }
}

impl<'t> Entries<'t> {
    /// Returns the entries of a table in the order of the file, so that errors come in that order. `name` is what error
    /// messages call the table.
    pub fn of(findings: &'t Findings, name: impl Into<String>, table: &'t DeTable<'t>, span: Range<usize>) -> Self {
        let mut entries: Vec<PlanEntry<'t>> = table
            .iter()
            .map(|(key, value)| PlanEntry {
                name: key.get_ref(),
                key: key.span(),
                value,
                is_asked: Cell::new(false),
                is_wrong: Cell::new(false),
            })
            .collect();
        entries.sort_by_key(|entry| entry.key.start);
        Self { findings, name: name.into(), span, entries, asked: RefCell::default() }
    }

    /// Returns the place of the table in the file.
    pub fn span(&self) -> &Range<usize> {
        &self.span
    }

    /// Returns what messages call the table.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the place of a value of any kind, if there is an entry of this name.
    pub fn span_of(&self, name: &'static str) -> Option<Range<usize>> {
        self.find(name).map(|entry| entry.value.span())
    }

    /// Returns the place of the first value of a list that is not empty, or else of the value, if there is an entry of this name.
    pub fn span_of_first(&self, name: &'static str) -> Option<Range<usize>> {
        let entry = self.find(name)?;
        let first = entry.value.get_ref().as_array().and_then(|items| items.iter().next());
        Some(first.unwrap_or(entry.value).span())
    }

    /// Returns true if there is an entry of this name, and marks it as requested.
    pub fn has(&self, name: &'static str) -> bool {
        self.find(name).is_some()
    }

    /// Returns true if there is an entry of this name, without marking it as requested.
    pub fn holds(&self, name: &str) -> bool {
        self.entries.iter().any(|entry| entry.name == name)
    }

    /// Returns the list to which errors about this table are added.
    pub fn findings(&self) -> &'t Findings {
        self.findings
    }

    /// Reads a single value of any kind; `what` describes the expected value in the error message.
    pub fn scalar(&self, name: &'static str, what: &str) -> Option<(Scalar, Range<usize>)> {
        let entry = self.find(name)?;
        match scalar(entry.value.get_ref()) {
            Some(scalar) => Some((scalar, entry.value.span())),
            None => self.wrong(entry, what),
        }
    }

    /// Reads one value or a list of values of any kind; `what` describes them in the error message.
    pub fn scalars(&self, name: &'static str, what: &str) -> Option<Vec<(Scalar, Range<usize>)>> {
        let entry = self.find(name)?;
        let one = |item: &Spanned<DeValue<'_>>| Some((scalar(item.get_ref())?, item.span()));
        let all = match entry.value.get_ref() {
            DeValue::Array(items) => items.iter().map(one).collect(),
            _ => one(entry.value).map(|value| vec![value]),
        };
        all.or_else(|| self.wrong(entry, what))
    }

    /// Reads a text, without surrounding white space.
    pub fn text(&self, name: &'static str) -> Option<(String, Range<usize>)> {
        let entry = self.find(name)?;
        match entry.value.get_ref().as_str() {
            Some(text) => Some((text.trim().to_owned(), entry.value.span())),
            None => self.wrong(entry, "a text in quotes"),
        }
    }

    /// Reads a text that must be given. If it is missing, adds an error and returns an empty text.
    pub fn required_text(&self, name: &'static str) -> (String, Range<usize>) {
        self.require(name, "a text in quotes");
        self.text(name).unwrap_or((String::new(), self.span.clone()))
    }

    /// Reads a number that is not negative.
    pub fn number(&self, name: &'static str) -> Option<f64> {
        let entry = self.find(name)?;
        match number(entry.value.get_ref()) {
            Some(number) if number >= 0.0 => Some(number),
            _ => self.wrong(entry, "a number from 0"),
        }
    }

    /// Reads a range: a list of two numbers, the smaller first.
    pub fn range(&self, name: &'static str) -> Option<(f64, f64)> {
        let entry = self.find(name)?;
        let numbers: Option<Vec<f64>> = entry
            .value
            .get_ref()
            .as_array()
            .and_then(|array| array.iter().map(|item| number(item.get_ref())).collect());
        match numbers.as_deref() {
            Some(&[low, high]) if low <= high => Some((low, high)),
            _ => self.wrong(entry, "two numbers, the smaller first: [0.2, 0.3]"),
        }
    }

    /// Reads a Boolean; false if it is not given.
    pub fn flag(&self, name: &'static str) -> bool {
        let Some(entry) = self.find(name) else { return false };
        entry.value.get_ref().as_bool().or_else(|| self.wrong(entry, "true or false")).unwrap_or(false)
    }

    /// Reads one of several words; the default of `T` if none is given.
    pub fn choice<T: Copy + Default>(&self, name: &'static str, choices: &[(&str, T)]) -> T {
        let Some((text, span)) = self.text(name) else { return T::default() };
        let found = choices.iter().find(|(known, _)| *known == text).map(|(_, choice)| *choice);
        found.unwrap_or_else(|| {
            let names: Vec<&str> = choices.iter().map(|(known, _)| *known).collect();
            let hint = hint(&text, names.iter().copied(), &format!("`{name}` is one of {}", names.join(", ")));
            self.findings.error(&span, format!("there is no `{name}` called `{text}`"), hint);
            T::default()
        })
    }

    /// Reads a list of texts; empty if there is none.
    pub fn texts(&self, name: &'static str) -> Vec<(String, Range<usize>)> {
        let Some(entry) = self.find(name) else { return Vec::new() };
        let text = |item: &Spanned<DeValue<'_>>| Some((item.get_ref().as_str()?.to_owned(), item.span()));
        let texts = entry.value.get_ref().as_array().and_then(|array| array.iter().map(text).collect());
        texts.or_else(|| self.wrong(entry, "a list of texts in brackets: [\"…\", \"…\"]")).unwrap_or_default()
    }

    /// Reads a table within this one.
    pub fn table(&self, name: &'static str) -> Option<Entries<'t>> {
        let entry = self.find(name)?;
        match entry.value.get_ref().as_table() {
            Some(table) => Some(Entries::of(self.findings, name, table, entry.key.clone())),
            None => self.wrong(entry, &format!("a table: [{name}]")),
        }
    }

    /// Returns true if the entry of this name is a list.
    pub fn is_list(&self, name: &'static str) -> bool {
        self.find(name).is_some_and(|entry| entry.value.get_ref().is_array())
    }

    /// Reads an array of tables, `[[name]]`; empty if there is none.
    pub fn tables(&self, name: &'static str) -> Vec<Entries<'t>> {
        let Some(entry) = self.find(name) else { return Vec::new() };
        let table = |item: &'t Spanned<DeValue<'t>>| {
            Some(Entries::of(self.findings, name, item.get_ref().as_table()?, item.span()))
        };
        let tables = entry.value.get_ref().as_array().and_then(|array| array.iter().map(table).collect());
        tables.or_else(|| self.wrong(entry, &format!("tables: [[{name}]]"))).unwrap_or_default()
    }

    /// Reads every entry of the table, whatever its name, as one value or several. Returns for each its name, the place
    /// of the name, and the values.
    pub fn all_values(&self) -> Vec<(String, Range<usize>, Vec<Placed>)> {
        let read = |entry: &PlanEntry<'t>| {
            entry.is_asked.set(true);
            let values = match entry.value.get_ref() {
                DeValue::Array(items) => items.iter().map(placed).collect(),
                _ => placed(entry.value).map(|value| vec![value]),
            };
            let values: Option<Vec<Placed>> =
                values.or_else(|| self.wrong(entry, "a number, a word in quotes, or a list of such"));
            Some((entry.name.to_owned(), entry.key.clone(), values?))
        };
        self.entries.iter().filter_map(read).collect()
    }

    /// Reads every entry of the table as a number. Returns each with its name as a value.
    pub fn all_numbers(&self) -> Vec<(Value, f64)> {
        let read = |entry: &PlanEntry<'t>| {
            entry.is_asked.set(true);
            match number(entry.value.get_ref()) {
                Some(number) => Some((value_of_name(entry.name), number)),
                None => self.wrong(entry, "a number"),
            }
        };
        self.entries.iter().filter_map(read).collect()
    }

    /// Marks all entries as requested, so that [`Entries::end`] reports none.
    pub fn pass_over(&self) {
        self.entries.iter().for_each(|entry| entry.is_asked.set(true));
    }

    /// Reports every entry that was never requested as unknown.
    pub fn end(self) {
        let asked = self.asked.borrow();
        for entry in self.entries.iter().filter(|entry| !entry.is_asked.get()) {
            let hint = hint(entry.name, asked.iter().copied(), &format!("known entries: {}", asked.join(", ")));
            self.findings.error(&entry.key, format!("unknown entry `{}` in {}", entry.name, self.name), hint);
        }
    }

    /// Adds an error if an entry is missing; `what` describes what to add.
    pub fn require(&self, name: &'static str, what: &str) {
        if !self.has(name) {
            self.findings.error(&self.span, format!("{} has no `{name}`", self.name), format!("add {what}"));
        }
    }

    /// Adds an error that an entry is of the wrong kind, the first time.
    fn wrong<T>(&self, entry: &PlanEntry<'_>, what: &str) -> Option<T> {
        if entry.is_wrong.replace(true) {
            return None;
        }
        self.findings.error(&entry.value.span(), format!("`{}` must be {what}", entry.name), "correct this value");
        None
    }

    fn find(&self, name: &'static str) -> Option<&PlanEntry<'t>> {
        let mut asked = self.asked.borrow_mut();
        if !asked.contains(&name) {
            asked.push(name);
        }
        let entry = self.entries.iter().find(|entry| entry.name == name)?;
        entry.is_asked.set(true);
        Some(entry)
    }
}

/// Returns a hint with the known word that was most likely meant by `text`, or else `otherwise`. A word is likely if two letters
/// at most are wrong, and no more than half of them.
pub fn hint<'a>(text: &str, known: impl Iterator<Item = &'a str>, otherwise: &str) -> String {
    let near = known.map(|known| (strsim::levenshtein(text, known), known)).min();
    match near {
        Some((distance, known)) if distance <= 2 && 2 * distance <= text.chars().count() => {
            format!("did you mean `{known}`?")
        }
        _ => otherwise.to_owned(),
    }
}

/// Returns the value that a key stands for: a count if it is written as one, otherwise a word. (Keys in TOML are always
/// texts.)
pub fn value_of_name(name: &str) -> Value {
    name.parse::<u64>().map_or_else(|_| name.into(), Value::Integer)
}

fn placed(item: &Spanned<DeValue<'_>>) -> Option<Placed> {
    let value = match item.get_ref() {
        DeValue::String(text) => Value::Word(text.to_string()),
        DeValue::Integer(_) => integer(item.get_ref())
            .map_or_else(|| number(item.get_ref()).map(Value::from), |value| Some(value.into()))?,
        DeValue::Float(_) => number(item.get_ref())?.into(),
        _ => return None,
    };
    Some(Placed { value, span: item.span() })
}

fn scalar(value: &DeValue<'_>) -> Option<Scalar> {
    match value {
        DeValue::String(text) => Some(Scalar::Text(text.trim().to_owned())),
        DeValue::Boolean(flag) => Some(Scalar::Flag(*flag)),
        _ => integer(value).map(Scalar::Count).or_else(|| number(value).map(Scalar::Number)),
    }
}

fn integer(value: &DeValue<'_>) -> Option<u64> {
    let DeValue::Integer(integer) = value else { return None };
    u64::from_str_radix(&integer.as_str().replace('_', ""), integer.radix()).ok()
}

/// Reads a finite number.
fn number(value: &DeValue<'_>) -> Option<f64> {
    let number = match value {
        DeValue::Integer(integer) => {
            i64::from_str_radix(&integer.as_str().replace('_', ""), integer.radix()).ok()? as f64
        }
        DeValue::Float(float) => float.as_str().replace('_', "").parse().ok()?,
        _ => return None,
    };
    number.is_finite().then_some(number)
}
