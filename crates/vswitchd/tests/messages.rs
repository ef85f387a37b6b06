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

#[test]
fn numbers_agree_with_what_they_count() {
    let text = |line: &str| match serde_json::from_str::<Answered>(line).expect("an answer") {
        Answered::Ok { ok } => ok.to_string(),
        Answered::Refused(refusal) => panic!("{refusal:?}"),
    };
    assert_eq!(text(r#"{"ok":{"sessions":{"sessions":[],"more":0}}}"#), "no session\n");
    assert_eq!(text(r#"{"ok":{"sessions":{"sessions":[],"more":19}}}"#), "19 sessions, none of them shown\n");
    assert_eq!(text(r#"{"ok":{"flows":{"flows":[],"more":1}}}"#), "1 flow, none of them shown\n");
    let switch = r#"{"ok":{"switch":{"name":"a","process":1,"seconds":2,"sessions":1,"slow_path_packets":1,"applied":1,
        "ended_by_apply":2,"deciding":false}}}"#;
    let expected = "a runs as process 1 since 2 s\n1 session; 1 packet went through the policy tables\n\
                    1 configuration applied; 2 sessions ended by that\n";
    assert_eq!(text(switch), expected);
}

#[test]
fn every_reason_for_a_drop_is_on_the_page_about_the_path() {
    let read = |path: &str| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
        fs::read_to_string(path).expect("the file is there")
    };
    let page = read("../../docs/vswitch/path.md");
    let table =
        page.split("## Why packets are dropped").nth(1).expect("the section").split("\n## ").next().unwrap_or_default();
    for source in ["../vswitch/src/reasons.rs", "../live/src/reasons.rs", "src/station.rs"] {
        // A reason is declared as `NAME = (RANK, "reason");`.
        let text = read(source);
        let is_declared = |line: &&str| line.ends_with("\");") && line.contains(" = (");
        let reasons: Vec<&str> =
            text.lines().map(str::trim).filter(is_declared).filter_map(|line| line.split('"').nth(1)).collect();
        assert!(!reasons.is_empty(), "{source}");
        for reason in reasons {
            assert!(table.contains(&format!("`{reason}`")), "{source}: `{reason}`");
        }
    }
}
