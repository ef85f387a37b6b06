//! Output of the commands: what [`console`](polyplane::rooms::files::console) prints, reports, and lists of files.

use std::fmt::Display;

use polyplane::Failure;
pub use polyplane::rooms::files::console::{exit_code, print, print_json, tell};
use polyplane::rooms::files::{Finished, OutputFile};
use serde::Serialize;

/// Writes a report as Markdown into its file, if there is one, and prints it as text or as JSON.
///
/// # Errors
/// Fails if the file or standard output cannot be written.
pub fn report<R: Display + Serialize>(
    file: Option<OutputFile>,
    markdown: &str,
    report: &R,
    as_json: bool,
) -> Result<(), Failure> {
    if let Some(file) = file {
        file.finish(markdown.as_bytes())?;
    }
    if as_json { print_json(report) } else { print(&report.to_string()) }
}

/// Reports which files were written, and which files of an earlier run remain beside them.
pub fn tell_files(finished: &Finished) {
    for path in &finished.written {
        tell(&format!("wrote {}\n", path.display()));
    }
    tell_kept(finished);
}

/// Reports which files of an earlier run remain beside those that were written.
pub fn tell_kept(finished: &Finished) {
    for path in &finished.kept {
        tell(&format!("note: {} is from an earlier run\n", path.display()));
    }
}
