//! Loading of P4 programs.

use std::collections::BTreeMap;
use std::path::Path;

use arch::Architecture;
use control::Info;
use diagnostics::{SourceId, Sources};
use ir::Program;
use p4::{Disk, Files};

/// Returns a program for one of the given architectures and what the control plane knows of it, or rendered
/// diagnostics.
pub fn try_load(
    architectures: &[&'static Architecture],
    sources: &mut Sources,
    main: SourceId,
    files: &dyn Files,
    options: &p4::Options,
) -> Result<(Program, Info), String> {
    let read = p4::preprocess(sources, main, files, options);
    let (tree, found) = p4::parse(&read.tokens);
    let mut findings = read.diagnostics;
    findings.extend(found);
    if findings.has_errors() {
        return Err(findings.render(sources, false));
    }
    let (checked, findings) = p4::check(&tree);
    if findings.has_errors() {
        return Err(findings.render(sources, false));
    }
    let lowered = p4::lower_for(architectures, &tree, checked).map_err(|findings| findings.render(sources, false))?;
    let mut program = lowered.program;
    let stem = Path::new(sources.name(main)).file_stem().expect("a file has a name");
    program.name = stem.to_string_lossy().into_owned();
    Ok((program, lowered.info))
}

/// Loads a program from a text, which must be correct.
pub fn load(name: &str, text: &str) -> (Program, Info) {
    let mut sources = Sources::new();
    let main = sources.add(name, text);
    let files: BTreeMap<String, String> = BTreeMap::new();
    try_load(arch::ALL, &mut sources, main, &files, &p4::Options::default())
        .unwrap_or_else(|errors| panic!("{errors}\n{text}"))
}

/// Loads a program from a file; returns rendered diagnostics if it has errors.
pub fn load_file(path: &Path, search_paths: Vec<String>) -> Result<(Program, Info), String> {
    let mut sources = Sources::new();
    let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let main = sources.add(path.to_string_lossy(), text);
    try_load(arch::ALL, &mut sources, main, &Disk, &p4::Options { search_paths, ..p4::Options::default() })
}
