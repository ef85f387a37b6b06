//! Reads files with the text of a pipeline, which is a program that has been compiled already.

use std::path::Path;

use diagnostics::{Diagnostic, Diagnostics, Sources, Span};
use ir::pipeline::Pipeline;

use super::{Language, read_text};
use diagnostics::Failure;

/// Reads a pipeline from a file, as `compile --emit pipeline` prints it. Returns `None` if the file contains something
/// else or cannot be read.
///
/// # Errors
/// If the text has errors, or the pipeline does not pass verification; reports every error at its place.
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

pub(super) fn is_pipeline(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim);
    let first = lines.find(|line| !line.is_empty() && !line.starts_with("//"));
    first.is_some_and(|line| line.starts_with("pipeline "))
}
