//! The checker gives the lowering all that it asks for: the meaning of every name, expression, type and call.

mod checkout;
mod common;
mod completeness;

use diagnostics::Sources;

use checkout::{WithoutOurHeaders, checkout, last_part, programs};

/// Programs of which something stays open, for nothing in them tells it: type arguments that are `_` or belong to what is
/// `@optional` and left out, all of packages and of externs, and a value of a packet that is cast to `int`.
const LEFT_OPEN: [&str; 12] = [
    "default-package-argument.p4",
    "issue1304.p4",
    "issue2105.p4",
    "issue2492.p4",
    "issue2630.p4",
    "issue2810.p4",
    "issue3417.p4",
    "issue344.p4",
    "issue803-2.p4",
    "parser-unroll-test1.p4",
    "specIssue884.p4",
    "unused.p4",
];

/// Our own programs, which use every kind of declaration and of statement.
#[test]
fn every_node_has_a_meaning() {
    let library = arch::V1MODEL.header.text.replace("#include <core.p4>", include_str!("../include/core.p4"));
    let program = common::parse(&format!("{library}\n{}", include_str!("completeness/program.p4")));
    let (checked, found) = p4::check(&program);
    assert!(!found.has_errors(), "{found:?}");
    assert_eq!(completeness::gaps(&program, &checked), []);
}

#[test]
#[ignore = "needs P4C, a checkout of the compiler's repository"]
fn every_node_of_the_public_programs_has_a_meaning() {
    let (mut complete, mut open) = (0, 0);
    for folder in ["p4_16_samples", "p4_14_samples_outputs"] {
        for path in programs(&checkout().join("testdata").join(folder)) {
            let mut sources = Sources::new();
            let text = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned();
            let main = sources.add(path.to_string_lossy(), text);
            let options = p4::Options { search_paths: checkout::search_paths(), ..p4::Options::default() };
            let preprocessed = p4::preprocess(&mut sources, main, &WithoutOurHeaders, &options);
            let (program, mut findings) = p4::parse(&preprocessed.tokens);
            findings.extend(preprocessed.diagnostics);
            let (checked, found) = p4::check(&program);
            if findings.has_errors() || found.has_errors() {
                continue;
            }
            let gaps = completeness::gaps(&program, &checked);
            if gaps.is_empty() {
                complete += 1;
                continue;
            }
            if LEFT_OPEN.contains(&last_part(&path.to_string_lossy())) {
                continue;
            }
            open += 1;
            for (span, what) in gaps.iter().take(3) {
                let line = sources.place(*span).0;
                println!("OPEN {}:{line}: {what} ({} gaps)", last_part(sources.name(span.source)), gaps.len());
            }
        }
    }
    println!("{complete} complete, {open} with gaps");
    assert_eq!(open, 0);
}
