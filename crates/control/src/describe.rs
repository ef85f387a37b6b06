//! Descriptions of keys and entries for error messages.

use runtime::tables::{EntryHandle, FieldMatch};

use crate::{EntrySelection, Table};

/// Describes a key, with the names of its fields.
pub(crate) fn key(table: &Table, key: &[FieldMatch], priority: Option<u32>) -> String {
    let fields = table.fields.iter().zip(key);
    let mut parts: Vec<String> = fields.map(|(field, asked)| format!("{}: {asked}", field.name)).collect();
    if let (true, Some(priority)) = (table.has_priorities(), priority) {
        parts.push(format!("priority {priority}"));
    }
    parts.join(", ")
}

/// Describes an entry by its handle.
pub(crate) fn handle(handle: EntryHandle) -> String {
    format!("number {}", handle.0)
}

/// Describes an entry that is looked up.
pub(crate) fn selection(table: &Table, selection: &EntrySelection) -> String {
    match selection {
        EntrySelection::Handle(number) => handle(*number),
        EntrySelection::Key { key: fields, priority } => key(table, fields, *priority),
    }
}
