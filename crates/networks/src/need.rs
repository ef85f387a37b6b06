//! About how much memory a run takes, estimated before it begins.
//!
//! The estimate is a lower bound with round numbers: what is there whether packets move or not. A run that needs more than
//! there is would be ended by the system, after hours and without a word.

use basis::Instant;
use memory::Bytes;
use netsim::topology::Role;

use super::plan::NetworkPlan;
use diagnostics::Failure;

/// What a host takes: transport, application, events; measured with NDP in fat trees, rounded down.
const HOST: u64 = 2000;
/// What a switch takes beside its ports.
const SWITCH: u64 = 500;
/// What a cable takes: two ports with their queues, and two lines.
const CABLE: u64 = 500;
/// What a message leaves behind: when it started and ended, its row of the tables, and how long it takes alone.
const MESSAGE: u64 = 250;
/// What a sample of one port leaves behind.
const SAMPLE: u64 = 16;

/// Says so if a plan needs more memory than there is.
///
/// # Errors
/// A resource report: what needs how much, and how much there is.
pub(super) fn check(plan: &NetworkPlan) -> Result<(), Failure> {
    let parts = parts(plan);
    let need = parts.iter().fold(0u64, |sum, (bytes, _)| sum.saturating_add(*bytes));
    memory::check(need).map_err(|shortage| {
        let parts: String = parts.iter().map(|(bytes, what)| format!("- {what}: {}\n", Bytes(*bytes))).collect();
        Failure::DoesNotFit(format!("the run does not fit into memory: {shortage}\n{parts}"))
    })
}

/// The parts of a network that take memory, and how much each takes.
fn parts(plan: &NetworkPlan) -> Vec<(u64, String)> {
    let topology = &plan.topology;
    let hosts = topology.stations.iter().filter(|station| matches!(station.role, Role::Host { .. })).count() as u64;
    let switches = topology.stations.len() as u64 - hosts;
    let cables = topology.cables.len() as u64;
    let network = HOST * hosts + SWITCH * switches + CABLE * cables;
    let time = plan.end.at.map(|end| end.since(Instant::ZERO));
    let all = topology.hosts();
    let messages: f64 = plan
        .workloads
        .iter()
        .map(|workload| workload.messages(&all, time))
        // Those that never end by themselves are bounded by the end, which nobody can count beforehand.
        .filter(|messages| messages.is_finite())
        .sum();
    let mut parts = vec![
        (network, format!("{hosts} hosts, {switches} switches, {cables} cables")),
        ((messages * MESSAGE as f64) as u64, format!("about {messages:.0} messages")),
    ];
    if let (Some(every), Some(time)) = (plan.probes.every, time) {
        let ports = watched(plan);
        let samples = time.picoseconds() / every.picoseconds().max(1);
        parts.push((
            samples.saturating_mul(ports).saturating_mul(SAMPLE),
            format!("{samples} samples of {ports} ports"),
        ));
    }
    parts
}

/// How many ports are looked at again and again.
fn watched(plan: &NetworkPlan) -> u64 {
    let names = |station: usize, port: u16| format!("{}:{port}", plan.topology.stations[station].name);
    let ends = plan.topology.cables.iter().flat_map(|cable| cable.ends);
    let patterns = || plan.probes.queues.iter().chain(&plan.probes.links);
    ends.map(|(station, port)| {
        let (name, station) = (names(station, port), &plan.topology.stations[station].name);
        patterns().filter(|pattern| pattern.matches(&name) || pattern.matches(station)).count() as u64
    })
    .sum()
}
