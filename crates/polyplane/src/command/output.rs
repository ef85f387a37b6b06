//! Output of the commands. A reader that has seen enough (`polyplane … | head`) closes the pipe; this is not an error,
//! and the exit status still reflects the result. (`print!` would panic.)

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

/// Prints a result as JSON.
pub fn print_json(value: &impl serde::Serialize) -> Result<(), Failure> {
    print(&json(value))
}

/// Returns a result as JSON that ends with a line break.
pub fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string_pretty(value).expect("the keys of all maps in results are strings") + "\n"
}

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

/// Prints text that is not part of the result (warnings, progress, errors) to standard error.
pub fn tell(text: &str) {
    // If standard error is closed, nobody reads it.
    let _ = stderr().write_all(text.as_bytes());
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

/// Formats a table for a terminal: columns of numbers are aligned to the right, all others to the left.
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
