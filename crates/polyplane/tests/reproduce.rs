//! `polyplane reproduce`, as a person starts it.

mod common;
#[path = "../../basis/tests/common/on_all_cores.rs"]
mod on_all_cores;

use std::fs;

use common::{absent_folder, contents_below, run_in, run_line};
use on_all_cores::on_all_cores;
use serde_json::Value;

#[test]
fn the_first_published_stream_is_reproduced_exactly() {
    let (one, three) = (absent_folder(), absent_folder());
    let line = "reproduce mp5 --only first-stream --json";
    let ran = run_line(&format!("{line} --threads 1 --out-dir {}", one.display()));
    assert_eq!(ran.status, 0, "{ran:?}");
    let results: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    let comparisons = results[0]["comparisons"].as_array().expect("a list");
    assert_eq!(comparisons.len(), 72, "36 throughputs, 36 queues");
    for comparison in comparisons {
        let number = |name: &str| comparison[name].as_f64().expect("a number");
        let allowed = if comparison["measure"] == "largest_queue" { 0.0 } else { 0.005 };
        let deviation = comparison["measured"]["mean"].as_f64().expect("a number") - number("published");
        assert!(deviation.abs() <= allowed && comparison["verdict"] == "reproduced", "{comparison}");
    }
    let again = run_line(&format!("{line} --threads 3 --out-dir {}", three.display()));
    assert_eq!((again.status, &again.stdout), (0, &ran.stdout));
    let written = contents_below(&one);
    assert!(written == contents_below(&three), "the same bytes for any number of threads");
    let names: Vec<String> = written.iter().map(|(name, _)| name.display().to_string()).collect();
    assert!(names.contains(&"index.html".to_owned()) && names.contains(&"first-stream.csv".to_owned()), "{names:?}");
    assert!(names.iter().all(|name| !name.ends_with(".journal")), "nothing is left to go on with: {names:?}");
}

/// One experiment of each method.
const NETWORK_EXPERIMENTS: [&str; 6] =
    ["section-3-tofino-2", "figure-5", "figure-12", "first-test", "figure-13", "figure-14"];

#[test]
fn network_experiments_depend_on_neither_folder_nor_threads() {
    let with_one_thread = on_all_cores(&NETWORK_EXPERIMENTS, |name| {
        let folder = absent_folder();
        let line =
            format!("reproduce trimming --quick --only {name} --json --threads 1 --out-dir {}", folder.display());
        let ran = run_line(&line);
        assert_eq!(ran.status, 0, "{ran:?}");
        let results: Value = serde_json::from_str(&ran.stdout).expect("JSON");
        let results = results.as_array().expect("a list");
        assert!(results.len() == 1 && results[0]["experiment"] == *name, "{results:?}");
        (ran.stdout, contents_below(&folder))
    });
    for (name, (stdout, contents)) in NETWORK_EXPERIMENTS.iter().zip(with_one_thread) {
        // Nothing but the program itself is there.
        let folder = absent_folder();
        fs::create_dir_all(&*folder).expect("a folder");
        let line = format!("reproduce trimming --quick --only {name} --json --threads 2 --out-dir .");
        let again = run_in(&folder, &line.split(' ').collect::<Vec<_>>());
        assert_eq!((again.status, again.stdout), (0, stdout));
        assert!(contents_below(&folder) == contents, "{name}: the same bytes for any number of threads");
    }
}

#[test]
fn traces_of_a_folder_are_run_and_held_against_the_results_beside_them() {
    let (folder, out) = (absent_folder(), absent_folder());
    let streams = folder.join("pipelines3");
    fs::create_dir_all(&streams).expect("a folder");
    let flows = "flowid,stage,state\n1,1,0\n2,1,1\n";
    let packets = "port,pkt_size,flowid,time\n0,64,1,0\n0,64,2,1\n0,64,1,2\n0,64,0,3\n";
    for (name, text) in [
        ("flows_1_1_4_1_2_64.csv", flows),
        ("uniform_1_1_4_1_2_64.csv", packets),
        // Four stages: in at 3, out at 7. The second line is the result, the first the origin of a plot.
        ("results_uniform_0.dat", "1 0\n1 0.428571428571\n"),
        ("results_uniform_0_queuing.dat", "0 0\n1 2\n"),
    ] {
        fs::write(streams.join(name), text).expect("a file");
    }
    let line =
        format!("reproduce mp5 --only traces-found --json --traces {} --out-dir {}", folder.display(), out.display());
    let ran = run_line(&line);
    assert_eq!(ran.status, 0, "{ran:?}");
    let results: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    assert_eq!(results[0]["runs"], 3, "one trace, three options: {results}");
    let comparisons = results[0]["comparisons"].as_array().expect("a list");
    let found: Vec<(&str, &str, f64)> = comparisons
        .iter()
        .map(|comparison| {
            let word = |value: &'_ Value| -> String { value.as_str().expect("a word").to_owned() };
            assert_eq!(word(&comparison["point"]["folder"]), "pipelines3");
            (
                comparison["measure"].as_str().expect("a word"),
                comparison["verdict"].as_str().expect("a word"),
                comparison["measured"]["mean"].as_f64().expect("a number"),
            )
        })
        .collect();
    assert_eq!(found[0].0, "throughput");
    assert_eq!(found[0].1, "reproduced", "{found:?}");
    assert!((found[0].2 - 3.0 / 7.0).abs() < 1e-12, "{found:?}");
}

/// Traces without flows and results that are none were skipped without a word.
#[test]
fn errors_in_a_folder_of_traces_name_file_and_line() {
    let wrong = |files: &[(&str, &str)]| {
        let folder = absent_folder();
        fs::create_dir_all(&*folder).expect("a folder");
        for (name, text) in files {
            fs::write(folder.join(name), text).expect("a file");
        }
        let ran = run_line(&format!("reproduce mp5 --only traces-found --traces {}", folder.display()));
        assert_eq!(ran.status, 2, "{ran:?}");
        ran.stderr
    };
    let packets = ("uniform_1_1_4_1_2_64.csv", "port,pkt_size,flowid,time\n0,64,0,3\n");
    let told = wrong(&[packets]);
    assert!(told.contains("its flows are not beside it, in flows_1_1_4_1_2_64.csv"), "{told}");
    let told = wrong(&[packets, ("flows_1_1_4_1_2_64.csv", "flowid\n"), ("results_uniform_0.dat", "0 0\n1 oops\n")]);
    assert!(told.contains("results_uniform_0.dat:2: `1 oops` is not a result"), "{told}");
}

/// A law of ours that is broken is a defect, and not a result like a number that differs from a published one.
#[test]
fn a_violated_invariant_gives_exit_status_1() {
    let folder = absent_folder();
    fs::create_dir_all(&*folder).expect("a folder");
    for (invariant, status) in [("", 0), ("invariant = true", 1)] {
        let plan = format!(
            "title = 'A law'\nmethod = 'streams'\n[source]\npaper = 'ours'\nplace = 'here'\n[axes]\npipelines = 1\n\
             stateful_stages = 0\nregister_size = 1\npacket_size = 64\npattern = 'uniform'\ncontender = 'mp5'\n\
             rules = 'paper'\npackets_per_port = 2\nseed = 1\n[[claim]]\nsays = 'faster than line rate'\n\
             place = 'ours'\nmeasure = 'throughput'\nrange = [1.5, 2]\n{invariant}\n"
        );
        let path = folder.join("law.toml");
        fs::write(&path, plan).expect("a file");
        let out = folder.join("out");
        let ran = run_line(&format!("reproduce mp5 --plan {} --out-dir {}", path.display(), out.display()));
        assert_eq!(ran.status, status, "{ran:?}");
        assert_eq!(ran.stderr.contains("faster than line rate"), status == 1, "{ran:?}");
    }
}
