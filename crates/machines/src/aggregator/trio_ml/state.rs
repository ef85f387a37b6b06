//! The jobs, blocks and timers that a Trio-ML switch keeps between packets.

use std::collections::BTreeMap;

use basis::{Duration, Instant};
use node::Counter;
use runtime::records::RecordTable;
use serde::{Deserialize, Serialize};
use wire::trio_ml::{BlockRecord, JobRecord, MOST_GRADIENTS};

use super::Defect;

/// The greatest number of jobs, which are numbered in 8 bits.
pub(super) const JOBS: usize = 256;
/// The bytes of the key of a block: job and number.
pub(super) const BLOCK_KEY: usize = 5;

/// The parameters of a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrioMlSwitchParameters {
    /// How many timer threads share the table of blocks (N in section 5).
    pub timer_threads: u32,
    /// How many scans of 64 places each of them does.
    pub scans: u32,
    /// In which time all of them scan the whole table.
    pub interval: Duration,
    /// How often stragglers are judged.
    pub judge: Duration,
    /// A rule to break, for tests.
    pub defect: Option<Defect>,
}

impl Default for TrioMlSwitchParameters {
    /// 100 threads in 10 ms as in section 6.1, and 12,800 blocks.
    fn default() -> Self {
        Self {
            timer_threads: 100,
            scans: 2,
            interval: Duration::from_microseconds(10_000),
            judge: Duration::from_microseconds(100_000),
            defect: None,
        }
    }
}

impl TrioMlSwitchParameters {
    /// Returns how many blocks the table has room for.
    pub fn places(&self) -> u32 {
        self.timer_threads * self.scans * 64
    }
}

/// A place of the table of blocks.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Place {
    pub record: BlockRecord,
    /// The result has been sent, and is sent again to those who ask.
    pub is_built: bool,
    pub is_final: bool,
    pub is_degraded: bool,
    /// How many workers' gradients are in the sums.
    pub contributors: u32,
    /// The sums; empty if the place was never used.
    pub sums: Vec<i32>,
}

/// The number of times that a source was missing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Straggler {
    /// Since the last look.
    pub events: u32,
    /// Looks in a row that found events.
    pub periods: u16,
    /// What was last told to the workers: 0, or an operation of age.
    pub told: u8,
}

/// When threads of a timer begin: after each `period` from `start` on.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Timer {
    pub start: Instant,
    pub period: Duration,
    /// How often it has fired.
    pub fired: u64,
}

impl Timer {
    pub fn new(start: Instant, period: Duration) -> Self {
        Self { start, period, fired: 0 }
    }

    pub fn next(&self) -> Instant {
        self.start + self.period.times(self.fired + 1)
    }

    /// Lets all firings before `now` happen, of which nobody noticed anything. Returns whether there were any.
    pub fn skip(&mut self, now: Instant) -> bool {
        if self.next() >= now {
            return false;
        }
        let passed = now.since(self.start).picoseconds() / self.period.picoseconds();
        // A firing at `now` itself is still to come.
        self.fired = if self.start + self.period.times(passed) == now { passed - 1 } else { passed };
        true
    }
}

/// Returns the time between two of so many threads that share an interval.
fn between(interval: Duration, threads: u32) -> Duration {
    Duration::from_picoseconds((interval.picoseconds() / u64::from(threads)).max(1))
}

/// The counters of the switch.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct Totals {
    pub blocks: u64,
    pub added: u64,
    pub results: u64,
    pub degraded: u64,
    pub answers: u64,
    pub duplicates: u64,
    pub questions: u64,
    pub messages: u64,
}

/// A switch of Trio-ML.
#[derive(Debug)]
pub struct TrioMlSwitch {
    pub(super) parameters: TrioMlSwitchParameters,
    /// The keys, places and flags of the records of jobs, and the records by place.
    pub(super) jobs: RecordTable,
    pub(super) job: Vec<JobRecord>,
    /// The keys, places and flags of the records of blocks, and what is at each place that was used.
    pub(super) blocks: RecordTable,
    pub(super) places: Vec<Place>,
    /// Blocks before these are over, by the number of the job.
    pub(super) floors: Vec<u64>,
    /// By job and source; those of which nothing is known are absent.
    pub(super) stragglers: BTreeMap<u16, Straggler>,
    /// `block_total_cnt` at the last look, by the place of the job.
    pub(super) judged: Vec<u64>,
    pub(super) age: Timer,
    /// What a scan adds to the age of a block, in milliseconds.
    pub(super) milliseconds: u64,
    /// The number of the part of the table that is scanned next.
    pub(super) turn: u32,
    pub(super) judge: Timer,
    pub(super) totals: Totals,
    /// Scratch memory.
    pub(super) bytes: Vec<u8>,
}

impl TrioMlSwitch {
    /// Creates a switch without jobs.
    ///
    /// # Panics
    /// If there are no timer threads or scans, or the interval or the time between looks is 0.
    pub fn new(parameters: TrioMlSwitchParameters) -> Self {
        let TrioMlSwitchParameters { timer_threads, scans, interval, judge, .. } = parameters;
        assert!(timer_threads > 0 && scans > 0, "a table of blocks has places");
        assert!(interval > Duration::ZERO && judge > Duration::ZERO, "timers have periods");
        Self {
            parameters,
            jobs: RecordTable::new(1, JOBS as u32),
            job: vec![JobRecord::default(); JOBS],
            blocks: RecordTable::new(BLOCK_KEY, parameters.places()),
            places: Vec::new(),
            floors: vec![0; JOBS],
            stragglers: BTreeMap::new(),
            judged: vec![0; JOBS],
            age: Timer::new(Instant::ZERO, between(interval, timer_threads)),
            milliseconds: interval.picoseconds() / 1_000_000_000,
            turn: 0,
            judge: Timer::new(Instant::ZERO, judge),
            totals: Totals::default(),
            bytes: Vec::new(),
        }
    }

    /// Returns the place of a block with room for its sums, which are zero.
    pub(super) fn place_mut(&mut self, place: u32) -> &mut Place {
        let place = place as usize;
        if self.places.len() <= place {
            self.places.resize_with(place + 1, Place::default);
        }
        let place = &mut self.places[place];
        if place.sums.is_empty() {
            place.sums = vec![0; MOST_GRADIENTS.into()];
        }
        place
    }

    pub(super) fn tell(&self, tell: &mut dyn FnMut(Counter)) {
        let Totals { blocks, added, results, degraded, answers, duplicates, questions, messages } = self.totals;
        let all = [
            ("blocks", blocks),
            ("packets_added", added),
            ("results", results),
            ("degraded_results", degraded),
            ("answers", answers),
            ("duplicates", duplicates),
            ("questions", questions),
            ("straggler_messages", messages),
        ];
        all.into_iter().for_each(|(name, value)| tell(Counter { name, port: None, value }));
    }
}
