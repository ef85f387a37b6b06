//! The main job and the benchmark, as a person starts them.

mod common;

use common::{absent_folder, contents_below, run_in, run_line};
use serde_json::Value;

#[test]
fn the_demo_shows_one_pipeline_and_mp5_equal_and_recirculation_not() {
    let out = absent_folder();
    // As after `cargo install`: in a folder that has nothing of the project.
    std::fs::create_dir_all(&*out).expect("a folder can be made");
    let demo = |arguments: &[&str]| run_in(&out, &[&["demo", "--out-dir", "shown"], arguments].concat());
    let shown = demo(&[]);
    assert_eq!(shown.status, 0, "{shown:?}");
    assert_eq!(shown.stdout.matches("MP5, 4 pipelines").count(), 2, "a row at each pace: {shown:?}");
    let written = contents_below(&out);
    let report = |files: &[(std::path::PathBuf, Vec<u8>)]| {
        let (_, bytes) = files.iter().find(|(name, _)| name.ends_with("report.html")).expect("the report").clone();
        String::from_utf8(bytes).expect("a page is text")
    };
    let page = report(&written);
    assert_eq!(page.matches("<svg").count(), 6, "three figures at each pace");
    assert_eq!(written.iter().filter(|(name, _)| name.extension().is_some_and(|e| e == "svg")).count(), 6);

    let told = demo(&["--json"]);
    let results: Value = serde_json::from_str(&told.stdout).expect("JSON");
    let results = results.as_array().expect("a list");
    assert_eq!(results.len(), 6, "three machines at two paces");
    for result in results {
        let comparison = &result["comparison"];
        assert_eq!(comparison["packets"], 3702);
        // What each machine promises: the same meaning, or at least (recirculating) every packet accounted for.
        match result["machine"].as_str() {
            Some("banzai" | "mp5") => assert_eq!(comparison["verdict"], "equal", "{result}"),
            machine => {
                assert_eq!(machine, Some("recirculating"));
                assert!(["equal", "different"].contains(&comparison["verdict"].as_str().expect("a word")), "{result}");
            }
        }
    }
    let worst = |machine| {
        let found = results.iter().rfind(|result| result["machine"] == machine).expect("each machine is there");
        found["comparison"]["throughput"].as_f64().expect("a number")
    };
    // An order that must hold whatever the numbers are: the oracle's pipeline never falls behind, MP5 never does worse
    // than sending packets round again.
    assert!(worst("banzai") > worst("mp5") && worst("mp5") > worst("recirculating"));
    assert!(page == report(&contents_below(&out)), "the same page twice");
}

fn bench(arguments: &str) -> Value {
    let ran = run_line(&format!("bench --json {arguments}"));
    assert_eq!(ran.status, 0, "{ran:?}");
    serde_json::from_str(&ran.stdout).expect("JSON")
}

fn list(results: &Value, name: &str) -> Vec<Value> {
    results[name].as_array().expect("a list").clone()
}

fn is_above_zero(value: &Value) -> bool {
    value.as_f64().is_some_and(|rate| rate > 0.0)
}

#[test]
fn the_benchmark_measures_every_machine_beside_the_interpreter() {
    let results = bench("--quick --packets 2000");
    let routers = list(&results, "routers");
    assert_eq!(routers.len(), 2, "machine code and the interpreter");
    assert_eq!(routers[0]["forwarded"], routers[1]["forwarded"]);
    let networks = list(&results, "networks");
    assert_eq!((networks.len(), &networks[0]["finished"]), (1, &Value::from(64)), "the incast of 64 flows");
    assert!(!list(&results, "compile_times").is_empty());
    let measured = list(&results, "programs");
    assert_eq!(measured.len(), 12, "interpreter and three machines on three programs");
    for row in measured {
        assert!(is_above_zero(&row["packets_per_second"]), "{row}");
        assert_eq!(row["stage_cycles_per_second"].is_null(), row["machine"] == "interpreter", "{row}");
    }
    let traces = list(&results, "traces");
    assert_eq!(traces.len(), 24, "6 numbers of pipelines, uniform and skewed, the paper's rules and the artifact's");
    for row in traces {
        for rate in ["packets_per_second", "stage_cycles_per_second", "against_interpreter"] {
            assert!(is_above_zero(&row[rate]), "{row}");
        }
        assert_eq!(is_above_zero(&row["against_published"]), row["pipelines"] == 4, "{row}");
        assert_eq!(row["must_be_equal"], row["rules"] == "paper", "{row}");
        assert!(row["rules"] != "paper" || row["verdict"] == "equal", "{row}");
        assert_eq!(row["verdict"] == "equal", row["state"] == row["interpreter_state"], "{row}");
    }
    assert!(list(&results, "streams").is_empty(), "not asked for");
}

#[test]
fn the_memory_of_a_long_stream_stays_flat() {
    let results = bench("--stream-packets 200000");
    assert!(list(&results, "programs").is_empty() && list(&results, "traces").is_empty());
    let streams = list(&results, "streams");
    assert_eq!(streams.len(), 2, "one that the machine carries, one that it drops packets of");
    assert_eq!(streams[0]["verdict"], "equal", "{}", streams[0]);
    assert!(streams[1]["verdict"].is_null() && !streams[1]["fifo_depth"].is_null(), "{}", streams[1]);
    for stream in streams {
        let resident_at = |percent: u64| {
            let marks = stream["marks"].as_array().expect("a list");
            let mark = marks.iter().find(|mark| mark["percent"] == percent).expect("such a mark");
            mark["resident_bytes"].as_u64()
        };
        if !cfg!(target_os = "linux") {
            assert_eq!(resident_at(100), None);
            continue;
        }
        let grown = resident_at(100).expect("Linux says it").saturating_sub(resident_at(10).expect("Linux says it"));
        // A single word kept of each packet would be 1.4 MB.
        assert!(grown < 1 << 20, "{grown} bytes for 180,000 packets: {stream}");
    }
}

#[test]
fn what_the_benchmark_prints_is_a_table_of_each_kind() {
    let ran = run_line("bench --stream-packets 640");
    assert_eq!(ran.status, 0, "{ran:?}");
    let header = "packets  bytes  packets/s  stage-cycles/s  dropped  largest queue";
    assert!(ran.stdout.starts_with(header) && ran.stdout.lines().count() == 3, "{ran:?}");
    assert!(ran.stderr.contains("mp5: 100%, 640 packets in "), "{ran:?}");
}
