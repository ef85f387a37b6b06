//! Reads texts that people write, up to a limit, so that a file of gigabytes or an endless device is rejected.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use diagnostics::Failure;

/// The maximum size of a plan, graph or matrix, in bytes; enough for the connections of a few hundred thousand hosts.
const LONGEST: u64 = 64 << 20;

/// The name of a plan from standard input.
const OF_STANDARD_INPUT: &str = "stdin";

/// Reads the text of a file, or of standard input if the path is `-`.
///
/// # Errors
/// If the file cannot be read, is longer than 64 MiB, or is not UTF-8.
pub fn read_text(path: &Path) -> io::Result<String> {
    read_up_to(traffic::open(path)?, LONGEST)
}

/// The text of a plan that was named on the command line, before it is parsed.
#[derive(Clone, Debug)]
pub struct PlanText {
    /// The name of the plan and of its results: that of its file without folders and extension, or `stdin` for standard
    /// input.
    pub name: String,
    /// The path, as diagnostics show it.
    pub path: String,
    /// The contents.
    pub text: String,
    /// The folder to which paths in the plan are relative: that of its file, or the current one (an empty path) for
    /// standard input and other streams, which are in no folder.
    pub folder: PathBuf,
}

impl PlanText {
    /// Reads a plan from its file, from a pipe, or from standard input (`-`).
    ///
    /// # Errors
    /// If the plan cannot be read, is longer than 64 MiB, or is not UTF-8.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        let text =
            read_text(path).map_err(|error| Failure::plain(format!("cannot read {}: {error}", path.display())))?;
        let name = match path.file_stem() {
            _ if path == Path::new(traffic::STANDARD_INPUT) => OF_STANDARD_INPUT.into(),
            stem => stem.unwrap_or_default().to_string_lossy().into_owned(),
        };
        let folder = if traffic::is_stream(path) { None } else { path.parent() };
        Ok(Self { name, path: path.display().to_string(), text, folder: folder.unwrap_or(Path::new("")).to_owned() })
    }
}

fn read_up_to(file: impl Read, longest: u64) -> io::Result<String> {
    let mut bytes = Vec::new();
    file.take(longest + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > longest {
        return Err(io::Error::other(format!("it is longer than {} MiB", longest >> 20)));
    }
    String::from_utf8(bytes).map_err(|error| {
        let before = String::from_utf8_lossy(&error.as_bytes()[..error.utf8_error().valid_up_to()]);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        io::Error::other(format!("it is not UTF-8 text: a byte in line {line}, column {column} is invalid"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_over_the_limit_is_rejected() {
        let refused = read_up_to(io::repeat(b'#'), 1 << 20).expect_err("too long");
        assert_eq!(refused.to_string(), "it is longer than 1 MiB");
        assert_eq!(read_up_to(&b"[topology]"[..], 10).expect("short enough"), "[topology]");
        let refused = read_up_to("a = 1\nné".bytes().chain([0xff]).collect::<Vec<u8>>().as_slice(), 20);
        let refused = refused.expect_err("no text");
        assert_eq!(refused.to_string(), "it is not UTF-8 text: a byte in line 2, column 3 is invalid");
    }
}
