//! `polyplane compile` for programs of threads: the listing of their words, and the image that a chip loads.

use std::path::Path;

use polyplane::Failure;
use polyplane::rooms::diagnostics::Diagnostic;
use polyplane::rooms::files::OutputFile;
use polyplane::rooms::trio::{Listing, Parameters};
use polyplane::rooms::workbench::LoadedProgram;

use crate::arguments::CompileArguments;
use crate::output;

/// What `--emit` can show.
const VIEWS: [&str; 2] = ["source", "disassembly"];

/// Compiles a program of threads, writes its image if that is asked for, and prints the listing or what `--emit` names.
pub fn compile(arguments: &CompileArguments, program: &LoadedProgram) -> Result<u8, Failure> {
    let (kind, settings) = arguments.on.chosen(program)?;
    if arguments.on.name.is_some() {
        // Fails, with the reason, if the machine runs no threads.
        kind.fit(program, &settings)?;
    }
    if let Some(path) = arguments.image.as_deref() {
        let file = reserved(path, program)?;
        file.finish(&program.image(&Parameters::default())?.to_bytes())?;
        output::tell(&format!("wrote {}\n", path.display()));
    }
    match arguments.emit.as_deref() {
        Some("list") => {
            output::print(&(VIEWS.join("\n") + "\n"))?;
            return Ok(0);
        }
        Some("source") => {
            output::print(&program.program.to_string())?;
            return Ok(0);
        }
        Some("disassembly") | None => {}
        Some(other) => {
            let message = format!("there is nothing called `{other}` to emit for a program of threads");
            return Err(Diagnostic::without_place(message).hint(format!("there is: {}", VIEWS.join(", "))).into());
        }
    }
    let image = program.image(&Parameters::default())?;
    let listing = Listing::new(&image);
    match arguments.emit {
        Some(_) => output::print(&image.program().to_string())?,
        None if arguments.json => output::print_json(&listing)?,
        None => output::print(&listing.text())?,
    }
    Ok(0)
}

/// Refuses `--image` for a program without threads.
pub fn refuse(arguments: &CompileArguments, program: &LoadedProgram) -> Result<(), Failure> {
    match arguments.image {
        None => Ok(()),
        Some(_) => {
            let message = format!("`--image` is for programs of threads, and `{}` has none", program.program.name);
            Err(Diagnostic::without_place(message).hint("leave it out, or name a Microcode program (.mc)").into())
        }
    }
}

/// Reserves the file of the image, which is none of those that were read.
fn reserved(path: &Path, program: &LoadedProgram) -> Result<OutputFile, Failure> {
    let same = |(name, _): &(String, String)| {
        let real = |path: &Path| std::fs::canonicalize(path).ok();
        real(Path::new(name)).is_some_and(|input| real(path) == Some(input))
    };
    if program.inputs.iter().any(same) {
        let message = format!("the image would overwrite `{}`, which is read", path.display());
        return Err(Diagnostic::without_place(message).hint("name another file").into());
    }
    OutputFile::take(path)
}
