//! What no number of pipelines can exceed: a register value takes one access a cycle.

use ir::pipeline::{Division, Pipeline};

/// Counts how often each place of each access is accessed.
///
/// The cap is arithmetic and knows nothing of the machine: of n packets that come k a cycle, c need one place, which
/// serves one a cycle; so they take c cycles at least, and n / (k c) of the offered rate is the most (MP5 section
/// 3.5.2). A sequencer's one counter is needed by all: 1 / k.
#[derive(Debug)]
pub(super) struct AccessCounts {
    /// By access; a pinned one lies in one pipeline, and is one place however many indices it has.
    places: Vec<Vec<u64>>,
    /// The registers of each access.
    names: Vec<String>,
}

/// The most that any machine of parallel pipelines sustains.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Cap {
    /// As a share of the offered rate, at most 1.
    pub(super) share: f64,
    /// The registers that limit it; empty if nothing does.
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

    /// The cap if the packets come at `rate` packets a cycle.
    pub(super) fn cap(&self, packets: u64, rate: f64) -> Cap {
        let busiest = self.places.iter().map(|places| places.iter().copied().max().unwrap_or(0));
        // Of equal ones the first.
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
