//! A program from its file, with its binding, ready for any machine.

use std::path::{Path, PathBuf};

use diagnostics::{Diagnostic, Diagnostics, Sources};
use ir::Program;
use runtime::binding::{Binding, FieldShape};

use crate::failure::Failure;

/// A program and how its fields bind to packets.
#[derive(Clone, Debug)]
pub struct LoadedProgram {
    /// What it means.
    pub program: Program,
    /// How its fields bind to headers; [`Binding::for_records`] is the one for tables of field values.
    pub binding: Binding,
    /// What its author may not have meant, as a person reads it without colours; empty if nothing.
    pub warnings: String,
    /// Name and contents of every file that was read, in order, for manifests.
    pub inputs: Vec<(String, String)>,
}

/// A binding file is a page, not a book.
const MOST_BINDING_BYTES: u64 = 1 << 20;

impl LoadedProgram {
    /// Reads a program (Domino, or the IR's text if the name ends in `.ir`) and its binding: `binding`, or the file
    /// beside the program with the ending `.toml`, or none.
    ///
    /// # Errors
    /// Everything wrong with either, at its place.
    pub fn read(path: &Path, binding: Option<&Path>) -> Result<Self, Failure> {
        let mut sources = Sources::new();
        match Self::read_into(&mut sources, path, binding) {
            Ok(loaded) => Ok(loaded),
            Err(diagnostics) => Err(Failure::BadInput { sources, diagnostics }),
        }
    }

    fn read_into(sources: &mut Sources, path: &Path, binding: Option<&Path>) -> Result<Self, Diagnostics> {
        let (program, warnings) = if path.extension().is_some_and(|ending| ending == "ir") {
            let text = read_text(path)?;
            if text.trim_start().starts_with("pipeline ") {
                let error = format!("`{}` is a pipeline, which has been compiled already", path.display());
                let hint = "`--emit source`, or a pass before `schedule`, gives the text of a program";
                return Err(Diagnostic::without_place(error).hint(hint).into());
            }
            let source = sources.add(path.to_string_lossy(), text);
            (ir::parse::program_in(sources, source)?, Diagnostics::new())
        } else {
            let compiled = domino::compile_file(sources, path)?;
            (compiled.program, compiled.warnings)
        };
        let warnings = warnings.render(sources, false);
        let beside = path.with_extension("toml");
        let file: Option<PathBuf> = binding.map(Path::to_owned).or_else(|| beside.is_file().then_some(beside));
        let source = match &file {
            Some(file) => Some(sources.add(file.to_string_lossy(), read_text(file)?)),
            None => None,
        };
        let shapes: Vec<FieldShape<'_>> =
            program.fields().map(|(_, field)| FieldShape { name: &field.name, width: field.ty.width() }).collect();
        let binding = Binding::resolve(&shapes, source.map(|source| (&*sources, source)))?;
        let inputs = sources.iter().map(|(name, text)| (name.to_owned(), text.to_owned())).collect();
        Ok(Self { program, binding, warnings, inputs })
    }
}

fn read_text(path: &Path) -> Result<String, Diagnostics> {
    let refuse = |reason: String| {
        Diagnostics::from(Diagnostic::without_place(format!("`{}` cannot be read: {reason}", path.display())))
    };
    let metadata = std::fs::metadata(path).map_err(|error| refuse(error.to_string()))?;
    if !metadata.is_file() {
        return Err(refuse("it is not a file".to_owned()));
    }
    if metadata.len() > MOST_BINDING_BYTES {
        return Err(refuse(format!("it is longer than {MOST_BINDING_BYTES} bytes")));
    }
    let bytes = std::fs::read(path).map_err(|error| refuse(error.to_string()))?;
    String::from_utf8(bytes)
        .map_err(|error| refuse(format!("it is no text (byte {})", error.utf8_error().valid_up_to())))
}
