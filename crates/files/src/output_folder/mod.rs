//! The output folder of a command. No other command writes there at the same time, files appear under their names only
//! when all of them are complete, and files of an earlier run are removed or reported.
//!
//! Files of an earlier run are known from its `manifest.txt`, which lists each file with its hash. Only a file that
//! still has that hash is removed; files that somebody else put there or has changed since stay.

mod earlier;
mod file;

use std::collections::BTreeSet;
use std::fs::{self, File, TryLockError};
use std::io::{self, BufWriter, Write};
use std::path::{Component, Path, PathBuf};

use diagnostics::{Diagnostic, Diagnostics, Sources};

use crate::manifest::Manifest;
use diagnostics::Failure;
pub use earlier::Earlier;
pub use file::OutputFile;

/// The suffix of a file's name until the file is complete.
pub const PARTIAL: &str = ".partial";
/// The file that lists all others with their hashes.
const MANIFEST: &str = "manifest.txt";

/// A folder into which a command writes its results.
#[derive(Debug)]
pub struct OutputFolder {
    path: PathBuf,
    /// The folder itself, open and locked. The lock ends with the process, however the process ends.
    _lock: File,
    /// The folders that were created for it, the outermost first.
    made: Vec<PathBuf>,
    /// Returns true for the names that the command may write.
    is_result: fn(&str) -> bool,
    /// The files that this run has begun, under their final names.
    begun: BTreeSet<String>,
    /// Whether incomplete files stay if the run ends early.
    keeps_partial: bool,
}

impl OutputFolder {
    /// Reserves a folder for a new run, and creates it if necessary. `is_result` returns true for the names that the
    /// command may write; incomplete files of these names, left by an interrupted run, are removed.
    ///
    /// # Errors
    /// If the folder cannot be created or written, or another command is writing into it.
    pub fn take(path: &Path, is_result: fn(&str) -> bool) -> Result<Self, Failure> {
        let folder = Self::take_again(path, is_result)?;
        folder.remove_partial().map_err(|error| unwritable(path, &error))?;
        Ok(folder)
    }

    /// Reserves a folder for a run that continues with the incomplete files of an interrupted one.
    ///
    /// # Errors
    /// If the folder cannot be created or written, or another command is writing into it.
    pub fn take_again(path: &Path, is_result: fn(&str) -> bool) -> Result<Self, Failure> {
        let failed = |error: io::Error| unwritable(path, &error);
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        let missing: Vec<PathBuf> = path.ancestors().take_while(|folder| is_missing(folder)).map(Into::into).collect();
        fs::create_dir_all(path).map_err(failed)?;
        let lock = File::open(path).map_err(failed)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let error = Diagnostic::without_place(format!("another command is writing into {}", path.display()));
                return Err(error.hint("wait until it ends, or name another folder with `--out-dir`").into());
            }
            // Some file systems cannot lock folders (NFS); the run goes on without a lock.
            Err(TryLockError::Error(_)) => {}
        }
        let folder = Self {
            path: path.to_owned(),
            _lock: lock,
            made: missing.into_iter().rev().collect(),
            is_result,
            begun: BTreeSet::new(),
            keeps_partial: false,
        };
        // Whether files can be created there is found out by creating one.
        let probe = folder.path.join(".polyplane.partial");
        File::create(&probe).and_then(|_| fs::remove_file(&probe)).map_err(failed)?;
        Ok(folder)
    }

    /// Returns the path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Keeps incomplete files if the run ends early, so that a later run can continue with them.
    pub fn keep_partial(&mut self) {
        self.keeps_partial = true;
    }

    /// Checks that no result would overwrite an input.
    ///
    /// # Errors
    /// If an input lies in the folder under the name of a result; reports every such file.
    pub fn refuse_inputs<'p>(&self, inputs: impl Iterator<Item = &'p Path>) -> Result<(), Failure> {
        let Ok(whole) = fs::canonicalize(&self.path) else { return Ok(()) };
        let lies_there = |path: &Path| {
            let parent = match path.parent() {
                Some(parent) if parent.as_os_str().is_empty() => Path::new("."),
                Some(parent) => parent,
                None => return false,
            };
            let is_result = path.file_name().is_some_and(|name| self.may_write(&name.to_string_lossy()));
            is_result && fs::canonicalize(parent).is_ok_and(|parent| parent == whole)
        };
        let mut refused = Diagnostics::new();
        for path in inputs {
            // For a symbolic link, both the link and its target must lie elsewhere.
            if lies_there(path) || fs::canonicalize(path).is_ok_and(|target| lies_there(&target)) {
                let (path, folder) = (path.display(), self.path.display());
                let message = format!("{path} is an input, and the results in {folder} would overwrite it");
                refused.push(Diagnostic::without_place(message).hint("name another folder with `--out-dir`"));
            }
        }
        refused.into_result(()).map_err(|diagnostics| Failure::BadInput { sources: Sources::new(), diagnostics })
    }

    /// Begins a file, which gets its name when all files are complete. `name` must be a relative path without `..`.
    ///
    /// # Errors
    /// If the file system reports an error.
    pub fn begin(&mut self, name: &str) -> io::Result<BufWriter<File>> {
        let is_within = Path::new(name).components().all(|part| matches!(part, Component::Normal(_)));
        debug_assert!(is_within, "`{name}` is not within the folder");
        let partial = self.partial(name);
        fs::create_dir_all(partial.parent().unwrap_or(&self.path))?;
        let file = File::create(partial)?;
        self.begun.insert(name.to_owned());
        Ok(BufWriter::new(file))
    }

    /// Writes a whole file, which gets its name when all files are complete.
    ///
    /// # Errors
    /// If the file system reports an error.
    pub fn write(&mut self, name: &str, bytes: &[u8]) -> Result<(), Failure> {
        let written = self.begin(name).and_then(|mut file| file.write_all(bytes).and_then(|()| file.flush()));
        written.map_err(|error| unwritable(&self.path, &error))
    }

    /// Adds a file that other code has written into the folder under its name followed by [`PARTIAL`]. It gets its name
    /// when all files are complete.
    ///
    /// # Errors
    /// If there is no such file in the folder.
    pub fn adopt(&mut self, written: &Path) -> Result<(), Failure> {
        let name = written.file_name().and_then(|name| name.to_str()).and_then(|name| name.strip_suffix(PARTIAL));
        let Some(name) = name.filter(|name| self.partial(name).is_file()) else {
            let error = format!("{} is not a partial file in {}", written.display(), self.path.display());
            return Err(Failure::plain(error));
        };
        self.begun.insert(name.to_owned());
        Ok(())
    }

    /// Ends the run: all files get their names, the manifest last, and files of an earlier run are removed or kept as
    /// `earlier` says. The hashes of files that `manifest` does not name are added to it. Returns the files that were
    /// written, in order, and the files of earlier runs that are still there.
    ///
    /// # Errors
    /// If the file system reports an error. Then no file has got its name, unless the file system failed half way.
    pub fn finish(mut self, manifest: &Manifest, earlier: Earlier) -> Result<Finished, Failure> {
        self.end(manifest, earlier).map_err(|error| unwritable(&self.path, &error))
    }

    /// Writes texts, given with their names, and ends the run as [`OutputFolder::finish`] does. The text called
    /// `manifest.txt` is the manifest.
    ///
    /// # Errors
    /// If the file system reports an error.
    ///
    /// # Panics
    /// If there is no manifest.
    pub fn finish_texts(mut self, texts: &[(String, String)], earlier: Earlier) -> Result<Finished, Failure> {
        let mut manifest = None;
        for (name, text) in texts {
            match name.as_str() {
                MANIFEST => manifest = Some(Manifest::of_text(text)),
                _ => self.write(name, text.as_bytes())?,
            }
        }
        self.finish(&manifest.expect("every run has a manifest"), earlier)
    }

    fn end(&mut self, manifest: &Manifest, earlier: Earlier) -> io::Result<Finished> {
        let mut manifest = manifest.clone();
        let text = manifest.to_text();
        let named: BTreeSet<&str> = Manifest::outputs(&text).map(|(name, _)| name).collect();
        for name in self.begun.iter().filter(|name| !named.contains(name.as_str()) && *name != MANIFEST) {
            manifest.output_of(name, earlier::hash(&self.partial(name))?);
        }
        let before = earlier::left(&self.path, &manifest, earlier)?;
        before.kept_in(&mut manifest);
        self.begin(MANIFEST)?.write_all(manifest.to_text().as_bytes())?;
        // A folder of that name would make the renaming fail half way.
        if let Some(name) = self.begun.iter().find(|name| self.path.join(name).is_dir()) {
            return Err(io::Error::other(format!("{name} is a folder")));
        }
        before.remove(&self.path)?;
        let mut names = std::mem::take(&mut self.begun);
        names.remove(MANIFEST);
        for name in names.iter().map(String::as_str).chain([MANIFEST]) {
            fs::rename(self.partial(name), self.path.join(name))?;
        }
        self.made.clear();
        // Partial files of an interrupted run, which are not needed any more.
        self.remove_partial()?;
        let written = names.iter().map(String::as_str).chain([MANIFEST]).map(|name| self.path.join(name)).collect();
        Ok(Finished { written, kept: before.kept().map(|name| self.path.join(name)).collect() })
    }

    fn partial(&self, name: &str) -> PathBuf {
        self.path.join(format!("{name}{PARTIAL}"))
    }

    /// Returns true if the command may write or remove a file of this name.
    fn may_write(&self, name: &str) -> bool {
        let name = name.strip_suffix(PARTIAL).unwrap_or(name);
        name == MANIFEST || (self.is_result)(name)
    }

    fn remove_partial(&self) -> io::Result<()> {
        for entry in fs::read_dir(&self.path)? {
            let name = entry?.file_name();
            let name = name.to_string_lossy();
            if name.ends_with(PARTIAL) && self.may_write(&name) {
                fs::remove_file(self.path.join(&*name))?;
            }
        }
        Ok(())
    }
}

impl Drop for OutputFolder {
    /// Removes incomplete files, unless a later run is to continue with them, and folders that were created for
    /// nothing.
    fn drop(&mut self) {
        // If removing fails, there is nothing left to do.
        if !self.keeps_partial {
            for name in &self.begun {
                let _ = fs::remove_file(self.partial(name));
            }
            let _ = self.remove_partial();
        }
        // Folders that are not empty stay.
        for folder in self.made.iter().rev() {
            let _ = fs::remove_dir(folder);
        }
    }
}

/// The files in a finished folder.
#[derive(Debug, Default)]
pub struct Finished {
    /// The files of this run, in order of their names, and last the manifest.
    pub written: Vec<PathBuf>,
    /// Files of earlier runs that are still there.
    pub kept: Vec<PathBuf>,
}

fn is_missing(folder: &Path) -> bool {
    !folder.as_os_str().is_empty() && !folder.exists()
}

fn unwritable(folder: &Path, error: &io::Error) -> Failure {
    Failure::plain(format!("cannot write results into {}: {error}", folder.display()))
}
