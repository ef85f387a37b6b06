//! Plans of labs in TOML, and topologies of the P4 tutorials in JSON: rejected with reasons at places inside the text, or a
//! plan of a connected kind whose nodes, ports and links have names.

#![no_main]

use std::collections::BTreeSet;
use std::path::PathBuf;

use diagnostics::Sources;
use files::PlanText;
use lab::plan::{End, LabPlan, Options, read, read_source};
use libfuzzer_sys::fuzz_target;

// Topologies begin with a brace, which TOML never does.
fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data).into_owned();
    let path = if text.trim_start().starts_with('{') { "topology.json" } else { "lab.toml" };
    let (name, folder) = ("lab".to_owned(), PathBuf::from("no/such/folder"));
    let text = PlanText { path: path.to_owned(), name, text, folder };
    // The network alone, for which no file is looked for.
    let mut sources = Sources::new();
    let id = sources.add(&text.path, &text.text);
    let (plan, found) = read_source(id, &text, None);
    let found = found.at_characters(&sources);
    match plan {
        Some(plan) if !found.has_errors() => is_whole(&plan),
        _ => fuzz::is_reasoned(&sources, &found),
    }
    // With programs, of which only what another fuzzer reads is there.
    match read(&text, &Options::default()) {
        Ok(read) => is_whole(&read.plan),
        Err(failure) => fuzz::is_refusal(&failure),
    }
});

/// Checks that a plan can be set up as it is.
fn is_whole(plan: &LabPlan) {
    let nodes = plan.hosts.iter().map(|host| &host.name).chain(plan.switches.iter().map(|switch| &switch.name));
    let names: BTreeSet<_> = nodes.clone().collect();
    assert_eq!(names.len(), nodes.count(), "two nodes have one name");
    let mut ends: Vec<End> = plan.links.iter().flat_map(|link| link.ends).collect();
    ends.sort_unstable();
    assert!(ends.windows(2).all(|pair| pair[0] != pair[1]), "an end has two links");
    assert_eq!(plan.hosts.len(), ends.iter().filter(|end| matches!(end, End::Host(_))).count());
    let links: BTreeSet<_> = plan.links.iter().map(|link| plan.link_name(link)).collect();
    assert_eq!(links.len(), plan.links.len(), "two links have one name");
    let ports: usize = (0..plan.switches.len()).map(|switch| plan.ports(switch).len()).sum();
    assert_eq!(ports, ends.iter().filter(|end| matches!(end, End::Switch(..))).count());
}
