//! Generated packets cover everything in our own programs that is reachable.

use std::path::Path;

use equivalence::coverage::{Coverage, Generated, Options, generate};
use node::Port;
use workbench::Entries;
use workbench::{LoadOptions, LoadedProgram};

fn stream(program: &str, entries: Option<&str>, options: &Options) -> Generated {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs/p4").join(program);
    let path = folder.join(format!("{program}.p4"));
    let read = LoadedProgram::read(&path, &LoadOptions::default());
    let read = read.unwrap_or_else(|failure| panic!("{}", failure.render(false)));
    let entries = entries.map_or_else(Entries::none, |file| {
        Entries::read(&folder.join(file), &read).unwrap_or_else(|failure| panic!("{}", failure.render(false)))
    });
    let requests: Vec<_> = entries.requests().cloned().collect();
    let packets = entries.packets().map(|(port, bytes)| (Port(port as u16), bytes.to_vec()));
    generate(&read.program, &read.info, &requests, &packets.collect::<Vec<_>>(), options).expect("v1model runs it")
}

fn missing(coverage: &Coverage) -> Vec<&str> {
    coverage.missing().collect()
}

/// Entries and actions are behind stations, checksums, routes and next hops. The goals that are missing are
/// unreachable, because every packet that leaves has an IPv4 header.
#[test]
fn packets_reach_all_entries_and_actions_of_a_router() {
    let found = stream("router", Some("commands.txt"), &Options::default());
    let lacks = missing(&found.coverage);
    let counts = found.coverage.to_string();
    assert!(counts.contains("parser states             2 of 2\nselect cases              2 of 2\n"), "{counts}");
    assert!(counts.contains("actions                   9 of 9\n"), "{counts}");
    assert!(lacks.len() <= 2 && !lacks.iter().any(|goal| goal.contains("martians")), "{lacks:?}");
}

#[test]
fn packets_reach_branches_that_depend_on_state() {
    for (program, entries) in [("firewall", "policies.stf"), ("stateful_firewall", "connections.stf")] {
        let found = stream(program, Some(entries), &Options::default());
        let lacks = missing(&found.coverage);
        // Bounds checks that the type of the index always satisfies; and every packet that leaves has an IPv4 header.
        let cannot = |goal: &&str| goal.contains("u32` is false") || goal.contains("ComputeChecksum");
        assert!(lacks.iter().all(cannot), "{program}: {lacks:?}");
    }
}

#[test]
fn without_entries_only_misses_are_goals() {
    let found = stream("router", None, &Options { packets: 300, ..Options::default() });
    assert!(found.coverage.to_string().contains("table entries and misses"), "{}", found.coverage);
    assert!(!missing(&found.coverage).iter().any(|goal| goal.contains("routes: entry")));
}

#[test]
fn the_same_seed_gives_the_same_stream() {
    let options = Options { packets: 500, ..Options::default() };
    let [first, second] = [1, 2].map(|_| stream("calculator", None, &options));
    assert_eq!(first.packets, second.packets);
    assert_eq!(first.packets.len(), 500);
    assert!(first.packets.is_sorted_by(|a, b| a.at < b.at));
    let other = stream("calculator", None, &Options { seed: 2, ..options });
    assert_ne!(first.packets, other.packets);
}
