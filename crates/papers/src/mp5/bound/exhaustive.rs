//! The best of all schedules of a tiny stream, by trying every one: what the bound is held against.

use std::collections::BTreeSet;

use super::{Size, Visit};

/// When the last packet has left at the earliest, of all runs that keep the rules of the module: C1, an access an
/// index and cycle, `pipelines` packets a stage and cycle, a cycle a stage.
pub(super) fn earliest_last_departure(visits: &[Visit], size: Size) -> u64 {
    // How many stages each packet has been through.
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

/// Whether a packet has arrived, and every packet before it that accesses the same index in the stage that it has come
/// to was served there in an earlier cycle. Of one index only one packet can be, so that no choice has two.
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
