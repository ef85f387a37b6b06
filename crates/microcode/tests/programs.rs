//! The programs of `programs/microcode` compile without a warning, and what they mean has a text that parses back.

use std::path::{Path, PathBuf};

use diagnostics::Sources;
use ir::Program;

fn all() -> Vec<(String, PathBuf)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs/microcode");
    let mut programs: Vec<(String, PathBuf)> = std::fs::read_dir(&folder)
        .expect("programs/microcode")
        .map(|entry| entry.expect("an entry of programs/microcode").file_name().to_string_lossy().into_owned())
        .map(|name| (name.clone(), folder.join(&name).join(format!("{name}.mc"))))
        .filter(|(_, path)| path.exists())
        .collect();
    programs.sort();
    assert!(programs.len() >= 8, "programs are missing: {programs:?}");
    programs
}

fn compile(name: &str, path: &Path) -> Program {
    let mut sources = Sources::new();
    match microcode::compile_file(&mut sources, path, &microcode::Options::default()) {
        Ok(compiled) => {
            let warnings = compiled.warnings.render(&sources, false);
            assert!(compiled.warnings.is_empty(), "our own programs give no reason for a warning:\n{warnings}");
            compiled.program
        }
        Err(errors) => panic!("{name} does not compile:\n{}", errors.render(&sources, false)),
    }
}

#[test]
fn the_program_on_the_page_of_the_language_compiles() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/microcode.md");
    let page = std::fs::read_to_string(page).expect("the page");
    let block = page.split("```c\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a program");
    let mut sources = Sources::new();
    let none = |_: &str| Err("there is no such file".to_owned());
    let compiled = microcode::compile(&mut sources, "page.mc", block, &none);
    let compiled = compiled.unwrap_or_else(|errors| panic!("{}", errors.render(&sources, false)));
    assert!(compiled.warnings.is_empty());
}

#[test]
fn all_programs_compile_to_valid_programs() {
    for (name, path) in all() {
        let program = compile(&name, &path);
        assert_eq!(program.name, name);
        ir::verify::program(&program).unwrap_or_else(|errors| panic!("{name}: {errors:?}\n{program}"));
    }
}

#[test]
fn printed_programs_parse_back_unchanged() {
    for (name, path) in all() {
        let program = compile(&name, &path);
        let text = program.to_string();
        let read_back = ir::parse::program(&name, &text).unwrap_or_else(|failure| panic!("{failure}\n{text}"));
        assert_eq!(read_back, program, "{text}");
    }
}
