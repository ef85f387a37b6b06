//! Loads programs of all languages, for any machine.

mod fitted;
mod front_end;
mod image;
mod laid_out;
mod language;
mod stages;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use control::Info;
use diagnostics::{Diagnostic, Diagnostics, SourceId, Sources, Span};
use ir::Program;
use machines::control_plane_of;
use runtime::binding::{Binding, FieldShape};
use trio::Image;

pub use self::fitted::FittedProgram;
pub use self::front_end::{ParsedP4, add_file};
pub use self::laid_out::read_pipeline;
pub use self::language::Language;
pub use self::stages::{STAGES, stage};
use diagnostics::Failure;

/// A program that is ready for any machine, whatever language it was written in.
#[derive(Clone, Debug)]
pub struct LoadedProgram {
    /// The meaning of the program in the IR.
    pub program: Arc<Program>,
    /// The names and shapes of everything that the control plane can access.
    pub info: Arc<Info>,
    /// The way in which fields are read from headers and written to them, for a program without a parser.
    /// ([`Binding::for_records`] is used for tables of field values instead.) A program with a parser, or of threads, binds no
    /// fields, because it gets whole packets.
    pub binding: Binding,
    /// The compiler's warnings as text without colours; empty if there are none.
    pub warnings: String,
    /// The name and contents of every file that was read, in order, for manifests.
    pub inputs: Vec<(String, String)>,
    /// The location of each instruction of a program of threads in `inputs`; empty if it was not written in a language of
    /// threads.
    pub places: Vec<Span>,
    /// The image from which the program was read, if it has been compiled already.
    pub image: Option<Arc<Image>>,
    /// The options with which the program was read.
    pub options: LoadOptions,
}

/// Options for reading a program.
#[derive(Clone, Debug, Default)]
pub struct LoadOptions {
    /// Folders in which `#include` of a P4 or Microcode program searches, in order, after the folder of the including file.
    pub search_paths: Vec<PathBuf>,
    /// Predefined macros of a P4 or Microcode program: names and texts.
    pub definitions: Vec<(String, String)>,
    /// The file that binds the fields of a program without a parser. `None` selects the file beside the program with
    /// the extension `.toml`, if there is one.
    pub binding: Option<PathBuf>,
}

impl LoadOptions {
    /// Returns the options of the preprocessor.
    fn preprocessor(&self) -> p4::Options {
        p4::Options {
            search_paths: self.search_paths.iter().map(|path| path.to_string_lossy().into_owned()).collect(),
            definitions: self.definitions.clone(),
        }
    }

    /// Checks that no option is given that does not apply to a language.
    fn refuse_foreign(&self, language: Language) -> Result<(), Failure> {
        let is_preprocessed = matches!(language, Language::P4 | Language::Microcode);
        let preprocessed = "leave it out, or name a program whose name ends in .p4 or .mc";
        let all = [
            (
                self.binding.is_some() && language == Language::P4,
                "`--binding` is not for P4 programs",
                "a P4 program finds its fields with its own parser; leave it out",
            ),
            (
                self.binding.is_some() && matches!(language, Language::Microcode | Language::Image),
                "`--binding` is not for Microcode programs",
                "a Microcode program reads the bytes of packets itself; leave it out",
            ),
            (!self.search_paths.is_empty() && !is_preprocessed, "`-I` is for P4 and Microcode programs", preprocessed),
            (!self.definitions.is_empty() && !is_preprocessed, "`-D` is for P4 and Microcode programs", preprocessed),
        ];
        let mut refused = Diagnostics::new();
        for (_, message, hint) in all.into_iter().filter(|(applies, ..)| *applies) {
            refused.push(Diagnostic::without_place(message).hint(hint));
        }
        refused.into_result(()).map_err(|diagnostics| Failure::BadInput { sources: Sources::new(), diagnostics })
    }
}

/// The maximum size of a binding or of a program as text of the IR, in bytes.
const MOST_TEXT_BYTES: u64 = 1 << 20;

impl LoadedProgram {
    /// Reads a program from its file, with the files that it includes and its binding. The language is that of
    /// [`Language::of`].
    ///
    /// # Errors
    /// If a file cannot be read or has errors; reports every error at its place.
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
            Language::Microcode => microcode::compile_file(sources_of, path, &options.preprocessor())
                .map(|compiled| Self::of_microcode(sources_of, compiled, options)),
            Language::Image => Self::of_image(path, options),
            Language::Ir => ir_text(sources_of, path)
                .and_then(|program| Self::bound_by_file(sources_of, path, program, String::new(), options)),
        };
        loaded.map_err(|diagnostics| Failure::BadInput { sources, diagnostics })
    }

    /// Loads a program from a text with a name, whose language is that of [`Language::of_named`]. The program can
    /// include the headers of architectures, but no other files. `binding` is the name and text that binds the fields of
    /// a program without a parser, as [`LoadOptions::binding`] does; without it, they are not bound.
    ///
    /// # Errors
    /// If the text has errors; reports every error at its place.
    pub fn of_text(name: &str, text: &str, binding: Option<(&str, &str)>) -> Result<Self, Failure> {
        let language = Language::of_named(Path::new(name), text)?;
        let options = LoadOptions::default();
        let mut sources = Sources::new();
        let no_files =
            |name: &str| Err(format!("`{name}` is a file, but a program that is given as a text cannot include files"));
        let loaded = match language {
            Language::P4 => {
                let main = sources.add(name, text);
                ParsedP4::with_files(&mut sources, main, &options, &NoFiles)
                    .and_then(|parsed| Self::of_read(&sources, main, &parsed))
            }
            Language::Domino => domino::compile(&mut sources, name, text, &no_files).and_then(|compiled| {
                let warnings = compiled.warnings.render(&sources, false);
                let binding = binding.map(|(name, text)| sources.add(name, text));
                Self::bound(&sources, compiled.program, warnings, binding, &options)
            }),
            Language::Microcode => {
                microcode::compile_with(&mut sources, name, text, &no_files, &options.preprocessor())
                    .map(|compiled| Self::of_microcode(&sources, compiled, &options))
            }
            Language::Image => {
                let error = Diagnostic::without_place(format!("`{name}` is an image, which is not a text"));
                Err(error.hint("name the text of which the image was made").into())
            }
            Language::Ir => {
                let source = sources.add(name, text);
                ir::parse::program_in(&sources, source).and_then(|program| {
                    let binding = binding.map(|(name, text)| sources.add(name, text));
                    Self::bound(&sources, program, String::new(), binding, &options)
                })
            }
        };
        loaded.map_err(|diagnostics| Failure::BadInput { sources, diagnostics })
    }

    /// Returns true if the program has parsers, which take packets apart.
    pub fn has_parser(&self) -> bool {
        !self.program.parsers.is_empty()
    }

    /// Returns true if the program is one of threads, which read and write the bytes of packets.
    pub fn has_threads(&self) -> bool {
        self.program.threads.is_some()
    }

    /// Returns true if the program works on fields that a binding reads, instead of on whole packets.
    pub fn binds_fields(&self) -> bool {
        !self.has_parser() && !self.has_threads()
    }

    fn of_microcode(sources: &Sources, compiled: microcode::Compiled, options: &LoadOptions) -> Self {
        let warnings = compiled.warnings.render(sources, false);
        Self { places: compiled.places, ..Self::of_threads(sources, compiled.program, warnings, options) }
    }

    fn of_threads(sources: &Sources, program: Program, warnings: String, options: &LoadOptions) -> Self {
        Self {
            info: Arc::new(control_plane_of(&program)),
            program: Arc::new(program),
            binding: Binding::resolve(&[], None).expect("no fields are bound"),
            warnings,
            inputs: inputs(sources),
            places: Vec::new(),
            image: None,
            options: options.clone(),
        }
    }

    /// Returns a program whose fields are bound by a file.
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
            let message = format!(
                "`{}` parses packets, but the text of the IR does not describe its control plane",
                program.name
            );
            return Err(Diagnostic::without_place(message)
                .hint("name the program from which the text was compiled")
                .into());
        }
        if program.threads.is_some() {
            return match binding {
                None => Ok(Self::of_threads(sources, program, warnings, options)),
                Some(binding) => {
                    let message = format!("`{}` binds no fields: its threads read the bytes of packets", program.name);
                    let error = Diagnostic::error(Span::new(binding, 0, 0), message);
                    Err(error.hint("leave the binding out").into())
                }
            };
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
            places: Vec::new(),
            image: None,
            options: options.clone(),
        })
    }
}

/// The included files of a program that is given as a text: there are none. (The headers of architectures are part of
/// the compiler.)
struct NoFiles;

impl p4::Files for NoFiles {
    fn read(&self, _: &str) -> Result<Option<String>, String> {
        Ok(None)
    }
}

/// Returns the name and contents of every file that was read.
fn inputs(sources: &Sources) -> Vec<(String, String)> {
    sources.iter().map(|(name, text)| (name.to_owned(), text.to_owned())).collect()
}

/// Reads a program from the text of the IR.
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
    String::from_utf8(bytes).map_err(|error| {
        refuse(format!("it is not UTF-8 text: the byte at offset {} is invalid", error.utf8_error().valid_up_to()))
    })
}
