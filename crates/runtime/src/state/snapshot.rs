//! Saving and restoring a table.

use basis::snapshot::{Loader, Saver, Snapshot, Unfit};

use super::TableState;

/// Saves entries with their handles, counters, meters, metadata, ages and slots, and the target of a miss.
impl Snapshot for TableState {
    fn save(&self, into: &mut Saver) -> Result<(), Unfit> {
        self.matches.save(into)?;
        into.put(&self.default)?;
        self.counters.save(into)?;
        self.meters.as_ref().map_or(Ok(()), |(_, meters)| meters.save(into))?;
        self.metadata.save(into)?;
        into.put(&self.default_metadata)?;
        self.ages.save(into)?;
        self.slots.save(into)
    }

    fn restore(&mut self, from: &mut Loader<'_>) -> Result<(), Unfit> {
        self.matches.restore(from)?;
        self.set_default(from.take()?);
        self.counters.restore(from)?;
        self.meters.as_mut().map_or(Ok(()), |(_, meters)| meters.restore(from))?;
        self.metadata.restore(from)?;
        self.default_metadata = from.take()?;
        self.ages.restore(from)?;
        self.slots.restore(from)
    }
}
