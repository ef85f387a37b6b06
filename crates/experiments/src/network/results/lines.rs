//! What lines have carried.

use std::sync::Arc;

use basis::Instant;
use netsim::Simulation;
use netsim::topology::LinePlan;

use super::places::Places;
use crate::results::{Column, Columns};

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

/// `links.csv`: a row for each line, which is one direction of a cable.
pub(super) fn table(places: &Places, carried: &[CarriedBy], end: Instant) -> Columns {
    let names = |of: fn(&super::Place) -> u32| Column::Names {
        names: Arc::clone(&places.stations),
        rows: places.places.iter().map(of).collect(),
    };
    let ports =
        |of: fn(&super::Place) -> u16| Column::Counts(places.places.iter().map(|place| u64::from(of(place))).collect());
    let counts = |of: fn(&CarriedBy) -> u64| Column::Counts(carried.iter().map(of).collect());
    let seconds = end.since(Instant::ZERO).seconds();
    let utilisation = |line: &CarriedBy| line.bytes as f64 * 8.0 / line.rate as f64 / seconds;
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
        ],
    }
}
