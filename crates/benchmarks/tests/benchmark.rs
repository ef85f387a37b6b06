//! The benchmark, as a person starts it.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// Runs the benchmark with these arguments in the project's folder, and returns what it prints to standard output and
/// to standard error.
fn bench(arguments: &str) -> (String, String) {
    let ran = run(arguments);
    assert!(ran.status.success(), "{ran:?}");
    let text = |bytes| String::from_utf8(bytes).expect("the benchmark prints text");
    (text(ran.stdout), text(ran.stderr))
}

fn run(arguments: &str) -> Output {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("crates/benchmarks lies two deep");
    let mut command = Command::new(env!("CARGO_BIN_EXE_polyplane-bench"));
    command.args(arguments.split_whitespace()).current_dir(project).stdin(Stdio::null());
    // The environment of whoever runs the tests may name binaries of others.
    let command = command.env_remove("HTSIM").env_remove("SWITCHML").env_remove("BMV2").env_remove("POLYPLANE");
    command.output().expect("the benchmark can be started")
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

/// Measures only one part, as quickly as possible; no other part has results.
fn part(name: &str) -> Value {
    let results = results(&format!("--quick --packets 2000 --only {name}"));
    let parts = results.as_object().expect("parts").values();
    let is_empty = |part: &&Value| part.is_null() || part.as_array().is_some_and(Vec::is_empty);
    assert!(parts.filter(is_empty).count() >= 14, "only {name} was asked for: {results}");
    results
}

#[test]
fn a_router_is_measured_as_machine_code_beside_the_interpreter() {
    let routers = list(&part("routers"), "routers");
    assert_eq!(routers.len(), 2, "machine code and the interpreter");
    assert_eq!(routers[0]["forwarded"], routers[1]["forwarded"]);
}

#[test]
fn a_router_is_measured_on_two_switches() {
    let results = part("chips");
    let chips = list(&results, "chips");
    assert_eq!(chips.len(), 4, "two switches, by machine code and by the interpreter");
    for row in &chips {
        assert_eq!(row["forwarded"], chips[0]["forwarded"], "{row}");
        for rate in ["packets_per_second", "queued_packets_per_second", "passes_per_second", "against_v1model"] {
            assert!(is_above_zero(&row[rate]), "{row}");
        }
    }
}

#[test]
fn chips_of_threads_take_the_packets_that_a_closed_form_says() {
    let results = part("trio");
    let speeds = list(&results, "trio_speeds");
    assert_eq!(speeds.len(), 3);
    assert!(speeds.iter().all(|row| is_above_zero(&row["instructions_per_second"])), "{speeds:?}");
    let rates = list(&results, "trio_rates");
    assert!(!rates.is_empty());
    for row in rates {
        let number = |name: &str| row[name].as_f64().expect("a number");
        let ratio = number("packets_per_second") / number("closed_form");
        assert!((0.99..1.01).contains(&ratio), "{row}");
    }
}

#[test]
fn sums_and_attacks_are_measured() {
    let sums = list(&part("aggregation"), "aggregation");
    assert!(!sums.is_empty() && sums.iter().all(|row| row["verdict"] == "equal"), "{sums:?}");
    assert!(!list(&part("attacks"), "attacks").is_empty());
}

#[test]
fn the_virtual_switch_is_measured_with_each_option() {
    let results = part("virtual-switch");
    let options = list(&results["virtual_switch"], "options");
    assert_eq!(options.len(), 30, "five orders of packets, with six options");
    assert!(options.iter().all(|row| is_above_zero(&row["nanoseconds"])), "{options:?}");
    let connections = list(&results["virtual_switch"], "connections");
    assert_eq!(connections.len(), 3);
    assert_eq!(connections[2]["against_each_decided"], 1.0, "the last is what others are compared with");
}

#[test]
fn networks_and_compile_times_are_measured() {
    let networks = list(&part("networks"), "networks");
    assert_eq!((networks.len(), &networks[0]["finished"]), (1, &Value::from(64)), "the incast of 64 flows");
    assert!(!list(&part("compiling"), "compile_times").is_empty());
}

#[test]
fn every_machine_with_pipelines_is_measured_beside_the_interpreter() {
    let measured = list(&part("programs"), "programs");
    assert_eq!(measured.len(), 12, "interpreter and three machines on three programs");
    for row in measured {
        assert!(is_above_zero(&row["packets_per_second"]), "{row}");
        assert_eq!(row["stage_cycles_per_second"].is_null(), row["machine"] == "interpreter", "{row}");
    }
}

#[test]
fn published_traces_end_in_the_interpreters_state() {
    let traces = list(&part("traces"), "traces");
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
}

#[test]
fn controllers_are_measured() {
    let results = part("controllers");
    let controllers = &results["controllers"];
    assert_eq!(controllers["batches"]["entries"], 1000);
    for figure in
        [&controllers["batches"]["write_seconds"], &controllers["writes"]["packets"], &controllers["flood"]["packets"]]
    {
        assert!(is_above_zero(&figure["median"]), "{controllers}");
    }
    assert_eq!(controllers["writes"]["refused"], 0, "{controllers}");
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

/// In network namespaces that are gone afterwards. It measures `polyplane live` as well if its binary was built into the
/// same folder.
#[test]
fn packets_get_through_every_live_switch() {
    let ran = run("--only live,refresh --quick --json");
    let told = String::from_utf8_lossy(&ran.stderr);
    if !Path::new("/dev/net/tun").exists() || told.contains("live switches cannot be measured") {
        eprintln!("SKIPPED packets_get_through_every_live_switch: {told}");
        return;
    }
    assert!(ran.status.success(), "{told}");
    let results: Value = serde_json::from_slice(&ran.stdout).expect("JSON");
    let paths = list(&results["live"], "paths");
    let names: Vec<&str> = paths.iter().filter_map(|path| path["path"].as_str()).collect();
    assert_eq!(names[..4], ["direct veth", "Linux bridge", "plain cross-connect", "the same on TAP"]);
    let has_polyplane = !told.contains("skipping `polyplane live`");
    let has = |name: &str| names.contains(&name);
    for name in ["polyplane live, router", "ten times the entries", "ten times the ports", "vswitch", "vswitch on TAP"]
    {
        assert_eq!(has(name), has_polyplane, "{name}: {names:?}");
    }
    for path in &paths {
        assert_eq!(list(path, "rounds").len(), 1, "a quick measurement");
        for figure in path["median"]
            .as_object()
            .expect("figures")
            .values()
            .chain(path["against_peer"].as_object().expect("ratios").values())
        {
            assert!(is_above_zero(figure), "{path}");
        }
    }
    assert_eq!(paths[2]["against_peer"]["datagrams_per_second"], 1.0, "it is compared with itself");
    assert_eq!(results["live"]["idle_percent"].is_f64(), has_polyplane);
    assert_eq!(is_above_zero(&results["refresh"]["sessions"]), has_polyplane, "{}", results["refresh"]);
    assert!(list(&results, "networks").is_empty(), "not asked for");
}

/// Without the commands that make network namespaces nothing is measured, and what is missing is said.
#[test]
fn live_switches_are_refused_without_the_right_to_make_namespaces() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_polyplane-bench"));
    let ran = command.args(["--only", "live", "--quick"]).env("PATH", "/nowhere").output().expect("it can be started");
    let told = String::from_utf8_lossy(&ran.stderr);
    assert_eq!(ran.status.code(), Some(2), "{told}");
    assert!(told.contains("live switches cannot be measured") && told.contains("unshare (util-linux)"), "{told}");
    assert!(ran.stdout.is_empty());
}

/// Two copies of one build have the same results. Which is faster is chance.
#[test]
fn a_build_is_compared_with_another_one_pair_by_pair() {
    let built = Path::new(env!("CARGO_BIN_EXE_polyplane-bench"));
    let folder = built.parent().expect("a folder").display();
    let comparison = results(&format!("--quick --only routers --rounds 2 --against {folder}"));
    assert_eq!(comparison["pairs"], 2);
    let figures = list(&comparison, "figures");
    assert_eq!(figures.len(), 6, "three of machine code and three of the interpreter: {figures:?}");
    for figure in figures {
        let number = |name: &str| figure[name].as_f64().expect("a number");
        let (low, high) = (&figure["interval"]["low"], &figure["interval"]["high"]);
        let (low, high) = (low.as_f64().expect("a number"), high.as_f64().expect("a number"));
        assert!(low <= number("ratio") && number("ratio") <= high, "{figure}");
        assert!(number("this") > 0.0 && number("other") > 0.0, "{figure}");
    }
    assert!(list(&comparison, "different_results").is_empty(), "{comparison}");
}

#[test]
fn a_folder_without_a_build_is_refused_with_how_to_make_one() {
    let ran = run("--quick --only routers --against crates");
    let told = String::from_utf8_lossy(&ran.stderr);
    assert_eq!(ran.status.code(), Some(2), "{told}");
    assert!(told.contains("crates has no build of the benchmark") && told.contains("cargo build --release"), "{told}");
}
