//! Runs a small collection of programs, some of which fail their packet tests.

use std::fs;
use std::path::{Path, PathBuf};

use conformance::programs::{ConformancePlan, conformance};

/// A program that forwards packets from port 0 to port 1 and decrements their first byte.
const HUB: &str = include_str!("../../workbench/tests/packet_programs/hub.p4");

/// Returns an empty folder for this test.
fn folder() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("collection");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn the_report_does_not_depend_on_the_number_of_threads() {
    let collection = folder();
    let samples = collection.join("testdata/p4_16_samples");
    for empty in ["p4_16_samples", "p4_14_samples", "p4_16_errors"] {
        fs::create_dir_all(collection.join("testdata").join(empty)).unwrap();
    }
    for number in 0..12 {
        fs::write(samples.join(format!("hub{number}.p4")), HUB).unwrap();
        let expected = if number % 5 == 0 { "00" } else { "06" };
        fs::write(samples.join(format!("hub{number}.stf")), format!("packet 0 07\nexpect 1 {expected}$\n")).unwrap();
    }
    let run = |threads| {
        let plan = ConformancePlan { compiler: Some(collection.clone()), threads, ..ConformancePlan::default() };
        conformance(&plan).unwrap_or_else(|failure| panic!("{}", failure.render(false)))
    };
    let alone = run(1);
    assert_eq!(alone.tally(None).to_string(), "9 passed, 3 failed, 0 excluded");
    assert_eq!(alone, run(7));
}
