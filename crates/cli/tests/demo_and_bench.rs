//! The main job and the benchmark, as a person starts them.

mod common;

use common::{absent_folder, contents_below, run_line};
use serde_json::Value;

#[test]
fn the_demo_shows_one_pipeline_and_mp5_equal_and_recirculation_not() {
    let out = absent_folder();
    let line = format!("demo --out-dir {}", out.display());
    let shown = run_line(&line);
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

    let told = run_line(&format!("{line} --json"));
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

#[test]
fn the_benchmark_measures_every_machine_beside_the_interpreter() {
    let ran = run_line("bench --packets 2000 --json");
    assert_eq!(ran.status, 0, "{ran:?}");
    let measured: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    let measured = measured.as_array().expect("a list");
    assert_eq!(measured.len(), 12, "interpreter and three machines on three programs");
    for row in measured {
        assert!(row["packets_per_second"].as_f64().is_some_and(|rate| rate > 0.0), "{row}");
        assert_eq!(row["stage_cycles_per_second"].is_null(), row["machine"] == "interpreter", "{row}");
    }
}
