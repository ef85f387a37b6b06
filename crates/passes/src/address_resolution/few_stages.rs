//! Chooses the units that share stages when there are too few for all.
//!
//! Arrays that share a stage lie in one pipeline, so that they are accessed no faster than by one pipeline. As few as
//! possible are made to: the least number of units is looked for that may share, those of the last stages first, and
//! from these all are taken again that need not. Each is a placement of the whole program, so that their number is
//! bounded, and the last words of the search are greedy.

use std::cmp::Reverse;

use super::{Resolution, StageCount};
use crate::schedule::Placed;
use crate::units::Unit;

/// How many placements are tried to let units go that need not share a stage.
const MOST_ATTEMPTS: usize = 64;

/// A placement in which few units share stages; `together` is one that fits, where all may. `None` if no other fits.
pub(super) fn place(resolution: &Resolution, count: &StageCount<'_>, together: &Placed) -> Option<Placed> {
    let unsharded = resolution.unsharded();
    let mut candidates: Vec<usize> = resolution
        .units
        .iter()
        .enumerate()
        .filter(|&(unit, described)| Unit::is_stateful(described) && !unsharded[unit])
        .map(|(unit, _)| unit)
        .collect();
    // Those that come together by themselves, if they may, move least; what comes late holds up the fewest others.
    let mut in_stage = vec![0usize; together.depth as usize];
    candidates.iter().for_each(|&unit| in_stage[together.stage_of[unit] as usize] += 1);
    let stage = |unit: usize| together.stage_of[unit];
    candidates.sort_by_key(|&unit| Reverse((in_stage[stage(unit) as usize] > 1, stage(unit), unit)));
    let attempt = |sharing: &[usize]| {
        let mut pinned = unsharded.clone();
        sharing.iter().for_each(|&unit| pinned[unit] = true);
        let placed = count.place(&pinned);
        count.holds(&placed).then_some(placed)
    };
    let mut found = attempt(&candidates)?;
    let (mut too_few, mut enough) = (0, candidates.len());
    while too_few + 1 < enough {
        let middle = too_few.midpoint(enough);
        match attempt(&candidates[..middle]) {
            Some(placed) => (enough, found) = (middle, placed),
            None => too_few = middle,
        }
    }
    candidates.truncate(enough);
    let mut attempts = 0;
    let mut size = candidates.len().div_ceil(2);
    while size > 0 && attempts < MOST_ATTEMPTS {
        let mut from = 0;
        while from < candidates.len() && attempts < MOST_ATTEMPTS {
            attempts += 1;
            let until = (from + size).min(candidates.len());
            let fewer: Vec<usize> = candidates[..from].iter().chain(&candidates[until..]).copied().collect();
            match attempt(&fewer) {
                Some(placed) => (candidates, found) = (fewer, placed),
                None => from = until,
            }
        }
        size /= 2;
    }
    Some(found)
}
