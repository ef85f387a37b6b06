//! The public programs of the P4 compiler's repository, none of which is kept here:
//! `P4C=<a checkout> cargo test -p polyplane-p4 --test public_programs -- --ignored --nocapture`.
//! Every program of `p4_16_samples` has to be read and to print to itself; of `p4_16_errors`, those that the
//! compiler's own answers call syntax errors have to be refused at the same line.

mod checkout;
mod common;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use diagnostics::Sources;
use p4::ast::Program;

use checkout::{WithoutOurHeaders, checkout, last_part, programs};

/// What came of one file.
struct Read {
    program: Program,
    /// The errors, each with the file and the line.
    errors: Vec<(String, usize, String)>,
}

fn read(path: &Path, includes: &[PathBuf], files: &dyn p4::Files) -> Read {
    let mut sources = Sources::new();
    let text = String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned();
    let main = sources.add(path.to_string_lossy(), text);
    let options = p4::Options {
        search_paths: includes.iter().map(|folder| folder.to_string_lossy().into_owned()).collect(),
        ..p4::Options::default()
    };
    let preprocessed = p4::preprocess(&mut sources, main, files, &options);
    let (program, findings) = p4::parse(&preprocessed.tokens);
    let mut errors = Vec::new();
    for finding in preprocessed.diagnostics.iter().chain(findings.iter()) {
        if finding.severity == diagnostics::Severity::Error {
            let (file, line) = finding
                .span
                .map_or((String::new(), 0), |span| (sources.name(span.source).to_owned(), sources.place(span).0));
            errors.push((file, line, finding.message.clone()));
        }
    }
    Read { program, errors }
}

/// Headers of other architectures than our own are the compiler's in any case.
fn samples(name: &str, files: &dyn p4::Files) {
    let checkout = checkout();
    let folders = ["", "bmv2", "dpdk", "tc"];
    let includes: Vec<PathBuf> = folders.iter().map(|folder| checkout.join("p4include").join(folder)).collect();
    let (mut passed, mut failed) = (0, 0);
    for path in programs(&checkout.join("testdata").join(name)) {
        let found = read(&path, &includes, files);
        let shown = last_part(&path.to_string_lossy()).to_owned();
        if let Some((file, line, message)) = found.errors.first() {
            failed += 1;
            println!("FAILED {shown}: {}:{line}: {message} ({} errors)", last_part(file), found.errors.len());
            continue;
        }
        common::round_trip(&found.program);
        passed += 1;
    }
    println!("{name}: {passed} passed, {failed} failed");
    assert!(failed == 0 && passed > 0);
}

#[test]
#[ignore = "needs P4C, a checkout of the compiler's repository"]
fn samples_print_to_themselves() {
    samples("p4_16_samples", &WithoutOurHeaders);
    // P4_14 programs, translated, with few or no headers left.
    samples("p4_14_samples_outputs", &WithoutOurHeaders);
}

#[test]
#[ignore = "needs P4C, a checkout of the compiler's repository"]
fn reads_samples_with_the_headers_of_the_compiler() {
    samples("p4_16_samples", &p4::Disk);
}

/// The lines of syntax errors in the compiler's answer.
fn syntax_errors(answer: &str) -> Vec<usize> {
    let mut lines = Vec::new();
    for line in answer.lines().filter(|line| line.contains("syntax error")) {
        let place = line.split(':').next().unwrap_or("");
        let number: Option<usize> = place.split(['(', ')']).nth(1).and_then(|number| number.parse().ok());
        lines.extend(number);
    }
    lines
}

#[test]
#[ignore = "needs P4C, a checkout of the compiler's repository"]
fn refuses_syntax_errors_at_their_place() {
    let checkout = checkout();
    let includes = [checkout.join("p4include"), checkout.join("p4include/bmv2")];
    let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
    for path in programs(&checkout.join("testdata/p4_16_errors")) {
        let shown = last_part(&path.to_string_lossy()).to_owned();
        let answer = checkout.join("testdata/p4_16_errors_outputs").join(format!("{shown}-stderr"));
        let wanted = syntax_errors(&fs::read_to_string(answer).unwrap_or_default());
        let found = read(&path, &includes, &p4::Disk);
        let ours: Vec<String> =
            found.errors.iter().map(|(file, line, message)| format!("{}:{line}: {message}", last_part(file))).collect();
        let outcome = match (wanted.is_empty(), found.errors.first()) {
            (true, None) => "accepted, as only later steps refuse them",
            (true, Some(_)) => "refused here, by the compiler only in later steps",
            (false, None) => "ACCEPTED, though syntax errors",
            (false, Some((_, line, _))) if wanted.contains(line) => "refused at the line of the syntax error",
            (false, Some((_, line, message))) if message.contains("expected `;`") && wanted.contains(&(line + 1)) => {
                "refused where `;` is missing, by the compiler at what follows"
            }
            (false, Some(_)) => "refused at ANOTHER LINE",
        };
        *counts.entry(outcome).or_default() += 1;
        if outcome.contains("ACCEPTED") || outcome.contains("ANOTHER") || outcome.contains("refused here") {
            println!("{shown}: {outcome}; {wanted:?} but {ours:?}");
        }
    }
    for (outcome, count) in &counts {
        println!("{count} {outcome}");
    }
    assert_eq!(counts.get("refused at ANOTHER LINE"), None);
    // What `@p4runtime_translation` and `@pkginfo` hold is not yet looked at.
    assert!(counts.get("ACCEPTED, though syntax errors").is_none_or(|&count| count <= 2));
}
