//! The figures of one feature, as lines of a table.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::Value;

/// The figures of a feature.
pub struct Report {
    feature: String,
    lines: String,
    notes: Vec<String>,
}

impl Report {
    pub fn new(feature: &str) -> Self {
        Self { feature: feature.to_owned(), lines: String::new(), notes: Vec::new() }
    }

    /// Begins the line of a version of IP.
    pub fn version(&mut self, version: &str) {
        if !self.lines.is_empty() {
            self.lines.push('\n');
        }
        // Writing into a string cannot fail.
        let _ = write!(self.lines, "| {} | {version} |", self.feature);
    }

    /// Adds a figure to the line.
    pub fn add(&mut self, figure: String) {
        let _ = write!(self.lines, " {figure} |");
    }

    /// Notes what a switch has discarded.
    pub fn note(&mut self, discarded: &Value) {
        self.notes.push(discarded.to_string());
    }

    /// Writes the lines into the folder that is asked for, if one is, and prints them.
    pub fn write(&self) {
        println!("{}\ndiscarded: {}", self.lines, self.notes.join(" and "));
        if let Some(folder) = std::env::var_os("POLYPLANE_TOOLS_REPORT") {
            let name: String =
                self.feature.chars().map(|letter| if letter.is_alphanumeric() { letter } else { '-' }).collect();
            let (path, notes) = (Path::new(&folder).join(name), self.notes.join(" and "));
            let written = std::fs::create_dir_all(&folder)
                .and_then(|()| std::fs::write(path.with_extension("md"), format!("{}\n", self.lines)))
                .and_then(|()| std::fs::write(path.with_extension("drops"), format!("{}: {notes}\n", self.feature)));
            written.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        }
    }
}

/// Returns for how many seconds a tool runs, at least 1; `None` for as short as it can.
pub fn seconds() -> Option<u64> {
    let text = std::env::var("POLYPLANE_TOOLS_SECONDS").ok()?;
    Some(
        text.parse::<u64>()
            .unwrap_or_else(|_| panic!("POLYPLANE_TOOLS_SECONDS is `{text}`: a number of seconds is wanted"))
            .max(1),
    )
}
