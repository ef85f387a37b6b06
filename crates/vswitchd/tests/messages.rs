//! The page about operation: each example is a message of the code, and each message has an example.

#![cfg(unix)]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value;
use vswitchd::{Answered, Request};

fn examples(arrow: &str) -> Vec<String> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/vswitch/operation.md");
    let text = fs::read_to_string(page).expect("the page is there");
    text.lines().filter_map(|line| line.strip_prefix(arrow)).map(str::to_owned).collect()
}

/// The requests of a process of the switch that takes over from another one, which nobody else makes.
const OF_UPGRADES: [&str; 4] = ["upgrade", "hand-over", "give-way", "resume"];

/// The names of all other requests, as the error about an unknown one lists them.
fn names() -> BTreeSet<String> {
    let refused = Request::read(br#"{"request":"no such"}"#).expect_err("there is none").error;
    let listed = refused.split("expected one of").nth(1).expect("a list");
    let names = listed.split('`').skip(1).step_by(2).filter(|name| !OF_UPGRADES.contains(name));
    names.map(str::to_owned).collect()
}

#[test]
fn requests_of_the_page_are_requests() {
    let mut shown = BTreeSet::new();
    for line in examples("→ ") {
        let request = Request::read(line.as_bytes()).unwrap_or_else(|refusal| panic!("{line}: {}", refusal.error));
        let written = serde_json::to_value(&request).expect("it is JSON");
        assert_eq!(written, serde_json::from_str::<Value>(&line).expect("it is JSON"), "all fields are shown");
        shown.insert(written["request"].as_str().expect("a name").to_owned());
    }
    assert_eq!(shown, names());
}

#[test]
fn answers_of_the_page_are_answers() {
    let mut shown = BTreeSet::new();
    for line in examples("← ") {
        let value: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{line}: {error}"));
        let answered: Answered =
            serde_json::from_value(value.clone()).unwrap_or_else(|error| panic!("{line}: {error}"));
        assert_eq!(serde_json::to_value(&answered).expect("it is JSON"), value, "all fields are shown");
        match &value["ok"] {
            Value::Object(ok) => shown.extend(ok.keys().cloned()),
            Value::String(ok) => _ = shown.insert(ok.clone()),
            _ => _ = shown.insert("error".to_owned()),
        }
    }
    // Attaching and detaching are answered as applying is.
    assert_eq!(shown.len(), names().len() - 2 + 1, "an answer to each request and a refusal: {shown:?}");
}
