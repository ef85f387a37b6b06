//! Metrics of a virtual switch in the text format of Prometheus.

use service::Ended;
use service::metrics::MetricKind::{Counter, Gauge};
use service::metrics::{Family, Sample, of_lateness, of_ports, write};
use vswitch::VnicCounts;
use vswitch::session::Count;

use crate::handle::SwitchHandle;
use crate::message::{CoreRow, PathRow};
use crate::show;
use crate::switch::Running;

pub use service::metrics::{MetricsServer, listen};

/// Serves the metrics of a switch, on a thread of its own and one for each client.
///
/// # Errors
/// Fails if the system has no threads left.
pub fn serve(listener: std::net::TcpListener, handle: SwitchHandle) -> Result<MetricsServer, diagnostics::Failure> {
    service::metrics::serve(listener, move || of(&handle).ok())
}

/// Returns the metrics of a switch as text.
///
/// # Errors
/// Fails if the switch has ended.
pub fn of(handle: &SwitchHandle) -> Result<String, Ended> {
    handle.work().with(|running| families(running)).map(write)
}

fn families(running: &Running) -> Vec<Family> {
    let switch = running.switch();
    let mut families = of_ports(&running.driver, |_| 0);
    families.extend(of_lateness(&running.driver));
    families.extend(of_vnics(running));
    let one = |value: u64| -> Vec<Sample> { vec![(Vec::new(), value as f64)] };
    let applied = switch.applied();
    families.extend([
        Family::new("polyplane_vswitch_sessions", Gauge, "Sessions.", one(switch.sessions_count())),
        Family::new(
            "polyplane_vswitch_slow_path_packets_total",
            Counter,
            "Packets that the policy tables decided, and not a session.",
            one(switch.slow_path_packets()),
        ),
        Family::new(
            "polyplane_vswitch_applied_total",
            Counter,
            "Configurations that were applied while the switch ran.",
            one(applied.times),
        ),
        Family::new(
            "polyplane_vswitch_sessions_ended_by_apply_total",
            Counter,
            "Sessions that ended because another configuration does not allow them.",
            one(applied.ended),
        ),
        Family::new(
            "polyplane_vswitch_flow_records_lost_total",
            Counter,
            "Records of the flow log that found no room, in the switch or in files.",
            one(running.records_lost()),
        ),
        Family::new(
            "polyplane_vswitch_events_lost_total",
            Counter,
            "Events that found no room.",
            one(switch.events_lost()),
        ),
    ]);
    families.extend(of_headers(running));
    families.extend(of_reliable(running));
    families.extend(of_limiters(running));
    families.extend(of_paths(running));
    families.extend(of_cores(running));
    families
}

fn of_vnics(running: &Running) -> Vec<Family> {
    let switch = running.switch();
    let vnics = switch.policy().configuration().vnics.iter().enumerate().filter(|(_, vnic)| !vnic.is_vacant());
    let counted: Vec<(String, VnicCounts, u32)> = vnics
        .map(|(at, vnic)| (vnic.name.clone(), switch.counts_of(at as u32), switch.sessions_of_vnic(at as u32)))
        .collect();
    let samples = |value: &dyn Fn(&VnicCounts) -> u64| -> Vec<Sample> {
        counted.iter().map(|(name, counts, _)| (vec![("vnic", name.clone())], value(counts) as f64)).collect()
    };
    let packets = |part: fn(&VnicCounts) -> Count| samples(&move |counts| part(counts).packets);
    let bytes = |part: fn(&VnicCounts) -> Count| samples(&move |counts| part(counts).bytes);
    let sessions = counted.iter().map(|(name, _, sessions)| (vec![("vnic", name.clone())], f64::from(*sessions)));
    vec![
        Family::new(
            "polyplane_vnic_sent_packets_total",
            Counter,
            "Packets that the guest of a vNIC has sent.",
            packets(|counts| counts.sent),
        ),
        Family::new(
            "polyplane_vnic_sent_bytes_total",
            Counter,
            "Bytes that the guest of a vNIC has sent.",
            bytes(|counts| counts.sent),
        ),
        Family::new(
            "polyplane_vnic_received_packets_total",
            Counter,
            "Packets that the guest of a vNIC was given.",
            packets(|counts| counts.received),
        ),
        Family::new(
            "polyplane_vnic_received_bytes_total",
            Counter,
            "Bytes that the guest of a vNIC was given.",
            bytes(|counts| counts.received),
        ),
        Family::new(
            "polyplane_vnic_dropped_packets_total",
            Counter,
            "Packets of a guest that were dropped.",
            packets(|counts| counts.dropped),
        ),
        Family::new("polyplane_vnic_sessions", Gauge, "Sessions that are counted for a vNIC.", sessions.collect()),
    ]
}

fn of_paths(running: &Running) -> Vec<Family> {
    let rows = show::paths(running);
    let samples = |value: &dyn Fn(&PathRow) -> f64| -> Vec<Sample> {
        rows.iter().map(|row| (vec![("interface", row.interface.clone())], value(row))).collect()
    };
    let alive = samples(&|row| f64::from(u8::from(row.alive)));
    let changes = samples(&|row| row.changes as f64);
    let help = "How often a path of the underlay has become alive or dead.";
    vec![
        Family::new("polyplane_underlay_path_alive", Gauge, "Whether flows take a path of the underlay.", alive),
        Family::new("polyplane_underlay_path_changes_total", Counter, help, changes),
    ]
}

fn of_headers(running: &Running) -> Option<Family> {
    let counts = running.switch().header_counts();
    let outcomes = [("found", counts.by_program), ("left", counts.left), ("foreign", counts.foreign)];
    let samples = outcomes.map(|(outcome, count)| (vec![("outcome", outcome.to_owned())], count as f64));
    let help = "Packets that the program in front of AF_XDP sockets has seen: headers found, left to software, or not the program's.";
    Some(Family::new("polyplane_vswitch_xdp_packets_total", Counter, help, samples.into()))
}

fn of_cores(running: &Running) -> Vec<Family> {
    let rows = show::core_rows(running);
    let samples = |value: &dyn Fn(&CoreRow) -> u64| -> Vec<Sample> {
        rows.iter().map(|row| (vec![("core", row.core.to_string())], value(row) as f64)).collect()
    };
    let waiting = "Packets that wait in the ring of a core, or for what it has made of them to be sent.";
    vec![
        Family::new("polyplane_core_sessions", Gauge, "Sessions of a core.", samples(&|row| row.sessions)),
        Family::new(
            "polyplane_core_packets_total",
            Counter,
            "Packets that a core was given.",
            samples(&|row| row.packets),
        ),
        Family::new("polyplane_core_waiting_packets", Gauge, waiting, samples(&|row| row.waiting)),
    ]
}

fn of_reliable(running: &Running) -> Option<Family> {
    let counts = running.switch().reliable().counts();
    let outcomes = [
        ("sent", counts.sent),
        ("sent again", counts.retransmitted),
        ("given up", counts.given_up),
        ("came before", counts.copies),
        ("plain", counts.plain),
    ];
    let sample = |(outcome, count): (&str, u64)| (vec![("outcome", outcome.to_owned())], count as f64);
    let help =
        "Packets of reliable tunnels: sent with a number, sent again, given up, received a second time, or sent plain.";
    let samples = outcomes.into_iter().map(sample).collect();
    Some(Family::new("polyplane_vswitch_reliable_packets_total", Counter, help, samples))
}

fn of_limiters(running: &Running) -> Option<Family> {
    let mut samples = Vec::new();
    for row in show::limiters(running) {
        for (color, count) in [("within", row.within), ("excess", row.excess), ("dropped", row.dropped)] {
            samples.push((vec![("limiter", row.name.clone()), ("outcome", color.to_owned())], count as f64));
        }
    }
    let help = "Packets that a limiter has seen: within the committed rate, above it, or above the peak rate.";
    Some(Family::new("polyplane_limiter_packets_total", Counter, help, samples))
}
