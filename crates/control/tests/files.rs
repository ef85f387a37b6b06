//! Tests of the file formats: `golden/*.stf`, `*.commands` and `*.json`, with the expected result of each beside it:
//! the steps, or all errors. With `UPDATE_EXPECT=1`, the expected results are rewritten; review the differences
//! afterwards.

mod common;
#[path = "common/pipes.rs"]
mod pipes;
#[path = "common/show.rs"]
mod show;

use std::fs;
use std::path::Path;

use control::*;
use diagnostics::{Diagnostics, SourceId, Sources};
use pipes::Pipes;

/// Returns the result of a file: each step with its line and the response of the control plane, and warnings.
fn run(ending: &str, sources: &Sources, source: SourceId) -> Result<String, Diagnostics> {
    // Files about pipes are for a machine with three of them.
    let pipes = if sources.name(source).contains("pipes") { 3 } else { 1 };
    let mut bench = Pipes::new(pipes);
    let info = bench.plane.info().clone();
    let (steps, warnings) = match ending {
        "stf" => {
            let prepared = stf::prepare(&info, sources, source)?;
            (prepared.steps, prepared.warnings)
        }
        _ => {
            let prepared = match ending {
                "commands" => commands::prepare(&info, sources, source)?,
                _ => runtime_file::prepare(&info, sources, source)?,
            };
            let placed = |it: Placed<Request>| Placed { span: it.span, item: stf::Step::Request(it.item) };
            (prepared.steps.into_iter().map(placed).collect(), prepared.warnings)
        }
    };
    let mut text = String::new();
    for Placed { span, item } in steps {
        text += &format!("{}: {}\n", sources.place(span).0, show::step(&info, &item));
        if let stf::Step::Request(request) | stf::Step::Check { request, .. } = item {
            match bench.execute(&request) {
                Ok(Response::Done | Response::Inserted(_)) => {}
                Ok(response) => text += &format!("   {response:?}\n"),
                Err(error) => text += &format!("   refused: {error}\n"),
            }
        }
    }
    Ok(text + &warnings.render(sources, false))
}

#[test]
fn files_have_their_expected_results() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let update = std::env::var_os("UPDATE_EXPECT").is_some();
    let mut files: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| {
        let name = path.to_string_lossy();
        [".stf", ".commands", ".json"].iter().any(|ending| name.ends_with(ending)) && !name.contains("p4info")
    });
    files.sort();
    assert!(files.len() >= 6, "the files are missing");
    let mut wrong = Vec::new();
    for path in files {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let ending = path.extension().unwrap().to_string_lossy();
        let mut sources = Sources::new();
        let source = sources.add(name.clone(), fs::read_to_string(&path).unwrap());
        let found = run(&ending, &sources, source).unwrap_or_else(|errors| errors.render(&sources, false));
        let expected_path = folder.join(format!("{name}.expected"));
        if update {
            fs::write(&expected_path, &found).unwrap();
        }
        let expected = fs::read_to_string(&expected_path).unwrap_or_default();
        if found != expected || found.is_empty() {
            wrong.push(format!("{name}: expected\n{expected}\nfound\n{found}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
