//! An upper bound on the throughput of any machine of k pipelines on a stream.
//!
//! # What it bounds
//!
//! Every machine that keeps condition C1 of MP5 (section 3: each index is accessed by its packets in the order of
//! arrival), in which a packet takes a cycle for a stage and cannot skip one, no two packets access an index in one
//! cycle (section 2.1, "Atomic state operations"), and each stage serves at most one packet a pipeline and cycle
//! ("One packet per stage"), packets that pass it without an access among them. Everything else is given to the
//! machine: any pipeline serves any packet, an index lies wherever it is wanted, nothing blocks anything, queues
//! have no end, and all that is to come is known. MP5 is one such machine, and so is the paper's "ideal" (section
//! 4.3.3), which still keeps each index in one pipeline.
//!
//! The published simulator is *not* such a machine: there a stage can serve two packets of a pipeline in one cycle,
//! and a packet that is steered to a higher pipeline can cross two stages. Its results may lie above the bound.
//!
//! # Why it is a bound
//!
//! Take any such machine's run. Let a packet be served by stage s in cycle c(s).
//!
//! 1. *Heads and tails* (`windows`). c(s) is at least the head of (packet, s): a cycle a stage after the packet's
//!    arrival or its head at an earlier stage, and not before the cycle after the head of the packet before it at its
//!    index. The last departure is at least c(s) plus the tail of (packet, s): the stages left; the stages to a later
//!    one with state and the packet's tail there; and one more than the tail of the packet behind it at its index,
//!    which is served later. Both by induction along the stream, forward for heads and backward for tails.
//! 2. *One stage* (`one_stage`). c(s) puts at most k packets into a cycle, none before its head. The least
//!    max(c + tail) over all ways to do so is found by serving, in every cycle, the k longest tails that are there
//!    (Jackson's rule; optimal for jobs of one unit and integer heads: exchanging two jobs that break the rule never
//!    makes the largest sum larger). So the last departure is not before the largest of these over all stages.
//!
//! Forgetting, in step 2, that packets of one index must not share a cycle loses nothing as long as one stage has
//! state: if all base tails are equal and heads grow along chains, the relaxed optimum can be met with the chains
//! kept (Brucker, Garey and Johnson, "Scheduling equal-length tasks under treelike precedence constraints to minimize
//! maximum lateness", Mathematics of Operations Research 2 (3), 1977, with time reversed: from the end backward, the
//! latest heads first, k a cycle). A packet then passes all other stages without a wait, so the bound is the optimum.
//! With several stages of state it is a bound only: each is served at its best for itself.
//!
//! # What its numbers mean
//!
//! Cycles are those of one pipeline, as in the published traces. A packet that arrives at cycle t and never waits
//! leaves at t + depth, where the depth counts address resolution (section 3.3): 16 + 1 under the paper's rules, 16 in
//! the published simulator, which resolves at the entrance.

mod one_stage;
mod windows;

#[cfg(test)]
mod exhaustive;
#[cfg(test)]
mod tests;

use serde::Serialize;
use traffic::StatefulAccess;
use windows::Windows;

use crate::mp5::streams::Stream;

/// The bound for a stream.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Bound {
    /// The cycle in which the last packet arrives; 0 if there is none.
    pub last_arrival: u64,
    /// The earliest cycle in which the last packet of any machine can leave.
    pub last_departure: u64,
    /// The bound on the published throughput (last arrival / last departure); 0 if nothing arrives.
    pub throughput: f64,
    /// The bound on [`without_filling`] of any run.
    pub steady_throughput: f64,
    /// The stage with state that limits it, as the stream numbers them; `None` if no stage does and only the way
    /// through the pipelines, and one packet a pipeline and cycle at the entrance, keep it below 1.
    pub limiting_stage: Option<u32>,
}

/// The properties of a packet on which the bound depends.
#[derive(Clone, Copy, Debug)]
pub struct Visit<'a> {
    /// The time of its arrival, in cycles of one pipeline.
    pub arrival: u64,
    /// Its accesses in order of stage, at most one index per stage.
    pub accesses: &'a [StatefulAccess],
}

/// The machines to which the bound applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// The number of packets that each stage serves in a cycle, which is the number of pipelines, at least 1.
    pub pipelines: u32,
    /// The number of stages of the stream.
    pub stages: u32,
    /// The number of stages for address resolution before the first stage of the stream.
    pub resolution_stages: u32,
}

impl Size {
    /// Returns the number of cycles of a packet that never waits.
    pub fn depth(&self) -> u64 {
        u64::from(self.stages) + u64::from(self.resolution_stages)
    }
}

/// Computes the bound for machines of the stream's shape, with `resolution_stages` before its first stage: 1 under the
/// paper's rules (the stream's programs do not resolve addresses, so the machine adds a stage that does), 0 where
/// addresses are resolved on entry.
///
/// Takes O(n log n) time for n packets. Besides the stream's trace, it needs about 60 bytes per packet and 4 more for
/// each stage with state.
pub fn bound(stream: &Stream, resolution_stages: u32) -> Bound {
    let shape = stream.shape();
    let visits: Vec<Visit> =
        stream.trace().packets().map(|(packet, accesses)| Visit { arrival: packet.cycle, accesses }).collect();
    bound_of(&visits, Size { pipelines: shape.pipelines, stages: shape.depth(), resolution_stages })
}

/// Computes the bound for packets in order of arrival.
pub fn bound_of(visits: &[Visit], size: Size) -> Bound {
    let windows = Windows::new(visits, size);
    let last_arrival = visits.iter().map(|visit| visit.arrival).max().unwrap_or(0);
    // The entrance is a stage without state.
    let mut last_departure = {
        let mut jobs: Vec<(u64, u64)> = visits.iter().map(|visit| (visit.arrival, size.depth())).collect();
        one_stage::earliest_end(&mut jobs, size.pipelines)
    };
    let mut limiting_stage = None;
    windows.each_stage(|stage, jobs| {
        let end = one_stage::earliest_end(jobs, size.pipelines);
        if end > last_departure {
            (last_departure, limiting_stage) = (end, Some(stage));
        }
    });
    Bound {
        last_arrival,
        last_departure,
        throughput: share(last_arrival, last_departure),
        steady_throughput: without_filling(last_arrival, last_departure, size.depth()),
        limiting_stage,
    }
}

/// Returns the published throughput of a run without the latency of the pipelines: last arrival / (last departure -
/// depth). For streams as short as the published ones, the depth alone accounts for 1%.
///
/// It is the measure in which the bound can be set beside a run's throughput after the warm-up. Departures per
/// arrival *between two instants* have no bound below 1 that holds for all machines: one that idles until the first
/// instant can work off what has gathered. Of a machine that falls behind at a steady rate both tell that rate, if the
/// stream is long.
pub fn without_filling(last_arrival: u64, last_departure: u64, depth: u64) -> f64 {
    share(last_arrival, last_departure.saturating_sub(depth))
}

fn share(last_arrival: u64, end: u64) -> f64 {
    if end == 0 { 0.0 } else { last_arrival as f64 / end as f64 }
}
