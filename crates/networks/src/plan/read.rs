//! Reading a plan, with a diagnostic at its place for everything that is wrong with it.

use std::io;
use std::ops::Range;
use std::path::Path;

use basis::{Duration, Instant, Rate};
use diagnostics::{Diagnostics, Sources};
use netsim::topology::CableProperties;

use super::names::{self, Of};
use super::switch::{self, Surroundings, SwitchChoice};
use super::workload::Around;
use super::{EndPlan, LinkPlan, NetworkPlan, Pattern, fault, host, probes, workload};
use crate::Registry;
use crate::jobs;
use crate::topologies::{self, Reading};
use crate::transports::{self, TransportChoice};
use diagnostics::Failure;
use files::{PlanText, read_text};
use plans::Section;
use plans::parse;
use plans::{Entries, Findings};

/// Reads the text of a file that a plan names; the path begins with the plan's folder.
pub type ReadText = dyn Fn(&Path) -> io::Result<String>;

/// Reads a plan. `name` is its name, `path` the name of its file in diagnostics, and `folder` the folder to which the
/// file names in the plan are relative. A `seed` replaces that of the plan.
///
/// # Errors
/// Fails with a diagnostic for everything that is wrong: invalid TOML, unknown entries, impossible or conflicting
/// values.
pub fn read(name: &str, path: &str, text: &str, folder: &Path, seed: Option<u64>) -> Result<NetworkPlan, Failure> {
    let (name, path, text, folder) = (name.to_owned(), path.to_owned(), text.to_owned(), folder.to_owned());
    read_with(&PlanText { name, path, text, folder }, seed, &Registry::default())
}

/// Reads a plan that may name everything in `registry`. A `seed` replaces that of the plan.
///
/// # Errors
/// Fails with a diagnostic for everything that is wrong: invalid TOML, unknown entries, impossible or conflicting
/// values.
pub fn read_with(plan: &PlanText, seed: Option<u64>, registry: &Registry) -> Result<NetworkPlan, Failure> {
    read_from(plan, seed, registry, &|path| read_text(path))
}

/// Reads a plan as [`read_with`] does, with the matrices and graphs that it names read by `files`: they need not lie on
/// a disk. Programs of switches and their entries are always files.
///
/// # Errors
/// Everything that is wrong with it: what is no TOML, unknown entries, values that cannot be or do not go together.
pub fn read_from(
    plan: &PlanText,
    seed: Option<u64>,
    registry: &Registry,
    files: &ReadText,
) -> Result<NetworkPlan, Failure> {
    let PlanText { name, path, text, folder } = plan;
    let mut sources = Sources::new();
    let id = sources.add(path, text);
    let (table, mut found) = parse(text, id);
    let mut plan = None;
    let mut inputs = vec![(path.clone(), text.clone())];
    if !found.has_errors() {
        let findings = Findings::new(id);
        let mut reading =
            Reading { folder: folder.as_path(), files, sources: &mut sources, found: &mut found, inputs: &mut inputs };
        let root = Section::root(Entries::of(&findings, "a plan", &table, 0..0));
        plan = plan_of(root, registry, (name, seed), &mut reading);
        found.extend(findings.end());
    }
    let failure = |diagnostics: Diagnostics| {
        let diagnostics = diagnostics.at_characters(&sources);
        Failure::BadInput { sources, diagnostics }
    };
    match (plan, found.has_errors()) {
        (Some(plan), false) => Ok(NetworkPlan { inputs, ..plan }),
        _ => Err(failure(found)),
    }
}

fn plan_of(
    root: Section<'_>,
    registry: &Registry,
    (name, seed): (&str, Option<u64>),
    reading: &mut Reading<'_>,
) -> Option<NetworkPlan> {
    let mut text = String::new();
    let title = root.text("title").map_or_else(|| name.to_owned(), |(title, _)| title);
    let seed = root.count_unless("seed", seed, 1);
    let mut sections = String::new();
    let (link, pairs) = link(root.section("link"), &mut sections);
    let transports = transports(&root, registry, &link, &mut sections);
    let read = topologies::topology(root.section("topology"), &registry.topologies, &link, reading, &mut sections);
    // The first transport determines the default queue; queues must have room for the packets of all of them.
    let longest = transports.iter().map(|choice| choice.plan.packet_bytes()).max().unwrap_or(0);
    let full_packet = u64::from(longest) + u64::from(link.line.framing);
    let usual_queue = transports.first().map_or("trimming", |choice| choice.plan.usual_queue());
    let topology = read.as_ref().map(|(_, topology)| topology);
    let Registry { machines, aggregators, disciplines, .. } = registry;
    let surroundings = Surroundings {
        machines,
        aggregators,
        disciplines,
        folder: reading.folder,
        packet: full_packet,
        usual_queue,
        link: &link,
        topology,
    };
    let switches = switches(&root, surroundings, &mut sections);
    let host_choices = host::choices(&root, &mut sections);
    let faults = fault::faults(&root, (read.as_ref().map(|(_, topology)| topology), &host_choices), &mut sections);
    let end_section = root.section("end");
    let hosts = read.as_ref().map(|(_, topology)| topology.hosts());
    let around = Around {
        kinds: &registry.workloads,
        hosts: hosts.as_deref(),
        has_end: end_section.has("at"),
        payload: transports.iter().map(|choice| u64::from(choice.plan.payload_bytes())).min().unwrap_or(1),
    };
    let workloads = workload::workloads(&root, around, reading, &mut sections);
    let name_of = |station: usize| topology.map_or("", |topology| &topology.stations[station].name);
    let is_programmable = |switch: usize| SwitchChoice::of(&switches, name_of(switch)).is_programmable();
    let longest_content = |host: usize| TransportChoice::of(&transports, name_of(host)).plan.longest_content();
    let aggregators = |switch: usize| SwitchChoice::of(&switches, name_of(switch)).aggregators();
    let around = jobs::Around {
        schemes: &registry.schemes,
        topology,
        link: &link,
        faults: &faults,
        is_programmable: &is_programmable,
        longest_content: &longest_content,
        aggregators: &aggregators,
    };
    let jobs = jobs::jobs(&root, &around, &mut sections);
    let end_at = end_section.positive_duration("at").map(|at| Instant::ZERO + at);
    let probes = probes::probes(root.section("probes"), end_at, &mut sections);
    let end = EndPlan {
        at: end_at,
        accepts_unfinished: end_section.choice("unfinished", &[("error", false), ("accepted", true)], "error"),
    };
    end_section.end(&mut sections);
    if let Some((_, topology)) = &read {
        names::check(&root, topology, &pairs);
    }
    root.end(&mut text);
    text.push_str(&sections);
    let (network, topology) = read?;
    Some(NetworkPlan {
        name: name.to_owned(),
        title,
        seed,
        network,
        topology,
        switches,
        transports,
        hosts: host_choices,
        faults,
        workloads,
        jobs,
        probes,
        end,
        text,
        inputs: Vec::new(),
    })
}

/// Two patterns whose stations a cable must join, and the place where they stand.
type Pair = ([Pattern; 2], Range<usize>);

/// Reads the links. Also returns the pairs of patterns that some cable must join.
fn link(section: Section<'_>, plan: &mut String) -> (LinkPlan, Vec<Pair>) {
    let mut pairs = Vec::new();
    let usual = CableProperties::ethernet(Rate::from_gigabits_per_second(100), Duration::from_microseconds(1));
    let line = line(&section, usual);
    let others = section.sections("between");
    section.end(plan);
    let between = others.into_iter().filter_map(|section| {
        let patterns: Option<[Pattern; 2]> = section.patterns("stations", Of::Station.word()).try_into().ok();
        if let Some(patterns) = &patterns {
            pairs.push((patterns.clone(), section.span().clone()));
        } else {
            let hint = "stations = [\"core-*\", \"aggregation-3-*\"]: all links between one of each, both ways";
            section.error(section.span(), "a link joins two stations: name two", hint);
        }
        let line = self::line(&section, line);
        section.end(plan);
        Some((patterns?, line))
    });
    let between = between.collect();
    (LinkPlan { line, between }, pairs)
}

fn line(section: &Section<'_>, usual: CableProperties) -> CableProperties {
    CableProperties {
        rate: section.rate("rate", usual.rate),
        delay: section.delay("delay", usual.delay),
        framing: section.bytes("framing", 0..=1000, u64::from(usual.framing)) as u32,
        mtu: section.bytes("mtu", 64..=65_549, u64::from(usual.mtu)) as u32,
    }
}

/// Reads one `[transport]` for all hosts, or several `[[transport]]`.
fn transports(root: &Section<'_>, registry: &Registry, link: &LinkPlan, plan: &mut String) -> Vec<TransportChoice> {
    let read = |section: Section<'_>| {
        let choice = transports::choice(section, &registry.transports, link, plan);
        let is_for_all = choice.names.is_empty();
        (choice, is_for_all)
    };
    let unclear = "there is no transport for hosts that no pattern names";
    one_or_several(root, "transport", read, unclear)
}

/// Reads one `[switch]` for all switches, or several `[[switch]]`.
fn switches(root: &Section<'_>, surroundings: Surroundings<'_>, plan: &mut String) -> Vec<SwitchChoice> {
    let read = |section: Section<'_>| {
        let choice = switch::choice(section, surroundings, plan);
        let is_for_all = choice.names.is_empty();
        (choice, is_for_all)
    };
    one_or_several(root, "switch", read, "there is no section for switches that no pattern names")
}

/// Reads one section for all, or several, of which the first must apply to all; `read` also returns whether a section
/// does.
fn one_or_several<'s, C>(
    root: &Section<'s>,
    name: &'static str,
    read: impl FnMut(Section<'s>) -> (C, bool),
    unclear: &str,
) -> Vec<C> {
    let sections = if root.is_list(name) { root.sections(name) } else { vec![root.section(name)] };
    let place = sections.first().map(|section| section.span().clone());
    let choices: Vec<(C, bool)> = sections.into_iter().map(read).collect();
    if let (Some(place), Some((_, false))) = (place, choices.first()) {
        let hint = format!("leave `where` out of the first [[{name}]], which applies to all; later ones override it");
        root.error(&place, unclear, hint);
    }
    choices.into_iter().map(|(choice, _)| choice).collect()
}
