//! How often faults struck: by rule, and by rule and line.

use std::sync::Arc;

use netsim::Simulation;
use serde::Serialize;

use super::places::{Place, Places};
use crate::plan::FaultPlan;
use report::{Column, Columns};

/// How often rules struck.
#[derive(Clone, Debug, Default)]
pub struct Faults {
    rows: Vec<Row>,
}

/// A rule on a line.
#[derive(Clone, Copy, Debug)]
struct Row {
    rule: usize,
    place: Place,
    seen: u64,
    struck: u64,
}

/// A fault in a few words and numbers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Struck {
    /// Its kind, as plans say it.
    pub kind: &'static str,
    /// Where it acted, in words.
    pub place: String,
    /// Packets on which it acted, on all lines together; `None` if it acts on no packets.
    pub seen: Option<u64>,
    /// Those of them that it struck.
    pub struck: Option<u64>,
}

impl Faults {
    /// Those of a run, where `numbers` are the places of the rules about lines among all faults of the plan.
    pub(super) fn of(places: &Places, simulation: &Simulation, numbers: &[usize]) -> Self {
        let faults = simulation.faults();
        let mut rows = Vec::new();
        for place in &places.places {
            let Some(faults) = faults.get(&place.line(simulation)) else { continue };
            let row = |tally: netsim::faults::Tally| {
                let rule = numbers[tally.rule];
                Row { rule, place: *place, seen: tally.seen, struck: tally.struck }
            };
            rows.extend(faults.tallies().map(row));
        }
        rows.sort_by_key(|row| row.rule);
        Self { rows }
    }

    /// Each fault of the plan, with what it did on all lines together.
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

    /// `faults.csv`: a row for each rule and each line on which it could act; rules are numbered as in the plan, from 1.
    pub(super) fn table(&self, plan: &[FaultPlan], stations: &Arc<[String]>) -> Columns {
        let counts = |of: fn(&Row) -> u64| Column::Counts(self.rows.iter().map(of).collect());
        let names = |of: fn(&Place) -> u32| {
            let rows = self.rows.iter().map(|row| of(&row.place)).collect();
            Column::Names { names: stations.clone(), rows }
        };
        Columns {
            name: "faults",
            columns: vec![
                ("rule", counts(|row| row.rule as u64 + 1)),
                ("kind", Column::of_names(self.rows.iter().map(|row| plan[row.rule].kind.to_owned()))),
                ("from", names(|place| place.station)),
                ("from_port", counts(|row| row.place.port.into())),
                ("to", names(|place| place.other)),
                ("to_port", counts(|row| row.place.other_port.into())),
                ("packets_seen", counts(|row| row.seen)),
                ("packets_struck", counts(|row| row.struck)),
            ],
        }
    }
}

impl Struck {
    /// As people read it.
    pub(super) fn text(&self) -> String {
        let Self { kind, place, .. } = self;
        match (self.struck, self.seen) {
            (Some(struck), Some(seen)) => format!("{kind} on {place} struck {struck} of {seen}"),
            _ => format!("{kind} on {place}"),
        }
    }
}
