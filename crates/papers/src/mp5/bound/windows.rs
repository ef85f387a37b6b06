//! The earliest time at which each stage can serve each packet (heads, from a forward pass over the stream), and the
//! least time that remains afterwards (tails, from a backward pass).

use std::collections::BTreeMap;

use super::{Size, Visit};

/// The tails of a stream; the heads are computed stage by stage.
pub(super) struct Windows<'a> {
    visits: &'a [Visit<'a>],
    size: Size,
    /// The stages with state in order, each with the tails of its packets.
    stages: Vec<StageTails>,
}

struct StageTails {
    stage: u32,
    /// One more than the largest index.
    indices: usize,
    /// The cycles from a packet's service to the last departure, at least, beyond the stages left from here: how much
    /// longer than a packet without contention. Never more than the number of packets, so that 4 bytes do.
    excess: Vec<u32>,
}

impl<'a> Windows<'a> {
    /// The backward pass.
    pub(super) fn new(visits: &'a [Visit<'a>], size: Size) -> Self {
        let mut sizes: BTreeMap<u32, usize> = BTreeMap::new();
        for access in visits.iter().flat_map(|visit| visit.accesses) {
            let indices = sizes.entry(access.stage).or_default();
            *indices = (*indices).max(access.index as usize + 1);
        }
        // What a packet must take beyond the way through, from the stage that was last looked at.
        let mut excess = vec![0u32; visits.len()];
        let mut stages: Vec<StageTails> = Vec::with_capacity(sizes.len());
        for (stage, indices) in sizes.into_iter().rev() {
            let mut next = vec![0; indices];
            for (excess, visit) in excess.iter_mut().zip(visits).rev() {
                if let Some(index) = index_at(visit, stage) {
                    *excess = next[index].max(*excess);
                    next[index] = *excess + 1;
                }
            }
            stages.push(StageTails { stage, indices, excess: excess.clone() });
        }
        stages.reverse();
        Self { visits, size, stages }
    }

    /// The forward pass: calls `solve` with each stage that has state, in order, and the head and the tail of every
    /// packet there, in cycles.
    pub(super) fn each_stage(&self, mut solve: impl FnMut(u32, &mut [(u64, u64)])) {
        // The head of each packet at the stage that was last looked at, as if that were the first one.
        let mut heads: Vec<u64> = self.visits.iter().map(|visit| visit.arrival).collect();
        let mut jobs = Vec::with_capacity(heads.len());
        for StageTails { stage, indices, excess } in &self.stages {
            let mut next = vec![0; *indices];
            for (head, visit) in heads.iter_mut().zip(self.visits) {
                if let Some(index) = index_at(visit, *stage) {
                    *head = next[index].max(*head);
                    next[index] = *head + 1;
                }
            }
            let before = u64::from(*stage) + u64::from(self.size.resolution_stages);
            let left = self.size.depth().saturating_sub(before);
            jobs.clear();
            let windows = heads.iter().zip(excess);
            jobs.extend(windows.map(|(head, &excess)| (head + before, left + u64::from(excess))));
            solve(*stage, &mut jobs);
        }
    }
}

/// Returns the index that a packet accesses in a stage.
fn index_at(visit: &Visit, stage: u32) -> Option<usize> {
    visit.accesses.iter().find(|access| access.stage == stage).map(|access| access.index as usize)
}
