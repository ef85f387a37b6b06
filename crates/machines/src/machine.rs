//! What every machine can be asked beside being a node.

use measure::Counts;
use node::{Node, Reason};
use runtime::RegisterFile;
use serde::Serialize;

use crate::Stuck;
use crate::edge::EntryCounts;
use crate::timeline::Timeline;

/// A switch that runs a program.
pub trait Machine: Node {
    /// The values of the program's registers now, as one logical machine would show them.
    fn registers(&self) -> RegisterFile;

    /// What the entries of tables have counted, by table that counts; none if the machine keeps no such counters, or
    /// keeps them with its tables.
    fn counted(&self) -> &[EntryCounts] {
        &[]
    }

    /// What it has done so far.
    fn statistics(&self) -> Statistics;

    /// The packets that are inside, in order of arrival, and what each waits for; none if the machine does not say.
    fn waiting(&self) -> Vec<Stuck> {
        Vec::new()
    }

    /// Records from now on what is where in each of the next `cycles` cycles in which anything is anywhere. Memory
    /// grows with them. A machine without stages has nothing to record.
    fn record_timeline(&mut self, cycles: u64) {
        let _ = cycles;
    }

    /// What was recorded, if anything was to be.
    fn timeline(&self) -> Option<&Timeline> {
        None
    }
}

/// What a machine has done so far. Serialises to what scripts read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Statistics {
    /// Packets that came in.
    pub received: u64,
    /// Packets that went out.
    pub transmitted: u64,
    /// Of these, packets to which the program does not apply.
    pub bypassed: u64,
    /// Packets that did not go out, by reason.
    pub discarded: Counts<Reason>,
    /// Packets inside now.
    pub in_flight: u64,
    /// Clock cycles stepped through, of one pipeline's clock; cycles in which the machine was idle are not.
    pub cycles: u64,
    /// Stages that held a packet, summed over cycles and pipelines.
    pub stage_cycles: u64,
    /// The most packets, phantoms among them, that were in the queue of one stage of one pipeline at once: when all
    /// that arrive in a cycle have joined it, and before one of them is served.
    pub largest_queue: u64,
    /// Cycles that a stage spent to remove a phantom whose packet took the other branch.
    pub wasted_cycles: u64,
    /// Passes through a pipeline after a packet's first.
    pub recirculations: u64,
    /// Register indices moved between pipelines.
    pub moves: u64,
    /// Packets marked for congestion; also those without a header to write the mark into.
    pub marked: u64,
}
