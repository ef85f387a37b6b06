//! Texts that people write, read up to a limit: a file of gigabytes, or a device without an end, is none.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use diagnostics::Failure;

/// The longest plan, graph or matrix that is read, in bytes: the connections of some hundred thousand hosts.
const LONGEST: u64 = 64 << 20;

/// What a plan from standard input is called.
const OF_STANDARD_INPUT: &str = "stdin";

/// The text of a file; `-` is standard input.
///
/// # Errors
/// What the file system says; a text that is too long, or none.
pub fn read_text(path: &Path) -> io::Result<String> {
    read_up_to(traffic::open(path)?, LONGEST)
}

/// A plan that a person names on the command line, before anything in it is understood.
#[derive(Clone, Debug)]
pub struct PlanText {
    /// What the plan is called, as its results are: its file without folders and ending; `stdin` for standard input.
    pub name: String,
    /// The path, as diagnostics show it.
    pub path: String,
    /// What stands in it.
    pub text: String,
    /// The folder from which the plan names files: that of its file; the current one (an empty path) for standard input
    /// and other streams, which lie nowhere.
    pub folder: PathBuf,
}

impl PlanText {
    /// Reads a plan from its file, from a pipe, or from standard input (`-`).
    ///
    /// # Errors
    /// It cannot be read, is too long, or is no text.
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
        let at = error.utf8_error().valid_up_to();
        io::Error::other(format!("it is no text: the byte at {at} is not UTF-8"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_without_an_end_is_refused_and_not_kept() {
        let refused = read_up_to(io::repeat(b'#'), 1 << 20).expect_err("too long");
        assert_eq!(refused.to_string(), "it is longer than 1 MiB");
        assert_eq!(read_up_to(&b"[topology]"[..], 10).expect("short enough"), "[topology]");
        let refused = read_up_to(&b"seed\xff"[..], 10).expect_err("no text");
        assert_eq!(refused.to_string(), "it is no text: the byte at 4 is not UTF-8");
    }
}
