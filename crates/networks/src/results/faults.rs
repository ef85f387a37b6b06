//! The number of packets that each fault affected, by rule and by link.

use std::sync::Arc;

use netsim::Simulation;
use serde::Serialize;

use super::cabled_ports::{CabledPort, CabledPorts};
use crate::plan::FaultPlan;
use report::{Column, Columns};

/// The number of packets that each rule affected.
#[derive(Clone, Debug, Default)]
pub struct Faults {
    rows: Vec<Row>,
}

/// The numbers of one rule on one link.
#[derive(Clone, Copy, Debug)]
struct Row {
    rule: usize,
    port: CabledPort,
    seen: u64,
    struck: u64,
}

/// A summary of one fault.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Struck {
    /// The name of its kind in plans.
    pub kind: &'static str,
    /// The place where it acted, in words.
    pub place: String,
    /// The number of packets that it could have affected, on all links together; `None` if it does not act on packets.
    pub seen: Option<u64>,
    /// The number of packets that it affected.
    pub struck: Option<u64>,
}

impl Faults {
    /// Reads the numbers of a run. `numbers` are the indices of the rules for links among all faults of the plan.
    pub(super) fn of(ports: &CabledPorts, simulation: &Simulation, numbers: &[usize]) -> Self {
        let faults = simulation.faults();
        let mut rows = Vec::new();
        for port in &ports.all {
            let Some(faults) = faults.get(&port.link(simulation)) else { continue };
            let row = |tally: netsim::faults::Tally| {
                let rule = numbers[tally.rule];
                Row { rule, port: *port, seen: tally.seen, struck: tally.struck }
            };
            rows.extend(faults.tallies().map(row));
        }
        rows.sort_by_key(|row| row.rule);
        Self { rows }
    }

    /// Returns a summary of each fault of the plan over all links.
    pub(super) fn summary(&self, plan: &[FaultPlan]) -> Vec<Struck> {
        let struck = |(number, fault): (usize, &FaultPlan)| {
            let rows = || self.rows.iter().filter(|row| row.rule == number);
            let is_told = rows().next().is_some();
            Struck {
                kind: fault.kind,
                place: fault.place.clone(),
                seen: is_told.then(|| rows().map(|row| row.seen).sum()),
                struck: is_told.then(|| rows().map(|row| row.struck).sum()),
            }
        };
        plan.iter().enumerate().map(struck).collect()
    }

    /// Returns `faults.csv`: a row for each rule and each link on which it could act. Rules are numbered as in the
    /// plan, from 1.
    pub(super) fn table(&self, plan: &[FaultPlan], stations: &Arc<[String]>) -> Columns {
        let counts = |of: fn(&Row) -> u64| Column::Counts(self.rows.iter().map(of).collect());
        let names = |of: fn(&CabledPort) -> u32| {
            let rows = self.rows.iter().map(|row| of(&row.port)).collect();
            Column::Names { names: stations.clone(), rows }
        };
        Columns {
            name: "faults",
            columns: vec![
                ("rule", counts(|row| row.rule as u64 + 1)),
                ("kind", Column::of_names(self.rows.iter().map(|row| plan[row.rule].kind.to_owned()))),
                ("from", names(|port| port.station)),
                ("from_port", counts(|row| row.port.port.into())),
                ("to", names(|port| port.other)),
                ("to_port", counts(|row| row.port.other_port.into())),
                ("packets_seen", counts(|row| row.seen)),
                ("packets_struck", counts(|row| row.struck)),
            ],
        }
    }
}

impl Struck {
    /// Returns the summary in words.
    pub(super) fn text(&self) -> String {
        let Self { kind, place, .. } = self;
        match (self.struck, self.seen) {
            (Some(struck), Some(seen)) => format!("{kind} on {place} struck {struck} of {seen}"),
            _ => format!("{kind} on {place}"),
        }
    }
}
