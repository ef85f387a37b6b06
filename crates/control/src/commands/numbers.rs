//! The numbers by which commands refer to what earlier ones created.

use std::collections::HashMap;

use diagnostics::Span;
use runtime::tables::{EntryHandle, FieldMatch};

use crate::client::Numbered;
use crate::{EntrySelection, Info};

/// The key and priority of an entry, which are unique in a table.
type KeyAndPriority = (Vec<FieldMatch>, Option<u32>);

/// The numbers of entries, members and groups in all pipes, or in one.
pub(crate) struct Numbers {
    /// The numbered entries of each table.
    pub(super) entries: Vec<Numbered<EntrySelection>>,
    /// The keys and priorities of the entries that commands added to each table, with the locations of the commands.
    /// Never iterated.
    pub(super) added: Vec<HashMap<KeyAndPriority, Span>>,
    /// The members of each profile.
    pub(super) members: Vec<Numbered<()>>,
    /// The groups of each profile, with their members in order.
    pub(super) groups: Vec<Numbered<Vec<u32>>>,
}

impl Numbers {
    /// Returns the numbers that are used in the initial state of a program.
    pub(super) fn new(info: &Info) -> Self {
        let initial = |count: usize| (0..count as u32).map(|at| EntryHandle(at).into()).collect();
        Self {
            entries: info.tables.iter().map(|table| initial(table.initial_entries.len())).collect(),
            added: vec![HashMap::new(); info.tables.len()],
            members: info.profiles.iter().map(|_| Numbered::default()).collect(),
            groups: info.profiles.iter().map(|_| Numbered::default()).collect(),
        }
    }
}
