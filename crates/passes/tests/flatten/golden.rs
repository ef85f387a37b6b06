//! Golden tests: programs with the expected result of flattening, or the reasons for refusing it, beside each.
//!
//! `UPDATE_EXPECT=1` writes the actual results to these files instead; review the difference before you keep it.

use std::fmt::Write;
use std::path::Path;

use ir::Program;
use passes::Finding;
use passes::flatten::{Carried, Flattened, Options, flatten};

use crate::load::load;
use crate::programs::files;

#[test]
fn programs_flatten_to_the_expected_text() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/flatten/golden");
    let programs = files(&folder, "p4");
    assert!(programs.len() >= 4, "only {} programs in {}", programs.len(), folder.display());
    let mut wrong = String::new();
    for file in programs {
        let text = std::fs::read_to_string(&file).expect("a file of the project");
        let (program, _) = load(&file.to_string_lossy(), &text);
        let found = match flatten(&program, &Options::default()) {
            Ok(flattened) => shown(&flattened),
            Err(findings) => findings.iter().map(finding).collect(),
        };
        let beside = file.with_extension("expected");
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            std::fs::write(&beside, found).expect("the folder can be written");
        } else if std::fs::read_to_string(&beside).ok().as_deref() != Some(&found) {
            let _ = writeln!(wrong, "{}: found\n{found}", beside.display());
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

fn finding(finding: &Finding) -> String {
    let notes: String = finding.notes.iter().map(|note| format!("  {note}\n")).collect();
    format!("- {}\n{notes}", finding.message)
}

fn shown(flattened: &Flattened) -> String {
    let Flattened { edges, flat, carried, .. } = flattened;
    let is_usual = |line: &&str| !line.starts_with("errors ") && !line.starts_with("intrinsic ");
    let edges_text: String = edges.to_string().lines().filter(is_usual).map(|line| format!("{line}\n")).collect();
    let carried: String = carried.iter().map(|carried| crossing(carried, edges, flat)).collect();
    let known = flattened.intrinsics.iter().map(|(name, field)| format!("{name}: {}\n", flat.variable(*field).name));
    let known: String = known.collect();
    format!("{edges_text}\n{carried}\n{known}\n{flat}")
}

fn crossing(carried: &Carried, edges: &Program, flat: &Program) -> String {
    let way = match (carried.arrives, carried.leaves) {
        (true, true) => "arrives and leaves",
        (true, false) => "arrives",
        _ => "leaves",
    };
    let (variable, field) = (&edges.variable(carried.variable).name, &flat.variable(carried.field).name);
    format!("{variable}[{}:{}] {way}: {field}\n", carried.low + carried.width - 1, carried.low)
}
