//! What a sweep has finished, on disk, so that a run that was cut goes on where it was.
//!
//! One JSON text a line. The first names what the results belong to; each other line is a finished job, written in one
//! piece when it is done. A process that is killed leaves at most a last line without an end, which is not looked at.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::Record;
use crate::failure::Failure;

/// The finished jobs of one plan in one version.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
    /// By the key's text.
    finished: BTreeMap<String, Record>,
}

#[derive(Serialize, Deserialize, PartialEq)]
struct Heading {
    /// Everything that results depend on beside their keys: plan, version, inputs.
    of: String,
}

#[derive(Serialize, Deserialize)]
struct Entry {
    key: Record,
    measures: Record,
}

impl Journal {
    /// Opens the journal at `path`, whose folders are made if need be. What is in it counts only if it belongs to the
    /// same plan, version and inputs, which `of` stands for, and unless everything shall begin again.
    ///
    /// # Errors
    /// What the file system says.
    pub fn open(path: &Path, of: &str, begin_again: bool) -> Result<Self, Failure> {
        Self::open_file(path, of, begin_again).map_err(|error| unwritable(path, &error))
    }

    fn open_file(path: &Path, of: &str, begin_again: bool) -> std::io::Result<Self> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
        // Bytes, not text: what a cut left behind may end within a character.
        let bytes = if begin_again { Vec::new() } else { fs::read(path)? };
        let heading = Heading { of: of.to_owned() };
        let mut lines = bytes.split_inclusive(|&byte| byte == b'\n').take_while(|line| line.ends_with(b"\n"));
        let mut finished = BTreeMap::new();
        let mut kept = 0;
        if let Some(first) = lines.next()
            && serde_json::from_slice::<Heading>(first).is_ok_and(|found| found == heading)
        {
            kept = first.len();
            for line in lines {
                let Ok(Entry { key, measures }) = serde_json::from_slice(line) else { break };
                finished.insert(name(&key), measures);
                kept += line.len();
            }
        }
        file.set_len(kept as u64)?;
        file.seek(SeekFrom::End(0))?;
        let mut journal = Self { path: path.to_owned(), file, finished };
        if kept == 0 {
            journal.write(&heading)?;
        }
        Ok(journal)
    }

    /// What a job gave, if it was finished.
    pub fn find(&self, key: &Record) -> Option<&Record> {
        self.finished.get(&name(key))
    }

    /// How many jobs it knows.
    pub fn len(&self) -> usize {
        self.finished.len()
    }

    /// True if it knows none.
    pub fn is_empty(&self) -> bool {
        self.finished.is_empty()
    }

    /// Adds a finished job.
    ///
    /// # Errors
    /// What the file system says.
    pub fn add(&mut self, key: &Record, measures: &Record) -> Result<(), Failure> {
        let entry = Entry { key: key.clone(), measures: measures.clone() };
        self.write(&entry).map_err(|error| unwritable(&self.path, &error))?;
        self.finished.insert(name(key), measures.clone());
        Ok(())
    }

    /// Removes it: the results are written elsewhere now, and the next run is a run of its own.
    ///
    /// # Errors
    /// What the file system says.
    pub fn remove(self) -> Result<(), Failure> {
        fs::remove_file(&self.path).map_err(|error| unwritable(&self.path, &error))
    }

    /// One line in one call, so that a cut leaves whole lines before it.
    fn write(&mut self, value: &impl Serialize) -> std::io::Result<()> {
        let mut line = serde_json::to_vec(value)?;
        line.push(b'\n');
        self.file.write_all(&line)
    }
}

fn name(key: &Record) -> String {
    key.to_string()
}

fn unwritable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::plain(format!("cannot write the journal {}: {error}", path.display()))
}
