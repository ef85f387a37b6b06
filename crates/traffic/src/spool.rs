//! Inputs that can be read only once, such as pipes, stored so that they can be read again.

use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::{Arc, OnceLock};

/// The name of standard input where the name of a file is expected.
pub const STANDARD_INPUT: &str = "-";

/// Returns true for what can only be read once from beginning to end: standard input, a pipe, a device.
pub fn is_stream(path: &Path) -> bool {
    path == Path::new(STANDARD_INPUT) || fs::metadata(path).is_ok_and(|it| !it.is_file() && !it.is_dir())
}

/// Opens a file that need not be readable more than once; `-` is standard input.
///
/// # Errors
///
/// Returns the error of the file system if the file cannot be opened.
pub fn open(path: &Path) -> io::Result<Box<dyn Read + Send>> {
    Ok(if path == Path::new(STANDARD_INPUT) { Box::new(io::stdin()) } else { Box::new(File::open(path)?) })
}

/// A stream that is read to its end into an anonymous temporary file when its bytes are first needed. A capture of any
/// length therefore takes no memory, and traffic can be inspected before it is run.
#[derive(Debug)]
pub struct Spool {
    name: String,
    /// The bytes, or the error of reading them.
    kept: OnceLock<Result<Arc<File>, (io::ErrorKind, String)>>,
}

/// Two spools are equal if they have the same name, whether they were read or not.
impl PartialEq for Spool {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Spool {}

impl Spool {
    /// Returns the stream of a name, without opening it.
    pub(crate) fn new(name: &str) -> Self {
        Self { name: name.to_owned(), kept: OnceLock::new() }
    }

    /// Returns the name of the stream.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Opens the stored bytes for reading from the beginning.
    pub(crate) fn open(&self) -> io::Result<impl Read + Send + use<>> {
        let kept =
            self.kept.get_or_init(|| keep(Path::new(&self.name)).map_err(|error| (error.kind(), error.to_string())));
        match kept {
            Ok(file) => Ok(At { file: Arc::clone(file), offset: 0 }),
            Err((kind, message)) => Err(io::Error::new(*kind, message.clone())),
        }
    }
}

fn keep(path: &Path) -> io::Result<Arc<File>> {
    let mut kept = tempfile::tempfile()?;
    io::copy(&mut open(path)?, &mut kept)?;
    Ok(Arc::new(kept))
}

/// A reader with its own offset in a shared file.
struct At {
    file: Arc<File>,
    offset: u64,
}

impl Read for At {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read_at(buffer, self.offset)?;
        self.offset += count as u64;
        Ok(count)
    }
}
