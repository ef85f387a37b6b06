//! The benchmark, as a person starts it.

use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

/// Runs the benchmark with these arguments in the project's folder, and returns what it prints to standard output and
/// to standard error.
fn bench(arguments: &str) -> (String, String) {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("crates/benchmarks lies two deep");
    let mut command = Command::new(env!("CARGO_BIN_EXE_polyplane-bench"));
    command.args(arguments.split_whitespace()).current_dir(project).stdin(Stdio::null());
    // The environment of whoever runs the tests may name a folder with binaries of htsim.
    let ran = command.env_remove("HTSIM").output().expect("the benchmark can be started");
    assert!(ran.status.success(), "{ran:?}");
    let text = |bytes| String::from_utf8(bytes).expect("the benchmark prints text");
    (text(ran.stdout), text(ran.stderr))
}

fn results(arguments: &str) -> Value {
    serde_json::from_str(&bench(&format!("--json {arguments}")).0).expect("JSON")
}

fn list(results: &Value, name: &str) -> Vec<Value> {
    results[name].as_array().expect("a list").clone()
}

fn is_above_zero(value: &Value) -> bool {
    value.as_f64().is_some_and(|rate| rate > 0.0)
}

#[test]
fn the_benchmark_measures_every_machine_beside_the_interpreter() {
    let results = results("--quick --packets 2000");
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
    let results = results("--stream-packets 200000");
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
    let (printed, told) = bench("--stream-packets 640");
    let header = "packets  bytes  packets/s  stage-cycles/s  dropped  largest queue";
    assert!(printed.starts_with(header) && printed.lines().count() == 3, "{printed}");
    assert!(told.contains("mp5: 100%, 640 packets in "), "{told}");
}
