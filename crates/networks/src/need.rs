//! An estimate of the memory that a run needs, made before it begins.
//!
//! The estimate is a rough lower bound that counts what exists whether packets move or not. Without it, a run that
//! needs more memory than there is could be killed by the system after hours, without a message.

use basis::Instant;
use memory::Bytes;
use netsim::topology::Role;

use super::jobs::JobPlan;
use super::plan::NetworkPlan;
use diagnostics::Failure;

/// The memory of a host (transport, application, events) in bytes, measured with NDP in fat trees and rounded down.
const HOST: u64 = 2000;
/// The memory of a switch without its ports, in bytes.
const SWITCH: u64 = 500;
/// The memory of a cable in bytes: two ports with their queues, and two links.
const CABLE: u64 = 500;
/// The memory of the results of a message, in bytes: its start and end, its row of the tables, and its ideal completion
/// time.
const MESSAGE: u64 = 250;
/// The memory of the result of a tensor at a worker, in bytes.
const TENSOR: u64 = 72;
/// The memory of one sample of a port, in bytes.
const SAMPLE: u64 = 16;

/// Checks that there is enough memory for a run of a plan.
///
/// # Errors
/// Fails with a resource report that lists what needs how much, and how much there is.
pub(super) fn check(plan: &NetworkPlan) -> Result<(), Failure> {
    let parts = parts(plan);
    let need = parts.iter().fold(0u64, |sum, (bytes, _)| sum.saturating_add(*bytes));
    memory::check(need).map_err(|shortage| {
        let parts: String = parts.iter().map(|(bytes, what)| format!("- {what}: {}\n", Bytes(*bytes))).collect();
        Failure::DoesNotFit(format!("the run does not fit into memory: {shortage}\n{parts}"))
    })
}

/// Returns the parts of a network that need memory: the bytes of each, and a description.
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
        // Workloads that end only with the run have no number of messages that is known beforehand.
        .filter(|messages| messages.is_finite())
        .sum();
    let mut parts = vec![
        (network, format!("{hosts} hosts, {switches} switches, {cables} cables")),
        ((messages * MESSAGE as f64) as u64, format!("about {messages:.0} messages")),
    ];
    parts.extend(aggregators(plan));
    parts.extend(plan.jobs.iter().map(job));
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

/// Returns the memory for what switches add up; `None` if no switch does.
fn aggregators(plan: &NetworkPlan) -> Option<(u64, String)> {
    let switches = plan.topology.stations.iter().filter(|station| !matches!(station.role, Role::Host { .. }));
    let each = switches.filter_map(|switch| Some(plan.switch(&switch.name).aggregator.as_ref()?.memory()));
    let (switches, bytes) = each.fold((0, 0u64), |(count, sum), bytes| (count + 1, sum.saturating_add(bytes)));
    (switches > 0).then(|| (bytes, format!("what {switches} switches add up")))
}

/// Returns the memory for the servers of a job, and for the results of its tensors, which may be fewer if the job ends at a time.
fn job(job: &JobPlan) -> (u64, String) {
    let (workers, servers) = (job.workers.len() as u64, job.servers.len() as u64);
    let tensors = if job.schedule.end.is_none() { u64::from(job.schedule.count) } else { 0 };
    let bytes = servers * job.scheme.1.server_memory() + TENSOR * tensors * workers;
    (bytes, format!("the job `{}` with {tensors} tensors, {workers} workers and {servers} servers", job.name))
}

/// Returns the number of ports that probes sample.
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
