//! Property tests: no text makes a reader panic, and all diagnostics have locations inside the text.

mod common;

use control::{commands, runtime_file, stf};
use diagnostics::{Diagnostics, Sources};
use proptest::prelude::*;

/// Words that lead deep into the readers, mixed with arbitrary ones.
const WORDS: &[&str] = &[
    "add",
    "packet",
    "expect",
    "setdefault",
    "remove",
    "check_counter",
    "wait",
    "table_add",
    "table_delete",
    "table_modify",
    "act_prof_create_member",
    "act_prof_add_member_to_group",
    "mc_mgrp_create",
    "mc_node_create",
    "mc_node_associate",
    "mirroring_add",
    "register_write",
    "meter_set_rates",
    "pvs_add",
    "counter_read",
    "ipv4_lpm",
    "acl",
    "ecmp",
    "hops",
    "stack",
    "seen",
    "flows",
    "police",
    "types",
    "hits",
    "ports",
    "drop",
    "forward",
    "mark",
    "drop()",
    "mark(tag:1)",
    "forward(port:1,dstAddr:2)",
    "dstAddr:0x0a**",
    "srcAddr:1",
    "meta.port:1->2",
    "valid:1",
    "extra$0.h:1",
    "hits($A)",
    "packets",
    "==",
    "=",
    "A",
    "$A",
    "all",
    "=>",
    "1",
    "0",
    "0xffffffffffffffffffff",
    "1.2.3.4/8",
    "1&&&1",
    "1->2",
    "::1",
    "1:1",
    "0.5:9",
    "0x*",
    "*",
    "$",
    "\"",
    "(",
    ")",
    ",",
    ":",
    "é",
    "#",
    "//",
    "|",
    "{",
    "}",
    "[",
    "]",
    "\"table_entries\"",
    "\"table\"",
    "\"match\"",
    "99999999999999999999",
    "-1",
    "\n",
    "\r\n",
];

fn texts() -> impl Strategy<Value = String> {
    let words = prop::collection::vec((prop::sample::select(WORDS), prop::sample::select(&[" ", "", "\n"][..])), 0..60);
    prop_oneof![
        3 => words.prop_map(|words| words.iter().map(|(word, gap)| format!("{word}{gap}")).collect()),
        1 => ".{0,200}",
    ]
}

fn check(sources: &Sources, found: Result<(), Diagnostics>) -> Result<(), TestCaseError> {
    if let Err(errors) = found {
        prop_assert!(errors.has_errors());
        prop_assert!(!errors.render(sources, false).is_empty());
        for span in errors.iter().filter_map(|error| error.span) {
            let text = sources.text(span.source);
            prop_assert!(text.get(span.start as usize..span.end as usize).is_some(), "{span:?} in {text:?}");
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn survives_arbitrary_texts(text in texts()) {
        let info = common::info();
        let mut sources = Sources::new();
        let source = sources.add("text", text);
        check(&sources, stf::prepare(&info, &sources, source).map(|_| ()))?;
        check(&sources, stf::read(&sources, source).map(|_| ()))?;
        check(&sources, commands::prepare(&info, &sources, source).map(|_| ()))?;
        check(&sources, commands::read(&sources, source).map(|_| ()))?;
        check(&sources, runtime_file::prepare(&info, &sources, source).map(|_| ()))?;
    }
}

#[test]
fn refuses_deep_nesting_without_stack_overflow() {
    let info = common::info();
    let mut sources = Sources::new();
    let source = sources.add("deep", format!("{{\"table_entries\": {}", "[".repeat(100_000)));
    assert!(runtime_file::prepare(&info, &sources, source).is_err());
}

#[test]
fn reads_long_numbers_quickly() {
    let info = common::info();
    let mut sources = Sources::new();
    let digits = "9".repeat(1_000_000);
    let text = format!("add stack extra$0.h:0x{digits} wide:{digits} drop()\nadd acl 1 srcAddr:0b{digits} drop()");
    let source = sources.add("long", text);
    assert!(stf::prepare(&info, &sources, source).is_err());
}

#[test]
fn reads_long_files_in_linear_time() {
    let info = common::info();
    let mut sources = Sources::new();
    let nodes: String = (0..50_000).map(|port| format!("mc_node_create 1 {}\n", port % 512)).collect();
    let adds: String = (0..50_000).map(|key| format!("table_add stack drop {} {key} =>\n", key % 65_536)).collect();
    let source = sources.add("commands", nodes + &adds + "table_delete stack 49999\n");
    assert_eq!(commands::prepare(&info, &sources, source).unwrap().steps.len(), 50_001);
    let source = sources.add("test", format!("expect 1 {}\npacket 1 {}", "0 ".repeat(500_000), "0 ".repeat(500_000)));
    assert_eq!(stf::prepare(&info, &sources, source).unwrap().steps.len(), 2);
}
