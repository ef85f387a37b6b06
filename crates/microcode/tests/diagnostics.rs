//! Diagnostics for wrong programs: `diagnostics/*.mc`, each with the expected text beside it. With `UPDATE_EXPECTED=1`,
//! the expected texts are rewritten; review them afterwards.

mod common;

use std::fs;
use std::path::Path;

use diagnostics::Sources;

#[test]
fn reports_all_errors_of_wrong_programs() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/diagnostics");
    let update = std::env::var_os("UPDATE_EXPECTED").is_some();
    let mut programs: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    programs.retain(|path| path.extension().is_some_and(|ending| ending == "mc"));
    programs.sort();
    assert!(programs.len() >= 10, "the programs are missing");
    let mut wrong = Vec::new();
    for path in programs {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let text = fs::read_to_string(&path).unwrap();
        let mut sources = Sources::new();
        let none = |_: &str| Err("there is no such file".to_owned());
        let found = match microcode::compile(&mut sources, &name, &text, &none) {
            Ok(compiled) => compiled.warnings,
            Err(errors) => errors,
        };
        let found = found.render(&sources, false);
        let expected_path = path.with_extension("expected");
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

#[test]
fn warnings_neither_reject_nor_displace_errors() {
    let many: String = (0..300).map(|number| format!("memory : 4 m{number} = 16;\n")).collect();
    let right = format!("{many} on packet goto start; start: begin exit; end");
    assert!(common::try_compile(&right).unwrap().1.contains("16 does not fit in 4 bits"));
    let wrong = right.replace("exit;", "goto nowhere;");
    assert!(common::errors(&wrong).contains("there is no label `nowhere` here"));
}
