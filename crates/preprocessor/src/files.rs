//! Where texts come from: the disk, a map in a test, a function.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::limits::MOST_FILE_BYTES;

/// Gives the texts of included files.
pub trait Files {
    /// The text at this path, or `None` if there is no such file.
    ///
    /// # Errors
    /// Why a file that is there cannot be read.
    fn read(&self, path: &str) -> Result<Option<String>, String>;
}

/// The files of the file system. Bytes that are not UTF-8, which comments hold at times, read as `\u{fffd}`; the
/// preprocessor warns of them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Disk;

impl Disk {
    /// The text of a file that has to be there, such as the program itself. A text longer than a program may have is
    /// cut off behind [`MOST_FILE_BYTES`], so that whoever looks sees that it is too long.
    ///
    /// A pipe gives its text once, so that it is kept: whoever looks in which language a program is takes it from nobody.
    ///
    /// # Errors
    /// Why it cannot be read. Folders and devices, which may never end, are not, and nothing that no person wrote; a pipe
    /// is, and `-` is standard input.
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
}

/// The texts of streams by their paths, or why there is none.
type Streams = BTreeMap<PathBuf, Result<String, String>>;

/// The text of a stream, which is read when it is first asked for.
fn kept(path: &Path, read: impl FnOnce() -> Result<String, String>) -> Result<String, String> {
    static STREAMS: Mutex<Streams> = Mutex::new(Streams::new());
    let mut streams = STREAMS.lock().unwrap_or_else(PoisonError::into_inner);
    streams.entry(path.to_owned()).or_insert_with(read).clone()
}

fn text_of(file: impl Read) -> Result<String, String> {
    let mut bytes = Vec::new();
    file.take(MOST_FILE_BYTES as u64 + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    match bytes.iter().position(|&byte| byte == 0) {
        Some(at) => Err(format!("it is no text (byte {at})")),
        None => Ok(String::from_utf8_lossy(&bytes).into_owned()),
    }
}

impl Files for Disk {
    fn read(&self, path: &str) -> Result<Option<String>, String> {
        let absent = |error: &io::Error| matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory);
        match std::fs::metadata(path) {
            Err(error) if absent(&error) => Ok(None),
            // Another folder may have a file where this one has a folder.
            Ok(metadata) if metadata.is_dir() => Ok(None),
            // Only the program itself may come through a pipe.
            Ok(metadata) if !metadata.is_file() => Err("it is not a file".to_owned()),
            _ => self.text(Path::new(path)).map(Some),
        }
    }
}

/// Texts by their paths.
impl Files for BTreeMap<String, String> {
    fn read(&self, path: &str) -> Result<Option<String>, String> {
        Ok(self.get(path).cloned())
    }
}

/// A function that knows every file that it is asked for, or says why it gives none.
impl<F: Fn(&str) -> Result<String, String>> Files for F {
    fn read(&self, path: &str) -> Result<Option<String>, String> {
        self(path).map(Some)
    }
}
