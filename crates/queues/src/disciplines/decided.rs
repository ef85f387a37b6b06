//! The queue of a discipline that decides about packets without holding them: see `discipline.rs`.

use std::collections::VecDeque;

use basis::{Instant, Rate};
use node::{QueueLength, Reason};
use serde::{Deserialize, Serialize};

use super::ecn::mark;
use super::priorities::sum;
use crate::Queued;
use crate::counts::{Counts, Totals};
use crate::discipline::{Arriving, Decision, Discipline, DisciplineParameters, Lanes, Leaving};
use crate::fifo::Fifo;
use crate::surroundings::{Note, Surroundings};

#[derive(Debug)]
pub(crate) struct Decided<Q> {
    discipline: Box<dyn Discipline>,
    lanes: Vec<Lane<Q>>,
    counts: Counts,
}

#[derive(Debug, Serialize, Deserialize)]
struct Lane<Q> {
    fifo: Fifo<Q>,
    /// The times at which the packets arrived, in their order.
    arrived: VecDeque<Instant>,
}

/// The lanes as a discipline sees them while some priorities are paused.
struct Seen<'q, Q> {
    lanes: &'q [Lane<Q>],
    paused: u8,
}

impl<Q: Queued> Lanes for Seen<'_, Q> {
    fn length(&self, lane: usize) -> QueueLength {
        self.lanes.get(lane).map(|lane| lane.fifo.length()).unwrap_or_default()
    }

    fn first(&self, lane: usize) -> Option<u32> {
        self.lanes.get(lane)?.fifo.next(self.paused).map(|note| note.bytes)
    }
}

impl<Q: Queued> Decided<Q> {
    pub fn new(parameters: &dyn DisciplineParameters, rate: Rate) -> Self {
        let discipline = parameters.discipline(rate);
        let lane = |_| Lane { fifo: Fifo::default(), arrived: VecDeque::new() };
        let lanes = (0..discipline.lanes().max(1)).map(lane).collect();
        Self { discipline, lanes, counts: Counts::default() }
    }

    pub fn offer(&mut self, mut item: Q, note: Note, around: &mut Surroundings<Q>) {
        let packet =
            Arriving { now: around.now, bytes: note.bytes, code_point: item.code_point(), class: item.class() };
        let lane = self.discipline.lane(&packet).min(self.lanes.len() - 1);
        let seen = Seen { lanes: &self.lanes, paused: 0 };
        let decision = self.discipline.arrives(&packet, &seen, around.random);
        if let Err(reason) = self.lanes[lane].fifo.room(self.discipline.room(lane), note, around) {
            self.counts.dropped(note.bytes);
            return around.discard(item, reason);
        }
        if let Err(reason) = self.carry_out(decision, &mut item, note) {
            return around.discard(item, reason);
        }
        self.lanes[lane].fifo.push(item, note, around);
        self.lanes[lane].arrived.push_back(around.now);
    }

    pub fn take(&mut self, paused: u8, around: &mut Surroundings<Q>) -> Option<Q> {
        loop {
            let wanted = self.discipline.next(&Seen { lanes: &self.lanes, paused });
            let can_go = |lane: &usize| self.lanes.get(*lane).is_some_and(|lane| lane.fifo.can_go(paused));
            let number = Some(wanted).filter(can_go).or_else(|| (0..self.lanes.len()).find(can_go))?;
            let lane = &mut self.lanes[number];
            let note = lane.fifo.next(paused)?;
            let mut item = lane.fifo.pop(note, around)?;
            let arrived = lane.arrived.pop_front().unwrap_or(around.now);
            let packet =
                Leaving { now: around.now, bytes: note.bytes, lane: number, waited: around.now.since(arrived) };
            let decision = self.discipline.leaves(&packet, &Seen { lanes: &self.lanes, paused }, around.random);
            match self.carry_out(decision, &mut item, note) {
                Ok(()) => {
                    self.counts.sent(note);
                    return Some(item);
                }
                Err(reason) => around.discard(item, reason),
            }
        }
    }

    /// Marks the packet if that is the decision, or returns the reason why it is dropped.
    fn carry_out(&mut self, decision: Decision, item: &mut Q, note: Note) -> Result<(), Reason> {
        let (marks, reason) = match decision {
            Decision::Pass => return Ok(()),
            Decision::Mark => (true, None),
            Decision::MarkOrDrop(reason) => (true, Some(reason)),
            Decision::Drop(reason) => (false, Some(reason)),
        };
        if marks && mark(item) {
            self.counts.rare().marked += 1;
            return Ok(());
        }
        let Some(reason) = reason.filter(|_| !note.is_lossless) else { return Ok(()) };
        self.counts.rare().early_dropped += 1;
        self.counts.dropped(note.bytes);
        Err(reason)
    }

    pub fn can_go(&self, paused: u8, _now: Instant) -> bool {
        self.lanes.iter().any(|lane| lane.fifo.can_go(paused))
    }

    pub fn each_fifo<'q>(&'q self, look: &mut dyn FnMut(&'q Fifo<Q>)) {
        self.lanes.iter().for_each(|lane| look(&lane.fifo));
    }

    pub fn length(&self) -> QueueLength {
        sum(self.lanes.iter().map(|lane| lane.fifo.length()))
    }

    pub fn add_to(&self, totals: &mut Totals) {
        self.counts.add_to(totals);
    }
}

basis::snapshot!([Q: Queued] Decided<Q> { values lanes, counts; parts discipline; });
