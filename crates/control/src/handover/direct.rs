//! Direct counters and meters, which belong to the entries of tables.

use std::collections::HashMap;

use runtime::tables::EntryHandle;

use super::transfer::{Transfer, entries_of};
use crate::{Error, TableNumber};

impl Transfer<'_> {
    /// Returns the values for the entries of a table of the new program in order, from those of the entries of a table
    /// of the old program in order, in a pipe if there is one. The values of entries that are lost are lost with them.
    pub fn values_of_entries<V: Clone + Default>(
        &mut self,
        old: TableNumber,
        new: TableNumber,
        values: &[V],
        pipe: Option<u32>,
    ) -> Result<Vec<V>, Error> {
        let landed = self.landed.get(&(old, pipe)).or_else(|| self.landed.get(&(old, None)));
        let landed = landed.map_or(&[][..], Vec::as_slice);
        let by_handle: HashMap<EntryHandle, &V> =
            landed.iter().zip(values).filter_map(|(handle, value)| Some(((*handle)?, value))).collect();
        let entries = entries_of(self.new, new, pipe)?;
        Ok(entries.iter().map(|entry| by_handle.get(&entry.handle).copied().cloned().unwrap_or_default()).collect())
    }
}
