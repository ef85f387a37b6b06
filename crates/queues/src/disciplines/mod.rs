//! The disciplines, one a file; and which of them a queue has.

mod drop_tail;
mod ecn;
mod priorities;
mod red;
mod trimming;
mod weighted_fair;

use basis::Rate;
use basis::snapshot::{Loader, Saver, Snapshot, Unfit};
use node::QueueLength;

use crate::counts::Totals;
use crate::fifo::Fifo;
use crate::surroundings::{Note, Surroundings};
use crate::{DisciplinePlan, Queued};
use drop_tail::DropTail;
use ecn::Ecn;
use priorities::Priorities;
use red::Red;
pub(crate) use trimming::Known;
use trimming::Trimming;
use weighted_fair::WeightedFair;

/// A queue of one discipline. An enum and no trait object: the choice is one jump, and ports lie side by side.
#[derive(Debug)]
pub(crate) enum Queue<Q> {
    DropTail(DropTail<Q>),
    Ecn(Ecn<Q>),
    Trimming(Trimming<Q>),
    Red(Box<Red<Q>>),
    Priorities(Box<Priorities<Q>>),
    WeightedFair(Box<WeightedFair<Q>>),
}

/// Calls a method of whichever discipline it is.
macro_rules! each {
    ($queue:expr, $inner:ident => $call:expr) => {
        match $queue {
            Queue::DropTail($inner) => $call,
            Queue::Ecn($inner) => $call,
            Queue::Trimming($inner) => $call,
            Queue::Red($inner) => $call,
            Queue::Priorities($inner) => $call,
            Queue::WeightedFair($inner) => $call,
        }
    };
}

// What happens to each packet stands where packets are queued: a call of its own would cost more than it does.
impl<Q: Queued> Queue<Q> {
    /// An empty queue of a line of this `rate`; `known` are the trimming plans of others, which are shared.
    pub fn new(plan: &DisciplinePlan, rate: Rate, known: &mut Known) -> Self {
        match plan {
            DisciplinePlan::DropTail { limit } => Self::DropTail(DropTail::new(*limit)),
            DisciplinePlan::Ecn { limit, threshold } => Self::Ecn(Ecn::new(*limit, *threshold)),
            DisciplinePlan::Red(plan) => Self::Red(Box::new(Red::new(plan, rate))),
            DisciplinePlan::Trimming(plan) => Self::Trimming(Trimming::new(known.settings(plan))),
            DisciplinePlan::StrictPriorities { map, classes } => {
                let queues = classes.iter().map(|class| Self::new(class, rate, known)).collect();
                Self::Priorities(Box::new(Priorities::new(map.clone(), queues)))
            }
            DisciplinePlan::WeightedFair { map, classes } => {
                let weights: Vec<u32> = classes.iter().map(|class| class.weight).collect();
                let queues = classes.iter().map(|class| Self::new(&class.discipline, rate, known)).collect();
                Self::WeightedFair(Box::new(WeightedFair::new(map.clone(), queues, &weights)))
            }
        }
    }

    /// A packet comes: it waits here, or it or another one is among the refusals.
    #[inline(always)]
    pub fn offer(&mut self, item: Q, note: Note, around: &mut Surroundings<Q>) {
        each!(self, queue => queue.offer(item, note, around));
    }

    /// The packet that goes next, if one can while some priorities are paused.
    #[inline(always)]
    pub fn take(&mut self, paused: u8, around: &mut Surroundings<Q>) -> Option<Q> {
        each!(self, queue => queue.take(paused, around))
    }

    /// True if [`Queue::take`] would give a packet.
    #[inline(always)]
    pub fn can_go(&self, paused: u8) -> bool {
        each!(self, queue => queue.can_go(paused))
    }

    /// Asks for the memory of the packet that goes next, where that is quickly said.
    #[inline]
    pub fn prepare(&self) {
        if let Self::Trimming(queue) = self {
            queue.prepare();
        }
    }

    /// Shows each line in which packets wait for each other.
    pub fn each_fifo<'q>(&'q self, look: &mut dyn FnMut(&'q Fifo<Q>)) {
        each!(self, queue => queue.each_fifo(look));
    }

    /// What waits.
    pub fn length(&self) -> QueueLength {
        each!(self, queue => queue.length())
    }

    /// Adds what was counted.
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
