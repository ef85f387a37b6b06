//! The sources of included files: the file system, a map (for tests), or a function.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use diagnostics::{Diagnostic, Diagnostics};

use crate::limits::MOST_FILE_BYTES;

/// A provider of the texts of included files.
pub trait Files {
    /// Returns the text of the file at `path`, or `None` if there is no such file.
    ///
    /// # Errors
    /// Returns the reason if the file exists but cannot be read.
    fn read(&self, path: &str) -> Result<Option<String>, String>;
}

/// The file system. Bytes that are not valid UTF-8, which occasionally occur in comments, are read as U+FFFD; the
/// preprocessor warns about them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Disk;

impl Disk {
    /// Returns the text of a file that must exist, such as the program itself. A text that is longer than a program may
    /// be is truncated to one byte more than [`MOST_FILE_BYTES`], so that the caller can tell that it is too long.
    ///
    /// The content of a pipe can be read only once and is therefore cached: determining the language of a program does
    /// not consume its text. The path `-` stands for standard input, which is cached in the same way.
    ///
    /// # Errors
    /// Returns the reason if the file cannot be read. Folders and devices (which may never end) are refused, and so are
    /// texts that contain a zero byte.
    pub fn text(self, path: &Path) -> Result<String, String> {
        let in_words = |error: io::Error| error.to_string();
        if path == Path::new("-") {
            return kept(path, || text_of(io::stdin()));
        }
        let kind = std::fs::metadata(path).map_err(in_words)?.file_type();
        let read = || text_of(File::open(path).map_err(in_words)?);
        match (kind.is_file(), kind.is_fifo()) {
            (true, _) => read(),
            (_, true) => kept(path, read),
            _ => Err("it is not a file".to_owned()),
        }
    }

    /// Returns the text of the program in a file; `-` stands for standard input.
    ///
    /// # Errors
    /// Returns the reason if the file cannot be read, with the name of the language in the hint.
    pub fn program(self, path: &Path, language: &str) -> Result<String, Diagnostics> {
        self.text(path).map_err(|reason| {
            let error = Diagnostic::without_place(format!("`{}` cannot be read: {reason}", path.display()));
            Diagnostics::from(error.hint(format!("name a file that contains a {language} program")))
        })
    }
}

/// Returns the name of a program in this file: the file name without its extension, `stdin` for standard input (`-`),
/// or `program` if the path has no file name.
pub fn program_name(path: &str) -> String {
    if path == "-" {
        return "stdin".to_owned();
    }
    Path::new(path).file_stem().map_or_else(|| "program".to_owned(), |stem| stem.to_string_lossy().into_owned())
}

/// The texts of streams, or the errors that occurred while reading them, by path.
type Streams = BTreeMap<PathBuf, Result<String, String>>;

/// Returns the text of a stream, which is read on first use and cached.
fn kept(path: &Path, read: impl FnOnce() -> Result<String, String>) -> Result<String, String> {
    static STREAMS: Mutex<Streams> = Mutex::new(Streams::new());
    let mut streams = STREAMS.lock().unwrap_or_else(PoisonError::into_inner);
    streams.entry(path.to_owned()).or_insert_with(read).clone()
}

fn text_of(file: impl Read) -> Result<String, String> {
    let mut bytes = Vec::new();
    file.take(MOST_FILE_BYTES as u64 + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    match bytes.iter().position(|&byte| byte == 0) {
        Some(at) => Err(format!("it is not text: byte {at} is zero")),
        None => Ok(String::from_utf8_lossy(&bytes).into_owned()),
    }
}

impl Files for Disk {
    fn read(&self, path: &str) -> Result<Option<String>, String> {
        let absent = |error: &io::Error| matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory);
        match std::fs::metadata(path) {
            Err(error) if absent(&error) => Ok(None),
            // Another search path may have a file where this one has a folder.
            Ok(metadata) if metadata.is_dir() => Ok(None),
            // Only the program itself may be read from a pipe.
            Ok(metadata) if !metadata.is_file() => Err("it is not a file".to_owned()),
            _ => self.text(Path::new(path)).map(Some),
        }
    }
}

/// Provides the texts stored under their paths.
impl Files for BTreeMap<String, String> {
    fn read(&self, path: &str) -> Result<Option<String>, String> {
        Ok(self.get(path).cloned())
    }
}

/// Provides the text that the function returns for a path. Such a function cannot say that a file does not exist, only
/// why it has no text.
impl<F: Fn(&str) -> Result<String, String>> Files for F {
    fn read(&self, path: &str) -> Result<Option<String>, String> {
        self(path).map(Some)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_named_after_its_file() {
        assert_eq!(program_name("programs/domino/flowlet/flowlet.c"), "flowlet");
        assert_eq!(program_name("programs/microcode/filter/filter.mc"), "filter");
        assert_eq!(program_name("spam-detection.c"), "spam-detection");
        assert_eq!(program_name("ip-router.mc"), "ip-router");
        assert_eq!(program_name(""), "program");
        assert_eq!(program_name("-"), "stdin");
    }
}
