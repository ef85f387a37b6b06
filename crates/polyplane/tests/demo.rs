//! The main job, as a person starts it.

mod common;

use common::{absent_folder, contents_below, run_in};
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
