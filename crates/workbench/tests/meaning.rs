//! Tests the meaning of P4 programs with packets: small cases whose expectations were derived from the specification by
//! hand.
//!
//! A case in `meaning/*.cases` fills the placeholders of `meaning/switch.p4.template`, or has a `program` of its own.
//! Its packet test is under `packets`. `results` is the number of 32-bit words in the packet that leaves, `o0` first.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use workbench::Entries;
use workbench::kinds::{self, Settings};
use workbench::packet_test::PacketTest;
use workbench::{LoadOptions, LoadedProgram};

struct Case {
    name: String,
    parts: BTreeMap<String, String>,
}

#[test]
fn every_case_passes_its_packet_test() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/meaning");
    let template = fs::read_to_string(folder.join("switch.p4.template")).unwrap();
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR")).join("meaning");
    fs::create_dir_all(&scratch).unwrap();
    let mut failed = Vec::new();
    let mut count = 0;
    for file in case_files(&folder) {
        for case in read(&fs::read_to_string(&file).unwrap()) {
            count += 1;
            if let Err(difference) = run(&case, &template, &scratch) {
                failed.push(format!("{}: {}: {difference}", file.display(), case.name));
            }
        }
    }
    assert!(count > 200, "only {count} cases were found");
    assert!(failed.is_empty(), "{} of {count} cases differ\n{}", failed.len(), failed.join("\n"));
}

fn case_files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|ending| ending == "cases"));
    files.sort();
    files
}

fn read(text: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    let mut part = String::new();
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("=== ") {
            cases.push(Case { name: name.to_owned(), parts: BTreeMap::new() });
        } else if let Some(name) = line.strip_prefix("--- ") {
            part = name.to_owned();
        } else if let Some(case) = cases.last_mut() {
            let text = case.parts.entry(part.clone()).or_default();
            text.push_str(line);
            text.push('\n');
        }
    }
    cases
}

fn run(case: &Case, template: &str, scratch: &Path) -> Result<(), String> {
    let (program, packets) = (scratch.join(format!("{}.p4", case.name)), scratch.join(format!("{}.stf", case.name)));
    fs::write(&program, text_of(case, template)).unwrap();
    fs::write(&packets, &case.parts["packets"]).unwrap();
    let show = |failure: diagnostics::Failure| failure.render(false);
    let program = LoadedProgram::read(&program, &LoadOptions::default()).map_err(show)?;
    let test = PacketTest::read(&packets, &program).map_err(show)?;
    let fitted = kinds::ALL[0].fit(&program, &Settings::default()).map_err(show)?;
    let outcome = test.run(Entries::none(), &*fitted, 0).map_err(show)?;
    if outcome.passed { Ok(()) } else { Err(outcome.to_string()) }
}

fn text_of(case: &Case, template: &str) -> String {
    if let Some(program) = case.parts.get("program") {
        return program.clone();
    }
    let mut text = String::new();
    // Every second piece is the name of a placeholder.
    for (number, piece) in template.split('@').enumerate() {
        match (number % 2, piece) {
            (0, piece) => text.push_str(piece),
            (_, "results") => {
                let count: u32 = case.parts["results"].trim().parse().unwrap();
                (0..count).for_each(|number| text.push_str(&format!("bit<32> o{number}; ")));
            }
            (_, name) => text.push_str(case.parts.get(name).map_or("", String::as_str)),
        }
    }
    text
}
