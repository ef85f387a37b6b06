//! What the tests of the parser share: reading a text, and a tree without its places.
#![allow(dead_code, reason = "each test file is a crate of its own and uses some of these")]

use std::collections::BTreeMap;

use diagnostics::Sources;
use p4::ast::Program;

/// How many random cases to try, if `PROPTEST_CASES` does not say.
pub fn cases(usual: u32) -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|number| number.parse().ok()).unwrap_or(usual)
}

/// Reads a program; what is wrong with it, as a person reads it.
pub fn try_parse(text: &str) -> Result<Program, String> {
    let mut sources = Sources::new();
    let main = sources.add("test.p4", text);
    let files: BTreeMap<String, String> = BTreeMap::new();
    let read = p4::preprocess(&mut sources, main, &files, &p4::Options::default());
    let (program, mut findings) = p4::parse(&read.tokens);
    findings.extend(read.diagnostics);
    if findings.has_errors() { Err(findings.render(&sources, false)) } else { Ok(program) }
}

/// Reads a program that is right.
pub fn parse(text: &str) -> Program {
    try_parse(text).unwrap_or_else(|errors| panic!("{errors}\n{text}"))
}

/// The errors of a program that is wrong.
pub fn errors(text: &str) -> String {
    match try_parse(text) {
        Ok(program) => panic!("this was accepted:\n{}", p4::print(&program)),
        Err(errors) => errors,
    }
}

/// The errors of a program that is wrong, each as `line: message`.
pub fn short_errors(text: &str) -> Vec<String> {
    let mut sources = Sources::new();
    let main = sources.add("test.p4", text);
    let files: BTreeMap<String, String> = BTreeMap::new();
    let read = p4::preprocess(&mut sources, main, &files, &p4::Options::default());
    let (_, findings) = p4::parse(&read.tokens);
    let short = |finding: &diagnostics::Diagnostic| {
        let line = finding.span.map_or(0, |span| sources.place(span).0);
        format!("{line}: {}", finding.message)
    };
    findings.iter().map(short).collect()
}

/// A tree as text, places left out: equal for trees that are equal but for their places.
pub fn shape(program: &Program) -> String {
    let full = format!("{program:?}");
    let mut short = String::with_capacity(full.len() / 3);
    let mut rest = full.as_str();
    while let Some(at) = rest.find("Span { source: SourceId(") {
        short.push_str(&rest[..at]);
        let end = rest[at..].find('}').expect("a span ends") + at;
        rest = &rest[end + 1..];
    }
    short.push_str(rest);
    short
}

/// Holds a program against what it is printed as: that parses to the same tree and prints to the same text.
pub fn round_trip(program: &Program) {
    let printed = p4::print(program);
    let again = try_parse(&printed).unwrap_or_else(|errors| panic!("{errors}\n{printed}"));
    if shape(&again) != shape(program) {
        panic!("printed, it is another program:\n{printed}\nwhich prints as\n{}", p4::print(&again));
    }
    assert_eq!(p4::print(&again), printed);
}
