//! Saving and restoring an aggregator.

use basis::snapshot::{Loader, Saver, Snapshot, Unfit};

use super::{Aggregator, Protocol};

/// What the protocol has from the tables is not saved with it, but taken from them again.
impl<P: Protocol> Snapshot for Aggregator<P> {
    fn save(&self, into: &mut Saver) -> Result<(), Unfit> {
        into.put(&(self.now, self.replicated, self.generated))?;
        self.plane.save(into)?;
        self.state.save(into)?;
        self.replication.save(into)?;
        self.statistics.save(into)?;
        self.protocol.save(into)
    }

    fn restore(&mut self, from: &mut Loader<'_>) -> Result<(), Unfit> {
        (self.now, self.replicated, self.generated) = from.take()?;
        self.plane.restore(from)?;
        self.state.restore(from)?;
        self.replication.restore(from)?;
        self.statistics.restore(from)?;
        self.protocol.restore(from)?;
        self.protocol.set_up(self.plane.info(), &self.state);
        Ok(())
    }
}
