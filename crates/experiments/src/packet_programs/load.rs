//! A P4 program from its file, ready to run.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use control::Info;
use diagnostics::{Diagnostic, Diagnostics, Severity, SourceId, Sources};

use crate::failure::Failure;
use crate::language::Language;

/// How a P4 program is read.
#[derive(Clone, Debug, Default)]
pub struct LoadOptions {
    /// Folders in which `#include` looks, in order, after the folder of the file that includes.
    pub search_paths: Vec<PathBuf>,
    /// Macros that are defined from the start: name and text.
    pub definitions: Vec<(String, String)>,
}

/// A program for v1model, and what is known of it.
#[derive(Clone, Debug)]
pub struct PacketProgram {
    /// What it means.
    pub program: Arc<ir::Program>,
    /// What the control plane may know of it.
    pub info: Arc<Info>,
    /// What its author may not have meant, as a person reads it without colours; empty if nothing.
    pub warnings: String,
    /// Name and contents of every file that was read, in order, for manifests.
    pub inputs: Vec<(String, String)>,
    /// How it was read.
    pub options: LoadOptions,
}

/// Whether a file is a P4 program, as far as its name or its text says.
pub fn is_packet_program(path: &Path) -> bool {
    matches!(Language::of(path), Ok(Language::P4))
}

impl PacketProgram {
    /// Reads a program from its file, with the files that it includes.
    ///
    /// # Errors
    /// Everything wrong with it, at its place.
    pub fn read(path: &Path, options: &LoadOptions) -> Result<Self, Failure> {
        let mut sources = Sources::new();
        let loaded = add_file(&mut sources, path).and_then(|main| Self::load(&mut sources, main, options));
        loaded.map_err(|diagnostics| Failure::BadInput { sources, diagnostics })
    }

    /// Makes a program of a text, whose name in `sources` is its path.
    ///
    /// # Errors
    /// Everything wrong with it, at its place.
    pub fn load(sources: &mut Sources, main: SourceId, options: &LoadOptions) -> Result<Self, Diagnostics> {
        let read = Read::new(sources, main, options)?;
        Self::of_read(sources, main, &read)
    }

    /// Makes a program of one that has been read.
    pub(super) fn of_read(sources: &Sources, main: SourceId, read: &Read) -> Result<Self, Diagnostics> {
        let name = program_name(sources.name(main));
        let (checked, mut warnings) = read.check()?;
        let lowered = p4::lower(&read.tree, checked).map_err(|errors| read.explain(errors))?;
        let mut program = lowered.program;
        program.name = name;
        if let Err(errors) = ir::verify::program(&program) {
            return Err(faults(&errors));
        }
        warnings.extend(read.explain(lowered.warnings));
        Ok(Self {
            program: Arc::new(program),
            info: Arc::new(lowered.info),
            warnings: warnings.render(sources, false),
            inputs: sources.iter().map(|(name, text)| (name.to_owned(), text.to_owned())).collect(),
            options: read.options.clone(),
        })
    }
}

/// A program that has been read, up to its syntax tree.
pub(super) struct Read {
    pub(super) tokens: Vec<p4::token::Token>,
    pub(super) tree: p4::ast::Program,
    options: LoadOptions,
    warnings: Diagnostics,
    macro_uses: p4::MacroUses,
}

impl Read {
    /// Goes as far as the syntax tree.
    pub(super) fn new(sources: &mut Sources, main: SourceId, options: &LoadOptions) -> Result<Self, Diagnostics> {
        Self::with_files(sources, main, options, &p4::Disk)
    }

    /// The same with included files from anywhere.
    pub(super) fn with_files(
        sources: &mut Sources,
        main: SourceId,
        options: &LoadOptions,
        files: &dyn p4::Files,
    ) -> Result<Self, Diagnostics> {
        let of_preprocessor = p4::Options {
            search_paths: options.search_paths.iter().map(|path| path.to_string_lossy().into_owned()).collect(),
            definitions: options.definitions.clone(),
        };
        let preprocessed = p4::preprocess(sources, main, files, &of_preprocessor);
        let (tree, found) = p4::parse(&preprocessed.tokens);
        let mut warnings = preprocessed.diagnostics;
        // What was not read to its end has errors of its own, which those about a missing end would hide.
        if preprocessed.complete || !warnings.has_errors() {
            warnings.extend(preprocessed.macro_uses.explain_all(found));
        }
        let (tokens, macro_uses) = (preprocessed.tokens, preprocessed.macro_uses);
        let read = Self { tokens, tree, options: options.clone(), warnings, macro_uses };
        if read.warnings.has_errors() { Err(in_order(read.warnings)) } else { Ok(read) }
    }

    /// Finds out what the program means; gives the warnings up to here, too.
    pub(super) fn check(&self) -> Result<(p4::Checked<'_>, Diagnostics), Diagnostics> {
        let (checked, found) = p4::check(&self.tree);
        let mut all = self.warnings.clone();
        all.extend(self.explain(found));
        let all = in_order(all);
        if all.has_errors() { Err(all) } else { Ok((checked, all)) }
    }

    fn explain(&self, findings: Diagnostics) -> Diagnostics {
        self.macro_uses.explain_all(findings)
    }
}

/// Reads a text that has to be there.
pub(super) fn add_file(sources: &mut Sources, path: &Path) -> Result<SourceId, Diagnostics> {
    match p4::Disk.text(path) {
        Ok(text) => Ok(sources.add(path.to_string_lossy(), text)),
        Err(reason) => Err(Diagnostic::without_place(format!("`{}` cannot be read: {reason}", path.display())).into()),
    }
}

/// The steps of the front end each go through the whole program; a person goes through it once. Errors come first.
fn in_order(findings: Diagnostics) -> Diagnostics {
    let mut sorted: Vec<Diagnostic> = findings.into_iter().collect();
    let is_warning = |finding: &Diagnostic| finding.severity != Severity::Error;
    sorted.sort_by_key(|finding| (is_warning(finding), finding.span.map(|span| (span.source, span.start))));
    let mut result = Diagnostics::new();
    result.extend(sorted);
    result
}

/// What the front end made wrong, which is no fault of the program.
fn faults(errors: &[String]) -> Diagnostics {
    let mut diagnostics = Diagnostics::new();
    diagnostics.extend(errors.iter().map(|error| {
        Diagnostic::without_place(format!("the compiler made a fault: {error}")).hint("please report it")
    }));
    diagnostics
}

/// The file without folders and ending, as a program is called in reports.
fn program_name(path: &str) -> String {
    if path == traffic::STANDARD_INPUT {
        return "stdin".to_owned();
    }
    Path::new(path).file_stem().map_or_else(|| "main".to_owned(), |stem| stem.to_string_lossy().into_owned())
}
