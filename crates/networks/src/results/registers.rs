//! The samples of registers of programs over time, and when conditions on their values held.

use std::sync::Arc;

use basis::Instant;
use diagnostics::Failure;
use netsim::Simulation;
use node::RegisterValue;
use report::{Column, Columns};
use serde::{Deserialize, Serialize};

use crate::plan::{NetworkPlan, RegisterPlan};

/// Periodic samples of chosen registers. A sample is stored only if it differs from the previous one of its index;
/// registers begin as 0, with conditions that do not hold.
#[derive(Debug, Default)]
pub struct RegisterSeries {
    probes: Vec<RegisterPlan>,
    /// The names of all stations.
    stations: Arc<[String]>,
    /// The registers of each switch.
    watched: Vec<Watched>,
    samples: Vec<RegisterSample>,
}

/// A register of a switch.
#[derive(Debug)]
struct Watched {
    probe: u32,
    station: u32,
    /// The last value at each index of each pipe in the order in which the switch tells them, and whether the condition
    /// held.
    last: Vec<(u64, bool)>,
}

/// The value of a register at one index, from one time on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RegisterSample {
    /// The time of the sample.
    pub at: Instant,
    /// The number of the register among those of the plan.
    pub probe: u32,
    /// The switch, by its number.
    pub station: u32,
    /// Its pipe.
    pub pipe: u16,
    /// The index.
    pub index: u32,
    /// The value.
    pub value: u64,
    /// Whether the condition of the plan holds; false without one.
    pub holds: bool,
}

/// A time during which the condition on a register held at one index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    /// The number of the register among those of the plan.
    pub probe: u32,
    /// The switch, by its number.
    pub station: u32,
    /// Its pipe.
    pub pipe: u16,
    /// The index.
    pub index: u32,
    /// The time of the first sample at which it held.
    pub from: Instant,
    /// The time of the first sample at which it did not hold again, or the end of the run.
    pub until: Instant,
}

impl RegisterSeries {
    /// Makes a series of the registers that a plan names.
    ///
    /// # Errors
    /// Fails with a diagnostic in the plan for each register that a switch, or no switch, has.
    pub(super) fn new(plan: &NetworkPlan, stations: Arc<[String]>, simulation: &Simulation) -> Result<Self, Failure> {
        let probes = plan.probes.registers.clone();
        let mut watched = Vec::new();
        for (probe, number) in probes.iter().zip(0..) {
            let before = watched.len();
            for (station, name) in stations.iter().enumerate() {
                let is_named = probe.names.iter().any(|pattern| pattern.matches(name));
                if !is_named && !probe.names.is_empty() {
                    continue;
                }
                let has = |indices| simulation.station(station).register(&probe.register, indices, &mut |_| {});
                if has(0..0) {
                    let missing = probe.indices.last().filter(|&&last| !has_index(simulation, station, probe, last));
                    if let Some(index) = missing {
                        let message = format!("`{}` of {name} has no index {index}", probe.register);
                        return Err(plan.mistake(&probe.place, message, "indices are counted from 0"));
                    }
                    watched.push(Watched { probe: number, station: station as u32, last: Vec::new() });
                } else if is_named {
                    let message = format!("{name} has no register `{}`", probe.register);
                    return Err(plan.mistake(&probe.place, message, HINT));
                }
            }
            if watched.len() == before {
                let message = format!("no switch has a register `{}`", probe.register);
                return Err(plan.mistake(&probe.place, message, HINT));
            }
        }
        Ok(Self { probes, stations, watched, samples: Vec::new() })
    }

    /// Takes a sample of every register.
    pub(super) fn sample(&mut self, at: Instant, simulation: &Simulation) {
        let Self { probes, watched, samples, .. } = self;
        for Watched { probe, station, last } in watched {
            let plan = &probes[*probe as usize];
            let mut place = 0;
            let mut note = |RegisterValue { pipe, index, value }: RegisterValue| {
                if last.len() == place {
                    last.push((0, false));
                }
                let holds = plan.condition.is_some_and(|condition| condition.holds(value, at));
                if last[place] != (value, holds) {
                    last[place] = (value, holds);
                    samples.push(RegisterSample { at, probe: *probe, station: *station, pipe, index, value, holds });
                }
                place += 1;
            };
            let of_station = simulation.station(*station as usize);
            if plan.indices.is_empty() {
                of_station.register(&plan.register, 0..u32::MAX, &mut note);
            }
            for run in runs(&plan.indices) {
                of_station.register(&plan.register, run, &mut note);
            }
        }
    }

    /// Ends the run: samples that were taken behind `end`, while timers ran, are discarded.
    pub(super) fn end(&mut self, end: Instant) {
        self.samples.truncate(self.samples.partition_point(|sample| sample.at <= end));
    }

    /// Returns the registers of the plan.
    pub fn probes(&self) -> &[RegisterPlan] {
        &self.probes
    }

    /// Returns all samples in the order of their times.
    pub fn samples(&self) -> &[RegisterSample] {
        &self.samples
    }

    /// Returns when the conditions held in a run that ended at `end`: by switch, pipe and index, then by register of the
    /// plan, then by time.
    pub fn held(&self, end: Instant) -> Vec<Held> {
        let key = |sample: &RegisterSample| (sample.station, sample.pipe, sample.index, sample.probe);
        let mut samples: Vec<&RegisterSample> = self.samples.iter().collect();
        samples.sort_by_key(|sample| key(sample)); // stable: by time within one index
        let mut all: Vec<Held> = Vec::new();
        for of_one in samples.chunk_by(|one, other| key(one) == key(other)) {
            let mut since = None;
            let until_end = RegisterSample { at: end, holds: false, ..**of_one.last().expect("chunks are not empty") };
            for sample in of_one.iter().copied().chain([&until_end]) {
                match (since, sample.holds) {
                    (None, true) => since = Some(sample.at),
                    (Some(from), false) => {
                        let RegisterSample { probe, station, pipe, index, .. } = *sample;
                        all.push(Held { probe, station, pipe, index, from, until: sample.at });
                        since = None;
                    }
                    _ => {}
                }
            }
        }
        all
    }

    /// Returns `registers.csv` from a row on: a row each time that a sample differs from the previous one; `None` if no
    /// register is sampled.
    pub(super) fn table(&self, from: usize) -> Option<Columns> {
        if self.probes.is_empty() {
            return None;
        }
        let samples = &self.samples[from..];
        let labels: Arc<[String]> = self.probes.iter().map(|probe| probe.label.clone()).collect();
        let counts = |of: &dyn Fn(&RegisterSample) -> u64| Column::Counts(samples.iter().map(of).collect());
        let names = |names: &Arc<[String]>, of: fn(&RegisterSample) -> u32| Column::Names {
            names: Arc::clone(names),
            rows: samples.iter().map(of).collect(),
        };
        let holds = |sample: &RegisterSample| {
            let condition = self.probes[sample.probe as usize].condition;
            condition.map(|_| u64::from(sample.holds))
        };
        Some(Columns {
            name: "registers",
            columns: vec![
                ("time_ps", counts(&|sample| sample.at.picoseconds())),
                ("label", names(&labels, |sample| sample.probe)),
                ("station", names(&self.stations, |sample| sample.station)),
                ("pipe", counts(&|sample| sample.pipe.into())),
                ("index", counts(&|sample| sample.index.into())),
                ("value", counts(&|sample| sample.value)),
                ("holds", Column::Optional(samples.iter().map(holds).collect())),
            ],
        })
    }
}

const HINT: &str = "name it as the control plane does, such as `ingress.counts` or `counts`, and a field of its structs as \
                    `counts.packets`; machines of programs without registers have none";

/// Returns whether a register of a switch has an index.
fn has_index(simulation: &Simulation, station: usize, probe: &RegisterPlan, index: u32) -> bool {
    let mut is_told = false;
    simulation.station(station).register(&probe.register, index..index + 1, &mut |_| is_told = true);
    is_told
}

/// Returns the runs of consecutive numbers in an ascending list.
fn runs(indices: &[u32]) -> impl Iterator<Item = std::ops::Range<u32>> {
    indices.chunk_by(|one, next| one + 1 == *next).map(|run| run[0]..run[run.len() - 1] + 1)
}

basis::snapshot!(RegisterSeries { values samples; parts watched; });
basis::snapshot!(Watched { values last; });

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn consecutive_indices_are_asked_for_together() {
        assert_eq!(runs(&[0, 1, 2, 5, 7, 8]).collect::<Vec<_>>(), [0..3, 5..6, 7..9]);
        assert_eq!(runs(&[]).count(), 0);
    }

    #[test]
    fn a_condition_holds_from_sample_to_sample() {
        let sample = |at, index, value, holds| RegisterSample {
            at: Instant::from_microseconds(at),
            probe: 0,
            station: 1,
            pipe: 0,
            index,
            value,
            holds,
        };
        let samples = vec![
            sample(1, 7, 5, true),
            sample(2, 3, 5, true),
            sample(3, 7, 6, true),
            sample(4, 7, 6, false),
            sample(6, 7, 9, true),
        ];
        let series = RegisterSeries { samples, ..RegisterSeries::default() };
        let held: Vec<(u32, u64, u64)> = series
            .held(Instant::from_microseconds(10))
            .iter()
            .map(|held| (held.index, held.from.microseconds(), held.until.microseconds()))
            .collect();
        assert_eq!(held, [(3, 2, 10), (7, 1, 4), (7, 6, 10)]);
    }
}
