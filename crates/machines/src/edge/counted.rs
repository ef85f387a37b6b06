//! Direct counters of table entries, maintained at the end of a pipeline.

use std::sync::Arc;

use ir::TableId;
use passes::flatten::{DirectCounter, Flattened};
use runtime::tables::{EntryHandle, HandleMap};
use runtime::{Count, ProgramState};

use super::EntryCounts;

/// The direct counters of all tables.
///
/// A pipeline obtains the action and data of an entry but never its identity, which stays in the match unit. The key
/// therefore travels with the packet, and the entry is looked up once more when the packet leaves.
#[derive(Clone, Debug)]
pub(super) struct Counted {
    counters: Vec<DirectCounter>,
    /// The counts by counter.
    pub(super) counts: Vec<EntryCounts>,
    /// The current tables.
    tables: Arc<ProgramState>,
    /// A buffer for the words of a key, so that no packet allocates.
    words: Vec<u64>,
}

impl Counted {
    /// Creates the counters, all at zero.
    pub(super) fn of(flattened: &Flattened) -> Self {
        let counters = flattened.direct_counters.clone();
        let zero = |counter: &DirectCounter| EntryCounts {
            table: counter.table,
            counter: counter.counter,
            counts: HandleMap::default(),
        };
        Self {
            counts: counters.iter().map(zero).collect(),
            counters,
            tables: Arc::new(flattened.flat.initial_state()),
            words: Vec::new(),
        }
    }

    /// Replaces the tables after the control plane has changed them. The counters of entries that still exist keep
    /// their values; the others are removed.
    pub(super) fn set_tables(&mut self, tables: &Arc<ProgramState>) {
        for EntryCounts { table, counts, .. } in &mut self.counts {
            let entries = tables.tables[table.index()].matches();
            let all: Vec<EntryHandle> = counts.iter().map(|(entry, _)| entry).collect();
            all.into_iter().filter(|&entry| entries.get(entry).is_none()).for_each(|entry| _ = counts.remove(entry));
        }
        self.tables = Arc::clone(tables);
    }

    /// Sets the count of a table entry.
    pub(super) fn set(&mut self, table: TableId, entry: EntryHandle, count: Count) {
        let counts = self.counts.iter_mut().filter(|counts| counts.table == table);
        counts.for_each(|EntryCounts { counts, .. }| _ = counts.insert(entry, count));
    }

    /// Counts a packet that leaves or is dropped; `bytes` is its length on arrival and `tables` are the tables that it
    /// was looked up in.
    #[inline]
    pub(super) fn count(&mut self, fields: &[u64], bytes: u64, tables: &ProgramState) {
        for (counter, EntryCounts { table, counts, .. }) in self.counters.iter().zip(&mut self.counts) {
            if fields[counter.hit.index()] == 0 {
                continue;
            }
            self.words.clear();
            self.words.extend(counter.keys.iter().map(|key| fields[key.index()]));
            let Some(entry) = tables.tables[table.index()].lookup_words(&self.words) else { continue };
            // The counter of an entry that was deleted while the packet was inside no longer exists.
            if self.tables.tables[table.index()].matches().get(entry).is_none() {
                continue;
            }
            match counts.get_mut(entry) {
                Some(count) => count.count(1, bytes),
                None => _ = counts.insert(entry, Count { packets: 1, bytes }),
            }
        }
    }
}
