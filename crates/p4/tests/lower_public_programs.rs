//! The lowering and the public programs of the P4 compiler's repository, none of which is kept here:
//! `P4C=<a checkout> cargo test -p polyplane-p4 --test lower_public_programs -- --ignored --nocapture`.
//! Every program for v1model has to become a program of the IR, which has to hold what the IR promises.

mod checkout;

use std::fs;
use std::path::Path;

use diagnostics::Sources;

use checkout::{checkout, last_part, programs};

/// What keeps a program from being lowered; `None` if it is for another architecture, or is refused by the checker.
fn outcome(path: &Path) -> Option<Result<(), String>> {
    let mut sources = Sources::new();
    let text = String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned();
    if !(text.contains("V1Switch") && text.contains("v1model.p4")) {
        return None;
    }
    let main = sources.add(path.to_string_lossy(), text);
    let options = p4::Options { search_paths: checkout::search_paths(), ..p4::Options::default() };
    let preprocessed = p4::preprocess(&mut sources, main, &checkout::WithoutOurHeaders, &options);
    let (program, findings) = p4::parse(&preprocessed.tokens);
    if findings.has_errors() || preprocessed.diagnostics.has_errors() {
        return None;
    }
    let (checked, findings) = p4::check(&program);
    if findings.has_errors() {
        return None;
    }
    Some(match p4::lower(&program, checked) {
        Err(findings) => {
            let first = findings.iter().next().map(|finding| {
                let place = finding
                    .span
                    .map(|span| format!("{}:{}: ", last_part(sources.name(span.source)), sources.place(span).0));
                format!("{}{}", place.unwrap_or_default(), finding.message)
            });
            Err(format!("refused: {}", first.unwrap_or_default()))
        }
        Ok(lowered) => match ir::verify::program(&lowered.program) {
            Ok(()) => Ok(()),
            Err(errors) => Err(format!("NOT VERIFIED: {} ({} errors)", errors[0], errors.len())),
        },
    })
}

/// What cannot be lowered, by the end of its name, and why.
const REFUSED: [(&str, &str); 7] = [
    ("issue1193-bmv2.p4", "an extern of its own"),
    ("issue1882-1-bmv2.p4", "an extern of its own"),
    ("issue1882-bmv2.p4", "an extern of its own"),
    ("issue2664-bmv2.p4", "an extern of its own"),
    ("issue3091.p4", "an extern of its own"),
    ("issue60", "a table with two keys that are matched `lpm`, which targets refuse"),
    ("issue604", "an extern of its own"),
];

/// Also of a program's further forms, such as `issue60-midend.p4`.
fn reason(name: &str) -> Option<&'static str> {
    let is_form = |listed: &str| {
        let rest = name.strip_prefix(listed)?;
        (rest.is_empty() || rest == ".p4" || rest.starts_with('-')).then_some(())
    };
    REFUSED.iter().find(|(listed, _)| is_form(listed).is_some()).map(|(_, reason)| *reason)
}

#[test]
#[ignore = "needs P4C, a checkout of the compiler's repository"]
fn programs_for_v1model_are_lowered() {
    let mut unexpected = 0;
    for folder in ["p4_16_samples", "p4_14_samples_outputs"] {
        let (mut passed, mut refused, mut others) = (0, 0, 0);
        for path in programs(&checkout().join("testdata").join(folder)) {
            let shown = last_part(&path.to_string_lossy()).to_owned();
            match std::panic::catch_unwind(|| outcome(&path)).unwrap_or_else(|_| Some(Err("PANIC".to_owned()))) {
                None => others += 1,
                Some(Ok(())) => passed += 1,
                Some(Err(found)) => match reason(&shown).filter(|_| found.starts_with("refused")) {
                    Some(reason) => {
                        refused += 1;
                        println!("{shown}: {found} ({reason})");
                    }
                    None => {
                        unexpected += 1;
                        println!("UNEXPECTED {shown}: {found}");
                    }
                },
            }
        }
        println!("{folder}: {passed} lowered, {refused} refused for a reason, {others} not for v1model");
    }
    assert_eq!(unexpected, 0);
}
