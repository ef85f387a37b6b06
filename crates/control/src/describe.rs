//! Keys as text, for errors.

use runtime::tables::{EntryHandle, FieldMatch};

use crate::{EntrySelection, Table};

/// What an entry asks of one field.
pub(crate) fn field_match(asked: &FieldMatch) -> String {
    match asked {
        FieldMatch::Exact(value) => format!("{value:#x}"),
        FieldMatch::Prefix { value, length } => format!("{value:#x}/{length}"),
        FieldMatch::Mask { value, mask } => format!("{value:#x}&&&{mask:#x}"),
        FieldMatch::Range { low, high } => format!("{low:#x}->{high:#x}"),
        FieldMatch::Any => "*".to_owned(),
    }
}

/// A key with the names of its fields.
pub(crate) fn key(table: &Table, key: &[FieldMatch], priority: Option<u32>) -> String {
    let fields = table.fields.iter().zip(key);
    let mut parts: Vec<String> =
        fields.map(|(field, asked)| format!("{}: {}", field.name, field_match(asked))).collect();
    if let (true, Some(priority)) = (table.has_priorities(), priority) {
        parts.push(format!("priority {priority}"));
    }
    parts.join(", ")
}

/// The number of an entry.
pub(crate) fn handle(handle: EntryHandle) -> String {
    format!("number {}", handle.0)
}

/// An entry that is looked for.
pub(crate) fn selection(table: &Table, selection: &EntrySelection) -> String {
    match selection {
        EntrySelection::Handle(number) => handle(*number),
        EntrySelection::Key { key: fields, priority } => key(table, fields, *priority),
    }
}
