//! Saving and restoring the state of a chip.

use basis::snapshot::{Loader, Saver, Snapshot, Unfit};
use ir::interpret::threads::{Instructions, Output};
use node::Reason;

use super::chip::Trio;
use crate::sealed::Sealed;

/// The program and the parameters are construction parameters and are not saved.
impl<C: Instructions> Snapshot for Trio<C> {
    fn save(&self, into: &mut Saver) -> Result<(), Unfit> {
        self.sealed().save(into, |into| self.save_state(into))
    }

    fn restore(&mut self, from: &mut Loader<'_>) -> Result<(), Unfit> {
        self.sealed().restore(from, |from| self.restore_state(from))
    }
}

impl<C: Instructions> Trio<C> {
    fn sealed(&self) -> Sealed {
        Sealed::of(self.code.declarations().program(), &self.parameters)
    }

    fn save_state(&self, into: &mut Saver) -> Result<(), Unfit> {
        if self.traces.is_some() {
            return Err(Unfit("traces of packets are being recorded, and these cannot be saved".to_owned()));
        }
        self.state.save(into)?;
        self.plane.save(into)?;
        self.replication.save(into)?;
        self.digests.save(into)?;
        into.put(&(self.has_begun, self.now, self.cycle, self.threads, self.working, self.queued))?;
        self.calendar.save(into)?;
        into.put(&self.slots.len())?;
        for slot in &self.slots {
            // What a thread has left behind that has ended matters to nobody.
            let thread = slot.thread.as_ref().filter(|_| slot.own.state != super::slot::State::Free);
            into.put(&thread.is_some())?;
            thread.map_or(Ok(()), |thread| thread.save(into))?;
            into.put(&slot.own)?;
        }
        into.put(&self.engines)?;
        into.put(&self.dispatch)?;
        self.memory.save(into)?;
        into.put(&self.reorder)?;
        into.put(&self.timers)?;
        into.put(&(&self.pending, &self.free_pending))?;
        into.put(&self.statistics)?;
        into.put(&self.statistics.discarded.iter().collect::<Vec<_>>())?;
        self.queues.as_ref().map_or(Ok(()), |queues| queues.save(into))
    }

    fn restore_state(&mut self, from: &mut Loader<'_>) -> Result<(), Unfit> {
        self.state.restore(from)?;
        self.plane.restore(from)?;
        self.replication.restore(from)?;
        self.digests.restore(from)?;
        (self.has_begun, self.now, self.cycle, self.threads, self.working, self.queued) = from.take()?;
        self.calendar.restore(from)?;
        if from.take::<usize>()? != self.slots.len() {
            return Err(Unfit("the state is that of a chip with other engines".to_owned()));
        }
        for place in 0..self.slots.len() {
            let thread = match from.take()? {
                true => {
                    let mut thread = self.blank_thread();
                    thread.restore(from)?;
                    Some(thread)
                }
                false => None,
            };
            let own = from.take()?;
            self.slots[place] = super::slot::Slot { thread, own };
        }
        self.engines = from.take()?;
        self.dispatch = from.take()?;
        self.memory.restore(from)?;
        self.reorder = from.take()?;
        self.timers = from.take()?;
        let pending: (Vec<Option<(u32, Output)>>, Vec<u32>) = from.take()?;
        (self.pending, self.free_pending) = pending;
        self.statistics = from.take()?;
        let discarded: Vec<(Reason, u64)> = from.take()?;
        self.statistics.discarded = discarded.into_iter().collect();
        self.next_idle.find(std::slice::from_ref(&self.state));
        self.queues.as_mut().map_or(Ok(()), |queues| queues.restore(from))
    }
}
