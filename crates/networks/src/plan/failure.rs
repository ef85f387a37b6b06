//! `[[fault]]` of processes and of the memory of switches.

use basis::Instant;
use netsim::topology::{Role, Topology};
use plans::Section;

use super::fault::{Fault, Name, stations, words};

/// Reads a fault that is a failure of something rather than a rule for packets or a slowdown. Returns the place where it
/// acts in words, and its effect; `None` for other kinds.
pub(super) fn read(
    section: &Section<'_>,
    topology: &Topology,
    name: Name,
    (from, until): (Instant, Instant),
) -> Option<(String, Fault)> {
    match name {
        Name::ProcessFailure => Some(process_failure(section, topology, (from, until))),
        Name::MemoryLoss => Some(memory_loss(section, topology, (from, until))),
        _ => None,
    }
}

fn process_failure(section: &Section<'_>, topology: &Topology, (at, until): (Instant, Instant)) -> (String, Fault) {
    let (hosts, place) = named(section, topology, true);
    let again = (until != Instant::MAX).then_some(until);
    let elsewhere = section.text("elsewhere").and_then(|(text, span)| {
        let found = stations(section, topology, &[(text, span.clone())]);
        let is_host = |station: &usize| matches!(topology.stations[*station].role, Role::Host { .. });
        match found[..] {
            [host] if is_host(&host) => Some(host),
            [] => None,
            _ => {
                let hint = "elsewhere = \"host-7\": the host on which the processes are started again";
                section.error(&span, "processes are started again on one host", hint);
                None
            }
        }
    });
    if elsewhere.is_some() && again.is_none() {
        let hint = "add `until`, the time at which they are started again";
        section.error(&section.span_of("elsewhere"), "nobody starts these processes again", hint);
    }
    if elsewhere.is_some() && hosts.len() > 1 {
        let hint = "give each host a fault of its own";
        section.error(&section.span_of("elsewhere"), "the processes of several hosts cannot all go to one", hint);
    }
    (place, Fault::OfProcesses { hosts, at, again, elsewhere })
}

fn memory_loss(section: &Section<'_>, topology: &Topology, (at, until): (Instant, Instant)) -> (String, Fault) {
    let (switches, place) = named(section, topology, false);
    let again = if until == Instant::MAX { at } else { until };
    (place, Fault::OfMemory { switches, at, again })
}

/// Returns the hosts, or the switches, that the section names, and their names in words.
fn named(section: &Section<'_>, topology: &Topology, are_hosts: bool) -> (Vec<usize>, String) {
    if !section.require(
        "where",
        if are_hosts { "the hosts: where = [\"host-3\"]" } else { "the switches: where = [\"switch\"]" },
    ) {
        return (Vec::new(), String::new());
    }
    let given = section.texts("where");
    let errors = section.errors();
    let is_such = |station: &usize| matches!(topology.stations[*station].role, Role::Host { .. }) == are_hosts;
    let found: Vec<usize> = stations(section, topology, &given).into_iter().filter(is_such).collect();
    if section.errors() == errors && found.is_empty() {
        let (what, hint) = match are_hosts {
            true => ("no host is among these", "name hosts: processes run there"),
            false => ("no switch is among these", "name switches: hosts have no tables that could be lost"),
        };
        section.error(&section.span_of_list("where"), what, hint);
    }
    (found, words(&given))
}
