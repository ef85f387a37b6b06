//! What the checker says of a program, in short.
#![allow(dead_code, reason = "each test file is a crate of its own and uses some of these")]

use std::collections::BTreeMap;

use diagnostics::{Diagnostics, Sources};

fn check(text: &str) -> (Sources, Diagnostics) {
    let mut sources = Sources::new();
    let main = sources.add("test.p4", text);
    let files: BTreeMap<String, String> = BTreeMap::new();
    let read = p4::preprocess(&mut sources, main, &files, &p4::Options::default());
    let (program, mut found) = p4::parse(&read.tokens);
    found.extend(read.diagnostics);
    assert!(!found.has_errors(), "{}", found.render(&sources, false));
    let (_, found) = p4::check(&program);
    (sources, found)
}

/// The findings about a program, each as `line: message`.
pub fn findings(text: &str) -> Vec<String> {
    let (sources, found) = check(text);
    let short = |finding: &diagnostics::Diagnostic| {
        format!("{}: {}", finding.span.map_or(0, |span| sources.place(span).0), finding.message)
    };
    found.iter().map(short).collect()
}

/// The hints about a program, in order.
pub fn hints(text: &str) -> Vec<String> {
    check(text).1.iter().map(|finding| finding.hint.clone().unwrap_or_default()).collect()
}

/// True if nothing that was found is an error.
pub fn is_usable(text: &str) -> bool {
    !check(text).1.has_errors()
}

/// Nothing is found.
pub fn accepts(text: &str) {
    assert_eq!(findings(text), Vec::<String>::new(), "{text}");
}

/// Exactly this is found.
pub fn refuses(text: &str, expected: &[&str]) {
    assert_eq!(findings(text), expected, "{text}");
}
