//! What a running switch tells as metrics.

use control::{CounterNumber, CounterUnit, Info};
use runtime::Count;

use super::{Place, drops, ports};
use crate::message::{ControllersReport, PortRow, TrafficRow};
use crate::metrics::{Family, MetricKind};
use crate::switch::Running;

use MetricKind::{Counter, Gauge};

/// Labels and value of a sample.
type Sample = (Vec<(&'static str, String)>, f64);

fn family(name: &'static str, kind: MetricKind, help: &'static str, samples: Vec<Sample>) -> Family {
    Family { name, help, kind, samples }
}

/// Returns all metrics but the counters of the program.
pub(crate) fn metrics(running: &mut Running) -> Vec<Family> {
    let rows = ports(running);
    let by_port = |value: &dyn Fn(&PortRow) -> u64| -> Vec<Sample> {
        let labels = |row: &PortRow| vec![("port", row.port.to_string()), ("interface", row.interface.clone())];
        rows.iter().map(|row| (labels(row), value(row) as f64)).collect()
    };
    let received = |part: fn(TrafficRow) -> u64| by_port(&move |row| part(row.received));
    let transmitted = |part: fn(TrafficRow) -> u64| by_port(&move |row| part(row.transmitted));
    let mut families = vec![
        family("polyplane_port_up", Gauge, "Whether the port's interface is up.", by_port(&|row| row.up.into())),
        family(
            "polyplane_port_received_frames_total",
            Counter,
            "Frames that the port received; one that carries several segments counts once.",
            received(|traffic| traffic.frames),
        ),
        family(
            "polyplane_port_received_packets_total",
            Counter,
            "Packets that the port received.",
            received(|traffic| traffic.packets),
        ),
        family(
            "polyplane_port_received_bytes_total",
            Counter,
            "Bytes of the frames that the port received.",
            received(|traffic| traffic.bytes),
        ),
        family(
            "polyplane_port_transmitted_frames_total",
            Counter,
            "Frames that the port transmitted; one that carries several segments counts once.",
            transmitted(|traffic| traffic.frames),
        ),
        family(
            "polyplane_port_transmitted_packets_total",
            Counter,
            "Packets that the port transmitted.",
            transmitted(|traffic| traffic.packets),
        ),
        family(
            "polyplane_port_transmitted_bytes_total",
            Counter,
            "Bytes of the frames that the port transmitted.",
            transmitted(|traffic| traffic.bytes),
        ),
        family(
            "polyplane_port_waiting_packets",
            Gauge,
            "Packets that wait in the port's queue or for room at its interface.",
            by_port(&|row| row.waiting + row.queued_packets),
        ),
    ];
    families.push(family(
        "polyplane_dropped_packets_total",
        Counter,
        "Packets that were dropped, by reason and by the port from which they came; without a port if none is known.",
        dropped(running),
    ));
    families.push(family("polyplane_table_entries", Gauge, "Entries of the table.", entries(running)));
    families.extend(lateness(running));
    let reloads = running.reloads as f64;
    families.push(family(
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
        family("polyplane_controller_primary", Gauge, help[0], primary),
        family("polyplane_controller_packets_total", Counter, help[1], samples.into()),
    ]
}

fn dropped(running: &Running) -> Vec<Sample> {
    let mut samples = Vec::new();
    for row in drops(running) {
        let of_ports: u64 = row.by_port.values().sum();
        for (port, packets) in &row.by_port {
            samples.push((vec![("reason", row.reason.clone()), ("port", port.to_string())], *packets as f64));
        }
        if row.packets > of_ports {
            let labels = vec![("reason", row.reason), ("port", String::new())];
            samples.push((labels, (row.packets - of_ports) as f64));
        }
    }
    samples
}

fn entries(running: &Running) -> Vec<Sample> {
    let state = running.driver.node().device().state();
    let tables = running.info().tables.iter().zip(&state.tables);
    let shown = tables.filter(|(table, _)| !table.identity.is_hidden);
    shown.map(|(table, state)| (vec![("table", table.identity.name.clone())], state.matches().len() as f64)).collect()
}

fn lateness(running: &Running) -> Vec<Family> {
    let delays = running.driver.delays();
    let of = [("wake", delays.wakes), ("ready", delays.readies), ("transmission", delays.transmissions)];
    let seconds = |duration: basis::Duration| duration.picoseconds() as f64 / 1e12;
    let samples = |value: &dyn Fn(live::Lateness) -> f64| -> Vec<Sample> {
        of.iter().map(|(what, lateness)| (vec![("event", (*what).to_owned())], value(*lateness))).collect()
    };
    vec![
        family(
            "polyplane_timed_events_total",
            Counter,
            "Things that were to happen at a time, by kind.",
            samples(&|lateness| lateness.count as f64),
        ),
        family(
            "polyplane_late_seconds_total",
            Counter,
            "Sum of the times by which timed events were late.",
            samples(&|lateness| seconds(lateness.total)),
        ),
        family(
            "polyplane_late_seconds_max",
            Gauge,
            "Greatest time by which a timed event was late.",
            samples(&|lateness| seconds(lateness.greatest)),
        ),
    ]
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
        family("polyplane_counter_packets_total", Counter, help[0], packets),
        family("polyplane_counter_bytes_total", Counter, help[1], bytes),
    ]
}
