//! The journal of a sweep: the finished jobs on disk, from which an interrupted run resumes.
//!
//! Each line is a JSON text. The first identifies what the results belong to; each other line is a finished job,
//! written in one piece when it is done. A killed process leaves at most an incomplete last line, which is ignored.
//!
//! Each line ends with a checksum of everything in the file up to there, so that a changed, lost, duplicated or moved
//! line is detected. Such a journal is refused, as its results would be wrong.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use diagnostics::Diagnostic;
use serde::{Deserialize, Serialize};

use diagnostics::Failure;
use files::sealed::Sum;
use plans::Record;

use super::Measured;

/// The name and number of the file format; a journal of another format is refused.
const FORMAT: &str = "polyplane journal, format 1";
/// The separator between the text of a line and its checksum.
const SEPARATOR: u8 = b' ';
/// The number of hexadecimal digits of a checksum.
const DIGITS: usize = 16;

/// The finished jobs of one plan, run by one version of the program.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
    /// The checksum of all lines so far.
    sum: Sum,
    /// What finished jobs have measured, by the text of the key.
    finished: BTreeMap<String, Measured>,
}

#[derive(Serialize, Deserialize, PartialEq)]
struct Heading {
    /// The name and number of the format.
    is: String,
    /// A text of everything that results depend on besides their keys: plan, version, inputs.
    of: String,
}

#[derive(Serialize, Deserialize)]
struct JournalEntry {
    key: Record,
    #[serde(flatten)]
    measured: Measured,
}

impl Journal {
    /// Opens the journal at `path`, whose folders are made if need be. What is in it counts only if it belongs to the
    /// same plan, version and inputs, which `of` stands for, and unless everything shall begin again.
    ///
    /// # Errors
    /// If the file system refuses; a journal that is not as it was written.
    pub fn open(path: &Path, of: &str, begin_again: bool) -> Result<Self, Failure> {
        let file = Self::open_file(path).map_err(|error| unwritable(path, &error))?;
        // Read as bytes, since an interrupted write may end within a character.
        let bytes = if begin_again { Vec::new() } else { fs::read(path).map_err(|error| unwritable(path, &error))? };
        let damaged = |line: usize| -> Failure {
            let what = format!("the journal {} is damaged: line {line} was changed", path.display());
            let hint = "use `--fresh` to discard the journal and run everything again";
            Diagnostic::without_place(what).hint(hint).into()
        };
        let heading = Heading { is: FORMAT.to_owned(), of: of.to_owned() };
        let read = Read::of(&bytes, &heading).map_err(|Damaged { line }| damaged(line))?;
        let mut journal = Self { path: path.to_owned(), file, sum: read.sum, finished: read.finished };
        let begun = journal.file.set_len(read.length).and_then(|()| {
            journal.file.seek(SeekFrom::End(0))?;
            if read.length == 0 { journal.write(&heading) } else { Ok(()) }
        });
        begun.map_err(|error| unwritable(path, &error))?;
        Ok(journal)
    }

    fn open_file(path: &Path) -> std::io::Result<File> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)
    }

    /// Returns what a job has measured if it has finished.
    pub fn find(&self, key: &Record) -> Option<&Measured> {
        self.finished.get(&name(key))
    }

    /// Returns the number of finished jobs.
    pub fn len(&self) -> usize {
        self.finished.len()
    }

    /// Returns whether there is no finished job.
    pub fn is_empty(&self) -> bool {
        self.finished.is_empty()
    }

    /// Adds a finished job.
    ///
    /// # Errors
    /// If the file system refuses.
    pub fn add(&mut self, key: &Record, measured: &Measured) -> Result<(), Failure> {
        let entry = JournalEntry { key: key.clone(), measured: measured.clone() };
        self.write(&entry).map_err(|error| unwritable(&self.path, &error))?;
        self.finished.insert(name(key), measured.clone());
        Ok(())
    }

    /// Removes it: the results are written elsewhere now, and the next run is a run of its own.
    ///
    /// # Errors
    /// If the file system refuses.
    pub fn remove(self) -> Result<(), Failure> {
        fs::remove_file(&self.path).map_err(|error| unwritable(&self.path, &error))
    }

    /// One line in one call, so that a cut leaves whole lines before it.
    fn write(&mut self, value: &impl Serialize) -> std::io::Result<()> {
        let mut line = serde_json::to_vec(value)?;
        line.push(SEPARATOR);
        self.sum.add(&line);
        line.extend_from_slice(digits(&self.sum).as_bytes());
        line.push(b'\n');
        self.file.write_all(&line)
    }
}

/// The contents of a journal file.
struct Read {
    finished: BTreeMap<String, Measured>,
    /// The number of bytes of it that go on being used: none if it is of something else.
    length: u64,
    sum: Sum,
}

/// The number of the first line that has changed since it was written.
struct Damaged {
    line: usize,
}

impl Read {
    fn nothing() -> Self {
        Self { finished: BTreeMap::new(), length: 0, sum: Sum::new() }
    }

    fn of(bytes: &[u8], heading: &Heading) -> Result<Self, Damaged> {
        let mut read = Self::nothing();
        for (line, number) in bytes.split_inclusive(|&byte| byte == b'\n').zip(1..) {
            let damaged = || Damaged { line: number };
            let Some(text) = checked(line, &mut read.sum) else {
                // A line that was cut off is a part of one. A whole one that only lacks its end was changed there.
                let is_torn = !line.ends_with(b"\n") && checked(&with_end(line), &mut read.sum.clone()).is_none();
                if is_torn {
                    break;
                }
                return Err(damaged());
            };
            if number == 1 {
                let found: Heading = serde_json::from_slice(text).map_err(|_| damaged())?;
                if found != *heading {
                    return Ok(Self::nothing());
                }
            } else {
                let JournalEntry { key, measured } = serde_json::from_slice(text).map_err(|_| damaged())?;
                read.finished.insert(name(&key), measured);
            }
            read.length += line.len() as u64;
        }
        Ok(read)
    }
}

/// The text of a line whose checksum is that of `sum` and the line, which then is in `sum`, too.
fn checked<'l>(line: &'l [u8], sum: &mut Sum) -> Option<&'l [u8]> {
    let (summed, given) = line.strip_suffix(b"\n")?.split_last_chunk::<DIGITS>()?;
    let mut with = sum.clone();
    with.add(summed);
    if digits(&with).as_bytes() != given {
        return None;
    }
    *sum = with;
    summed.strip_suffix(&[SEPARATOR])
}

/// A line whose last byte is the end of a line.
fn with_end(line: &[u8]) -> Vec<u8> {
    let mut line = line.to_vec();
    line.pop();
    line.push(b'\n');
    line
}

fn digits(sum: &Sum) -> String {
    format!("{:0DIGITS$x}", sum.value())
}

fn name(key: &Record) -> String {
    key.to_string()
}

fn unwritable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::plain(format!("cannot write the journal {}: {error}", path.display()))
}
