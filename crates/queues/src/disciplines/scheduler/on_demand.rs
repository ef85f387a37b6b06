//! A scheduler that takes no memory before the first packet, so that a chip can have many ports that are never used.

use std::cell::OnceCell;
use std::sync::Arc;

use basis::Instant;
use basis::snapshot::{Loader, Saver, Snapshot, Unfit};
use node::{Port, QueueLength};

use super::Scheduler;
use crate::counts::Totals;
use crate::fifo::Fifo;
use crate::surroundings::{Note, Surroundings};
use crate::{Queued, SchedulerPlan};

/// The scheduler of a port, which is made when it is needed.
#[derive(Debug)]
pub(crate) struct SchedulerOnDemand<Q> {
    plan: Arc<SchedulerPlan>,
    port: Port,
    made: OnceCell<Box<Scheduler<Q>>>,
}

impl<Q: Queued> SchedulerOnDemand<Q> {
    pub fn new(plan: &Arc<SchedulerPlan>, port: Port) -> Self {
        Self { plan: Arc::clone(plan), port, made: OnceCell::new() }
    }

    /// Returns the scheduler, to look into it.
    #[inline]
    pub fn made(&self) -> &Scheduler<Q> {
        self.made.get_or_init(|| Box::new(Scheduler::new(&self.plan, self.port)))
    }

    /// Returns the scheduler.
    #[inline]
    pub fn made_mut(&mut self) -> &mut Scheduler<Q> {
        self.made();
        self.made.get_mut().unwrap_or_else(|| unreachable!("it was just made"))
    }

    /// Returns true if the scheduler has been needed.
    pub fn is_made(&self) -> bool {
        self.made.get().is_some()
    }

    #[inline]
    pub fn offer(&mut self, item: Q, note: Note, around: &mut Surroundings<Q>) {
        self.made_mut().offer(item, note, around);
    }

    #[inline]
    pub fn take(&mut self, paused: u8, around: &mut Surroundings<Q>) -> Option<Q> {
        self.made.get_mut()?.take(paused, around)
    }

    #[inline]
    pub fn can_go(&self, paused: u8, now: Instant) -> bool {
        self.made.get().is_some_and(|scheduler| scheduler.can_go(paused, now))
    }

    /// Returns the first time after `now` at which a shaper lets a packet go; `None` if nothing waits for a shaper.
    pub fn ready_at(&self, paused: u8, now: Instant) -> Option<Instant> {
        self.made.get()?.ready_at(paused, now)
    }

    pub fn each_fifo<'q>(&'q self, look: &mut dyn FnMut(&'q Fifo<Q>)) {
        self.made.get().into_iter().for_each(|scheduler| scheduler.each_fifo(look));
    }

    pub fn length(&self) -> QueueLength {
        self.made.get().map_or(QueueLength::default(), |scheduler| scheduler.length())
    }

    pub fn add_to(&self, totals: &mut Totals) {
        self.made.get().into_iter().for_each(|scheduler| scheduler.add_to(totals));
    }
}

impl<Q: Queued> Snapshot for SchedulerOnDemand<Q> {
    fn save(&self, into: &mut Saver) -> Result<(), Unfit> {
        into.put(&self.is_made())?;
        self.made.get().map_or(Ok(()), |scheduler| scheduler.save(into))
    }

    fn restore(&mut self, from: &mut Loader<'_>) -> Result<(), Unfit> {
        self.made = OnceCell::new();
        if from.take()? { self.made_mut().restore(from) } else { Ok(()) }
    }
}
