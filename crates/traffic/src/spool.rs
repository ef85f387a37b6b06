//! Files that can be read only once, such as a pipe, kept so that they can be read again.

use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::{Arc, OnceLock};

/// The name of standard input, where the name of a file is expected.
pub const STANDARD_INPUT: &str = "-";

/// True for what can be read only once and from its beginning to its end: standard input, a pipe, a device.
pub fn is_stream(path: &Path) -> bool {
    path == Path::new(STANDARD_INPUT) || fs::metadata(path).is_ok_and(|it| !it.is_file() && !it.is_dir())
}

/// Begins to read a file, which need not be one that can be read again; `-` is standard input.
///
/// # Errors
/// What the file system says.
pub fn open(path: &Path) -> io::Result<Box<dyn Read + Send>> {
    Ok(if path == Path::new(STANDARD_INPUT) { Box::new(io::stdin()) } else { Box::new(File::open(path)?) })
}

/// A stream that is read to its end when its bytes are first wanted, into a file without a name that goes with the
/// process. So a capture of any length takes no memory, and traffic can be looked at before it is run.
#[derive(Debug)]
pub struct Spool {
    name: String,
    /// The bytes, or why there are none.
    kept: OnceLock<Result<Arc<File>, (io::ErrorKind, String)>>,
}

/// A spool is the stream that it is named after, whether it was read or not.
impl PartialEq for Spool {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Spool {}

impl Spool {
    /// The stream of a name, which is not opened yet.
    pub(crate) fn new(name: &str) -> Self {
        Self { name: name.to_owned(), kept: OnceLock::new() }
    }

    /// What it is called.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Starts reading it, from the beginning each time.
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

/// A reader of a file that others read, too.
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
