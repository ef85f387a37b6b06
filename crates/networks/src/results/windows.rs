//! Averages over windows of time: what arrived of each flow between two times.

use std::sync::Arc;

use basis::Instant;
use netsim::Simulation;
use report::{Column, Columns};
use serde::{Deserialize, Serialize};
use transports::FlowId;

use super::flows::{Flow, Flows};
use crate::plan::WindowPlan;

/// How much of each flow had arrived at the ends of windows.
#[derive(Debug, Default)]
pub struct Windows {
    plans: Vec<WindowPlan>,
    /// What was seen, in the order of time.
    looks: Vec<Look>,
    /// The end of the run, once it is known.
    end: Instant,
}

/// How much of each flow had arrived before a time, by the numbers of flows.
#[derive(Debug, Serialize, Deserialize)]
struct Look {
    at: Instant,
    arrived: Vec<u64>,
}

/// What arrived of a flow within a window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WindowFlow {
    /// The number of the window in the plan, from 0.
    pub window: usize,
    /// The number of the flow in the order in which flows started.
    pub flow: usize,
    /// The number of bytes that arrived at its receiver (of TCP in order), or that its sender knows to have arrived if the
    /// receiver cannot tell.
    pub bytes: u64,
    /// These bytes over the length of the window, in bits per second.
    pub bits_per_second: f64,
}

impl Windows {
    /// Has the simulation looked at where windows begin and end.
    pub(super) fn watch(plans: &[WindowPlan], simulation: &mut Simulation) -> Self {
        simulation.look_at(plans.iter().flat_map(|plan| [Some(plan.from), plan.until]).flatten());
        Self { plans: plans.to_vec(), ..Self::default() }
    }

    /// Looks at how much of each flow has arrived.
    pub(super) fn look(&mut self, at: Instant, simulation: &Simulation, flows: &Flows) {
        let delivered = |flow: &Flow| if flow.delivered.is_some() { flow.bytes } else { 0 };
        let mut arrived: Vec<u64> = flows.flows().iter().map(delivered).collect();
        for station in 0..simulation.stations() {
            simulation.station(station).progress(&mut |progress| {
                if let Some(flow) = flows.find(FlowId { source: progress.source, message: progress.message }) {
                    arrived[flow] = arrived[flow].max(progress.bytes.min(flows.flows()[flow].bytes));
                }
            });
        }
        self.looks.push(Look { at, arrived });
    }

    /// Ends the run. Windows that go on behind the last packet end with what had arrived by then.
    pub(super) fn end(&mut self, end: Instant, flows: &[Flow]) {
        self.end = end;
        self.looks.retain(|look| look.at <= end);
        let arrived = flows.iter().map(|flow| flow.arrived.unwrap_or(0)).collect();
        self.looks.push(Look { at: Instant::MAX, arrived });
    }

    /// Returns what arrived of each flow within each window, in the order of windows, then of flows. Flows that began
    /// behind a window or were over before it have no part in it.
    pub fn flows(&self, flows: &[Flow]) -> Vec<WindowFlow> {
        let mut all = Vec::new();
        for (window, plan) in self.plans.iter().enumerate() {
            let until = plan.until.unwrap_or(self.end);
            let [before, after] = [plan.from, plan.until.unwrap_or(Instant::MAX)].map(|at| self.arrived(at));
            for (number, flow) in flows.iter().enumerate() {
                let over = flow.delivered.or(flow.abandoned);
                if flow.started >= until || over.is_some_and(|over| over <= plan.from) {
                    continue;
                }
                let arrived = |look: &[u64]| look.get(number).copied().unwrap_or(0);
                let bytes = arrived(after).saturating_sub(arrived(before));
                // Not a number for a window without an extent.
                let bits_per_second = bytes as f64 * 8.0 / until.since(plan.from.min(until)).seconds();
                all.push(WindowFlow { window, flow: number, bytes, bits_per_second });
            }
        }
        all
    }

    /// What had arrived before a time: the first look then or later, for nothing arrives between the last packet and a
    /// look that was not taken because the run was over.
    fn arrived(&self, at: Instant) -> &[u64] {
        let look = self.looks.partition_point(|look| look.at < at);
        self.looks.get(look).map_or(&[], |look| &look.arrived)
    }

    /// Returns `windows.csv`: a row for each window and flow; `None` if there are no windows.
    pub(super) fn table(&self, flows: &[Flow], names: &Arc<[String]>) -> Option<Columns> {
        if self.plans.is_empty() {
            return None;
        }
        let rows = self.flows(flows);
        let counts = |of: &dyn Fn(&WindowFlow) -> u64| Column::Counts(rows.iter().map(of).collect());
        // An additional empty name stands for destinations that no host has.
        let with_none: Arc<[String]> = names.iter().cloned().chain([String::new()]).collect();
        let host = |of: fn(&Flow) -> u32| Column::Names {
            names: Arc::clone(&with_none),
            rows: rows.iter().map(|row| of(&flows[row.flow]).min(names.len() as u32)).collect(),
        };
        Some(Columns {
            name: "windows",
            columns: vec![
                ("window", counts(&|row| row.window as u64 + 1)),
                ("from_ps", counts(&|row| self.plans[row.window].from.picoseconds())),
                ("until_ps", counts(&|row| self.plans[row.window].until.unwrap_or(self.end).picoseconds())),
                ("source", host(|flow| flow.source)),
                ("message", counts(&|row| flows[row.flow].message.into())),
                ("destination", host(|flow| flow.destination)),
                ("bytes", counts(&|row| row.bytes)),
                ("bits_per_second", Column::Numbers(rows.iter().map(|row| row.bits_per_second).collect())),
            ],
        })
    }
}

basis::snapshot!(Windows { values looks; });
