//! Helpers shared by the tests: compiling a text.
#![allow(dead_code, reason = "each test file is a crate of its own and uses some of these")]

pub mod running;

use diagnostics::Sources;
use ir::Program;

/// The number of random cases: `PROPTEST_CASES`, or `usual` if it is not set.
pub fn cases(usual: u32) -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|number| number.parse().ok()).unwrap_or(usual)
}

/// Compiles a program without included files. Returns the program and its rendered warnings, or the rendered errors.
pub fn try_compile(text: &str) -> Result<(Program, String), String> {
    try_compile_with(text, &[])
}

/// Compiles a program that may include the given files.
pub fn try_compile_with(text: &str, files: &[(&str, &str)]) -> Result<(Program, String), String> {
    let include = |path: &str| {
        let found = files.iter().find(|(name, _)| *name == path);
        found.map(|(_, text)| (*text).to_owned()).ok_or_else(|| "there is no such file".to_owned())
    };
    let mut sources = Sources::new();
    match microcode::compile(&mut sources, "test.mc", text, &include) {
        Ok(compiled) => {
            ir::verify::program(&compiled.program)
                .unwrap_or_else(|errors| panic!("a compiled program is valid: {errors:?}\n{}", compiled.program));
            let instructions = compiled.program.threads.as_ref().map_or(0, |threads| threads.instructions.len());
            assert_eq!(compiled.places.len(), instructions, "each instruction has a place");
            Ok((compiled.program, compiled.warnings.render(&sources, false)))
        }
        Err(errors) => Err(errors.render(&sources, false)),
    }
}

/// Compiles a program that must be valid.
pub fn compile(text: &str) -> Program {
    try_compile(text).unwrap_or_else(|errors| panic!("{errors}")).0
}

/// Returns the rendered errors of a program that must be invalid.
pub fn errors(text: &str) -> String {
    match try_compile(text) {
        Ok((program, _)) => panic!("this was accepted:\n{program}"),
        Err(errors) => errors,
    }
}

/// Compiles a program of this repository, which may include files.
pub fn compile_shipped(name: &str) -> Program {
    let path = format!("{}/../../programs/microcode/{name}/{name}.mc", env!("CARGO_MANIFEST_DIR"));
    let mut sources = Sources::new();
    let compiled = microcode::compile_file(&mut sources, path.as_ref(), &microcode::Options::default());
    compiled.unwrap_or_else(|errors| panic!("{}", errors.render(&sources, false))).program
}

/// Returns the text of a program of this repository.
pub fn shipped(name: &str) -> String {
    let path = format!("{}/../../programs/microcode/{name}/{name}.mc", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}
