//! Programs of ours, and beside each what it becomes in the IR, or what is wrong with it; for those with a file
//! `.p4info` also what the control plane is told.
//!
//! `UPDATE_EXPECT=1` writes what came of it instead; read the difference before you keep it.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use diagnostics::Sources;
use p4::Lowered;

/// What a program becomes, or what a person is told.
fn lowered(name: &str, text: &str) -> Result<Lowered, String> {
    let mut sources = Sources::new();
    let main = sources.add(name, text);
    let files: BTreeMap<String, String> = BTreeMap::new();
    let read = p4::preprocess(&mut sources, main, &files, &p4::Options::default());
    assert!(!read.diagnostics.has_errors(), "{}", read.diagnostics.render(&sources, false));
    let (program, findings) = p4::parse(&read.tokens);
    assert!(!findings.has_errors(), "{}", findings.render(&sources, false));
    let (checked, findings) = p4::check(&program);
    assert!(!findings.has_errors(), "{}", findings.render(&sources, false));
    p4::lower(&program, checked).map_err(|findings| findings.render(&sources, false))
}

/// The IR as text, which reads back as what it was; without what is the same for every program.
fn shown(lowered: &Lowered, everything: bool) -> String {
    let text = lowered.program.to_string();
    if let Err(errors) = ir::verify::program(&lowered.program) {
        panic!("{errors:#?}\n{text}");
    }
    let again = ir::parse::program("main", &text).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"));
    assert_eq!(again, lowered.program, "{text}");
    let is_usual = |line: &&str| {
        let usual = ["intrinsic ", "entrance ", "errors ", "local standard_metadata."];
        everything || !usual.iter().any(|usual| line.starts_with(usual))
    };
    let mut lines: Vec<&str> = text.lines().filter(is_usual).collect();
    lines.dedup_by(|one, other| one.is_empty() && other.is_empty());
    lines.join("\n").trim_end().to_owned() + "\n"
}

fn hold(path: &Path, found: &str, wrong: &mut String) {
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(path, found).expect("the folder can be written");
    } else if std::fs::read_to_string(path).ok().as_deref() != Some(found) {
        let _ = writeln!(wrong, "{}: found\n{found}", path.display());
    }
}

#[test]
fn programs_lower_to_their_golden_files() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lower");
    let entries = std::fs::read_dir(&folder).expect("a folder of the project");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("a file of the project").path()).collect();
    files.retain(|file| file.extension().is_some_and(|ending| ending == "p4"));
    files.sort();
    assert!(files.len() >= 8, "only {} programs in {}", files.len(), folder.display());
    let mut wrong = String::new();
    for file in &files {
        let name = file.file_name().and_then(|name| name.to_str()).expect("a name in ASCII");
        let text = std::fs::read_to_string(file).expect("a file of the project");
        match lowered(name, &text) {
            Ok(lowered) => {
                hold(&file.with_extension("ir"), &shown(&lowered, name == "switch.p4"), &mut wrong);
                let told = file.with_extension("p4info");
                if told.exists() {
                    hold(&told, &control::p4info::to_text(&lowered.info), &mut wrong);
                }
            }
            Err(findings) => hold(&file.with_extension("errors"), &findings, &mut wrong),
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// Returns what the control plane is told of a program for TNA.
fn told(name: &str, text: &str) -> control::Info {
    lowered(name, text).unwrap_or_else(|findings| panic!("{findings}")).info
}

#[test]
fn names_say_the_program_of_a_pipe_if_there_are_several() {
    let text = include_str!("lower/two_gresses.p4");
    let pipeline =
        "Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser())";
    let one: Vec<String> = told("one.p4", text).registers.iter().map(|own| own.identity.name.clone()).collect();
    let (start, _) = text.split_once("Pipeline(").expect("a pipeline");
    let text = format!("{start}{pipeline} first;\n{pipeline} second;\nSwitch(first, second) main;\n");
    let names = told("two.p4", &text).registers.iter().map(|own| own.identity.name.clone()).collect::<Vec<_>>();
    let of = |pipe: &str| one.iter().map(|name| format!("{pipe}.{name}")).collect::<Vec<_>>();
    assert_eq!(names, [of("first"), of("second")].concat());
}
