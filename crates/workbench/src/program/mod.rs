//! A program from its file, ready for any machine, whatever its language.

mod fitted;
mod front_end;
mod laid_out;
mod language;
mod stages;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use control::Info;
use diagnostics::{Diagnostic, Diagnostics, SourceId, Sources};
use ir::Program;
use machines::pipelines::control_plane_of;
use runtime::binding::{Binding, FieldShape};

pub use self::fitted::FittedProgram;
pub use self::front_end::{ParsedP4, add_file};
pub use self::laid_out::read_pipeline;
pub use self::language::Language;
pub use self::stages::{STAGES, stage};
use diagnostics::Failure;

/// A program, what its control plane may know of it, and how its fields bind to packets.
#[derive(Clone, Debug)]
pub struct LoadedProgram {
    /// What it means.
    pub program: Arc<Program>,
    /// What the control plane may know of it.
    pub info: Arc<Info>,
    /// How its fields bind to headers, for a program that says nothing of headers ([`Binding::for_records`] is the one for
    /// tables of field values). A program with a parser binds none: it gets whole packets.
    pub binding: Binding,
    /// What its author may not have meant, as a person reads it without colours; empty if nothing.
    pub warnings: String,
    /// Name and contents of every file that was read, in order, for manifests.
    pub inputs: Vec<(String, String)>,
    /// How it was read.
    pub options: LoadOptions,
}

/// How a program is read.
#[derive(Clone, Debug, Default)]
pub struct LoadOptions {
    /// Folders in which `#include` of a P4 program looks, in order, after the folder of the file that includes.
    pub search_paths: Vec<PathBuf>,
    /// Macros that are defined from the start of a P4 program: name and text.
    pub definitions: Vec<(String, String)>,
    /// The file that binds the fields of a program without a parser; `None` is the file beside the program with the ending
    /// `.toml`, or none.
    pub binding: Option<PathBuf>,
}

impl LoadOptions {
    /// Refuses what a language has no use for.
    fn refuse_foreign(&self, language: Language) -> Result<(), Failure> {
        let is_p4 = language == Language::P4;
        let p4 = "leave it out, or name a program whose name ends in .p4";
        let all = [
            (
                self.binding.is_some() && is_p4,
                "`--binding` is not for P4 programs",
                "the parser of a P4 program says where its fields are; leave it out",
            ),
            (!self.search_paths.is_empty() && !is_p4, "`-I` is for P4 programs", p4),
            (!self.definitions.is_empty() && !is_p4, "`-D` is for P4 programs", p4),
        ];
        let mut refused = Diagnostics::new();
        for (_, message, hint) in all.into_iter().filter(|(applies, ..)| *applies) {
            refused.push(Diagnostic::without_place(message).hint(hint));
        }
        refused.into_result(()).map_err(|diagnostics| Failure::BadInput { sources: Sources::new(), diagnostics })
    }
}

/// A binding, or a program as the IR's text, is pages, not books.
const MOST_TEXT_BYTES: u64 = 1 << 20;

impl LoadedProgram {
    /// Reads a program from its file, with the files that it includes and its binding. The name of the file, or else its
    /// text, says in which language it is.
    ///
    /// # Errors
    /// Everything wrong with any of them, at its place.
    pub fn read(path: &Path, options: &LoadOptions) -> Result<Self, Failure> {
        let language = Language::of(path)?;
        options.refuse_foreign(language)?;
        let mut sources = Sources::new();
        let sources_of = &mut sources;
        let loaded = match language {
            Language::P4 => add_file(sources_of, path).and_then(|main| Self::load(sources_of, main, options)),
            Language::Domino => domino::compile_file(sources_of, path).and_then(|compiled| {
                let warnings = compiled.warnings.render(sources_of, false);
                Self::bound_by_file(sources_of, path, compiled.program, warnings, options)
            }),
            Language::Ir => ir_text(sources_of, path)
                .and_then(|program| Self::bound_by_file(sources_of, path, program, String::new(), options)),
        };
        loaded.map_err(|diagnostics| Failure::BadInput { sources, diagnostics })
    }

    /// Makes a program of a text, which is called `name`; the ending of the name says in which language it is. It may include
    /// the headers of architectures and no other files. The fields of a program without a parser bind to nothing.
    ///
    /// # Errors
    /// Everything wrong with it, at its place.
    pub fn of_text(name: &str, text: &str) -> Result<Self, Failure> {
        let language = Language::of_named(Path::new(name), text)?;
        let options = LoadOptions::default();
        let mut sources = Sources::new();
        let no_files = |name: &str| Err(format!("`{name}` is a file, and a program that is a text includes none"));
        let loaded = match language {
            Language::P4 => {
                let main = sources.add(name, text);
                ParsedP4::with_files(&mut sources, main, &options, &NoFiles)
                    .and_then(|parsed| Self::of_read(&sources, main, &parsed))
            }
            Language::Domino => domino::compile(&mut sources, name, text, &no_files).and_then(|compiled| {
                let warnings = compiled.warnings.render(&sources, false);
                Self::bound(&sources, compiled.program, warnings, None, &options)
            }),
            Language::Ir => {
                let source = sources.add(name, text);
                ir::parse::program_in(&sources, source)
                    .and_then(|program| Self::bound(&sources, program, String::new(), None, &options))
            }
        };
        loaded.map_err(|diagnostics| Failure::BadInput { sources, diagnostics })
    }

    /// Compiles a Domino program and resolves its binding, each given by the path that it is called by, and its text.
    /// It may include nothing but what is part of the compiler.
    ///
    /// # Errors
    /// Everything wrong with either, at its place.
    pub(crate) fn of_texts(
        (path, program): (&str, &str),
        (binding_path, binding): (&str, &str),
    ) -> Result<Self, Failure> {
        let mut sources = Sources::new();
        let no_files = |name: &str| Err(format!("`{name}` is no part of the command"));
        let loaded = domino::compile(&mut sources, path, program, &no_files).and_then(|compiled| {
            let warnings = compiled.warnings.render(&sources, false);
            let source = sources.add(binding_path, binding);
            Self::bound(&sources, compiled.program, warnings, Some(source), &LoadOptions::default())
        });
        loaded.map_err(|diagnostics| Failure::BadInput { sources, diagnostics })
    }

    /// True if the program parses packets itself, rather than being given fields of them.
    pub fn has_parser(&self) -> bool {
        !self.program.parsers.is_empty()
    }

    /// A program whose fields are bound by a file.
    fn bound_by_file(
        sources: &mut Sources,
        path: &Path,
        program: Program,
        warnings: String,
        options: &LoadOptions,
    ) -> Result<Self, Diagnostics> {
        let beside = path.with_extension("toml");
        let file = options.binding.clone().or_else(|| beside.is_file().then_some(beside));
        let source = match &file {
            Some(file) => Some(sources.add(file.to_string_lossy(), read_text(file)?)),
            None => None,
        };
        Self::bound(sources, program, warnings, source, options)
    }

    fn bound(
        sources: &Sources,
        program: Program,
        warnings: String,
        binding: Option<SourceId>,
        options: &LoadOptions,
    ) -> Result<Self, Diagnostics> {
        if !program.parsers.is_empty() {
            let message =
                format!("`{}` parses packets, and the IR's text says nothing of its control plane", program.name);
            return Err(Diagnostic::without_place(message).hint("name the program that the text was made of").into());
        }
        let shapes: Vec<FieldShape<'_>> =
            program.fields().map(|(_, field)| FieldShape { name: &field.name, width: field.ty.width() }).collect();
        let binding = Binding::resolve(&shapes, binding.map(|source| (sources, source)))?;
        Ok(Self {
            info: Arc::new(control_plane_of(&program)),
            program: Arc::new(program),
            binding,
            warnings,
            inputs: inputs(sources),
            options: options.clone(),
        })
    }
}

/// Where a program that is a text finds included files: nowhere. The headers of architectures are part of the compiler.
struct NoFiles;

impl p4::Files for NoFiles {
    fn read(&self, _: &str) -> Result<Option<String>, String> {
        Ok(None)
    }
}

/// Name and contents of every file that was read.
fn inputs(sources: &Sources) -> Vec<(String, String)> {
    sources.iter().map(|(name, text)| (name.to_owned(), text.to_owned())).collect()
}

/// A program from the IR's text.
fn ir_text(sources: &mut Sources, path: &Path) -> Result<Program, Diagnostics> {
    let text = read_text(path)?;
    if laid_out::is_pipeline(&text) {
        let error = format!("`{}` is a pipeline, which has been compiled already", path.display());
        let hint = "`--emit source`, or a pass before `schedule`, gives the text of a program";
        return Err(Diagnostic::without_place(error).hint(hint).into());
    }
    let source = sources.add(path.to_string_lossy(), text);
    ir::parse::program_in(sources, source)
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
