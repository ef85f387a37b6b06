//! The counts of a table's entries.

use ir::{CounterId, TableId};
use runtime::Count;
use runtime::tables::{EntryHandle, HandleMap};

/// The counts of the entries of one table.
#[derive(Clone, Debug)]
pub struct EntryCounts {
    /// The table.
    pub table: TableId,
    /// The number of the direct counter in the program as written.
    pub counter: CounterId,
    pub(super) counts: HandleMap<Count>,
}

impl EntryCounts {
    /// Returns the count of an entry.
    pub fn of(&self, entry: EntryHandle) -> Count {
        self.counts.get(entry).copied().unwrap_or_default()
    }
}

basis::snapshot!(EntryCounts { parts counts; });
