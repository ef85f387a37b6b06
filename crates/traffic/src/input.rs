//! Where a file's bytes come from, and how findings about it are told.

use std::fmt;
use std::io::{self, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use diagnostics::{Diagnostic, Diagnostics, Sources, Span};

use crate::spool::{Spool, is_stream};

/// A file, which can be read more than once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// On disk.
    Path(PathBuf),
    /// What can be read only once, such as standard input; it is kept while it is read.
    Stream(Arc<Spool>),
    /// In memory, under a name.
    Bytes {
        /// What findings call it.
        name: String,
        /// What it holds.
        bytes: Arc<[u8]>,
    },
}

impl Input {
    /// Bytes in memory.
    pub fn of_bytes(name: impl Into<String>, bytes: impl Into<Arc<[u8]>>) -> Self {
        Self::Bytes { name: name.into(), bytes: bytes.into() }
    }

    /// The file of a name; `-` is standard input.
    pub fn named(path: &Path) -> Self {
        if is_stream(path) {
            Self::Stream(Arc::new(Spool::new(&path.to_string_lossy())))
        } else {
            Self::Path(path.to_owned())
        }
    }

    /// Where it is on disk, if it is there.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::Path(path) => Some(path),
            Self::Stream(_) | Self::Bytes { .. } => None,
        }
    }

    /// Starts reading it.
    ///
    /// # Errors
    /// What the file system says.
    pub fn open(&self) -> io::Result<Box<dyn Read + Send>> {
        Ok(match self {
            Self::Path(path) => Box::new(std::fs::File::open(path)?),
            Self::Stream(spool) => Box::new(spool.open()?),
            Self::Bytes { bytes, .. } => Box::new(io::Cursor::new(Arc::clone(bytes))),
        })
    }

    /// What it is called without the folders that it lies in.
    pub(crate) fn file_name(&self) -> String {
        match self {
            Self::Path(path) => path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            Self::Stream(spool) => spool.name().to_owned(),
            Self::Bytes { name, .. } => name.clone(),
        }
    }

    /// The finding that it cannot be read.
    pub(crate) fn unreadable(&self, error: &io::Error) -> Diagnostic {
        Diagnostic::without_place(self.cannot_read(error))
    }

    /// That it cannot be read.
    pub(crate) fn cannot_read(&self, error: &io::Error) -> String {
        format!("cannot read {self}: {error}")
    }

    /// That it is not what it was when it was read first.
    pub(crate) fn has_changed(&self) -> String {
        format!("{self} has changed while it was read")
    }
}

impl fmt::Display for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Path(path) => path.display().fmt(f),
            Self::Stream(spool) => f.write_str(spool.name()),
            Self::Bytes { name, .. } => f.write_str(name),
        }
    }
}

/// Findings at places of a text that is read as a stream.
#[derive(Default)]
pub(crate) struct TextFindings {
    found: Vec<TextFinding>,
    rest: u64,
}

struct TextFinding {
    place: Place,
    message: String,
    hint: String,
    is_error: bool,
}

/// A place in a text file.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// The bytes of the file.
    pub(crate) bytes: Range<u64>,
    /// The line, from 1.
    pub(crate) line: u64,
    /// The column, from 1, in bytes.
    pub(crate) column: u64,
}

/// More findings than this help nobody.
const MOST: usize = 100;
/// Findings underline a text up to here; beyond, they name line and column only.
const SHOWN: u64 = 16 << 20;

impl TextFindings {
    pub(crate) fn error(&mut self, place: Place, message: impl Into<String>, hint: impl Into<String>) {
        self.push(place, message.into(), hint.into(), true);
    }

    pub(crate) fn warning(&mut self, place: Place, message: impl Into<String>, hint: impl Into<String>) {
        self.push(place, message.into(), hint.into(), false);
    }

    fn push(&mut self, place: Place, message: String, hint: String, is_error: bool) {
        if self.found.len() < MOST {
            self.found.push(TextFinding { place, message, hint, is_error });
        } else {
            self.rest += 1;
        }
    }

    pub(crate) fn has_errors(&self) -> bool {
        self.found.iter().any(|finding| finding.is_error)
    }

    /// The findings as diagnostics, with the text from the file's start to the last of them.
    pub(crate) fn tell(self, input: &Input, sources: &mut Sources, diagnostics: &mut Diagnostics) {
        let last = self.found.iter().map(|finding| finding.place.bytes.end).filter(|&end| end <= SHOWN).max();
        let source = last.map(|end| sources.add(input.to_string(), text_until(input, end)));
        for finding in self.found {
            let Place { bytes, line, column } = finding.place;
            let mut diagnostic = match source {
                Some(source) if bytes.end <= SHOWN => {
                    Diagnostic::error(Span::new(source, bytes.start as usize, bytes.end as usize), finding.message)
                }
                _ => Diagnostic::without_place(format!("{input}:{line}:{column}: {}", finding.message)),
            };
            if !finding.is_error {
                diagnostic.severity = diagnostics::Severity::Warning;
            }
            diagnostics.push(diagnostic.hint(finding.hint));
        }
        if self.rest > 0 {
            diagnostics.push(Diagnostic::without_place(format!("{input}: {} more findings like these", self.rest)));
        }
    }
}

/// The text of a file until the end of the line that a byte is in, every byte that is not ASCII standing as `?`, so
/// that places stay what they are.
fn text_until(input: &Input, end: u64) -> String {
    let mut bytes = Vec::new();
    if let Ok(reader) = input.open() {
        // What cannot be read now is not shown; the finding itself is told all the same.
        let _ = reader.take(end + 4096).read_to_end(&mut bytes);
    }
    let rest = bytes.iter().skip(end as usize).position(|&byte| byte == b'\n');
    bytes.truncate(rest.map_or(bytes.len(), |length| end as usize + length));
    bytes.resize(bytes.len().max(end as usize), b' ');
    bytes.into_iter().map(|byte| if byte.is_ascii() { char::from(byte) } else { '?' }).collect()
}
