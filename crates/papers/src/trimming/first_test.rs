//! The method `three-flows`: three flows of the rate of a line between two racks with three spines (the first test).

use networks::NetworkMethod;
use networks::results::Outcome;
use plans::Record;
use report::Column;

use super::{EQDS, STACK, TCP, shipped};

const MEASURES: [&str; 5] =
    ["slowest_of_alone", "spines", "shared", "slowest_where_two_share", "slowest_where_all_share"];

pub(super) fn method() -> NetworkMethod {
    let plans = [(TCP, "bisection-tcp.toml"), (EQDS, "bisection-eqds.toml")];
    NetworkMethod::new("three-flows", shipped::THREE_FLOWS, (STACK, &plans)).with_measures(&MEASURES, measure)
}

/// The goodput of the slowest flow as a share of what it would be alone, over how many spines the flows went, and
/// whether flows shared one.
fn measure(outcome: &Outcome) -> Record {
    // A slowdown is the time that a flow took over that which it would take alone.
    let slowest = outcome.summary.slowdown.as_ref().map_or(f64::NAN, |slowdown| 1.0 / slowdown.maximum);
    let spines = spines(outcome);
    let where_spines_are = |count: usize| if spines == count { slowest } else { f64::NAN };
    Record::new()
        .with("slowest_of_alone", slowest)
        .with("spines", spines)
        .with("shared", u64::from(spines < outcome.flows.len()))
        .with("slowest_where_two_share", where_spines_are(2))
        .with("slowest_where_all_share", where_spines_are(1))
}

/// To how many spines the rack of the senders has sent anything.
fn spines(outcome: &Outcome) -> usize {
    let Some(links) = outcome.tables.iter().find(|table| table.name == "links") else { return 0 };
    let column = |name: &str| links.columns.iter().find(|(known, _)| *known == name).map(|(_, column)| column);
    let (
        Some(Column::Names { names, rows: from }),
        Some(Column::Names { rows: to, .. }),
        Some(Column::Counts(packets)),
    ) = (column("from"), column("to"), column("packets"))
    else {
        return 0;
    };
    let is = |station: u32, name: &str| names[station as usize].starts_with(name);
    let used = from.iter().zip(to).zip(packets);
    used.filter(|((from, to), packets)| is(**from, "leaf-0") && is(**to, "spine") && **packets > 0).count()
}
