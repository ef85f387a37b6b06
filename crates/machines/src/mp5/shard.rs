//! The index-to-pipeline map of a register, its counters, and the heuristic that moves indices (MP5 section 3.4, Figure
//! 6).

use serde::{Deserialize, Serialize};

use super::rules::{Departure, Rules};

/// The map of one sharded access, with counters for each index.
#[derive(Clone, Debug)]
pub(super) struct ShardMap {
    /// The pipeline that holds each index.
    pipelines: Vec<u8>,
    /// The number of times each index was resolved since the last remapping. It is never negative; processors compare
    /// several signed numbers at a time, but not unsigned ones.
    accesses: Vec<i32>,
    /// The number of packets that were resolved to each index and have not accessed it yet.
    in_flight: Vec<u32>,
    /// The counts of each pipeline.
    loads: Vec<Load>,
    /// Whether anything was counted since the last remapping.
    counted: bool,
    /// The cycle at whose end the next index may move.
    due: u64,
}

/// What was counted in one pipeline since the last remapping.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Load {
    /// The sum of the counters of the pipeline's indices.
    accesses: u64,
    /// With [`Departure::Retry`], the [`rank`] of the pipeline's busiest index.
    busiest: u64,
}

/// Returns a number that is greater the greater an index's counter is, and among equal counters the lower the index is.
#[inline]
fn rank(index: usize, accesses: i32) -> u64 {
    u64::from(accesses as u32) << 32 | u64::from(!(index as u32))
}

/// The parameters that determine when indices move.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    pub(super) period: u64,
    pub(super) rules: Rules,
    /// Whether an index may move although packets are in flight to it, as a mutation.
    pub(super) ignore_in_flight: bool,
}

/// The number of cycles before the next period begins with [`Departure::Retry`]: one in which the move is recorded and
/// one in which the period is set.
const RETRY_PAUSE: u64 = 2;

/// The move of an index from one pipeline to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Move {
    pub(super) index: usize,
    pub(super) from: usize,
    pub(super) to: usize,
}

impl ShardMap {
    /// Creates a map over `count` pipelines. No index moves in the first `period` - 1 cycles.
    pub(super) fn new(pipelines: Vec<u8>, count: usize, period: u64) -> Self {
        let indices = pipelines.len();
        Self {
            pipelines,
            accesses: vec![0; indices],
            in_flight: vec![0; indices],
            loads: vec![Load::default(); count],
            counted: false,
            due: period - 1,
        }
    }

    /// Returns the pipeline that holds an index.
    #[inline]
    pub(super) fn pipeline_of(&self, index: usize) -> usize {
        usize::from(self.pipelines[index])
    }

    /// Returns the cycle at whose end the next index may move.
    pub(super) fn due(&self) -> u64 {
        self.due
    }

    /// Counts a packet that was resolved to access an index, unless it will not (`accesses`), and returns the pipeline
    /// that holds the index. `RETRY` says whether the rules contain [`Departure::Retry`].
    #[inline]
    pub(super) fn resolve<const RETRY: bool>(&mut self, index: usize, accesses: bool) -> u8 {
        let pipeline = self.pipelines[index];
        let counter = &mut self.accesses[index];
        *counter = counter.saturating_add(i32::from(accesses));
        let load = &mut self.loads[usize::from(pipeline)];
        load.accesses += u64::from(accesses);
        if RETRY {
            // Counters only grow, so the greatest rank so far is that of the busiest index.
            load.busiest = load.busiest.max(rank(index, *counter));
        }
        self.in_flight[index] += u32::from(accesses);
        self.counted |= accesses;
        pipeline
    }

    /// Uncounts a packet that has accessed an index or never will.
    #[inline]
    pub(super) fn release(&mut self, index: usize) {
        self.in_flight[index] -= 1;
    }

    /// Runs Figure 6 once: moves at most one index from the pipeline with the highest load to the one with the lowest.
    /// Ties between indices go to the lowest number, and so do ties between pipelines except with
    /// [`Departure::LastOfTied`].
    ///
    /// The index is chosen by its counter alone: if it is in flight, nothing moves (section 3.4), not even the next
    /// best index.
    fn figure_6(&mut self, rules: Rules, ignore_in_flight: bool) -> Option<Move> {
        let last = rules.has(Departure::LastOfTied);
        let (mut from, mut to) = (0, 0);
        for (pipeline, &Load { accesses: load, .. }) in self.loads.iter().enumerate() {
            if load > self.loads[from].accesses || (last && load == self.loads[from].accesses) {
                from = pipeline;
            }
            if load < self.loads[to].accesses || (last && load == self.loads[to].accesses) {
                to = pipeline;
            }
        }
        let difference = self.loads[from].accesses - self.loads[to].accesses;
        if difference == 0 {
            return None;
        }
        // C = (c_max - c_min) / 2, and the counter must be less than C. The comparison is on integers, rounded such
        // that no half is lost.
        let half = if rules.has(Departure::AtMostHalf) { difference / 2 + 1 } else { difference.div_ceil(2) };
        let below = i32::try_from(half).unwrap_or(i32::MAX);
        let index = if rules.has(Departure::Retry) {
            self.busiest_below(from as u8, below)?
        } else {
            self.search_below(from as u8, below)?
        };
        if self.in_flight[index] > 0 && !ignore_in_flight {
            return None;
        }
        self.pipelines[index] = to as u8;
        Some(Move { index, from, to })
    }

    /// Returns the first of the indices in a pipeline that have the largest counter less than `below`, with
    /// [`Departure::Retry`], by which it is asked for in every cycle. Some index of the pipeline was counted.
    #[inline]
    fn busiest_below(&self, pipeline: u8, below: i32) -> Option<usize> {
        // The busiest index of all is known, and on most traffic it is the one.
        let busiest = self.loads[usize::from(pipeline)].busiest;
        if busiest >> 32 < u64::from(below.unsigned_abs()) {
            return Some(!(busiest as u32) as usize);
        }
        self.search_below(pipeline, below)
    }

    /// Returns the first of the indices in a pipeline that have the largest counter less than `below`.
    ///
    /// The maximum of each block is computed before its position, which is then looked for in one block only. The loop
    /// for the maximum has no branch, so that it works on several indices at a time.
    fn search_below(&self, pipeline: u8, below: i32) -> Option<usize> {
        const BLOCK: usize = 64;
        let counter = |(&home, &accesses): (&u8, &i32)| {
            // Add one to the counter, so that 0 means "not a candidate".
            let is_candidate = (home == pipeline) & (accesses < below);
            accesses.wrapping_add(1) & -i32::from(is_candidate)
        };
        let blocks = self.pipelines.chunks(BLOCK).zip(self.accesses.chunks(BLOCK));
        let (mut most, mut best) = (0, 0);
        for (number, (homes, accesses)) in blocks.enumerate() {
            let most_here = homes.iter().zip(accesses).map(counter).fold(0, i32::max);
            if most_here > most {
                (most, best) = (most_here, number * BLOCK);
            }
        }
        let mut block = self.pipelines[best..].iter().zip(&self.accesses[best..]);
        let place = block.position(|(&home, &accesses)| (accesses == most - 1) & (home == pipeline));
        place.filter(|_| most > 0).map(|place| best + place)
    }

    /// Lets the cycles in `first..end` pass, where nothing happens in the switch in any but the first, and moves an
    /// index if it is time. One attempt is enough: once the counters are reset nothing can move, and while nothing
    /// happens no counter changes.
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
                self.loads.fill(Load::default());
                self.counted = false;
            }
            if retry {
                self.due = self.due.max(first) + pace.period + RETRY_PAUSE;
            } else {
                // Periods pass even if nothing happens in them.
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
    use basis::Random;

    use super::*;

    const SKIP: Pace = Pace { period: 10, rules: Rules::paper(), ignore_in_flight: false };
    const RETRY: Pace = Pace { rules: Rules::paper().with(Departure::Retry), ..SKIP };

    /// Returns a map on which each index was accessed the given number of times and is no longer in flight.
    fn counted(pipelines: &[u8], accesses: &[u32], count: usize) -> ShardMap {
        let mut map = ShardMap::new(pipelines.to_vec(), count, 10);
        for (index, &times) in accesses.iter().enumerate() {
            for _ in 0..times {
                map.resolve::<true>(index, true);
                map.release(index);
            }
        }
        map
    }

    #[test]
    fn moves_largest_counter_below_half_the_difference() {
        // Loads 12 and 2: C = 5, so 5 is too much and 4 is not.
        let mut map = counted(&[0, 0, 0, 1], &[3, 5, 4, 2], 2);
        assert_eq!(map.pass(8, 9, SKIP), None, "the period is not over");
        assert_eq!(map.pass(9, 10, SKIP), Some(Move { index: 2, from: 0, to: 1 }));
        assert_eq!(map.pipeline_of(2), 1);
        // The counters have been reset, so no load is known.
        assert_eq!(map.pass(19, 20, SKIP), None);
    }

    #[test]
    fn half_of_an_odd_difference_is_exact() {
        // Loads 4 and 1: C = 1.5, and 1 is less.
        let mut map = counted(&[0, 0, 1], &[3, 1, 1], 2);
        assert_eq!(map.figure_6(SKIP.rules, false), Some(Move { index: 1, from: 0, to: 1 }));
    }

    #[test]
    fn ties_go_to_the_lowest_number() {
        let mut map = counted(&[1, 1, 1, 2, 2, 2], &[2, 2, 2, 2, 2, 2], 4);
        assert_eq!(map.figure_6(SKIP.rules, false), Some(Move { index: 0, from: 1, to: 0 }));
    }

    #[test]
    fn an_index_in_flight_blocks_the_move() {
        let mut map = counted(&[0, 0, 0], &[9, 2, 1], 2);
        map.resolve::<true>(1, true);
        assert_eq!(map.figure_6(SKIP.rules, false), None);
        assert_eq!(map.figure_6(SKIP.rules, true), Some(Move { index: 1, from: 0, to: 1 }));
    }

    #[test]
    fn blocked_moves_are_retried_only_by_rule() {
        let mut skip = counted(&[0, 0, 0], &[9, 2, 1], 2);
        skip.resolve::<true>(1, true);
        let mut retry = skip.clone();
        assert_eq!([skip.pass(9, 10, SKIP), retry.pass(9, 10, RETRY)], [None, None]);
        skip.release(1);
        retry.release(1);
        assert_eq!(skip.pass(10, 1000, SKIP), None);
        assert_eq!(retry.pass(10, 1000, RETRY), Some(Move { index: 1, from: 0, to: 1 }));
        // The next period begins two cycles after the move in cycle 10, or at the last multiple of the period.
        assert_eq!((retry.due, skip.due), (22, 1009));
    }

    #[test]
    fn artifact_rules_change_threshold_and_ties() {
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

    #[test]
    fn the_busiest_index_is_the_first_of_the_largest_counters_in_any_block() {
        let mut random = Random::new(3);
        for _ in 0..500 {
            let indices = 1 + random.below(300) as usize;
            let homes = (0..indices).map(|_| random.below(3) as u8).collect();
            let mut map = ShardMap::new(homes, 3, 100);
            map.accesses.iter_mut().for_each(|counter| *counter = random.below(8) as i32);
            let (pipeline, below) = (random.below(3) as u8, random.below(10) as i32);
            let candidates =
                (0..indices).filter(|&index| map.pipelines[index] == pipeline && map.accesses[index] < below);
            let expected = candidates.min_by_key(|&index| (std::cmp::Reverse(map.accesses[index]), index));
            assert_eq!(map.search_below(pipeline, below), expected, "{map:?}");
        }
    }

    #[test]
    fn the_busiest_index_of_a_pipeline_is_known_without_a_search() {
        let mut random = Random::new(4);
        for _ in 0..500 {
            let homes = (0..20).map(|_| random.below(3) as u8).collect();
            let mut map = ShardMap::new(homes, 3, 100);
            (0..100).for_each(|_| _ = map.resolve::<true>(random.below(20) as usize, random.below(3) > 0));
            for (pipeline, below) in (0..3).flat_map(|pipeline| (0..12).map(move |below| (pipeline, below))) {
                if map.loads[usize::from(pipeline)].accesses > 0 {
                    assert_eq!(map.busiest_below(pipeline, below), map.search_below(pipeline, below), "{map:?}");
                }
            }
        }
    }
}
