//! The metrics of a driver.

use std::collections::BTreeMap;

use live::{Driver, Lateness, PortView, Traffic};
use node::{Node, Port, Reason};

use super::MetricKind::{Counter, Gauge};
use super::{Family, Sample};
use crate::run::BoxedInterface;

/// The number of packets that were discarded for one reason.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Drops {
    /// The number of all of them.
    pub packets: u64,
    /// The number of packets by the port from which they came, or whose interface did not take them.
    pub by_port: BTreeMap<u16, u64>,
    /// The number of packets of ports whose interfaces were taken away.
    pub at_gone: u64,
}

/// Returns the discarded packets by reason, in the order of results.
pub fn drops<N: Node>(driver: &Driver<N, BoxedInterface>) -> BTreeMap<Reason, Drops> {
    let all = driver.tally().discarded.into_iter();
    let mut drops: BTreeMap<Reason, Drops> =
        all.map(|(reason, packets)| (reason, Drops { packets, ..Drops::default() })).collect();
    for view in driver.ports() {
        for (reason, packets) in &view.tally.discarded {
            drops.entry(*reason).or_default().by_port.insert(view.port.0, *packets);
        }
    }
    for (reason, packets) in driver.discarded_at_gone() {
        drops.entry(*reason).or_default().at_gone = *packets;
    }
    drops
}

/// Returns what is known of the ports, and of discarded packets. `queued` says how many packets wait in the queue of a port,
/// before those that wait for room at its interface.
pub fn of_ports<N: Node>(driver: &Driver<N, BoxedInterface>, queued: impl Fn(Port) -> u64) -> Vec<Family> {
    let by_port = |value: &dyn Fn(&PortView<'_>) -> u64| -> Vec<Sample> {
        let labels = |view: &PortView<'_>| vec![("port", view.port.0.to_string()), ("interface", view.name.to_owned())];
        driver.ports().map(|view| (labels(&view), value(&view) as f64)).collect()
    };
    let received = |part: fn(Traffic) -> u64| by_port(&move |view| part(view.tally.received));
    let transmitted = |part: fn(Traffic) -> u64| by_port(&move |view| part(view.tally.transmitted));
    vec![
        Family::new(
            "polyplane_port_up",
            Gauge,
            "Whether the port's interface is up.",
            by_port(&|view| view.is_up.into()),
        ),
        Family::new(
            "polyplane_port_received_frames_total",
            Counter,
            "Frames that the port received; one that carries several segments counts once.",
            received(|traffic| traffic.frames),
        ),
        Family::new(
            "polyplane_port_received_packets_total",
            Counter,
            "Packets that the port received.",
            received(|traffic| traffic.packets),
        ),
        Family::new(
            "polyplane_port_received_bytes_total",
            Counter,
            "Bytes of the frames that the port received.",
            received(|traffic| traffic.bytes),
        ),
        Family::new(
            "polyplane_port_transmitted_frames_total",
            Counter,
            "Frames that the port transmitted; one that carries several segments counts once.",
            transmitted(|traffic| traffic.frames),
        ),
        Family::new(
            "polyplane_port_transmitted_packets_total",
            Counter,
            "Packets that the port transmitted.",
            transmitted(|traffic| traffic.packets),
        ),
        Family::new(
            "polyplane_port_transmitted_bytes_total",
            Counter,
            "Bytes of the frames that the port transmitted.",
            transmitted(|traffic| traffic.bytes),
        ),
        Family::new(
            "polyplane_port_waiting_packets",
            Gauge,
            "Packets that wait in the port's queue or for room at its interface.",
            by_port(&|view| view.waiting as u64 + queued(view.port)),
        ),
        Family::new(
            "polyplane_dropped_packets_total",
            Counter,
            "Packets that were dropped, by reason and by the port from which they came: `gone` for those whose interfaces are gone, and none if none is known.",
            dropped(driver),
        ),
    ]
}

fn dropped<N: Node>(driver: &Driver<N, BoxedInterface>) -> Vec<Sample> {
    let mut samples = Vec::new();
    for (reason, Drops { packets, by_port, at_gone }) in drops(driver) {
        let of_ports: u64 = by_port.values().sum::<u64>() + at_gone;
        for (port, packets) in by_port {
            samples.push((vec![("reason", reason.to_string()), ("port", port.to_string())], packets as f64));
        }
        if at_gone > 0 {
            samples.push((vec![("reason", reason.to_string()), ("port", "gone".to_owned())], at_gone as f64));
        }
        if packets > of_ports {
            let labels = vec![("reason", reason.to_string()), ("port", String::new())];
            samples.push((labels, (packets - of_ports) as f64));
        }
    }
    samples
}

/// Returns how late the driver was with what it did at a time.
pub fn of_lateness<N: Node>(driver: &Driver<N, BoxedInterface>) -> Vec<Family> {
    let delays = driver.delays();
    let of = [("wake", delays.wakes), ("ready", delays.readies), ("transmission", delays.transmissions)];
    let seconds = |duration: basis::Duration| duration.picoseconds() as f64 / 1e12;
    let samples = |value: &dyn Fn(Lateness) -> f64| -> Vec<Sample> {
        of.iter().map(|(what, lateness)| (vec![("event", (*what).to_owned())], value(*lateness))).collect()
    };
    vec![
        Family::new(
            "polyplane_timed_events_total",
            Counter,
            "Things that were to happen at a time, by kind.",
            samples(&|lateness| lateness.count as f64),
        ),
        Family::new(
            "polyplane_late_seconds_total",
            Counter,
            "Sum of the times by which timed events were late.",
            samples(&|lateness| seconds(lateness.total)),
        ),
        Family::new(
            "polyplane_late_seconds_max",
            Gauge,
            "Greatest time by which a timed event was late.",
            samples(&|lateness| seconds(lateness.greatest)),
        ),
    ]
}
