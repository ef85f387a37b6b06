//! Reading `[[job]]`.

use std::ops::Range;
use std::sync::Arc;

use basis::{Duration, Instant};
use netsim::topology::{Role, Topology};
use plans::{Pattern, Section};
use transports::aggregation::FixedPoint;
use transports::jobs::{Arithmetic, Distribution, TensorSchedule};

use super::plan::Failure;
use super::{JobNetwork, JobPlan, Mistake, SchemeKind, SchemePlan};
use crate::plan::names::Of;
use crate::plan::{Fault, FaultPlan, LinkPlan};

/// The bytes of a value.
const VALUE: u64 = 4;
/// The most workers of a job: 32 switches of 32 workers each.
const MOST_WORKERS: usize = 1024;

/// The context in which jobs are read.
pub(crate) struct Around<'a> {
    /// The schemes that can be named.
    pub schemes: &'a [&'static dyn SchemeKind],
    /// The network, if it is known.
    pub topology: Option<&'a Topology>,
    /// The links.
    pub link: &'a LinkPlan,
    /// The faults of the plan.
    pub faults: &'a [FaultPlan],
    /// Returns whether a switch, by its index in the topology, runs a program.
    pub is_programmable: &'a dyn Fn(usize) -> bool,
    /// Returns the longest content of messages that the transport of a host carries.
    pub longest_content: &'a dyn Fn(usize) -> u64,
    /// Returns the number of aggregators of a switch, if it is known.
    pub aggregators: &'a dyn Fn(usize) -> Option<u32>,
}

/// Reads all sections, and appends their text to `plan`.
pub(crate) fn jobs(root: &Section<'_>, around: &Around<'_>, plan: &mut String) -> Vec<JobPlan> {
    let mut jobs: Vec<JobPlan> = Vec::new();
    for (position, section) in (1..).zip(root.sections("job")) {
        let job = job(&section, position, around);
        if let Some(job) = &job {
            if let Some(other) = jobs.iter().find(|other| other.number == job.number) {
                let message = format!("this job has the number {} of the job `{}`", job.number, other.name);
                section.error(
                    &section.span_of("number"),
                    message,
                    "packets and switches tell jobs apart by their numbers",
                );
            }
            if let Some(other) = jobs.iter().find(|other| other.name == job.name) {
                let message = format!("another job is called `{}`", other.name);
                section.error(&section.span_of("name"), message, "results tell jobs apart by their names");
            }
        }
        if let Some(job) = &job {
            let overlaps = |other: &&JobPlan| {
                let ranges = (other.scheme.1.exclusive(), job.scheme.1.exclusive());
                other.scheme.0 == job.scheme.0
                    && matches!(ranges, (Some((_, a)), Some((_, b))) if a.start < b.end && b.start < a.end)
            };
            if let (Some(other), Some((entry, _))) = (jobs.iter().find(overlaps), job.scheme.1.exclusive()) {
                let message = format!("the aggregators of this job overlap with those of the job `{}`", other.name);
                let hint = format!("give each job a `{entry}` of its own behind those of the others");
                section.error(&section.span_of(entry), message, hint);
            }
        }
        section.end(plan);
        jobs.extend(job);
    }
    check_faults(root, &jobs, around);
    jobs
}

/// Reports faults of processes where none runs, and of memory where there is none.
fn check_faults(root: &Section<'_>, jobs: &[JobPlan], around: &Around<'_>) {
    for fault in around.faults {
        if let Fault::OfMemory { switches, .. } = &fault.what
            && let Some(switch) = switches.iter().find(|switch| !(around.is_programmable)(**switch))
        {
            let name = around.topology.map_or("", |topology| topology.stations[*switch].name.as_str());
            let hint = "name switches that run a program or an aggregator: others only have their routes";
            root.error(&fault.span, format!("`{name}` has no memory that could be lost"), hint);
        }
        if let Fault::OfProcesses { hosts, .. } = &fault.what
            && !jobs.iter().any(|job| hosts.iter().any(|host| job.workers.contains(host) || job.servers.contains(host)))
        {
            let hint = "name hosts of the workers or servers of a job";
            root.error(&fault.span, "no process of a job runs at these hosts", hint);
        }
    }
}

fn job(section: &Section<'_>, position: u64, around: &Around<'_>) -> Option<JobPlan> {
    let errors = section.errors();
    let number = section.count("number", 1..=255, position.min(255)) as u8;
    let name = section.text("name").map_or_else(|| format!("job-{number}"), |(name, _)| name);
    let schemes: Vec<(&str, &dyn SchemeKind)> = around.schemes.iter().map(|kind| (kind.name(), *kind)).collect();
    let kind = section.choice("scheme", &schemes, schemes.first()?.0);
    let scheme: (&'static str, Arc<dyn SchemePlan>) = (kind.name(), kind.read(section));
    let schedule = schedule(section);
    if schedule.end.is_some_and(|end| end <= schedule.start) {
        section.error(&section.span_of("end"), "this job ends before it begins", "make `end` later than `start`");
    }
    let servers = hosts(section, "servers", around.topology);
    let mut workers = hosts(section, "workers", around.topology);
    if let Some(topology) = around.topology.filter(|_| !section.has("workers")) {
        let is_host = |station: &usize| matches!(topology.stations[*station].role, Role::Host { .. });
        workers = (0..topology.stations.len()).filter(is_host).filter(|host| !servers.contains(host)).collect();
    }
    if let Some(count) = section.optional_count("count", 1..=MOST_WORKERS as u64) {
        if around.topology.is_some() && section.errors() == errors && count as usize > workers.len() {
            let message = format!("there are only {} hosts for {count} workers", workers.len());
            section.error(&section.span_of("count"), message, "name more hosts, or fewer workers");
        }
        workers.truncate(count as usize);
    }
    let (arithmetic, distribution) = numbers(section, workers.len());
    let seed = section.count("seed", 0..=u64::MAX, 0);
    let (place, failures) = (section.span().clone(), Vec::new());
    let mut job =
        JobPlan { name, number, workers, servers, schedule, arithmetic, distribution, seed, scheme, failures, place };
    let topology = around.topology?;
    job.failures = failures_of(&job, around.faults);
    // Everything below asks for hosts that are there.
    if section.errors() == errors {
        check(section, &job, topology, around);
    }
    Some(job)
}

/// Reports what is wrong with a job in its network.
fn check(section: &Section<'_>, job: &JobPlan, topology: &Topology, around: &Around<'_>) {
    let place = |entry: &'static str| match entry {
        "workers" | "servers" => section.span_of_list(entry),
        _ => section.span_of(entry),
    };
    let report = |Mistake { entry, message, hint }: Mistake| section.error(&place(entry), message, hint);
    if job.workers.is_empty() {
        report(Mistake::new("workers", "a job without workers", "workers = [\"host-*\"]"));
        return;
    }
    if job.workers.len() > MOST_WORKERS {
        let message = format!("{} workers are too many: a job has at most {MOST_WORKERS}", job.workers.len());
        report(Mistake::new("workers", message, "give `count`, or name fewer hosts"));
        return;
    }
    let longest = job.scheme.1.packet_bytes().unwrap_or(0);
    if longest > around.link.line.mtu {
        let message = format!("packets of {} have {longest} B, more than the MTU of links", job.scheme.0);
        let hint = format!("increase `link.mtu`, which is {} B", around.link.line.mtu);
        report(Mistake::new("scheme", message, hint));
    }
    let Around { is_programmable, longest_content, aggregators, .. } = *around;
    let network = JobNetwork { topology, is_programmable, longest_content, aggregators };
    if let Err(mistakes) = job.scheme.1.deploy(job, &network) {
        mistakes.into_iter().for_each(report);
    }
}

fn schedule(section: &Section<'_>) -> TensorSchedule {
    let count = section.count("tensors", 1..=1 << 24, 1) as u32;
    let values = section.optional_count("values", 1..=1 << 40);
    let length = match values {
        Some(values) => {
            if section.has("bytes") {
                let hint = "keep one of them: a value has 4 bytes";
                section.error(&section.span_of("bytes"), "`values` and `bytes` exclude each other", hint);
            }
            values
        }
        // A microbenchmark of ATP transfers tensors of 4 MB (section 5.1).
        None => section.bytes("bytes", VALUE..=1 << 42, 4_000_000).div_ceil(VALUE),
    };
    TensorSchedule {
        start: Instant::ZERO + section.duration("start", Duration::ZERO),
        count,
        length,
        outstanding: section.count("outstanding", 1..=1 << 16, 1) as u32,
        pause: section.duration("pause", Duration::ZERO),
        end: section.optional_duration("end").map(|end| Instant::ZERO + end),
    }
}

fn numbers(section: &Section<'_>, workers: usize) -> (Arithmetic, Distribution) {
    let is_integer = section.choice("arithmetic", &[("integers", true), ("floats", false)], "integers");
    let distribution = section.choice("distribution", &Distribution::NAMES, "uniform");
    let arithmetic = if is_integer {
        let most = i32::MAX as u64 / workers.max(1) as u64;
        let size = section.number("size", 0.0..=f64::from(i32::MAX), 1000.0);
        if size as u64 > most {
            let message = format!("the sum of {workers} integers of up to {size} can exceed 32 bits");
            let hint = format!("use at most {most}: a sum that was clamped depends on the order of its parts");
            section.error(&section.span_of("size"), message, hint);
        }
        if section.has("scale") {
            let hint = "leave `scale` out, or sum floats";
            section.error(&section.span_of("scale"), "integers have no scale", hint);
        }
        Arithmetic::Integers { size: size as u32 }
    } else {
        let size = section.number("size", 0.0..=1e30, 0.01);
        let scale = section.number("scale", 1e-30..=1e30, FixedPoint::ATP.scale);
        Arithmetic::Floats { size, point: FixedPoint { scale } }
    };
    (arithmetic, distribution)
}

/// Reads a list of hosts: names in their order, and for each pattern the hosts that match it in the order of their
/// numbers. Empty if the topology is not known.
fn hosts(section: &Section<'_>, entry: &'static str, topology: Option<&Topology>) -> Vec<usize> {
    let texts: Vec<(String, Range<usize>)> = section.texts(entry);
    let Some(topology) = topology else { return Vec::new() };
    let mut hosts = Vec::new();
    for (text, span) in &texts {
        let pattern = Pattern::new(text);
        let is_meant = |station: &&(usize, &netsim::topology::StationPlan)| {
            matches!(station.1.role, Role::Host { .. }) && pattern.matches(&station.1.name)
        };
        let found: Vec<usize> = topology
            .stations
            .iter()
            .enumerate()
            .collect::<Vec<_>>()
            .iter()
            .filter(is_meant)
            .map(|(index, _)| *index)
            .collect();
        if found.is_empty() {
            Of::Host.check(section, topology, text, span);
        }
        for host in found {
            if !hosts.contains(&host) {
                hosts.push(host);
            } else if !text.contains('*') {
                let message = format!("`{text}` is named twice");
                section.error(span, message, "a host has at most one worker and one server of a job");
            }
        }
    }
    hosts
}

/// Returns the failures of processes of a job that the faults of the plan bring about.
fn failures_of(job: &JobPlan, faults: &[FaultPlan]) -> Vec<Failure> {
    let mut failures = Vec::new();
    for fault in faults {
        if let Fault::OfProcesses { hosts, at, again, elsewhere } = &fault.what {
            let own = hosts.iter().filter(|host| job.workers.contains(host) || job.servers.contains(host));
            failures.extend(own.map(|&host| {
                let again = again.map(|again| (again, elsewhere.unwrap_or(host)));
                Failure { host, at: *at, again }
            }));
        }
    }
    failures
}
