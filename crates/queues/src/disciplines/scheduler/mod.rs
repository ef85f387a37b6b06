//! Queues that the sender of a packet names: strict priorities, deficit round robin within a priority, least and greatest
//! rates, a shaper of the port, and memory in cells.
//!
//! A port first serves queues that are within their least rate, by priority, and then the others, by their priority for
//! what remains. Queues of the same priority take turns by deficit round robin.

mod on_demand;
mod queue;
mod room;
mod turns;

use basis::Instant;
use basis::snapshot::{Loader, Saver, Snapshot, Unfit};
use node::{Port, QueueLength};

use super::priorities::sum;
use crate::counts::Totals;
use crate::fifo::Fifo;
use crate::memory::Memory;
use crate::plan::MOST_QUEUES;
use crate::shaper::{TokenBucket, is_open, opens_at};
use crate::status::Tally;
use crate::surroundings::{Note, Surroundings};
use crate::{ChangeError, ClassMap, Depth, QueueChange, QueueStatus, Queued, SchedulerPlan, ShaperPlan, reasons};
pub(crate) use on_demand::SchedulerOnDemand;
use queue::NamedQueue;
use turns::{QueueSet, Turns};

#[derive(Debug)]
pub(crate) struct Scheduler<Q> {
    map: ClassMap,
    queues: Vec<NamedQueue<Q>>,
    shaper: Option<TokenBucket>,
    /// The turns of queues within their least rate, and those of the others.
    turns: [Turns; 2],
    /// The queues in which something waits.
    waiting: QueueSet,
    /// What named a queue that does not exist.
    unknown: Tally,
}

impl<Q: Queued> Scheduler<Q> {
    pub fn new(plan: &SchedulerPlan, port: Port) -> Self {
        let queues = plan.queues.iter().take(MOST_QUEUES).zip(0..).map(|(queue, number)| (queue, (port, number)));
        Self {
            map: plan.map.clone(),
            queues: queues.map(|(queue, name)| NamedQueue::new(queue.clone(), name)).collect(),
            shaper: plan.shaper.map(TokenBucket::new),
            turns: [Turns::new(plan.quantum), Turns::new(plan.quantum)],
            waiting: QueueSet::EMPTY,
            unknown: Tally::default(),
        }
    }

    pub fn offer(&mut self, item: Q, note: Note, around: &mut Surroundings<Q>) {
        let named = item.class().map(usize::from);
        let number = named.unwrap_or_else(|| {
            usize::from(self.map.class(item.code_point().unwrap_or(0))).min(self.queues.len().saturating_sub(1))
        });
        let Some(queue) = self.queues.get_mut(number) else {
            self.unknown.count(note.bytes);
            return around.discard(item, reasons::NO_SUCH_QUEUE);
        };
        if queue.offer(item, note, around) {
            self.waiting.insert(number);
        }
    }

    pub fn take(&mut self, paused: u8, around: &mut Surroundings<Q>) -> Option<Q> {
        let now = around.now;
        if self.waiting.is_empty() || !is_open(&self.shaper, now) {
            return None;
        }
        let ready = self.waiting.filter(|number| self.queues[number].can_go(paused, now));
        let within = ready.filter(|number| self.queues[number].is_within_minimum(now));
        let (kind, set) = if within.is_empty() { (REMAINING, ready) } else { (GUARANTEED, within) };
        let priority = set.iter().map(|number| self.queues[number].priority(kind)).max()?;
        let members = set.filter(|number| self.queues[number].priority(kind) == priority);
        let number = self.turns[kind].choose(priority, members, |number| self.queues[number].appetite())?;
        let queue = &mut self.queues[number];
        let (item, note) = queue.take(paused, kind == GUARANTEED, around)?;
        self.turns[kind].served(number, note.bytes);
        if let Some(shaper) = &mut self.shaper {
            shaper.take(now, note.bytes);
        }
        if queue.is_empty() {
            self.waiting.remove(number);
            self.turns.iter_mut().for_each(|turns| turns.rest(number));
        }
        Some(item)
    }

    pub fn can_go(&self, paused: u8, now: Instant) -> bool {
        is_open(&self.shaper, now) && self.waiting.iter().any(|number| self.queues[number].can_go(paused, now))
    }

    /// Returns the first time after `now` at which a shaper lets a packet go; `None` if nothing waits for a shaper.
    pub fn ready_at(&self, paused: u8, now: Instant) -> Option<Instant> {
        let first = self.waiting.iter().filter_map(|number| self.queues[number].opens_at(paused)).min()?;
        Some(first.max(opens_at(&self.shaper))).filter(|&ready| ready > now)
    }

    pub fn each_fifo<'q>(&'q self, look: &mut dyn FnMut(&'q Fifo<Q>)) {
        self.queues.iter().for_each(|queue| look(queue.fifo()));
    }

    pub fn length(&self) -> QueueLength {
        sum(self.waiting.iter().map(|number| self.queues[number].fifo().length()))
    }

    pub fn add_to(&self, totals: &mut Totals) {
        totals.add_dropped(self.unknown);
        self.queues.iter().for_each(|queue| queue.add_to(totals));
    }

    /// Returns the number of queues.
    pub fn queues(&self) -> usize {
        self.queues.len()
    }

    /// Returns how much waits in a queue; `None` if there is no such queue.
    pub fn depth(&self, queue: u8) -> Option<Depth> {
        self.queues.get(usize::from(queue)).map(NamedQueue::depth)
    }

    /// Returns the cells that a queue may hold at most at present; `None` if there is no such queue.
    pub fn limit(&self, queue: u8, memory: &Memory) -> Option<u64> {
        Some(self.queues.get(usize::from(queue))?.limit(memory))
    }

    pub fn status(&self, queue: u8) -> Option<QueueStatus> {
        self.queues.get(usize::from(queue)).map(NamedQueue::status)
    }

    /// Returns the depth of a queue that is about to be reported as changed: its next change will be reported afresh.
    pub fn report(&mut self, queue: u8) -> Option<Depth> {
        self.queues.get_mut(usize::from(queue)).map(NamedQueue::report)
    }

    pub fn change(&mut self, now: Instant, queue: u8, change: QueueChange) -> Result<(), ChangeError> {
        self.queues.get_mut(usize::from(queue)).ok_or(ChangeError::NoSuchQueue)?.change(now, change)
    }

    pub fn shape(&mut self, now: Instant, plan: Option<ShaperPlan>) {
        TokenBucket::replace(&mut self.shaper, plan, now);
    }
}

/// The kinds of service: within the least rate, and of what remains.
const GUARANTEED: usize = 0;
const REMAINING: usize = 1;

/// Settings that were changed at run time are part of the state.
impl<Q: Queued> Snapshot for Scheduler<Q> {
    fn save(&self, into: &mut Saver) -> Result<(), Unfit> {
        into.put(&self.shaper)?;
        into.put(&self.unknown)?;
        into.put(&self.turns)?;
        self.queues.save(into)
    }

    fn restore(&mut self, from: &mut Loader<'_>) -> Result<(), Unfit> {
        self.shaper = from.take()?;
        self.unknown = from.take()?;
        self.turns = from.take()?;
        if !self.turns.iter().all(Turns::is_sound) {
            return Err(Unfit("the state has turns of queues that do not exist".to_owned()));
        }
        self.queues.restore(from)?;
        let all = QueueSet::first(self.queues.len());
        self.waiting = all.filter(|number| !self.queues[number].is_empty());
        Ok(())
    }
}
