//! What lines have carried, and how busy they were while there was traffic.

use std::sync::Arc;

use basis::Rate;
use netsim::Simulation;
use netsim::topology::LinePlan;

use super::places::Places;
use report::{Column, Columns};

/// What one line has carried.
#[derive(Clone, Copy, Debug)]
pub(super) struct CarriedBy {
    rate: u64,
    packets: u64,
    bytes: u64,
}

/// What each line has carried, in the order of places.
pub(super) fn carried(places: &Places, simulation: &Simulation) -> Vec<CarriedBy> {
    let of_place = |place: &super::Place| {
        let (plan, carried) = simulation.carried(place.line(simulation));
        let rate = plan.map_or(1, |plan: LinePlan| plan.rate.bits_per_second());
        CarriedBy { rate, packets: carried.packets, bytes: carried.bytes }
    };
    places.places.iter().map(of_place).collect()
}

/// `links.csv`: a row for each line, which is one direction of a cable. Use is over the time in which there was traffic
/// anywhere, so that neither what came before the first flow nor timers behind the last packet dilute it.
pub(super) fn table(places: &Places, carried: &[CarriedBy], simulation: &Simulation) -> Columns {
    let names = |of: fn(&super::Place) -> u32| Column::Names {
        names: Arc::clone(&places.stations),
        rows: places.places.iter().map(of).collect(),
    };
    let ports =
        |of: fn(&super::Place) -> u16| Column::Counts(places.places.iter().map(|place| u64::from(of(place))).collect());
    let counts = |of: fn(&CarriedBy) -> u64| Column::Counts(carried.iter().map(of).collect());
    let traffic = simulation.traffic().map(|(first, last)| last.since(first).picoseconds());
    let busy = |line: &CarriedBy| Rate::from_bits_per_second(line.rate).time_of(line.bytes).picoseconds();
    let utilisation = |line: &CarriedBy| traffic.map_or(0.0, |traffic| busy(line) as f64 / traffic.max(1) as f64);
    Columns {
        name: "links",
        columns: vec![
            ("from", names(|place| place.station)),
            ("from_port", ports(|place| place.port)),
            ("to", names(|place| place.other)),
            ("to_port", ports(|place| place.other_port)),
            ("rate_bits_per_second", counts(|line| line.rate)),
            ("packets", counts(|line| line.packets)),
            ("bytes_on_wire", counts(|line| line.bytes)),
            ("utilisation", Column::Numbers(carried.iter().map(utilisation).collect())),
            ("busy_ps", Column::Counts(carried.iter().map(busy).collect())),
        ],
    }
}
