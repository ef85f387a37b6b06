//! One queue of a scheduler.

use basis::Instant;
use basis::snapshot::{Loader, Saver, Snapshot, Unfit};
use node::{Port, Reason};
use serde::{Deserialize, Serialize};

use super::room::Room;
use super::turns::Appetite;
use crate::counts::Totals;
use crate::fifo::Fifo;
use crate::memory::Memory;
use crate::plan::PRIORITIES;
use crate::shaper::{TokenBucket, is_open, opens_at};
use crate::surroundings::{Note, Surroundings};
use crate::{ChangeError, Depth, QueueChange, QueuePlan, QueueStatus, Queued, RoomPlan, Tally, reasons};

/// The reasons for which a queue refuses packets, in the order in which they are counted.
const REASONS: [Reason; 5] = [
    reasons::SHARED_BUFFER_FULL,
    reasons::QUEUE_FULL,
    reasons::THRESHOLD_REACHED,
    reasons::COLOR_LIMIT_REACHED,
    reasons::QUEUE_CLOSED,
];

#[derive(Debug)]
pub(super) struct NamedQueue<Q> {
    fifo: Fifo<Q>,
    /// The port, and the number of the queue there.
    name: (Port, u8),
    /// The settings now in force.
    plan: QueuePlan,
    room: Room,
    state: State,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct State {
    minimum: Option<TokenBucket>,
    maximum: Option<TokenBucket>,
    is_paused: bool,
    is_closed: bool,
    /// True if the queue is among those whose depths have changed.
    is_listed: bool,
    /// The cells that what waits occupies.
    cells: u64,
    high_water: Depth,
    enqueued: Tally,
    dequeued: Tally,
    dropped: [Tally; REASONS.len()],
}

impl<Q: Queued> NamedQueue<Q> {
    pub fn new(plan: QueuePlan, name: (Port, u8)) -> Self {
        let state = State {
            minimum: plan.minimum.map(TokenBucket::new),
            maximum: plan.maximum.map(TokenBucket::new),
            ..State::default()
        };
        Self { fifo: Fifo::default(), name, room: Room::new(&plan.room), plan, state }
    }

    /// Queues a packet and returns true, or discards it.
    pub fn offer(&mut self, item: Q, note: Note, around: &mut Surroundings<Q>) -> bool {
        let cells = around.memory.cells_of(note.bytes, around.framing);
        if let Err(reason) = self.admits(&item, note, cells, around) {
            let place = REASONS.iter().position(|&known| known == reason);
            self.state.dropped[place.unwrap_or(0)].count(note.bytes);
            around.discard(item, reason);
            return false;
        }
        self.room.hold(self.state.cells, cells, around.memory);
        self.fifo.push_among(self.state.cells, item, note, around);
        self.state.cells += cells;
        self.state.enqueued.count(note.bytes);
        let depth = self.depth();
        let high = &mut self.state.high_water;
        high.packets = high.packets.max(depth.packets);
        high.bytes = high.bytes.max(depth.bytes);
        high.cells = high.cells.max(depth.cells);
        self.changed(around);
        true
    }

    fn admits(&self, item: &Q, note: Note, cells: u64, around: &Surroundings<Q>) -> Result<(), Reason> {
        if self.state.is_closed {
            Err(reasons::QUEUE_CLOSED)
        } else if note.is_lossless {
            // Room was reserved for it at its ingress port (IEEE 802.1Qbb).
            Ok(())
        } else {
            self.room.admits(self.state.cells, cells, item.color(), around.memory)
        }
    }

    /// Takes the first packet.
    pub fn take(&mut self, paused: u8, is_guaranteed: bool, around: &mut Surroundings<Q>) -> Option<(Q, Note)> {
        let note = self.fifo.next(paused)?;
        let cells = around.memory.cells_of(note.bytes, around.framing);
        let left = self.state.cells.saturating_sub(cells);
        let item = self.fifo.pop_among(left, note, around)?;
        self.state.cells = left;
        self.room.release(left, cells, around.memory);
        self.state.dequeued.count(note.bytes);
        if let Some(maximum) = &mut self.state.maximum {
            maximum.take(around.now, note.bytes);
        }
        if is_guaranteed && let Some(minimum) = &mut self.state.minimum {
            minimum.take(around.now, note.bytes);
        }
        self.changed(around);
        Some((item, note))
    }

    fn changed(&mut self, around: &mut Surroundings<Q>) {
        if let Some(changes) = &mut around.memory.changes
            && !self.state.is_listed
        {
            self.state.is_listed = true;
            changes.push(self.name);
        }
    }

    /// Returns true if the first packet may go.
    pub fn can_go(&self, paused: u8, now: Instant) -> bool {
        !self.state.is_paused && self.fifo.can_go(paused) && is_open(&self.state.maximum, now)
    }

    /// Returns the time from which on the greatest rate lets the first packet go; `None` if something else holds it, or
    /// if there is none.
    pub fn opens_at(&self, paused: u8) -> Option<Instant> {
        let is_held_otherwise = self.state.is_paused || !self.fifo.can_go(paused);
        (!is_held_otherwise).then(|| opens_at(&self.state.maximum))
    }

    /// Returns true if the queue has a least rate and has not used it up.
    pub fn is_within_minimum(&self, now: Instant) -> bool {
        self.state.minimum.as_ref().is_some_and(|minimum| minimum.is_open(now))
    }

    /// Returns the priority within the least rate (0) or of what remains (1).
    pub fn priority(&self, kind: usize) -> u8 {
        if kind == super::GUARANTEED { self.plan.priority } else { self.plan.remaining_priority }
    }

    pub fn appetite(&self) -> Appetite {
        Appetite { bytes: self.fifo.next(0).map_or(0, |note| note.bytes), weight: self.plan.weight }
    }

    pub fn is_empty(&self) -> bool {
        self.fifo.is_empty()
    }

    pub fn fifo(&self) -> &Fifo<Q> {
        &self.fifo
    }

    pub fn depth(&self) -> Depth {
        Depth { packets: self.fifo.packets() as u64, bytes: self.fifo.bytes(), cells: self.state.cells }
    }

    /// Returns the cells that the queue may hold at most at present.
    pub fn limit(&self, memory: &Memory) -> u64 {
        self.room.limit(self.state.cells, memory)
    }

    pub fn report(&mut self) -> Depth {
        self.state.is_listed = false;
        self.depth()
    }

    pub fn status(&self) -> QueueStatus {
        let State { is_paused, is_closed, high_water, enqueued, dequeued, .. } = self.state;
        let dropped = REASONS.into_iter().zip(self.state.dropped).filter(|(_, tally)| tally.packets > 0).collect();
        QueueStatus { depth: self.depth(), high_water, enqueued, dequeued, dropped, is_paused, is_closed }
    }

    pub fn add_to(&self, totals: &mut Totals) {
        totals.add_sent(self.state.dequeued);
        self.state.dropped.iter().for_each(|&dropped| totals.add_dropped(dropped));
    }

    pub fn change(&mut self, now: Instant, change: QueueChange) -> Result<(), ChangeError> {
        let mut plan = self.plan.clone();
        match change {
            QueueChange::Paused(is_paused) => self.state.is_paused = is_paused,
            QueueChange::Closed(is_closed) => self.state.is_closed = is_closed,
            QueueChange::Weight(weight) => plan.weight = weight,
            QueueChange::Priority(priority) => plan.priority = priority,
            QueueChange::RemainingPriority(priority) => plan.remaining_priority = priority,
            QueueChange::Minimum(minimum) => plan.minimum = minimum,
            QueueChange::Maximum(maximum) => plan.maximum = maximum,
            QueueChange::Limits(room) => {
                plan.room = RoomPlan { pool: plan.room.pool, reserved: plan.room.reserved, ..room };
            }
        }
        // What was wrong before is no reason to refuse another change.
        let number = usize::from(self.name.1);
        let known = self.plan.out_of_range(number);
        let mut problems = plan.out_of_range(number);
        problems.retain(|problem| !known.contains(problem));
        if !problems.is_empty() {
            return Err(ChangeError::BadValue(problems.join("; ")));
        }
        if plan.minimum != self.plan.minimum {
            TokenBucket::replace(&mut self.state.minimum, plan.minimum, now);
        }
        if plan.maximum != self.plan.maximum {
            TokenBucket::replace(&mut self.state.maximum, plan.maximum, now);
        }
        self.room = Room::new(&plan.room);
        self.plan = plan;
        Ok(())
    }
}

impl<Q: Queued> Snapshot for NamedQueue<Q> {
    fn save(&self, into: &mut Saver) -> Result<(), Unfit> {
        into.put(&self.plan)?;
        into.put(&self.fifo)?;
        into.put(&self.state)
    }

    fn restore(&mut self, from: &mut Loader<'_>) -> Result<(), Unfit> {
        self.plan = from.take()?;
        self.fifo = from.take()?;
        self.state = from.take()?;
        if self.plan.priority.max(self.plan.remaining_priority) >= PRIORITIES {
            return Err(Unfit("the state has a queue whose priority does not exist".to_owned()));
        }
        self.room = Room::new(&self.plan.room);
        Ok(())
    }
}
