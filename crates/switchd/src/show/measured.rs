//! What a running switch tells as metrics.

use control::{CounterNumber, CounterUnit, Info};
use runtime::Count;

use service::metrics::{Family, MetricKind, Sample, of_lateness, of_ports};

use super::Place;
use crate::message::ControllersReport;
use crate::switch::Running;

use MetricKind::{Counter, Gauge};

/// Returns all metrics but the counters of the program.
pub(crate) fn metrics(running: &mut Running) -> Vec<Family> {
    let station = running.driver.node().as_station();
    let mut families = of_ports(&running.driver, |port| station.queue(port).packets);
    families.push(Family::new("polyplane_table_entries", Gauge, "Entries of the table.", entries(running)));
    families.extend(of_lateness(&running.driver));
    let reloads = running.reloads as f64;
    families.push(Family::new(
        "polyplane_reloads_total",
        Counter,
        "Reloads that changed something.",
        vec![(Vec::new(), reloads)],
    ));
    families.extend(running.controllers_report().map(controllers).into_iter().flatten());
    families
}

fn controllers(report: ControllersReport) -> [Family; 2] {
    let by_outcome = [
        ("packet-in", report.packet_ins),
        ("packet-in lost", report.lost),
        ("packet-in without controller", report.unheard),
        ("packet-in too short", report.malformed),
        ("packet-out", report.packet_outs),
        ("packet-out without room", report.refused),
    ];
    let samples = by_outcome.map(|(outcome, packets)| (vec![("outcome", outcome.to_owned())], packets as f64));
    let help = ["Whether a controller is the primary of a role.", "Packets to and from controllers, by outcome."];
    let primary = vec![(Vec::new(), f64::from(u8::from(report.primary)))];
    [
        Family::new("polyplane_controller_primary", Gauge, help[0], primary),
        Family::new("polyplane_controller_packets_total", Counter, help[1], samples.into()),
    ]
}

fn entries(running: &Running) -> Vec<Sample> {
    let state = running.driver.node().device().state();
    let tables = running.info().tables.iter().zip(&state.tables);
    let shown = tables.filter(|(table, _)| !table.identity.is_hidden);
    shown.map(|(table, state)| (vec![("table", table.identity.name.clone())], state.matches().len() as f64)).collect()
}

/// Returns the counters of the program.
pub(crate) fn counter_metrics(info: &Info, counted: Vec<(CounterNumber, Vec<(Place, Count)>)>) -> Vec<Family> {
    let mut packets = Vec::new();
    let mut bytes = Vec::new();
    for (number, counts) in counted {
        let counter = info.counter(number);
        for (place, count) in counts {
            let priority = place.priority.map(|priority| ("priority", priority.to_string()));
            let labels = || {
                let named = [("counter", counter.identity.name.clone()), ("index", place.at.clone())];
                named.into_iter().chain(priority.clone()).collect()
            };
            if counter.unit != CounterUnit::Bytes {
                packets.push((labels(), count.packets as f64));
            }
            if counter.unit != CounterUnit::Packets {
                bytes.push((labels(), count.bytes as f64));
            }
        }
    }
    let help =
        ["Packets that a counter of the program has counted.", "Bytes that a counter of the program has counted."];
    vec![
        Family::new("polyplane_counter_packets_total", Counter, help[0], packets),
        Family::new("polyplane_counter_bytes_total", Counter, help[1], bytes),
    ]
}
