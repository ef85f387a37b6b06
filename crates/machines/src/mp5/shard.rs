//! Which pipeline holds which index of a register: the index-to-pipeline map, its counters, and the heuristic
//! that moves indices (MP5 section 3.4, Figure 6).

use super::rules::{Departure, Rules};

/// The map of one access whose registers are spread over the pipelines, and what is counted for each index.
#[derive(Clone, Debug)]
pub(super) struct ShardMap {
    /// The pipeline that holds each index.
    pipelines: Vec<u8>,
    /// How often each index was resolved since the last remapping.
    accesses: Vec<u32>,
    /// How many packets were resolved to each index and have not accessed it yet.
    in_flight: Vec<u32>,
    /// The sum of `accesses` over each pipeline's indices.
    loads: Vec<u64>,
    /// Whether anything was counted since the last remapping.
    counted: bool,
    /// The cycle at whose end the next index may move.
    due: u64,
}

/// When indices move.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    pub(super) period: u64,
    pub(super) rules: Rules,
    /// The mutant that moves an index although packets are on their way to it.
    pub(super) ignore_in_flight: bool,
}

/// How many cycles pass with [`Departure::Retry`] before the next period begins: one in which the move is noted, and
/// one in which the period is set.
const RETRY_PAUSE: u64 = 2;

/// An index that changes pipelines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Move {
    pub(super) index: usize,
    pub(super) from: usize,
    pub(super) to: usize,
}

impl ShardMap {
    /// The given map over `count` pipelines, of which no index moves in the first `period` - 1 cycles.
    pub(super) fn new(pipelines: Vec<u8>, count: usize, period: u64) -> Self {
        let indices = pipelines.len();
        Self {
            pipelines,
            accesses: vec![0; indices],
            in_flight: vec![0; indices],
            loads: vec![0; count],
            counted: false,
            due: period - 1,
        }
    }

    /// The pipeline that holds an index.
    #[inline]
    pub(super) fn pipeline_of(&self, index: usize) -> usize {
        usize::from(self.pipelines[index])
    }

    /// A packet was resolved to access an index: counts it and says where the index is.
    #[inline]
    pub(super) fn resolve(&mut self, index: usize) -> u8 {
        let pipeline = self.pipelines[index];
        self.accesses[index] = self.accesses[index].saturating_add(1);
        self.loads[usize::from(pipeline)] += 1;
        self.in_flight[index] += 1;
        self.counted = true;
        pipeline
    }

    /// A packet has accessed an index, or never will.
    #[inline]
    pub(super) fn release(&mut self, index: usize) {
        self.in_flight[index] -= 1;
    }

    /// Runs Figure 6 once: at most one index moves from the pipeline with the highest load to the one with the
    /// lowest. Ties go to the lowest number, of indices always and of pipelines but for [`Departure::LastOfTied`].
    ///
    /// The index is chosen by its counter alone: if it happens to be in flight nothing moves (section 3.4) rather
    /// than the next best.
    fn figure_6(&mut self, rules: Rules, ignore_in_flight: bool) -> Option<Move> {
        let last = rules.has(Departure::LastOfTied);
        let (mut from, mut to) = (0, 0);
        for (pipeline, &load) in self.loads.iter().enumerate() {
            if load > self.loads[from] || (last && load == self.loads[from]) {
                from = pipeline;
            }
            if load < self.loads[to] || (last && load == self.loads[to]) {
                to = pipeline;
            }
        }
        let difference = self.loads[from] - self.loads[to];
        if difference == 0 {
            return None;
        }
        // C = (c_max - c_min) / 2, and the counter is less than C: doubled, so that no half is lost. The largest
        // counter is found without looking where it is, which compilers turn into a few wide instructions.
        let half = if rules.has(Departure::AtMostHalf) { difference / 2 + 1 } else { difference.div_ceil(2) };
        let below = u32::try_from(half).unwrap_or(u32::MAX);
        let candidates = self.pipelines.iter().zip(&self.accesses);
        let counter = |(&pipeline, &accesses): (&u8, &u32)| {
            // One more than the counter, for 0 is no candidate at all.
            if pipeline == from as u8 && accesses < below { accesses + 1 } else { 0 }
        };
        let most = candidates.clone().map(counter).max().filter(|&most| most > 0)?;
        let index = candidates.map(counter).position(|counter| counter == most)?;
        if self.in_flight[index] > 0 && !ignore_in_flight {
            return None;
        }
        self.pipelines[index] = to as u8;
        self.loads[from] -= u64::from(self.accesses[index]);
        self.loads[to] += u64::from(self.accesses[index]);
        Some(Move { index, from, to })
    }

    /// Lets the cycles from `first` to before `end` pass; in all but the first nothing happens in the switch. Moves
    /// an index if the time for it has come. One attempt is enough: once the counters are 0 nothing can move, and
    /// while nothing happens no counter changes.
    #[inline]
    pub(super) fn pass(&mut self, first: u64, end: u64, pace: Pace) -> Option<Move> {
        if self.due >= end || first >= end {
            return None;
        }
        let moved = if self.counted { self.figure_6(pace.rules, pace.ignore_in_flight) } else { None };
        let retry = pace.rules.has(Departure::Retry);
        if moved.is_some() || !retry {
            if self.counted {
                self.accesses.fill(0);
                self.loads.fill(0);
                self.counted = false;
            }
            if retry {
                self.due = self.due.max(first) + pace.period + RETRY_PAUSE;
            } else {
                // Periods pass whether or not anything happens in them.
                self.due += pace.period;
                self.due += end.saturating_sub(self.due).div_ceil(pace.period) * pace.period;
            }
        }
        moved
    }
}

basis::snapshot!(ShardMap { values pipelines, accesses, in_flight, loads, counted, due; });

#[cfg(test)]
mod tests {
    use super::*;

    const SKIP: Pace = Pace { period: 10, rules: Rules::paper(), ignore_in_flight: false };
    const RETRY: Pace = Pace { rules: Rules::paper().with(Departure::Retry), ..SKIP };

    /// A map on which each index was accessed as often as said, and is in flight no more.
    fn counted(pipelines: &[u8], accesses: &[u32], count: usize) -> ShardMap {
        let mut map = ShardMap::new(pipelines.to_vec(), count, 10);
        for (index, &times) in accesses.iter().enumerate() {
            for _ in 0..times {
                map.resolve(index);
                map.release(index);
            }
        }
        map
    }

    #[test]
    fn the_largest_counter_below_half_the_difference_moves() {
        // Loads 12 and 2: C = 5, so 5 is too much and 4 is not.
        let mut map = counted(&[0, 0, 0, 1], &[3, 5, 4, 2], 2);
        assert_eq!(map.pass(8, 9, SKIP), None, "the period is not over");
        assert_eq!(map.pass(9, 10, SKIP), Some(Move { index: 2, from: 0, to: 1 }));
        assert_eq!(map.pipeline_of(2), 1);
        // The counters began again, so nothing is known now.
        assert_eq!(map.pass(19, 20, SKIP), None);
    }

    #[test]
    fn half_a_packet_counts() {
        // Loads 4 and 1: C = 1.5, and 1 is less.
        let mut map = counted(&[0, 0, 1], &[3, 1, 1], 2);
        assert_eq!(map.figure_6(SKIP.rules, false), Some(Move { index: 1, from: 0, to: 1 }));
    }

    #[test]
    fn ties_go_to_the_lowest_numbers() {
        let mut map = counted(&[1, 1, 1, 2, 2, 2], &[2, 2, 2, 2, 2, 2], 4);
        assert_eq!(map.figure_6(SKIP.rules, false), Some(Move { index: 0, from: 1, to: 0 }));
    }

    #[test]
    fn an_index_in_flight_stays_and_no_other_goes_instead() {
        let mut map = counted(&[0, 0, 0], &[9, 2, 1], 2);
        map.resolve(1);
        assert_eq!(map.figure_6(SKIP.rules, false), None);
        assert_eq!(map.figure_6(SKIP.rules, true), Some(Move { index: 1, from: 0, to: 1 }));
    }

    #[test]
    fn a_hindered_move_is_made_up_for_or_forgotten() {
        let mut skip = counted(&[0, 0, 0], &[9, 2, 1], 2);
        skip.resolve(1);
        let mut retry = skip.clone();
        assert_eq!([skip.pass(9, 10, SKIP), retry.pass(9, 10, RETRY)], [None, None]);
        skip.release(1);
        retry.release(1);
        assert_eq!(skip.pass(10, 1000, SKIP), None);
        assert_eq!(retry.pass(10, 1000, RETRY), Some(Move { index: 1, from: 0, to: 1 }));
        // A period begins two cycles after the move that was made in cycle 10, or with the last multiple of the period.
        assert_eq!((retry.due, skip.due), (22, 1009));
    }

    #[test]
    fn the_published_simulator_moves_half_the_difference_between_the_last_of_tied_pipelines() {
        let rules = Rules::paper().with(Departure::AtMostHalf);
        // Loads 4, 4, 0, 0: C = 2.
        let map = counted(&[0, 0, 1, 1], &[2, 2, 2, 2], 4);
        assert_eq!(map.clone().figure_6(SKIP.rules, false), None);
        assert_eq!(map.clone().figure_6(rules, false), Some(Move { index: 0, from: 0, to: 2 }));
        let last = rules.with(Departure::LastOfTied);
        assert_eq!(map.clone().figure_6(last, false), Some(Move { index: 2, from: 1, to: 3 }));
        // Equal loads move nothing, not even an index that nobody accesses.
        assert_eq!(counted(&[0, 0, 1], &[2, 0, 2], 2).figure_6(last, false), None);
    }
}
