//! Saving and restoring the state of a chip.

use basis::snapshot::{Loader, Saver, Snapshot, Unfit};

use super::settings::ChipSettings;
use super::statistics::Statistics;
use super::switch::Tofino;
use super::timing::Cycles;
use crate::blocks::{Executor, restore_discards, save_discards};
use crate::sealed::Sealed;

/// The program, its parameters and its compiled form are construction parameters and are not saved. Between calls, the
/// only packets inside are those in queues and between the parts of the chip.
impl<E: Executor> Snapshot for Tofino<E> {
    fn save(&self, into: &mut Saver) -> Result<(), Unfit> {
        self.sealed().save(into, |into| self.save_state(into))
    }

    fn restore(&mut self, from: &mut Loader<'_>) -> Result<(), Unfit> {
        self.sealed().restore(from, |from| self.restore_state(from))
    }
}

impl<E: Executor> Tofino<E> {
    fn sealed(&self) -> Sealed {
        // The settings of the chip change while it runs, and are a part of the state.
        Sealed::of(self.executor.program(), &())
    }

    fn save_state(&self, into: &mut Saver) -> Result<(), Unfit> {
        if self.recorder.is_some() {
            return Err(Unfit("traces of packets are being recorded, and these cannot be saved".to_owned()));
        }
        self.states.iter().try_for_each(|state| state.save(into))?;
        self.plane.save(into)?;
        self.replication.save(into)?;
        self.digests.save(into)?;
        into.put(&self.random)?;
        self.undefined.save(into)?;
        into.put(&self.now)?;
        let Statistics {
            received,
            replicated,
            transmitted,
            parser_errors,
            resubmissions,
            recirculations,
            mirrored,
            pruned,
            deflected,
            ghost_runs,
            ghost_failures,
            digests,
            // The sums of those in blocks.
            discarded: _,
            discarded_in,
        } = &self.statistics;
        into.put(&[received, replicated, transmitted, parser_errors])?;
        into.put(&[resubmissions, recirculations, mirrored, digests, pruned, deflected, ghost_runs, ghost_failures])?;
        into.put(&self.last_updates)?;
        self.updates.save(into)?;
        into.put(&self.settings)?;
        into.put(&self.generators)?;
        into.put(&self.changed_queues)?;
        save_discards(discarded_in, into)?;
        self.agenda.save(into)?;
        self.calls.save(into)?;
        into.put(&self.timing.as_ref().map(|timing| &timing.free))?;
        match &self.queues {
            Some(queues) => queues.save(into),
            None => Ok(()),
        }
    }

    fn restore_state(&mut self, from: &mut Loader<'_>) -> Result<(), Unfit> {
        self.states.iter_mut().try_for_each(|state| state.restore(from))?;
        self.plane.restore(from)?;
        self.replication.restore(from)?;
        self.digests.restore(from)?;
        self.random = from.take()?;
        self.undefined.restore(from)?;
        self.now = from.take()?;
        let [received, replicated, transmitted, parser_errors] = from.take()?;
        let [resubmissions, recirculations, mirrored, digests, pruned, deflected, ghost_runs, ghost_failures] =
            from.take()?;
        let updates: Vec<_> = from.take()?;
        if updates.len() != self.last_updates.len() {
            return Err(Unfit("the state is that of a chip with another number of pipes".to_owned()));
        }
        self.last_updates = updates;
        self.updates.restore(from)?;
        // What does not change while the chip runs is not saved.
        let timed = self.settings.timed.take();
        self.settings = ChipSettings { timed, ..from.take()? };
        self.generators = from.take()?;
        self.changed_queues = from.take()?;
        let (discarded, discarded_in) = restore_discards(self.architecture(), from)?;
        self.statistics = Statistics {
            received,
            replicated,
            transmitted,
            parser_errors,
            resubmissions,
            recirculations,
            mirrored,
            pruned,
            deflected,
            ghost_runs,
            ghost_failures,
            digests,
            discarded,
            discarded_in,
        };
        self.next_idle.find(&self.states);
        self.agenda.restore(from)?;
        self.calls.restore(from)?;
        let free: Option<Vec<Cycles>> = from.take()?;
        if free.as_ref().map(Vec::len) != self.timing.as_ref().map(|timing| timing.free.len()) {
            return Err(Unfit("the state is that of a chip with other pipes".to_owned()));
        }
        if let (Some(timing), Some(free)) = (&mut self.timing, free) {
            timing.free = free;
        }
        match &mut self.queues {
            Some(queues) => queues.restore(from),
            None => Ok(()),
        }
    }
}
