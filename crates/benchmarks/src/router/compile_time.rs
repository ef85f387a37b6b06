//! How long it takes to have a program as machine code.

use std::path::Path;
use std::time::Instant as WallClock;

use native::Native;
use serde::Serialize;

use diagnostics::Failure;
use workbench::{LoadOptions, LoadedProgram};

/// A program on its way from text to machine code.
#[derive(Clone, Debug, Serialize)]
pub struct CompileTime {
    /// The program.
    pub program: String,
    /// Seconds from its text to the IR.
    pub front_end_seconds: f64,
    /// Seconds from the IR to machine code that can be called.
    pub native_seconds: f64,
}

/// Every P4 program of a folder of folders, the slowest first.
///
/// # Errors
/// A folder that cannot be read, or a program that is none.
pub fn compile_times(folder: &Path) -> Result<Vec<CompileTime>, Failure> {
    let unreadable = |error: std::io::Error| Failure::plain(format!("{}: {error}", folder.display()));
    let mut times = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = entry.path().join(format!("{name}.p4"));
        if !path.exists() {
            continue;
        }
        let start = WallClock::now();
        let program = LoadedProgram::read(&path, &LoadOptions::default())?;
        let front_end_seconds = start.elapsed().as_secs_f64();
        let start = WallClock::now();
        let compiled = Native::compile(program.program.clone());
        let native_seconds = start.elapsed().as_secs_f64();
        compiled.map_err(|reason| Failure::plain(reason.to_string()))?;
        times.push(CompileTime { program: name, front_end_seconds, native_seconds });
    }
    let total = |time: &CompileTime| time.front_end_seconds + time.native_seconds;
    times.sort_by(|a, b| total(b).total_cmp(&total(a)));
    Ok(times)
}
