//! Tests of the points that a sweep stores: a point is run again if anything that its network depends on has changed.

use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use experiments::sweep::Points;
use files::PlanText;
use networks::Registry;
use networks::sweep::{Axis, Sweep};

const PLAN: &str = r#"
title = "a program that includes a file"
[topology]
kind = "single-switch"
hosts = 2
[link]
rate = "10 Gb/s"
[transport]
kind = "newreno"
[switch]
program = "main.p4"
entries = ["router.stf"]
[[workload]]
kind = "incast"
senders = 1
bytes = "10 kB"
[end]
at = "1 ms"
unfinished = "accepted"
"#;

fn folder() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("stored_points");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder for the test");
    folder
}

/// Returns the number of points that were taken from the store, of two.
fn resumed(folder: &Path) -> usize {
    let path = folder.join("plan.toml").display().to_string();
    let plan = PlanText { name: "plan".to_owned(), path, text: PLAN.to_owned(), folder: folder.to_owned() };
    let sweep = Sweep { plan, axes: vec![Axis::parse("seed=1,2").expect("an axis")] };
    let mut points = Points::open(&folder.join("points"), "test").expect("a store");
    let mut resumed = 0;
    let rows = sweep.run(&Registry::default(), NonZeroUsize::MIN, Some(&mut points), &mut |job| {
        resumed += usize::from(job.is_resumed);
    });
    assert_eq!(rows.unwrap_or_else(|failure| panic!("{}", failure.render(false))).len(), 2);
    resumed
}

/// A regression: the key of a stored point once left out the files that a switch's program includes, so that a changed
/// header gave the measures of the old one.
#[test]
fn a_changed_header_of_a_program_runs_points_again() {
    let folder = folder();
    let router = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs/p4/router");
    let text = fs::read_to_string(router.join("router.p4")).expect("the router");
    fs::copy(router.join("router.stf"), folder.join("router.stf")).expect("its entries");
    fs::write(folder.join("main.p4"), "#include \"router.p4\"\n").expect("a program");
    fs::write(folder.join("router.p4"), &text).expect("its header");
    assert_eq!(resumed(&folder), 0, "nothing is stored yet");
    assert_eq!(resumed(&folder), 2, "both points are stored");
    fs::write(folder.join("router.p4"), format!("// changed\n{text}")).expect("its header");
    assert_eq!(resumed(&folder), 0, "the header has changed");
}
