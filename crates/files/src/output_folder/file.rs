//! A single output file of a command.

use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use diagnostics::Diagnostic;

use super::PARTIAL;
use diagnostics::Failure;

/// A file that a command writes when its work is done. It appears under its name only when it is complete.
#[derive(Debug)]
pub struct OutputFile {
    path: PathBuf,
    partial: PathBuf,
    /// The partial file, locked so that two commands never write the same file.
    file: File,
    is_finished: bool,
}

impl OutputFile {
    /// Reserves a file before the work begins, and creates the folders above it.
    ///
    /// # Errors
    /// If the file cannot be written, or another command is writing it.
    pub fn take(path: &Path) -> Result<Self, Failure> {
        let mut partial = path.as_os_str().to_owned();
        partial.push(PARTIAL);
        let partial = PathBuf::from(partial);
        let open = || {
            if path.is_dir() {
                return Err(io::Error::from(io::ErrorKind::IsADirectory));
            }
            if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
                fs::create_dir_all(folder)?;
            }
            File::options().write(true).create(true).truncate(false).open(&partial)
        };
        let file = open().map_err(|error| unwritable(path, &error))?;
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            let error = Diagnostic::without_place(format!("another command is writing {}", path.display()));
            return Err(error.hint("wait until it ends, or name another file").into());
        }
        Ok(Self { path: path.to_owned(), partial, file, is_finished: false })
    }

    /// Writes the whole file and gives it its name.
    ///
    /// # Errors
    /// If the file system reports an error.
    pub fn finish(mut self, bytes: &[u8]) -> Result<(), Failure> {
        let mut write = || {
            self.file.set_len(0)?;
            self.file.write_all(bytes)?;
            fs::rename(&self.partial, &self.path)
        };
        write().map_err(|error| unwritable(&self.path, &error))?;
        self.is_finished = true;
        Ok(())
    }
}

impl Drop for OutputFile {
    /// Removes the partial file if it was not finished.
    fn drop(&mut self) {
        if !self.is_finished {
            // If removing fails, there is nothing left to do.
            let _ = fs::remove_file(&self.partial);
        }
    }
}

fn unwritable(path: &Path, error: &io::Error) -> Failure {
    Failure::plain(format!("cannot write {}: {error}", path.display()))
}
