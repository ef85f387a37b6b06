//! The counters of stations, with the names of their standards.

use std::collections::BTreeMap;
use std::sync::Arc;

use netsim::Simulation;

use report::{Column, Columns};

/// The counters of all stations that are not zero.
#[derive(Clone, Debug, Default)]
pub struct Counters {
    rows: Vec<Row>,
    names: Vec<&'static str>,
}

#[derive(Clone, Copy, Debug)]
struct Row {
    station: u32,
    port: Option<u16>,
    /// The index into the names.
    name: u32,
    value: u64,
}

impl Counters {
    /// Reads the counters of all stations of a network.
    pub(super) fn of(simulation: &Simulation, stations: usize) -> Self {
        let mut counters = Self::default();
        let mut known: BTreeMap<&'static str, u32> = BTreeMap::new();
        for station in 0..stations {
            simulation.station(station).counters(&mut |counter| {
                let name = *known.entry(counter.name).or_insert_with(|| {
                    counters.names.push(counter.name);
                    counters.names.len() as u32 - 1
                });
                if counter.value > 0 {
                    let port = counter.port.map(|port| port.0);
                    counters.rows.push(Row { station: station as u32, port, name, value: counter.value });
                }
            });
        }
        counters
    }

    /// Returns the sum of each counter over all stations and ports, including counters that are zero everywhere.
    pub fn sums(&self) -> BTreeMap<&'static str, u64> {
        let mut sums: BTreeMap<&'static str, u64> = self.names.iter().map(|name| (*name, 0)).collect();
        for row in &self.rows {
            *sums.entry(self.names[row.name as usize]).or_default() += row.value;
        }
        sums
    }

    /// Returns the sum of a counter over all stations and ports; 0 if there is no such counter.
    pub fn sum(&self, name: &str) -> u64 {
        self.sums().get(name).copied().unwrap_or_default()
    }

    /// Returns `counters.csv`: a row for each counter of each port that is not zero.
    pub(super) fn table(&self, stations: &Arc<[String]>) -> Columns {
        let names: Arc<[String]> = self.names.iter().map(|&name| name.to_owned()).collect();
        let rows = self.rows.iter().map(|row| row.station).collect();
        Columns {
            name: "counters",
            columns: vec![
                ("station", Column::Names { names: stations.clone(), rows }),
                ("port", Column::Optional(self.rows.iter().map(|row| row.port.map(u64::from)).collect())),
                ("counter", Column::Names { names, rows: self.rows.iter().map(|row| row.name).collect() }),
                ("value", Column::Counts(self.rows.iter().map(|row| row.value).collect())),
            ],
        }
    }
}
