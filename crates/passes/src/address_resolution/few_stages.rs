//! Chooses the units that share stages when there are too few stages for all.
//!
//! Arrays that share a stage lie in one pipeline, which limits their access rate to that of a single pipeline. As few
//! as possible should do so. A binary search finds how many units, those of the last stages first, must be allowed to
//! share; then those that turn out not to need it are removed again. Each attempt places the whole program, so the
//! number of attempts is bounded, and the removal is greedy.

use std::cmp::Reverse;

use super::{Resolution, StageCount};
use crate::schedule::Placed;
use crate::units::Unit;

/// The maximum number of placements tried in order to remove units that need not share a stage.
const MOST_ATTEMPTS: usize = 64;

/// Returns a placement in which few units share stages; `None` if none fits. `together` is the placement in which all
/// units may share stages; it fits.
pub(super) fn place(resolution: &Resolution, count: &StageCount<'_>, together: &Placed) -> Option<Placed> {
    let unsharded = resolution.unsharded();
    let mut candidates: Vec<usize> = resolution
        .units
        .iter()
        .enumerate()
        .filter(|&(unit, described)| Unit::is_stateful(described) && !unsharded[unit])
        .map(|(unit, _)| unit)
        .collect();
    // Units that share a stage in `together` are displaced least; and units in late stages delay the fewest others.
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
