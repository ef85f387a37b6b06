//! The best schedule of a tiny stream, found by trying all of them, with which the bound is compared.

use std::collections::BTreeSet;

use super::{Size, Visit};

/// Returns the earliest last departure of all runs that follow the rules of the module: C1, one access per index and
/// cycle, `pipelines` packets per stage and cycle, one cycle per stage.
pub(super) fn earliest_last_departure(visits: &[Visit], size: Size) -> u64 {
    // The number of stages that each packet has passed.
    let mut reached = BTreeSet::from([vec![0u32; visits.len()]]);
    let done = vec![size.depth() as u32; visits.len()];
    let mut cycle = 0;
    while !reached.contains(&done) {
        let mut next = BTreeSet::new();
        for stages in &reached {
            let ready: Vec<usize> =
                (0..visits.len()).filter(|&it| may_be_served(visits, size, stages, it, cycle)).collect();
            for choice in 0..1u32 << ready.len() {
                let chosen = ready.iter().enumerate().filter(|(place, _)| choice >> place & 1 == 1);
                let mut after = stages.clone();
                let mut served = vec![0; size.depth() as usize];
                for (_, &packet) in chosen {
                    served[stages[packet] as usize] += 1;
                    after[packet] += 1;
                }
                if served.iter().all(|&packets| packets <= size.pipelines) {
                    next.insert(after);
                }
            }
        }
        reached = next;
        cycle += 1;
    }
    cycle
}

/// Returns whether a packet has arrived and every earlier packet that accesses the same index in its next stage has
/// been served there. This is true for at most one packet per index, so a choice never contains two.
fn may_be_served(visits: &[Visit], size: Size, stages: &[u32], packet: usize, cycle: u64) -> bool {
    let stage = stages[packet];
    let access = access_in(&visits[packet], size, stage);
    let is_behind = |other: usize| access.is_some() && access_in(&visits[other], size, stage) == access;
    u64::from(stage) < size.depth()
        && visits[packet].arrival <= cycle
        && (0..packet).all(|other| !is_behind(other) || stages[other] > stage)
}

fn access_in(visit: &Visit, size: Size, stage: u32) -> Option<u32> {
    let of_stream = stage.checked_sub(size.resolution_stages)?;
    visit.accesses.iter().find(|access| access.stage == of_stream).map(|access| access.index)
}
