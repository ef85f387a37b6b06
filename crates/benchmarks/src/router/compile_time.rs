//! Measures how long programs take to compile to machine code.

use std::path::Path;
use std::time::Instant as WallClock;

use native::Native;
use serde::Serialize;

use diagnostics::Failure;
use workbench::{LoadOptions, LoadedProgram};

/// The time that it took to compile a program.
#[derive(Clone, Debug, Serialize)]
pub struct CompileTime {
    /// The program.
    pub program: String,
    /// The time from the source text to the IR, in seconds.
    pub front_end_seconds: f64,
    /// The time from the IR to callable machine code, in seconds.
    pub native_seconds: f64,
}

/// Compiles every program `NAME/NAME.p4` in a folder, and returns the times, the slowest program first.
///
/// # Errors
/// If the folder cannot be read, or a program does not compile.
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
        times.push(compile_time(name, &path)?);
    }
    let total = |time: &CompileTime| time.front_end_seconds + time.native_seconds;
    times.sort_by(|a, b| total(b).total_cmp(&total(a)));
    Ok(times)
}

/// Compiles one program.
///
/// # Errors
/// If it cannot be read or does not compile.
pub fn compile_time(name: String, path: &Path) -> Result<CompileTime, Failure> {
    let start = WallClock::now();
    let program = LoadedProgram::read(path, &LoadOptions::default())?;
    let front_end_seconds = start.elapsed().as_secs_f64();
    let start = WallClock::now();
    let compiled = Native::compile(program.program.clone());
    let native_seconds = start.elapsed().as_secs_f64();
    compiled.map_err(|reason| Failure::plain(reason.to_string()))?;
    Ok(CompileTime { program: name, front_end_seconds, native_seconds })
}
