//! `[[fault]]`: faults of links, of hosts and of switches, which apply in the order of the plan.

use std::ops::Range;

use basis::{Duration, Instant};
use netsim::faults::{Burst, FaultKind, LinkSet, Packets, Rule, Strikes};
use netsim::topology::{Role, Topology};
use transports::costs::Slow;

use super::failure;
use super::host::HostChoice;
use super::names::Of;
use plans::Pattern;
use plans::Section;

/// One fault.
#[derive(Clone, Debug)]
pub struct FaultPlan {
    /// The name of its kind.
    pub kind: &'static str,
    /// The place where it acts, in words.
    pub place: String,
    /// The place of its section in the plan.
    pub span: Range<usize>,
    /// Its effect.
    pub what: Fault,
}

/// The effect of a fault.
#[derive(Clone, Debug)]
pub enum Fault {
    /// A rule for packets on links.
    OnLines(Rule),
    /// A slowdown of hosts.
    OnHosts {
        /// The hosts, by their indices in the topology.
        hosts: Vec<usize>,
        /// The times at which they are slow, and the factor.
        slow: Slow,
    },
    /// A failure of the processes of jobs at hosts.
    OfProcesses {
        /// The hosts, by their indices in the topology.
        hosts: Vec<usize>,
        /// The time at which they fail.
        at: Instant,
        /// The time at which they are started again, with nothing that they knew; `None` if nobody starts them.
        again: Option<Instant>,
        /// The host on which they are started again; `None` for their own.
        elsewhere: Option<usize>,
    },
    /// A loss of everything that was written to switches.
    OfMemory {
        /// The switches, by their indices in the topology.
        switches: Vec<usize>,
        /// The time of the loss.
        at: Instant,
        /// The time at which the control plane writes its entries again.
        again: Instant,
    },
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Name {
    Loss,
    BurstLoss,
    Corruption,
    Duplication,
    Reordering,
    Delay,
    Jitter,
    LinkDown,
    SlowHost,
    ProcessFailure,
    MemoryLoss,
}

const KINDS: [(&str, Name); 11] = [
    ("loss", Name::Loss),
    ("burst-loss", Name::BurstLoss),
    ("corruption", Name::Corruption),
    ("duplication", Name::Duplication),
    ("reordering", Name::Reordering),
    ("delay", Name::Delay),
    ("jitter", Name::Jitter),
    ("link-down", Name::LinkDown),
    ("slow-host", Name::SlowHost),
    ("process-failure", Name::ProcessFailure),
    ("memory-loss", Name::MemoryLoss),
];

/// Sets of links that need no names of stations: their names in plans, the sets, and their descriptions.
const LINES: [(&str, LinkSet, &str); 4] = [
    ("all", LinkSet::All, "all lines"),
    ("hosts", LinkSet::OfHosts, "lines of hosts"),
    ("from-hosts", LinkSet::FromHosts, "lines from hosts"),
    ("to-hosts", LinkSet::ToHosts, "lines to hosts"),
];

/// Reads all sections, and appends their text to `plan`. Names of stations are looked up in the topology, if it is
/// known. A host can only be slow if it has processing costs.
pub(super) fn faults(
    root: &Section<'_>,
    (topology, choices): (Option<&Topology>, &[HostChoice]),
    plan: &mut String,
) -> Vec<FaultPlan> {
    let read = |section: Section<'_>| {
        let fault = topology.and_then(|topology| fault(&section, topology, choices));
        if topology.is_none() {
            // Without a topology, names of stations cannot be checked.
            section.pass_over();
        }
        section.end(plan);
        fault
    };
    root.sections("fault").into_iter().filter_map(read).collect()
}

fn fault(section: &Section<'_>, topology: &Topology, choices: &[HostChoice]) -> Option<FaultPlan> {
    if !section.require("kind", "what goes wrong: kind = \"loss\"") {
        section.pass_over();
        return None;
    }
    let name = section.choice("kind", &KINDS, "loss");
    let (kind, _) = *KINDS.iter().find(|(_, known)| *known == name)?;
    let (from, until) = time(section, name);
    let span = section.span().clone();
    if let Some((place, what)) = failure::read(section, topology, name, (from, until)) {
        return Some(FaultPlan { kind, place, span, what });
    }
    if name == Name::SlowHost {
        let (hosts, place) = hosts(section, topology);
        let slow = Slow { from, until, times: slowness(section) };
        let costs = |host: &usize| choices.iter().any(|choice| choice.is_for(&topology.stations[*host].name));
        if slow.times.is_some() && !hosts.is_empty() && !hosts.iter().any(costs) {
            let hint = "add [host] with processing costs, such as per_packet = \"500 ns\"";
            section.error(section.span(), "these hosts have no processing costs that could be slow", hint);
        }
        return Some(FaultPlan { kind, place, span, what: Fault::OnHosts { hosts, slow } });
    }
    let (links, place) = links(section, topology);
    let kind_of_rule = kind_of_rule(section, name);
    let is_for_all = name == Name::LinkDown;
    let strikes = if is_for_all { Strikes::Always } else { strikes(section, name) };
    let packets = if is_for_all { Packets::ALL } else { packets(section) };
    let seed = section.count("seed", 0..=u64::MAX, 0);
    let rule = Rule { links, from, until, packets, strikes, kind: kind_of_rule, seed };
    Some(FaultPlan { kind, place, span, what: Fault::OnLines(rule) })
}

fn time(section: &Section<'_>, name: Name) -> (Instant, Instant) {
    let from = Instant::ZERO + section.duration("from", Duration::ZERO);
    let until = section.optional_duration("until").map_or(Instant::MAX, |until| Instant::ZERO + until);
    if until <= from {
        let hint = "make `until` later than `from`; without it, a fault lasts to the end";
        section.error(&section.span_of("until"), "this fault ends before it begins", hint);
    }
    let is_whole = from == Instant::ZERO && until == Instant::MAX;
    if name == Name::LinkDown && is_whole {
        section.error(section.span(), "this link is down all the time", "add `from`, `until` or both");
    }
    (from, until)
}

/// Returns the stations that one of the patterns names.
pub(super) fn stations(section: &Section<'_>, topology: &Topology, patterns: &[(String, Range<usize>)]) -> Vec<usize> {
    let mut all = Vec::new();
    for (text, span) in patterns {
        let pattern = Pattern::new(text);
        let before = all.len();
        let named = topology.stations.iter().enumerate().filter(|(_, station)| pattern.matches(&station.name));
        all.extend(named.map(|(index, _)| index));
        if all.len() == before {
            Of::Station.check(section, topology, text, span);
        }
    }
    all.sort_unstable();
    all.dedup();
    all
}

pub(super) fn words(patterns: &[(String, Range<usize>)]) -> String {
    patterns.iter().map(|(text, _)| text.as_str()).collect::<Vec<_>>().join(", ")
}

fn links(section: &Section<'_>, topology: &Topology) -> (LinkSet, String) {
    let (of, between) = (section.texts("where"), section.texts("between"));
    if !of.is_empty() && !between.is_empty() {
        section.error(&between[0].1, "`where` and `between` exclude each other", "keep one of them");
    }
    if !of.is_empty() {
        return (LinkSet::Of(stations(section, topology, &of)), words(&of));
    }
    if between.is_empty() {
        let names = std::array::from_fn::<_, 4, _>(|number| (LINES[number].0, number));
        let (_, links, words) = &LINES[section.choice("lines", &names, "all")];
        return (links.clone(), (*words).to_owned());
    }
    let both_ways = section.choice("direction", &[("both", true), ("one-way", false)], "both");
    let [first, second] = &between[..] else {
        let hint = "between = [\"core-*\", \"aggregation-3-*\"]: all links between one of each";
        section.error(&between[0].1, "a link joins two stations: name two", hint);
        return (LinkSet::All, String::new());
    };
    let place = format!("{} {} {}", first.0, if both_ways { "<>" } else { ">" }, second.0);
    let errors = section.errors();
    let end = |pattern: &(String, Range<usize>)| stations(section, topology, std::slice::from_ref(pattern));
    let links = LinkSet::Between { from: end(first), to: end(second), both_ways };
    let is_there = |cable: &netsim::topology::Cable| {
        cable.directions().iter().any(|[(from, _), (to, _)]| links.have(topology, *from, *to))
    };
    if section.errors() == errors && !topology.cables.iter().any(is_there) {
        let hint = "name neighbours: a fault acts on links between two stations, not on paths";
        section.error(&second.1, "no cable joins these stations", hint);
    }
    (links, place)
}

fn hosts(section: &Section<'_>, topology: &Topology) -> (Vec<usize>, String) {
    let is_host = |station: &usize| matches!(topology.stations[*station].role, Role::Host { .. });
    let given = section.texts("where");
    if given.is_empty() {
        return ((0..topology.stations.len()).filter(is_host).collect(), "all hosts".into());
    }
    let errors = section.errors();
    let hosts: Vec<usize> = stations(section, topology, &given).into_iter().filter(is_host).collect();
    if section.errors() == errors && hosts.is_empty() {
        section.error(&given[0].1, "no host is among these", "name hosts: switches have no processing costs");
    }
    (hosts, words(&given))
}

fn slowness(section: &Section<'_>) -> Option<f64> {
    if section.flag("pauses", false) {
        return None;
    }
    section.require("factor", "how much longer processing takes: factor = 4; or `pauses = true`");
    Some(section.number("factor", 1.0..=1e6, 1.0))
}

fn kind_of_rule(section: &Section<'_>, name: Name) -> FaultKind {
    let required = |field, example: &str| {
        section.require(field, example);
        section.delay(field, Duration::ZERO)
    };
    match name {
        Name::Loss | Name::BurstLoss | Name::SlowHost | Name::ProcessFailure | Name::MemoryLoss => FaultKind::Loss,
        Name::LinkDown => FaultKind::Down,
        Name::Corruption => {
            let is_undetected = section.flag("undetected", false);
            if is_undetected {
                FaultKind::UndetectedCorruption { bits: section.count("bits", 1..=65_535, 1) as u16 }
            } else {
                FaultKind::Corruption
            }
        }
        Name::Duplication => FaultKind::Duplication { later: section.delay("later", Duration::ZERO) },
        Name::Reordering => {
            let by = required("by", "the delay of reordered packets: by = \"10 us\"");
            FaultKind::Delay { least: by, most: by, keeps_order: false }
        }
        Name::Delay => {
            let by = required("by", "the additional delay of packets: by = \"10 us\"");
            FaultKind::Delay { least: by, most: by, keeps_order: section.flag("keep_order", true) }
        }
        Name::Jitter => {
            let most = required("most", "the greatest additional delay of packets: most = \"10 us\"");
            let least = section.delay("least", Duration::ZERO);
            if least > most {
                section.error(&section.span_of("least"), "`least` is more than `most`", "exchange them");
            }
            FaultKind::Delay { least, most, keeps_order: section.flag("keep_order", false) }
        }
    }
}

fn strikes(section: &Section<'_>, name: Name) -> Strikes {
    let part = |field, default| section.number(field, 0.0..=1.0, default);
    if name == Name::BurstLoss {
        section.require("begins", "the probability that a burst begins: begins = 0.001");
        section.require("ends", "the probability that a burst ends, 1 over its mean length: ends = 0.1");
        let [begins, ends] = [part("begins", 0.0), part("ends", 1.0)];
        return Strikes::Burst(Burst { begins, ends, in_good: part("in_good", 0.0), in_bad: part("in_bad", 1.0) });
    }
    let given: Vec<&'static str> =
        ["probability", "every", "packets"].into_iter().filter(|field| section.has(field)).collect();
    if let [first, second, ..] = given[..] {
        section.error(
            &section.span_of(second),
            format!("`{first}` and `{second}` exclude each other"),
            "keep one of them",
        );
    }
    match given.first() {
        Some(&"probability") => Strikes::Probability(part("probability", 0.0)),
        Some(&"every") => Strikes::Every(section.count("every", 1..=u64::MAX, 1)),
        Some(_) => Strikes::Numbers(section.counts("packets", 1..=u64::MAX, &[])),
        None if matches!(name, Name::Delay | Name::Jitter) => Strikes::Always,
        None => {
            let hint = "add `probability = 0.01`, `every = 100`, or `packets = [3, 7]` (counted on each link)";
            section.error(section.span(), "this fault does not say which packets it affects", hint);
            Strikes::Always
        }
    }
}

fn packets(section: &Section<'_>) -> Packets {
    let mut packets = Packets::ALL;
    if section.has("dscps") {
        packets.dscps = Some(crate::disciplines::code_points(section, "dscps", &[]).into_iter().collect());
    }
    for (field, value) in [("shortest", &mut packets.shortest), ("longest", &mut packets.longest)] {
        if section.has(field) {
            *value = section.bytes(field, 0..=65_549, 0) as u32;
        }
    }
    if packets.shortest > packets.longest {
        section.error(&section.span_of("longest"), "`longest` is less than `shortest`", "exchange them");
    }
    packets
}
