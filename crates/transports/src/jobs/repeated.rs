//! A job that sums tensors of equal length, one after another.

use std::collections::{BTreeMap, VecDeque};

use basis::{Duration, Instant};
use node::{NotBegun, Outbox};
use serde::{Deserialize, Serialize};

use super::{Check, Checked, TensorEvent, TensorHappening};
use crate::aggregation::{Job, Outcome, Sum, Tensor};

/// The tensors of a job, and when they are begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TensorSchedule {
    /// The time at which the first tensors are begun.
    pub start: Instant,
    /// The number of tensors.
    pub count: u32,
    /// The number of values of each; at least 1.
    pub length: u64,
    /// The number of tensors that are under way at a time; at least 1.
    pub outstanding: u32,
    /// The time between the end of a tensor and the beginning of the one that takes its turn.
    pub pause: Duration,
    /// The time from which on no tensor is begun. With such a time, tensors that have not begun are not missed.
    pub end: Option<Instant>,
}

/// One worker's part of a job that sums tensors of equal length, and compares every sum that comes out with one that it
/// forms itself.
#[derive(Debug)]
pub struct RepeatedTensors {
    job: u8,
    rank: u16,
    check: Check,
    schedule: TensorSchedule,
    /// The number of the next tensor to begin.
    next: u32,
    /// The times at which further tensors may begin, in ascending order.
    turns: VecDeque<Instant>,
    /// The tensors that have begun and are not finished.
    open: BTreeMap<u32, Open>,
}

/// What has come out of a tensor that is not finished.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Open {
    covered: u64,
    missed: u64,
    partial: u64,
    has_wrong: bool,
}

impl RepeatedTensors {
    /// Creates the part of the worker of a rank in the job of a number.
    pub fn new(job: u8, rank: u16, check: Check, schedule: TensorSchedule) -> Self {
        let turns = Self::turns(schedule.start, schedule);
        Self { job, rank, check, schedule, next: 0, turns, open: BTreeMap::new() }
    }

    fn turns(at: Instant, schedule: TensorSchedule) -> VecDeque<Instant> {
        (0..schedule.outstanding.min(schedule.count)).map(|_| at).collect()
    }

    fn tell(&self, tensor: u32, happened: TensorHappening, out: &mut Outbox) {
        if out.interest().wants::<TensorEvent>() {
            out.emit(TensorEvent { job: self.job, worker: self.rank, tensor, happened });
        }
    }

    /// Returns true if a tensor may begin at `at`.
    fn may_begin(&self, at: Instant) -> bool {
        self.next < self.schedule.count && self.schedule.end.is_none_or(|end| at < end)
    }

    /// Appends the tensors whose turn has come.
    fn begin(&mut self, now: Instant, begin: &mut Vec<Tensor>, out: &mut Outbox) {
        while self.may_begin(now) && self.turns.pop_front_if(|at| *at <= now).is_some() {
            let number = self.next;
            self.next += 1;
            self.open.insert(number, Open::default());
            begin.push(Tensor { number, length: self.schedule.length });
            self.tell(number, TensorHappening::Begun { values: self.schedule.length }, out);
        }
    }

    fn part(&mut self, tensor: u32, first: u64, sources: u16, sum: Sum<'_>, out: &mut Outbox) {
        let count = match sum {
            Sum::Integers(sums) => sums.len(),
            Sum::Floats(sums) => sums.len(),
        } as u64;
        let is_beyond = first.saturating_add(count) > self.schedule.length;
        let checked = self.check.part(tensor, first, sources, sum);
        let Some(open) = self.open.get_mut(&tensor).filter(|_| !is_beyond) else {
            return self.tell(tensor, TensorHappening::Uncovered { values: first.saturating_add(count) }, out);
        };
        open.covered += count;
        if sources < self.check.workers {
            open.partial += count;
        }
        if let Checked::Wrong(wrong) = checked
            && !open.has_wrong
        {
            open.has_wrong = true;
            self.tell(tensor, TensorHappening::Wrong(wrong), out);
        }
    }

    fn finished(&mut self, now: Instant, tensor: u32, out: &mut Outbox) {
        let Some(open) = self.open.remove(&tensor) else {
            return self.tell(tensor, TensorHappening::Uncovered { values: 0 }, out);
        };
        let Open { covered, missed, partial, .. } = open;
        if covered + missed != self.schedule.length {
            self.tell(tensor, TensorHappening::Uncovered { values: covered + missed }, out);
        }
        self.tell(tensor, TensorHappening::Finished { missed, partial }, out);
        self.turns.push_back(now + self.schedule.pause);
    }
}

impl Job for RepeatedTensors {
    fn deadline(&self) -> Option<Instant> {
        self.turns.front().copied().filter(|at| self.may_begin(*at))
    }

    fn wake(&mut self, now: Instant, begin: &mut Vec<Tensor>, out: &mut Outbox) {
        self.begin(now, begin, out);
    }

    fn outcome(&mut self, now: Instant, outcome: Outcome<'_>, begin: &mut Vec<Tensor>, out: &mut Outbox) {
        match outcome {
            Outcome::Part { tensor, first, sources, sum } => self.part(tensor, first, sources, sum, out),
            Outcome::Missed { tensor, length, .. } => {
                if let Some(open) = self.open.get_mut(&tensor) {
                    open.missed += length;
                }
            }
            Outcome::Finished { tensor } => {
                self.finished(now, tensor, out);
                self.wake(now, begin, out);
            }
            Outcome::Straggler { worker, is_permanent } => {
                let happened = TensorHappening::Straggler { straggler: worker, is_permanent };
                self.tell(self.next.saturating_sub(1), happened, out);
            }
        }
    }

    fn restarted(&mut self, now: Instant, begin: &mut Vec<Tensor>, out: &mut Outbox) {
        self.next = 0;
        self.open.clear();
        self.turns = Self::turns(now.max(self.schedule.start), self.schedule);
        self.wake(now, begin, out);
    }

    fn not_begun(&self, tell: &mut dyn FnMut(NotBegun)) {
        let count = u64::from(self.schedule.count - self.next);
        if count > 0 && self.schedule.end.is_none() {
            let why = match self.deadline() {
                Some(at) => format!("would begin at {at}"),
                None => "begins when the tensors before it are finished".to_owned(),
            };
            tell(NotBegun { count, destination: None, bytes: Some(4 * self.schedule.length), why });
        }
    }
}

basis::snapshot!(RepeatedTensors { values next, turns, open; });

#[cfg(test)]
mod tests {
    use measure::Interest;

    use super::*;
    use crate::jobs::{Arithmetic, Distribution, Values};

    fn job(outstanding: u32, pause: u64) -> (RepeatedTensors, Outbox) {
        let arithmetic = Arithmetic::Integers { size: 100 };
        let check = Check { values: Values { seed: 1, arithmetic, distribution: Distribution::Uniform }, workers: 2 };
        let start = Instant::ZERO + Duration::from_microseconds(5);
        let pause = Duration::from_microseconds(pause);
        let schedule = TensorSchedule { start, count: 3, length: 10, outstanding, pause, end: None };
        (RepeatedTensors::new(9, 1, check, schedule), Outbox::new(Interest::of::<TensorEvent>()))
    }

    fn told(out: &mut Outbox) -> Vec<(u32, TensorHappening)> {
        let read = |event: measure::Event| {
            let event: TensorEvent = event.read().expect("an event of a tensor");
            assert_eq!((event.job, event.worker), (9, 1));
            (event.tensor, event.happened)
        };
        out.events.drain(..).map(read).collect()
    }

    fn sums(job: &RepeatedTensors, tensor: u32) -> [i32; 10] {
        let mut sums = [0; 10];
        for rank in 0..2 {
            job.check.values.each_integer(rank, tensor, 0, 10, |at, value| sums[at] += value);
        }
        sums
    }

    #[test]
    fn tensors_begin_in_turns_and_after_pauses() {
        let (mut job, mut out) = job(2, 3);
        let mut begin = Vec::new();
        let start = job.deadline().expect("a start");
        job.wake(start, &mut begin, &mut out);
        assert_eq!(begin.iter().map(|tensor| tensor.number).collect::<Vec<_>>(), [0, 1]);
        assert_eq!(job.deadline(), None, "nothing begins before something ends");
        let sums = sums(&job, 1);
        let now = start + Duration::from_microseconds(10);
        let part = |first: usize, count: usize| Outcome::Part {
            tensor: 1,
            first: first as u64,
            sources: 2,
            sum: Sum::Integers(&sums[first..first + count]),
        };
        job.outcome(now, part(4, 6), &mut begin, &mut out);
        job.outcome(now, part(0, 4), &mut begin, &mut out);
        job.outcome(now, Outcome::Finished { tensor: 1 }, &mut begin, &mut out);
        assert_eq!(job.deadline(), Some(now + Duration::from_microseconds(3)));
        let begun = TensorHappening::Begun { values: 10 };
        let finished = TensorHappening::Finished { missed: 0, partial: 0 };
        assert_eq!(told(&mut out), [(0, begun), (1, begun), (1, finished)]);
        job.wake(now + Duration::from_microseconds(3), &mut begin, &mut out);
        assert_eq!(begin.last().map(|tensor| tensor.number), Some(2));
        assert_eq!(job.deadline(), None, "there are three tensors");
    }

    #[test]
    fn wrong_sums_and_gaps_are_told_once() {
        let (mut job, mut out) = job(1, 0);
        let mut begin = Vec::new();
        job.wake(job.deadline().expect("a start"), &mut begin, &mut out);
        let mut sums = sums(&job, 0);
        sums[6] += 1;
        let now = Instant::ZERO + Duration::from_microseconds(9);
        for first in [4, 6] {
            let sum = Sum::Integers(&sums[first..9]);
            job.outcome(now, Outcome::Part { tensor: 0, first: first as u64, sources: 2, sum }, &mut begin, &mut out);
        }
        job.outcome(now, Outcome::Finished { tensor: 0 }, &mut begin, &mut out);
        let told = told(&mut out);
        let is = |is_such: fn(&TensorHappening) -> bool| told.iter().filter(|(_, what)| is_such(what)).count();
        assert_eq!(is(|what| matches!(what, TensorHappening::Wrong(wrong) if wrong.position == 6)), 1);
        assert_eq!(is(|what| matches!(what, TensorHappening::Uncovered { values: 8 })), 1);
    }

    #[test]
    fn a_worker_that_is_started_again_begins_with_the_first_tensor() {
        let (mut job, mut out) = job(1, 0);
        let mut begin = Vec::new();
        job.wake(job.deadline().expect("a start"), &mut begin, &mut out);
        let sums = sums(&job, 0);
        let now = Instant::ZERO + Duration::from_microseconds(9);
        let part = Outcome::Part { tensor: 0, first: 0, sources: 2, sum: Sum::Integers(&sums) };
        job.outcome(now, part, &mut begin, &mut out);
        job.outcome(now, Outcome::Finished { tensor: 0 }, &mut begin, &mut out);
        begin.clear();
        job.restarted(now, &mut begin, &mut out);
        assert_eq!(begin.iter().map(|tensor| tensor.number).collect::<Vec<_>>(), [0]);
        told(&mut out);
        job.outcome(now, Outcome::Missed { tensor: 0, first: 0, length: 10 }, &mut begin, &mut out);
        job.outcome(now, Outcome::Finished { tensor: 0 }, &mut begin, &mut out);
        let finished = TensorHappening::Finished { missed: 10, partial: 0 };
        assert_eq!(told(&mut out)[0], (0, finished));
    }
}
