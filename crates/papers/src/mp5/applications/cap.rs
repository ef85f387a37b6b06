//! The cap on throughput for any number of pipelines, since a register value takes one access per cycle.

use ir::pipeline::{Division, Pipeline};

/// Counts the accesses to each index, from which the cap follows.
///
/// The cap is independent of the machine: if c of n packets, which arrive at k per cycle, need the same index, which
/// serves one per cycle, they take at least c cycles, so the throughput is at most n / (k c) of the offered rate (MP5
/// section 3.5.2). All packets need the one counter of a sequencer, whose cap is 1 / k.
#[derive(Debug)]
pub(super) struct AccessCounts {
    /// The counts by access. A pinned register lies in one pipeline and counts as one index, however many it has.
    places: Vec<Vec<u64>>,
    /// The registers of each access.
    names: Vec<String>,
}

/// The greatest throughput of any machine of parallel pipelines.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Cap {
    /// The throughput as a share of the offered rate, at most 1.
    pub(super) share: f64,
    /// The registers that limit it; empty if none does.
    pub(super) registers: String,
}

impl AccessCounts {
    pub(super) fn new(pipeline: &Pipeline) -> Self {
        let places = |access: &ir::pipeline::Access| match access.division {
            Division::Whole => 1,
            Division::ByIndex => pipeline.indices_of(access).max(1),
        };
        let names = |access: &ir::pipeline::Access| {
            let names: Vec<&str> =
                access.registers.iter().map(|&id| pipeline.program.register(id).name.as_str()).collect();
            names.join(" and ")
        };
        Self {
            places: pipeline.accesses.iter().map(|access| vec![0; places(access)]).collect(),
            names: pipeline.accesses.iter().map(names).collect(),
        }
    }

    pub(super) fn add(&mut self, access: u32, index: u32) {
        let places = &mut self.places[access as usize];
        let place = if places.len() == 1 { 0 } else { index as usize };
        places[place] += 1;
    }

    /// Returns the cap if the packets arrive at `rate` packets per cycle.
    pub(super) fn cap(&self, packets: u64, rate: f64) -> Cap {
        let busiest = self.places.iter().map(|places| places.iter().copied().max().unwrap_or(0));
        // The first of equal ones.
        let (count, registers) = busiest
            .zip(&self.names)
            .fold((0, ""), |most, (count, name)| if count > most.0 { (count, name) } else { most });
        let share = packets as f64 / (rate * count.max(1) as f64);
        if share < 1.0 {
            Cap { share, registers: registers.to_owned() }
        } else {
            Cap { share: 1.0, registers: String::new() }
        }
    }
}
