//! A program from its file, with its binding, ready for any machine.

use std::path::{Path, PathBuf};

use diagnostics::{Diagnostic, Diagnostics, SourceId, Sources, Span};
use ir::Program;
use ir::pipeline::Pipeline;
use runtime::binding::{Binding, FieldShape};

use crate::failure::Failure;
use crate::language::Language;

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

/// The pipeline in a file that holds the text of one, as `compile --emit pipeline` prints it; `None` if the file holds
/// something else.
///
/// # Errors
/// Everything wrong with the text, at its place, and what is wrong with the pipeline.
pub fn read_pipeline(path: &Path) -> Result<Option<Pipeline>, Failure> {
    if !matches!(Language::of(path), Ok(Language::Ir)) {
        return Ok(None);
    }
    let mut sources = Sources::new();
    let text = match read_text(path) {
        Ok(text) if is_pipeline(&text) => text,
        _ => return Ok(None),
    };
    let source = sources.add(path.to_string_lossy(), text);
    let pipeline = match ir::parse::pipeline_in(&sources, source) {
        Ok(pipeline) => pipeline,
        Err(diagnostics) => return Err(Failure::BadInput { sources, diagnostics }),
    };
    match pipeline.verify() {
        Ok(()) => Ok(Some(pipeline)),
        Err(errors) => {
            let mut diagnostics = Diagnostics::new();
            let place = Span::new(source, 0, 0);
            diagnostics.extend(errors.into_iter().map(|error| Diagnostic::error(place, error)));
            Err(Failure::BadInput { sources, diagnostics })
        }
    }
}

/// Whether a file holds the text of a pipeline, which has been compiled already.
pub fn holds_pipeline(path: &Path) -> bool {
    matches!(Language::of(path), Ok(Language::Ir)) && read_text(path).is_ok_and(|text| is_pipeline(&text))
}

fn is_pipeline(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim);
    let first = lines.find(|line| !line.is_empty() && !line.starts_with("//"));
    first.is_some_and(|line| line.starts_with("pipeline "))
}

/// A binding, or a program as the IR's text, is pages, not books.
const MOST_TEXT_BYTES: u64 = 1 << 20;

impl LoadedProgram {
    /// Reads a program (Domino, or the IR's text if the name or the text says so) and its binding: `binding`, or the file
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
        let (program, warnings) = if matches!(Language::of(path), Ok(Language::Ir)) {
            let text = read_text(path)?;
            if is_pipeline(&text) {
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
        Self::bound(sources, program, warnings, source)
    }

    /// Compiles a Domino program and resolves its binding, each given by the path that it is called by, and its text.
    /// It may include nothing but what is part of the compiler.
    ///
    /// # Errors
    /// Everything wrong with either, at its place.
    pub(crate) fn of_texts(program: (&str, &str), binding: (&str, &str)) -> Result<Self, Failure> {
        let mut sources = Sources::new();
        match Self::of_texts_into(&mut sources, program, binding) {
            Ok(loaded) => Ok(loaded),
            Err(diagnostics) => Err(Failure::BadInput { sources, diagnostics }),
        }
    }

    fn of_texts_into(
        sources: &mut Sources,
        (path, program): (&str, &str),
        (binding_path, binding): (&str, &str),
    ) -> Result<Self, Diagnostics> {
        let no_files = |name: &str| Err(format!("`{name}` is no part of the command"));
        let compiled = domino::compile(sources, path, program, &no_files)?;
        let warnings = compiled.warnings.render(sources, false);
        let source = sources.add(binding_path, binding);
        Self::bound(sources, compiled.program, warnings, Some(source))
    }

    fn bound(
        sources: &Sources,
        program: Program,
        warnings: String,
        binding: Option<SourceId>,
    ) -> Result<Self, Diagnostics> {
        let shapes: Vec<FieldShape<'_>> =
            program.fields().map(|(_, field)| FieldShape { name: &field.name, width: field.ty.width() }).collect();
        let binding = Binding::resolve(&shapes, binding.map(|source| (sources, source)))?;
        let inputs = sources.iter().map(|(name, text)| (name.to_owned(), text.to_owned())).collect();
        Ok(Self { program, binding, warnings, inputs })
    }
}

fn read_text(path: &Path) -> Result<String, Diagnostics> {
    let refuse = |reason: String| {
        Diagnostics::from(Diagnostic::without_place(format!("`{}` cannot be read: {reason}", path.display())))
    };
    if traffic::is_stream(path) {
        return p4::Disk.text(path).map_err(refuse);
    }
    let metadata = std::fs::metadata(path).map_err(|error| refuse(error.to_string()))?;
    if !metadata.is_file() {
        return Err(refuse("it is not a file".to_owned()));
    }
    if metadata.len() > MOST_TEXT_BYTES {
        return Err(refuse(format!("it is longer than {MOST_TEXT_BYTES} bytes")));
    }
    let bytes = std::fs::read(path).map_err(|error| refuse(error.to_string()))?;
    String::from_utf8(bytes)
        .map_err(|error| refuse(format!("it is no text (byte {})", error.utf8_error().valid_up_to())))
}
