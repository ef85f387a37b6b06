//! Compiles the public collection of Domino programs (packet-transactions/domino-examples). It is not part of this
//! project: set `DOMINO_EXAMPLES` to a copy of it to run this test.

mod common;

use std::path::{Path, PathBuf};

use diagnostics::Sources;

#[test]
fn compiles_every_public_program_unmodified() {
    let Some(folder) = std::env::var_os("DOMINO_EXAMPLES") else {
        eprintln!("DOMINO_EXAMPLES is not set: nothing tried");
        return;
    };
    let mut programs: Vec<PathBuf> = Vec::new();
    for part in ["domino_programs", "generalize"] {
        let entries = std::fs::read_dir(Path::new(&folder).join(part)).expect("a copy of the collection");
        programs.extend(entries.map(|entry| entry.unwrap().path()));
    }
    programs.retain(|path| path.extension().is_some_and(|ending| ending == "c"));
    programs.sort();
    assert_eq!(programs.len(), 30);
    for path in programs {
        let mut sources = Sources::new();
        let compiled = domino::compile_file(&mut sources, &path)
            .unwrap_or_else(|errors| panic!("{}", errors.render(&sources, false)));
        ir::verify::program(&compiled.program).unwrap_or_else(|errors| panic!("{}: {errors:?}", path.display()));
    }
}
