//! Reads P4 programs through the front end.

use std::path::Path;
use std::sync::Arc;

use diagnostics::{Diagnostic, Diagnostics, Severity, SourceId, Sources};
use runtime::binding::Binding;

use super::{LoadOptions, LoadedProgram, inputs};

impl LoadedProgram {
    /// Loads a P4 program from its text. The name of `main` in `sources` is the path of the program.
    ///
    /// # Errors
    /// If the program is not legal; reports every error at its place.
    pub fn load(sources: &mut Sources, main: SourceId, options: &LoadOptions) -> Result<Self, Diagnostics> {
        let read = ParsedP4::new(sources, main, options)?;
        Self::of_read(sources, main, &read)
    }

    /// Loads a P4 program that has been parsed.
    ///
    /// # Errors
    /// If the program is not legal; reports every error at its place.
    pub fn of_read(sources: &Sources, main: SourceId, read: &ParsedP4) -> Result<Self, Diagnostics> {
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
            // Programs with a parser bind no fields.
            binding: Binding::resolve(&[], None)?,
            warnings: warnings.render(sources, false),
            inputs: inputs(sources),
            places: Vec::new(),
            image: None,
            options: read.options.clone(),
        })
    }
}

/// A P4 program that has been parsed, but not checked.
pub struct ParsedP4 {
    /// The tokens of the program after preprocessing.
    pub tokens: Vec<p4::token::Token>,
    /// The syntax tree of the program.
    pub tree: p4::ast::Program,
    options: LoadOptions,
    warnings: Diagnostics,
    macro_uses: p4::MacroUses,
}

impl ParsedP4 {
    /// Parses a program and the files that it includes.
    ///
    /// # Errors
    /// If the preprocessor or the parser finds errors; reports every one at its place.
    pub fn new(sources: &mut Sources, main: SourceId, options: &LoadOptions) -> Result<Self, Diagnostics> {
        Self::with_files(sources, main, options, &p4::Disk)
    }

    /// Parses a program whose included files come from `files`.
    ///
    /// # Errors
    /// If the preprocessor or the parser finds errors; reports every one at its place.
    pub fn with_files(
        sources: &mut Sources,
        main: SourceId,
        options: &LoadOptions,
        files: &dyn p4::Files,
    ) -> Result<Self, Diagnostics> {
        let preprocessed = p4::preprocess(sources, main, files, &options.preprocessor());
        let (tree, found) = p4::parse(&preprocessed.tokens);
        let mut warnings = preprocessed.diagnostics;
        // If preprocessing stopped early, its own errors explain why; those of the parser about a missing end would
        // hide them.
        if preprocessed.complete || !warnings.has_errors() {
            warnings.extend(preprocessed.macro_uses.explain_all(found));
        }
        let (tokens, macro_uses) = (preprocessed.tokens, preprocessed.macro_uses);
        let read = Self { tokens, tree, options: options.clone(), warnings, macro_uses };
        if read.warnings.has_errors() { Err(in_order(read.warnings)) } else { Ok(read) }
    }

    /// Resolves names and checks types. Returns the checked program and all warnings so far.
    ///
    /// # Errors
    /// If the program is not legal; reports every error at its place.
    pub fn check(&self) -> Result<(p4::Checked<'_>, Diagnostics), Diagnostics> {
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

/// Adds the text of a file to `sources`.
///
/// # Errors
/// If the file cannot be read, or is not UTF-8.
pub fn add_file(sources: &mut Sources, path: &Path) -> Result<SourceId, Diagnostics> {
    match p4::Disk.text(path) {
        Ok(text) => Ok(sources.add(path.to_string_lossy(), text)),
        Err(reason) => Err(Diagnostic::without_place(format!("`{}` cannot be read: {reason}", path.display())).into()),
    }
}

/// Sorts findings by place, errors before warnings. Each step of the front end goes through the whole program and
/// reports separately, but a reader goes through it once.
fn in_order(findings: Diagnostics) -> Diagnostics {
    let mut sorted: Vec<Diagnostic> = findings.into_iter().collect();
    let is_warning = |finding: &Diagnostic| finding.severity != Severity::Error;
    sorted.sort_by_key(|finding| (is_warning(finding), finding.span.map(|span| (span.source, span.start))));
    let mut result = Diagnostics::new();
    result.extend(sorted);
    result
}

/// Returns diagnostics for errors in the IR that the front end produced, which are bugs of the front end.
fn faults(errors: &[String]) -> Diagnostics {
    let mut diagnostics = Diagnostics::new();
    diagnostics.extend(
        errors.iter().map(|error| {
            Diagnostic::without_place(format!("internal compiler error: {error}")).hint("please report it")
        }),
    );
    diagnostics
}

/// Returns the name of a program in reports: that of its file without folders and extension.
fn program_name(path: &str) -> String {
    if path == traffic::STANDARD_INPUT {
        return "stdin".to_owned();
    }
    Path::new(path).file_stem().map_or_else(|| "main".to_owned(), |stem| stem.to_string_lossy().into_owned())
}
