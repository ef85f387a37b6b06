//! What the command says. A reader that has seen enough (`polyplane … | head`) closes the pipe; that is no failure, and
//! the exit status still says what was found. `print!` would panic.

use std::fmt::Display;
use std::io::{ErrorKind, Write, stderr, stdout};

use polyplane::Failure;
use polyplane::rooms::files::{Finished, OutputFile};
use polyplane::rooms::report::Table;
use serde::Serialize;

/// Prints a result.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut stdout = stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::plain(format!("cannot write the result: {error}")))
        }
        _ => Ok(()),
    }
}

/// Prints a result as JSON, for scripts.
pub fn print_json(value: &impl serde::Serialize) -> Result<(), Failure> {
    print(&json(value))
}

/// A result as JSON, with a final line end.
pub fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string_pretty(value).expect("results have no maps with odd keys") + "\n"
}

/// Writes a report as Markdown into its file, if there is one, and prints it as text or as JSON.
///
/// # Errors
/// What the file system says of the file or of the standard output.
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

/// Tells what is no part of the result: warnings, progress, failures.
pub fn tell(text: &str) {
    // Whoever closed this stream does not want to know.
    let _ = stderr().write_all(text.as_bytes());
}

/// Tells which files were written, and which of an earlier run are still beside them.
pub fn tell_files(finished: &Finished) {
    for path in &finished.written {
        tell(&format!("wrote {}\n", path.display()));
    }
    tell_kept(finished);
}

/// Tells which files of an earlier run are still beside those that were written.
pub fn tell_kept(finished: &Finished) {
    for path in &finished.kept {
        tell(&format!("note: {} is of an earlier run\n", path.display()));
    }
}

/// A table for a terminal: numbers to the right, all else to the left.
pub fn aligned(table: &Table) -> String {
    let rows = || std::iter::once(&table.header).chain(&table.rows);
    let width = |column: usize| rows().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..table.header.len()).map(width).collect();
    let is_number = |column: usize| table.rows.iter().all(|row| row[column].starts_with(|c: char| c.is_ascii_digit()));
    let numbers: Vec<bool> = (0..table.header.len()).map(is_number).collect();
    let mut text = String::new();
    for row in rows() {
        let cells = row.iter().zip(&widths).enumerate().map(|(column, (cell, &width))| {
            if numbers[column] { format!("{cell:>width$}") } else { format!("{cell:<width$}") }
        });
        text.push_str(cells.collect::<Vec<_>>().join("  ").trim_end());
        text.push('\n');
    }
    text
}
