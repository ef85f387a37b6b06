//! Where texts come from: the disk, a map in a test, this crate itself.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{ErrorKind, Read};

use crate::limits::MOST_FILE_BYTES;

/// Gives the texts of included files.
pub trait Files {
    /// The text at this path, or `None` if there is no such file.
    ///
    /// # Errors
    /// Why a file that is there cannot be read.
    fn read(&self, path: &str) -> Result<Option<String>, String>;
}

/// The files of the file system. Bytes that are not UTF-8, which comments hold at times, read as `\u{fffd}`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Disk;

impl Files for Disk {
    fn read(&self, path: &str) -> Result<Option<String>, String> {
        let absent = |error: &std::io::Error| matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory);
        let file = match File::open(path) {
            Ok(file) => file,
            Err(error) if absent(&error) => return Ok(None),
            Err(error) => return Err(error.to_string()),
        };
        if file.metadata().is_ok_and(|metadata| metadata.is_dir()) {
            return Ok(None);
        }
        let mut bytes = Vec::new();
        // One byte more than fits, so that a file that is too long is seen to be, and one without end ends.
        let read = file.take(MOST_FILE_BYTES as u64 + 1).read_to_end(&mut bytes);
        read.map_err(|error| error.to_string())?;
        Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
    }
}

/// Texts by their paths.
impl Files for BTreeMap<String, String> {
    fn read(&self, path: &str) -> Result<Option<String>, String> {
        Ok(self.get(path).cloned())
    }
}

/// The text of a file that Polyplane brings along. They are our own: what they declare is what the language
/// specification and the documentation of v1model say that programs may use.
pub(crate) fn built_in(path: &str) -> Option<&'static str> {
    match path {
        "core.p4" => Some(include_str!("../include/core.p4")),
        "v1model.p4" => Some(include_str!("../include/v1model.p4")),
        _ => None,
    }
}
