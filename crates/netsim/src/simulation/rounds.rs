//! The execution of a run, round by round.

use std::thread::{self, Scope};

use basis::{Duration, Instant};

use super::crew::Crew;
use super::log::Log;
use super::pace::{Pace, Way};
use super::partition::Partition;
use super::settings::{Ended, Threading};
use super::shard::Shard;
use super::witness::AtOnce;
use super::{Recorder, Simulation};

/// The number of events between two calls of [`Recorder::progress`], and of a round in one thread.
const PROGRESS_EVERY: u64 = 1 << 16;

/// Decides how many shards run the next events.
enum Turns {
    /// The number of shards stays as it is.
    Fixed,
    Measured(Pace),
    /// One shard and several in turn, each for this many events.
    Alternating {
        each: u64,
        left: u64,
    },
}

impl Simulation {
    /// Runs on until the end.
    pub fn run(&mut self, recorder: &mut dyn Recorder) -> Ended {
        self.allow_late_reports();
        let ended = match self.cut.count {
            1 => self.rounds(recorder, None),
            _ => thread::scope(|scope| self.rounds(recorder, Some(scope))),
        };
        self.end_late_reports();
        ended
    }

    /// Runs on until the end, with the threads of `scope` if there is one.
    fn rounds<'scope>(&mut self, recorder: &mut dyn Recorder, scope: Option<&'scope Scope<'scope, '_>>) -> Ended {
        let end = self.settings.end.unwrap_or(Instant::MAX);
        // Without an end, what goes on for ever does not count.
        let goes_on = if self.settings.end.is_some() { Shard::is_live } else { Shard::is_busy };
        let mut next_progress = self.events() + PROGRESS_EVERY;
        let mut next_look = self.settings.deadlocks_every.map_or(Instant::MAX, |every| after(self.now, every));
        let mut turns = match self.settings.threading {
            _ if scope.is_none() => Turns::Fixed,
            Threading::WhereItHelps => {
                self.alone();
                Turns::Measured(Pace::new())
            }
            Threading::Always => Turns::Fixed,
            Threading::ByTurns(each) => Turns::Alternating { each, left: each },
        };
        let mut crew = self.crew(scope, &mut turns);
        while self.each().any(goes_on)
            && let Some(first) = self.each().filter_map(Shard::earliest).min()
        {
            while self.next_stop() <= first.min(end) {
                self.sample(recorder);
            }
            if self.is_deadlocked(&mut next_look, first.min(end)) {
                return Ended::Deadlock;
            }
            if first > end {
                self.now = self.now.max(end);
                return Ended::TimeLimit;
            }
            // The last instant of the round: events within the round affect other shards only after it.
            let next_pause = self.next_stop().min(next_look);
            let last = just_before(first + self.partition.lookahead).min(just_before(next_pause)).min(end);
            let (events, began) = (self.events(), self.now);
            match &crew {
                None => {
                    let most = if let Turns::Alternating { each, .. } = turns { each } else { PROGRESS_EVERY };
                    self.shards[0].0.run(last, most, &mut AtOnce(recorder));
                }
                Some(crew) => {
                    crew.run(&mut self.shards, last);
                    self.exchange();
                    Log::report(self.shards.iter_mut().map(|(_, log)| log), recorder);
                }
            }
            self.now = self.shards.iter().map(|(shard, _)| shard.acted).fold(self.now, Instant::max);
            let happened = self.events();
            let way = turns.next(happened - events, || self.a_round(happened - events, self.now - began));
            if way.is_some_and(|way| (way == Way::Together) != crew.is_some()) {
                // The old threads end before others begin.
                drop(crew.take());
                let partition = if way == Some(Way::Together) { self.cut.clone() } else { self.one() };
                self.regroup(partition);
                crew = self.crew(scope, &mut turns);
            }
            if happened >= next_progress {
                next_progress = happened + PROGRESS_EVERY;
                if !recorder.progress(self.now, self) {
                    return Ended::Stopped;
                }
            }
        }
        Ended::Idle
    }

    /// Starts the threads for the present shards. If the system cannot start them, the run continues in one shard.
    fn crew<'scope>(&mut self, scope: Option<&'scope Scope<'scope, '_>>, turns: &mut Turns) -> Option<Crew> {
        let scope = scope.filter(|_| self.shards.len() > 1)?;
        let crew = Crew::new(scope, self.shards.len() - 1).ok();
        if crew.is_none() {
            *turns = Turns::Fixed;
            self.alone();
        }
        crew
    }

    /// Continues in one shard.
    fn alone(&mut self) {
        if self.shards.len() > 1 {
            self.regroup(self.one());
        }
    }

    fn one(&self) -> Partition {
        Partition::alone(self.stations())
    }

    /// Estimates how many events per shard would fall into a round of all shards, given that this many happened in
    /// `time`.
    fn a_round(&self, events: u64, time: Duration) -> f64 {
        let rounds = time.picoseconds() as f64 / self.cut.lookahead.picoseconds().max(1) as f64;
        events as f64 / rounds.max(1.0) / self.cut.count as f64
    }

    /// Looks for cycles of pauses whenever it is time to, up to `until`. Returns whether there is one.
    fn is_deadlocked(&mut self, next: &mut Instant, until: Instant) -> bool {
        let Some(every) = self.settings.deadlocks_every else { return false };
        while *next <= until {
            if !self.deadlock(*next).is_empty() {
                self.now = self.now.max(*next);
                return true;
            }
            // Pauses are renewed more often than this. While there are none, none begins before the next event.
            *next = if self.is_pausing(*next) { *next + every } else { after(until, every) };
        }
        false
    }

    /// Hands packets that crossed to another shard over to that shard.
    fn exchange(&mut self) {
        for from in 0..self.shards.len() {
            for to in 0..self.shards.len() {
                let mut crossed = std::mem::take(&mut self.shards[from].0.leaving[to]);
                self.shards[to].0.entering.append(&mut crossed);
                self.shards[from].0.leaving[to] = crossed;
            }
        }
    }

    /// The next time at which the recorder looks at the network.
    fn next_stop(&self) -> Instant {
        self.looks.last().map_or(self.next_sample, |&look| look.min(self.next_sample))
    }

    /// Has the recorder look at the network, at the next time at which it does.
    fn sample(&mut self, recorder: &mut dyn Recorder) {
        if let Some(&look) = self.looks.last().filter(|&&look| look <= self.next_sample) {
            self.looks.pop();
            return recorder.look(look, self);
        }
        recorder.sample(self.next_sample, self);
        let every = self.settings.sample_every.unwrap_or_default();
        self.next_sample = if every == Duration::ZERO { Instant::MAX } else { self.next_sample + every };
    }
}

impl Turns {
    /// Returns how to continue after this many events, of which about `a_round` fall into a round; `None` for no
    /// change.
    fn next(&mut self, events: u64, a_round: impl FnOnce() -> f64) -> Option<Way> {
        match self {
            Self::Fixed => None,
            Self::Measured(pace) => Some(pace.next(events, a_round())),
            Self::Alternating { each, left } => {
                let before = *left;
                *left = left.saturating_sub(events);
                if *left == 0 {
                    *left = 2 * *each;
                }
                Some(if before > *each { Way::Together } else { Way::Alone })
            }
        }
    }
}

/// Returns the first multiple of `every` after an instant.
fn after(instant: Instant, every: Duration) -> Instant {
    let every = every.picoseconds().max(1);
    Instant::from_picoseconds((instant.picoseconds() / every + 1).saturating_mul(every))
}

/// Returns the last instant before another.
fn just_before(instant: Instant) -> Instant {
    Instant::from_picoseconds(instant.picoseconds() - 1)
}
