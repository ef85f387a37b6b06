//! The tables of the virtual switch.

use report::Table;

use super::{MeasuredAttack, MeasuredConnections, MeasuredOption};
use crate::tables::{ratio, table};

/// Returns the cost of each attack, for the switch and for a neighbour.
pub fn attack_table(measured: &[MeasuredAttack]) -> Table {
    let row = |attack: &MeasuredAttack| {
        vec![
            attack.attack.to_owned(),
            format!("{:.0} ns", attack.nanoseconds),
            format!("{:.0}%", 100.0 * attack.neighbour_keeps),
            format!("{:.0}%", 100.0 * attack.keeps_without_budget),
            format!("{:.0}%", 100.0 * attack.passed),
        ]
    };
    table(
        &["a guest sends", "a packet takes", "a neighbour keeps", "by turns alone", "passed"],
        measured.iter().map(row),
    )
}

/// Returns the time of a packet: a row for each order of packets, two columns for each option.
pub fn option_table(measured: &[MeasuredOption]) -> Table {
    let rows: Vec<&[MeasuredOption]> = measured.chunk_by(|one, next| one.packets == next.packets).collect();
    let of_option = |one: &MeasuredOption| [one.option, "x"];
    let header = rows.first().into_iter().flat_map(|row| row.iter().flat_map(of_option));
    let header: Vec<&str> = ["packets of sessions"].into_iter().chain(header).collect();
    let row = |row: &[MeasuredOption]| {
        let values = row.iter().flat_map(|one| [format!("{:.0} ns", one.nanoseconds), ratio(one.against_none)]);
        [row[0].packets.to_owned()].into_iter().chain(values).collect()
    };
    table(&header, rows.into_iter().map(row))
}

/// Returns the connections that a switch takes.
pub fn connection_table(measured: &[MeasuredConnections]) -> Table {
    let row = |one: &MeasuredConnections| {
        let rate = format!("{:.1} k", one.connections_per_second * 1e-3);
        vec![one.way.to_owned(), rate, ratio(one.against_each_decided)]
    };
    table(&["connections with", "connections/s", "x each packet decided"], measured.iter().map(row))
}
