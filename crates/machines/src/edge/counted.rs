//! Counters of the entries of tables, at the end of a pipeline.

use std::sync::Arc;

use ir::TableId;
use passes::flatten::{DirectCounter, Flattened};
use runtime::tables::{EntryHandle, HandleMap};
use runtime::{Count, State};

use super::EntryCounts;

/// Counts packets where their tables' entries are.
///
/// A pipeline finds what an entry says, and never which one it was: that stays with the match unit. So what was looked
/// up travels with the packet, and its entry is found once more when the packet leaves.
#[derive(Clone, Debug)]
pub(super) struct Counted {
    counters: Vec<DirectCounter>,
    /// What each has counted.
    pub(super) counts: Vec<EntryCounts>,
    /// The tables as they are now.
    tables: Arc<State>,
    /// For the words of a key, so that no packet allocates.
    words: Vec<u64>,
}

impl Counted {
    /// Counters at zero.
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

    /// The control plane has changed tables: the counters of entries that stay go on, those of others are gone.
    pub(super) fn set_tables(&mut self, tables: &Arc<State>) {
        for EntryCounts { table, counts, .. } in &mut self.counts {
            let entries = tables.tables[table.index()].matches();
            let all: Vec<EntryHandle> = counts.iter().map(|(entry, _)| entry).collect();
            all.into_iter().filter(|&entry| entries.get(entry).is_none()).for_each(|entry| _ = counts.remove(entry));
        }
        self.tables = Arc::clone(tables);
    }

    /// Changes what an entry of a table has counted.
    pub(super) fn set(&mut self, table: TableId, entry: EntryHandle, count: Count) {
        let counts = self.counts.iter_mut().filter(|counts| counts.table == table);
        counts.for_each(|EntryCounts { counts, .. }| _ = counts.insert(entry, count));
    }

    /// Counts a packet of `bytes` bytes on arrival that leaves or is dropped; it found in `tables`.
    #[inline]
    pub(super) fn count(&mut self, fields: &[u64], bytes: u64, tables: &State) {
        for (counter, EntryCounts { table, counts, .. }) in self.counters.iter().zip(&mut self.counts) {
            if fields[counter.hit.index()] == 0 {
                continue;
            }
            self.words.clear();
            self.words.extend(counter.keys.iter().map(|key| fields[key.index()]));
            let Some(entry) = tables.tables[table.index()].lookup_words(&self.words) else { continue };
            // An entry that was deleted while the packet was inside has taken its counter along.
            if self.tables.tables[table.index()].matches().get(entry).is_none() {
                continue;
            }
            match counts.get_mut(entry) {
                Some(count) => count.count(bytes),
                None => _ = counts.insert(entry, Count { packets: 1, bytes }),
            }
        }
    }
}
