//! The bound for one stage: jobs of one cycle with heads and tails, k per cycle.

use std::collections::BinaryHeap;

/// The least possible maximum of (cycle of service + tail) over `jobs` of (head, tail), if at most `pipelines` are
/// served in a cycle and none before its head; 0 if there is no job. Sorts the jobs.
///
/// In every cycle the longest tails that are there are served. Take a best schedule and the first cycle in which it
/// does otherwise: either a place is empty, and a later job moves into it; or a job changes places with a
/// later one whose tail is as long or longer, and both sums stay below what the later one's was.
pub(super) fn earliest_end(jobs: &mut [(u64, u64)], pipelines: u32) -> u64 {
    jobs.sort_unstable();
    let mut there = BinaryHeap::new();
    let (mut cycle, mut next, mut end) = (0, 0, 0);
    while next < jobs.len() || !there.is_empty() {
        if there.is_empty() {
            cycle = jobs[next].0.max(cycle);
        }
        while let Some(&(head, tail)) = jobs.get(next)
            && head <= cycle
        {
            there.push(tail);
            next += 1;
        }
        for _ in 0..pipelines.max(1) {
            let Some(tail) = there.pop() else { break };
            end = end.max(cycle + tail);
        }
        cycle += 1;
    }
    end
}

#[cfg(test)]
mod tests {
    use super::earliest_end;

    #[test]
    fn zero_and_one_jobs_end_as_early_as_possible() {
        assert_eq!(earliest_end(&mut [], 2), 0);
        assert_eq!(earliest_end(&mut [(7, 3)], 2), 10);
    }

    #[test]
    fn serves_available_jobs_with_long_tails_first() {
        // One place a cycle: (0, 1) first, for (1, 5) is not there; then 5 before 4.
        assert_eq!(earliest_end(&mut [(1, 4), (0, 1), (1, 5)], 1), 6);
        assert_eq!(earliest_end(&mut [(1, 4), (0, 1), (1, 5)], 2), 6);
        assert_eq!(earliest_end(&mut [(1, 5), (0, 1), (1, 5)], 1), 7);
    }

    #[test]
    fn idle_time_is_skipped() {
        assert_eq!(earliest_end(&mut [(1 << 40, 2), (0, 2), (1 << 40, 2)], 1), (1 << 40) + 3);
    }
}
