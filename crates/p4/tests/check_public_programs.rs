//! The checker and the public programs of the P4 compiler's repository, none of which is kept here:
//! `P4C=<a checkout> cargo test -p polyplane-p4 --test check_public_programs -- --ignored --nocapture`.
//! Every program of `p4_16_samples` has to be accepted; those of `p4_16_errors` have to be refused, at a line that the
//! compiler's own answers name, but for those that `not_refused.txt` lists with the reason.

mod checkout;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use diagnostics::{Severity, Sources};

use checkout::{WithoutOurHeaders, checkout, last_part, programs};

/// What is wrong with a program: file, line and message, once for every place that an error shows.
fn errors(path: &Path) -> Vec<(String, usize, String)> {
    let mut sources = Sources::new();
    let text = String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned();
    let main = sources.add(path.to_string_lossy(), text);
    let options = p4::Options { search_paths: checkout::search_paths(), ..p4::Options::default() };
    let preprocessed = p4::preprocess(&mut sources, main, &WithoutOurHeaders, &options);
    let (program, mut findings) = p4::parse(&preprocessed.tokens);
    findings.extend(preprocessed.diagnostics);
    if !findings.has_errors() {
        findings.extend(p4::check(&program).1);
    }
    let mut errors = Vec::new();
    for finding in findings.iter().filter(|finding| finding.severity == Severity::Error) {
        let related = finding.related.iter().map(|(span, _)| *span);
        for span in finding.span.into_iter().chain(related) {
            let file = last_part(sources.name(span.source)).to_owned();
            errors.push((file, sources.place(span).0, finding.message.clone()));
        }
    }
    errors
}

#[test]
#[ignore = "needs P4C, a checkout of the compiler's repository"]
fn accepts_samples() {
    let mut refused = 0;
    for folder in ["p4_16_samples", "p4_14_samples_outputs"] {
        let (mut passed, mut failed) = (0, 0);
        for path in programs(&checkout().join("testdata").join(folder)) {
            let found = errors(&path);
            match found.first() {
                None => passed += 1,
                Some((file, line, message)) => {
                    failed += 1;
                    let shown = path.file_name().unwrap().to_string_lossy();
                    println!("REFUSED {shown}: {file}:{line}: {message} ({} errors)", found.len());
                }
            }
        }
        println!("{folder}: {passed} accepted, {failed} refused");
        refused += failed;
    }
    assert!(refused <= MOST_REFUSED, "{refused}");
}

/// `issue3699.p4` declares a function three times with the same parameters, which section 7.2.10.2 forbids.
const MOST_REFUSED: usize = 1;

/// The lines of the program itself that the compiler's answer names as wrong.
fn wanted_lines(answer: &str, program: &str) -> Vec<usize> {
    let mut lines = Vec::new();
    for line in answer.lines().filter(|line| !line.contains("warning:")) {
        let Some(rest) = line.strip_prefix(program).and_then(|rest| rest.strip_prefix('(')) else { continue };
        let number: Option<usize> = rest.split(')').next().and_then(|number| number.parse().ok());
        lines.extend(number);
    }
    lines
}

/// Programs that are not refused, or elsewhere, with which of both it is.
fn listed() -> BTreeMap<&'static str, &'static str> {
    let lines = include_str!("not_refused.txt").lines().filter(|line| line.contains(" | "));
    lines
        .map(|line| {
            let mut parts = line.split(" | ");
            (parts.next().unwrap(), parts.next().unwrap())
        })
        .collect()
}

#[test]
#[ignore = "needs P4C, a checkout of the compiler's repository"]
fn refuses_errors_at_their_place() {
    let listed = listed();
    let mut surprises = 0;
    let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
    for path in programs(&checkout().join("testdata/p4_16_errors")) {
        let shown = last_part(&path.to_string_lossy()).to_owned();
        let answer = checkout().join("testdata/p4_16_errors_outputs").join(format!("{shown}-stderr"));
        let answer = fs::read_to_string(answer).unwrap_or_default();
        let wanted = wanted_lines(&answer, &shown);
        let found = errors(&path);
        let is_warned_only = !answer.contains("error");
        let outcome = if found.is_empty() {
            if is_warned_only { "accepted, as the compiler's front end does" } else { "ACCEPTED" }
        } else if found.iter().any(|(file, line, _)| *file == shown && wanted.contains(line)) {
            "refused at a line that the compiler names"
        } else if wanted.is_empty() {
            "refused, the compiler names no line"
        } else {
            "refused at ANOTHER LINE"
        };
        *counts.entry(outcome).or_default() += 1;
        let seen = match outcome {
            "ACCEPTED" => Some("accepted"),
            "refused at ANOTHER LINE" => Some("elsewhere"),
            _ => None,
        };
        if listed.get(&*shown).copied() != seen {
            surprises += 1;
            let reason = answer.lines().find(|line| line.contains("error")).unwrap_or("");
            println!("{shown}: {outcome}; {reason}; {:?}", found.first());
        }
    }
    for (outcome, count) in &counts {
        println!("{count} {outcome}");
    }
    assert_eq!(surprises, 0, "`not_refused.txt` is not right");
}
