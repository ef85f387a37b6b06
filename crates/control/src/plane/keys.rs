//! Checks of keys against the match fields of a table.

use runtime::Bits;
use runtime::tables::{FieldMatch, KeyField, TableError};

use crate::{EntityKind, EntryError, Error, MatchField, Table};

impl Table {
    /// Creates an error about an entry of this table.
    pub(crate) fn error(&self, error: EntryError) -> Error {
        Error::Entry { kind: EntityKind::Table, name: self.identity.name.clone(), error }
    }

    /// Checks a key, and returns it in canonical form.
    pub(crate) fn check_key(&self, key: &[FieldMatch]) -> Result<Vec<FieldMatch>, Error> {
        if self.fields.is_empty() {
            return Err(self.error(EntryError::NoKey));
        }
        check_fields(EntityKind::Table, &self.identity.name, &self.fields, key)
    }

    /// Checks the priority of an entry, and returns it; 0 if the table has no priorities.
    pub(crate) fn check_priority(&self, priority: Option<u32>) -> Result<u32, Error> {
        let reason = self.fields.iter().find(|field| field.kind.has_priority());
        match (reason, priority) {
            (Some(field), None) => Err(self.error(EntryError::NoPriority { field: field.name.clone() })),
            (Some(_), Some(priority)) => Ok(priority),
            (None, None | Some(0)) => Ok(0),
            (None, Some(priority)) => Err(self.error(EntryError::Priority { priority })),
        }
    }
}

/// Checks the matches for fields, and returns them in canonical form.
pub(crate) fn check_fields(
    kind: EntityKind,
    name: &str,
    fields: &[MatchField],
    key: &[FieldMatch],
) -> Result<Vec<FieldMatch>, Error> {
    if key.len() != fields.len() {
        let fields = fields.iter().map(|field| field.name.clone()).collect();
        let error = EntryError::FieldCount { fields, given: key.len() };
        return Err(Error::Entry { kind, name: name.to_owned(), error });
    }
    fields.iter().zip(key).map(|(field, asked)| check_field(kind, name, field, asked)).collect()
}

/// Checks the match for one field, and returns it in canonical form.
pub(crate) fn check_field(
    kind: EntityKind,
    name: &str,
    field: &MatchField,
    asked: &FieldMatch,
) -> Result<FieldMatch, Error> {
    let shape = KeyField { kind: field.kind, width: field.width };
    asked.canonical(shape, 0).map_err(|error| {
        let (called, value) = (field.called(), asked.to_string());
        let error = match error {
            TableError::ValueTooWide { width, .. } => {
                let value = too_wide(asked, width);
                let place = format!("key field `{called}` of {kind} `{name}`");
                return Error::TooWide { place, width, value, written: None };
            }
            TableError::PrefixTooLong { length, width, .. } => {
                EntryError::PrefixTooLong { field: called, length, width }
            }
            TableError::BitsOutsideMask { .. } => EntryError::BitsOutsideMask { field: called, value },
            TableError::EmptyRange { .. } => EntryError::EmptyRange { field: called, value },
            _ => EntryError::Mismatch { field: called, kind: field.kind },
        };
        Error::Entry { kind, name: name.to_owned(), error }
    })
}

/// Returns the number in a match that does not fit in `width` bits.
fn too_wide(asked: &FieldMatch, width: u32) -> Bits {
    let numbers = match asked {
        FieldMatch::Exact(value) | FieldMatch::Prefix { value, .. } => [Some(value), None],
        FieldMatch::Mask { value, mask } => [Some(mask), Some(value)],
        FieldMatch::Range { low, high } => [Some(low), Some(high)],
        FieldMatch::Any => [None, None],
    };
    let found = numbers.into_iter().flatten().find(|value| !value.fits(width));
    found.cloned().unwrap_or_else(|| Bits::zero(width))
}
