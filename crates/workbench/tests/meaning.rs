//! Tests the meaning of P4 programs with packets: small cases whose expectations were derived from the specification by
//! hand.
//!
//! A case in `meaning/*.cases` fills the placeholders of `meaning/switch.p4.template`, or has a `program` of its own; one in
//! `meaning/tna/*.cases` those of `meaning/tna/chip.p4.template`, and runs on the chip, in the interpreter and as machine
//! code. Its packet test is under `packets`, and the file of the chip that it may name under `chip`. `results` is the number of 32-bit words in the packet that leaves, `o0` first.
//! Instead of packets, a case may have `refused`: the errors with which the program does not compile, each as its line in the
//! program's own text or a part of its message. `warned` holds parts of warnings.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use workbench::Entries;
use workbench::kinds::{self, Fitted, Settings};
use workbench::packet_test::PacketTest;
use workbench::{LoadOptions, LoadedProgram};

struct Case {
    name: String,
    parts: BTreeMap<String, String>,
}

#[test]
fn every_case_passes_its_packet_test() {
    every_case_of("", "switch.p4.template", 200, |program, packets| {
        run_on(&*kinds::ALL[0].fit(program, &Settings::default()).map_err(show)?, packets)
    });
}

#[test]
fn every_case_for_tofino_passes_its_packet_test_in_the_interpreter_and_as_machine_code() {
    every_case_of("tna", "chip.p4.template", TNA_CASES, |program, packets| {
        let chip = kinds::named("tofino").map_err(show)?;
        let option =
            chip.options().iter().find(|option| option.name == "executor").ok_or("the chip has no executors")?;
        for executor in ["interpreter", "native"] {
            let mut settings = Settings::default();
            settings.given.push(option, executor).map_err(show)?;
            let test = PacketTest::read(packets, program).map_err(show)?;
            let fitted = test.fit(chip, program, &settings).map_err(show)?;
            passes(test, &*fitted).map_err(|difference| format!("{executor}: {difference}"))?;
        }
        Ok(())
    });
}

/// The least number of cases for the chip, so that a folder that is not found is noticed.
const TNA_CASES: usize = 50;

/// What a case is run with.
type Run = fn(&LoadedProgram, &Path) -> Result<(), String>;

fn every_case_of(folder: &str, template: &str, least: usize, run_test: Run) {
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR")).join("meaning").join(folder);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/meaning").join(folder);
    let template = fs::read_to_string(folder.join(template)).unwrap();
    fs::create_dir_all(&scratch).unwrap();
    let mut failed = Vec::new();
    let mut count = 0;
    for file in case_files(&folder) {
        for case in read(&fs::read_to_string(&file).unwrap()) {
            count += 1;
            if let Err(difference) = run(&case, &template, &scratch, run_test) {
                failed.push(format!("{}: {}: {difference}", file.display(), case.name));
            }
        }
    }
    assert!(count >= least, "only {count} cases were found");
    assert!(failed.is_empty(), "{} of {count} cases differ\n{}", failed.len(), failed.join("\n"));
}

fn show(failure: diagnostics::Failure) -> String {
    failure.render(false)
}

fn run_on(fitted: &dyn Fitted, packets: &Path) -> Result<(), String> {
    passes(PacketTest::read(packets, fitted.program()).map_err(show)?, fitted)
}

fn passes(test: PacketTest, fitted: &dyn Fitted) -> Result<(), String> {
    let outcome = test.run(Entries::none(), fitted, 0).map_err(show)?;
    if outcome.passed { Ok(()) } else { Err(outcome.to_string()) }
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
            // What stands before the first part is a comment.
            part.clear();
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

fn run(case: &Case, template: &str, scratch: &Path, run_test: Run) -> Result<(), String> {
    let (program, packets) = (scratch.join(format!("{}.p4", case.name)), scratch.join(format!("{}.stf", case.name)));
    fs::write(&program, text_of(case, template)).unwrap();
    let loaded = LoadedProgram::read(&program, &LoadOptions::default()).map_err(show);
    if let Some(refused) = case.parts.get("refused") {
        let Err(errors) = loaded else { return Err("the program compiles".to_owned()) };
        let absent: Vec<&str> = refused.lines().filter(|line| !line.is_empty() && !errors.contains(line)).collect();
        return if absent.is_empty() { Ok(()) } else { Err(format!("without {absent:?}:\n{errors}")) };
    }
    if let (Some(warned), Ok(program)) = (case.parts.get("warned"), &loaded) {
        let warnings = &program.warnings;
        let absent: Vec<&str> = warned.lines().filter(|line| !line.is_empty() && !warnings.contains(line)).collect();
        if !absent.is_empty() {
            return Err(format!("without {absent:?}:\n{warnings}"));
        }
    }
    fs::write(&packets, &case.parts["packets"]).unwrap();
    if let Some(chip) = case.parts.get("chip") {
        fs::write(scratch.join("chip.toml"), chip).unwrap();
    }
    run_test(&loaded?, &packets)
}

fn text_of(case: &Case, template: &str) -> String {
    if let Some(program) = case.parts.get("program") {
        return program.clone();
    }
    let mut text = String::new();
    // Every second piece is the name of a placeholder, perhaps with what stands there if the case does not say.
    for (number, piece) in template.split('@').enumerate() {
        match (number % 2, piece) {
            (0, piece) => text.push_str(piece),
            (_, "results") => {
                let count: u32 = case.parts.get("results").map_or(1, |count| count.trim().parse().unwrap());
                (0..count).for_each(|number| text.push_str(&format!("bit<32> o{number}; ")));
            }
            (_, piece) => {
                let (name, usual) = piece.split_once('=').unwrap_or((piece, ""));
                text.push_str(case.parts.get(name).map_or(usual, String::as_str));
            }
        }
    }
    text
}
