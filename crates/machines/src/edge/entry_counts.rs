//! What the entries of tables have counted.

use ir::{CounterId, TableId};
use runtime::Count;
use runtime::tables::{EntryHandle, HandleMap};

/// What the entries of one table have counted.
#[derive(Clone, Debug)]
pub struct EntryCounts {
    /// The table.
    pub table: TableId,
    /// The counter, by its number in the program as it was written.
    pub counter: CounterId,
    pub(super) counts: HandleMap<Count>,
}

impl EntryCounts {
    /// What an entry has counted.
    pub fn of(&self, entry: EntryHandle) -> Count {
        self.counts.get(entry).copied().unwrap_or_default()
    }
}

basis::snapshot!(EntryCounts { parts counts; });
