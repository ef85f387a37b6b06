//! The queue disciplines, one per file, and the queue that has one of them.

mod decided;
mod drop_tail;
mod ecn;
mod priorities;
mod red;
mod scheduler;
mod trimming;
mod weighted_fair;

use basis::snapshot::{Loader, Saver, Snapshot, Unfit};
use basis::{Instant, Rate};
use node::{Port, QueueLength};

use crate::counts::Totals;
use crate::fifo::Fifo;
use crate::surroundings::{Note, Surroundings};
use crate::{DisciplinePlan, Queued};
use decided::Decided;
use drop_tail::DropTail;
use ecn::Ecn;
use priorities::Priorities;
pub(crate) use scheduler::Scheduler;
use scheduler::SchedulerOnDemand;
pub(crate) use trimming::Known;
use trimming::Trimming;
use weighted_fair::WeightedFair;

/// A queue of one discipline. An enum rather than a trait object: dispatch is one jump, and ports are adjacent in
/// memory. Disciplines that are not on the path of most packets of most networks are [`Decided`].
#[derive(Debug)]
pub(crate) enum Queue<Q> {
    DropTail(DropTail<Q>),
    Ecn(Ecn<Q>),
    Trimming(Trimming<Q>),
    Decided(Box<Decided<Q>>),
    Priorities(Box<Priorities<Q>>),
    WeightedFair(Box<WeightedFair<Q>>),
    Scheduler(SchedulerOnDemand<Q>),
}

/// Calls a method of the discipline, whichever it is.
macro_rules! each {
    ($queue:expr, $inner:ident => $call:expr) => {
        match $queue {
            Queue::DropTail($inner) => $call,
            Queue::Ecn($inner) => $call,
            Queue::Trimming($inner) => $call,
            Queue::Decided($inner) => $call,
            Queue::Priorities($inner) => $call,
            Queue::WeightedFair($inner) => $call,
            Queue::Scheduler($inner) => $call,
        }
    };
}

// The methods on the path of every packet are inlined into the caller: a call would cost more than the work itself.
impl<Q: Queued> Queue<Q> {
    /// Returns an empty queue for a `port` with a link of this `rate`. `known` holds the settings of trimming plans, which queues
    /// share.
    pub fn new(plan: &DisciplinePlan, port: Port, rate: Rate, known: &mut Known) -> Self {
        match plan {
            DisciplinePlan::DropTail { limit } => Self::DropTail(DropTail::new(*limit)),
            DisciplinePlan::Ecn { limit, threshold } => Self::Ecn(Ecn::new(*limit, *threshold)),
            DisciplinePlan::Decided(parameters) => Self::Decided(Box::new(Decided::new(&**parameters, rate))),
            DisciplinePlan::Trimming(plan) => Self::Trimming(Trimming::new(known.settings(plan))),
            DisciplinePlan::StrictPriorities { map, classes } => {
                let queues = classes.iter().map(|class| Self::new(class, port, rate, known)).collect();
                Self::Priorities(Box::new(Priorities::new(map.clone(), queues)))
            }
            DisciplinePlan::WeightedFair { map, classes } => {
                let weights: Vec<u32> = classes.iter().map(|class| class.weight).collect();
                let queues = classes.iter().map(|class| Self::new(&class.discipline, port, rate, known)).collect();
                Self::WeightedFair(Box::new(WeightedFair::new(map.clone(), queues, &weights)))
            }
            DisciplinePlan::Scheduler(plan) => Self::Scheduler(SchedulerOnDemand::new(plan, port)),
        }
    }

    /// Offers a packet, which waits here unless it, or another one that gave way to it, is added to the refusals.
    #[inline(always)]
    pub fn offer(&mut self, item: Q, note: Note, around: &mut Surroundings<Q>) {
        each!(self, queue => queue.offer(item, note, around));
    }

    /// Takes the packet that goes next, if one can go while the `paused` priorities wait.
    #[inline(always)]
    pub fn take(&mut self, paused: u8, around: &mut Surroundings<Q>) -> Option<Q> {
        each!(self, queue => queue.take(paused, around))
    }

    /// Returns true if [`Queue::take`] would return a packet.
    #[inline(always)]
    pub fn can_go(&self, paused: u8, now: Instant) -> bool {
        each!(self, queue => queue.can_go(paused, now))
    }

    /// Returns true if the discipline drops, marks and draws only when packets are offered, so that a packet that is taken depends
    /// on nothing but the order of offers and takes.
    pub fn decides_at_offers(&self) -> bool {
        matches!(self, Self::DropTail(_) | Self::Ecn(_) | Self::Trimming(_))
    }

    /// Returns true if the discipline is a scheduler.
    #[inline]
    pub fn is_scheduler(&self) -> bool {
        matches!(self, Self::Scheduler(_))
    }

    /// Returns the scheduler, if that is the discipline.
    #[inline]
    pub fn scheduler(&self) -> Option<&Scheduler<Q>> {
        if let Self::Scheduler(scheduler) = self { Some(scheduler.made()) } else { None }
    }

    /// Returns the first time after `now` at which a shaper of a scheduler lets a packet go that waits for it.
    pub fn shaped_until(&self, paused: u8, now: Instant) -> Option<Instant> {
        if let Self::Scheduler(scheduler) = self { scheduler.ready_at(paused, now) } else { None }
    }

    /// Returns the scheduler for changes of it.
    #[inline]
    pub fn scheduler_mut(&mut self) -> Option<&mut Scheduler<Q>> {
        if let Self::Scheduler(scheduler) = self { Some(scheduler.made_mut()) } else { None }
    }

    /// Prefetches the memory of the packet that goes next, for disciplines that know it without a search.
    #[inline]
    pub fn prepare(&self) {
        if let Self::Trimming(queue) = self {
            queue.prepare();
        }
    }

    /// Calls `look` for each first-in, first-out queue of the discipline.
    pub fn each_fifo<'q>(&'q self, look: &mut dyn FnMut(&'q Fifo<Q>)) {
        each!(self, queue => queue.each_fifo(look));
    }

    /// Returns the length of the queue.
    pub fn length(&self) -> QueueLength {
        each!(self, queue => queue.length())
    }

    /// Returns the bytes of [`Queue::length`], which are asked for with every packet.
    #[inline(always)]
    pub fn bytes(&self) -> u64 {
        if let Self::Trimming(queue) = self { queue.bytes() } else { self.length().bytes }
    }

    /// Adds the counters of this queue to `totals`.
    pub fn add_to(&self, totals: &mut Totals) {
        each!(self, queue => queue.add_to(totals));
    }
}

impl<Q: Queued> Snapshot for Queue<Q> {
    fn save(&self, into: &mut Saver) -> Result<(), Unfit> {
        each!(self, queue => queue.save(into))
    }

    fn restore(&mut self, from: &mut Loader<'_>) -> Result<(), Unfit> {
        each!(self, queue => queue.restore(from))
    }
}
