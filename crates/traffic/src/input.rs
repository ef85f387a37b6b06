//! Input files, and findings at positions in them.

use std::fmt;
use std::io::{self, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use diagnostics::{Diagnostic, Diagnostics, Sources, Span};

use crate::spool::{Spool, is_stream};

/// A file that can be read more than once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// A file on disk.
    Path(PathBuf),
    /// An input that can be read only once, such as standard input; its bytes are kept when it is read.
    Stream(Arc<Spool>),
    /// Bytes in memory, under a name.
    Bytes {
        /// The name of the input in findings.
        name: String,
        /// The bytes.
        bytes: Arc<[u8]>,
    },
}

impl Input {
    /// Returns an input of bytes in memory.
    pub fn of_bytes(name: impl Into<String>, bytes: impl Into<Arc<[u8]>>) -> Self {
        Self::Bytes { name: name.into(), bytes: bytes.into() }
    }

    /// Returns the file with this name; `-` is standard input.
    pub fn named(path: &Path) -> Self {
        if is_stream(path) {
            Self::Stream(Arc::new(Spool::new(&path.to_string_lossy())))
        } else {
            Self::Path(path.to_owned())
        }
    }

    /// Returns the path if the input is a file on disk.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::Path(path) => Some(path),
            Self::Stream(_) | Self::Bytes { .. } => None,
        }
    }

    /// Opens the input for reading from its beginning.
    ///
    /// # Errors
    ///
    /// Returns the error of the file system if the input cannot be opened.
    pub fn open(&self) -> io::Result<Box<dyn Read + Send>> {
        Ok(match self {
            Self::Path(path) => Box::new(std::fs::File::open(path)?),
            Self::Stream(spool) => Box::new(spool.open()?),
            Self::Bytes { bytes, .. } => Box::new(io::Cursor::new(Arc::clone(bytes))),
        })
    }

    /// Returns the name without directories.
    pub(crate) fn file_name(&self) -> String {
        match self {
            Self::Path(path) => path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            Self::Stream(spool) => spool.name().to_owned(),
            Self::Bytes { name, .. } => name.clone(),
        }
    }

    /// Returns the diagnostic that the input cannot be read.
    pub(crate) fn unreadable(&self, error: &io::Error) -> Diagnostic {
        Diagnostic::without_place(self.cannot_read(error))
    }

    /// Returns the message that the input cannot be read.
    pub(crate) fn cannot_read(&self, error: &io::Error) -> String {
        format!("cannot read {self}: {error}")
    }

    /// Returns the message that the input differs from when it was first read.
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

/// Findings at positions in a text that is read as a stream.
#[derive(Default)]
pub(crate) struct TextFindings {
    found: Vec<TextFinding>,
    rest: u64,
}

struct TextFinding {
    position: TextPosition,
    message: String,
    hint: String,
    is_error: bool,
}

/// A position in a text file.
#[derive(Clone, Debug)]
pub(crate) struct TextPosition {
    /// The range of bytes in the file.
    pub(crate) bytes: Range<u64>,
    /// The line, from 1.
    pub(crate) line: u64,
    /// The column, from 1, in bytes.
    pub(crate) column: u64,
}

/// The most findings that are reported one by one.
const MOST: usize = 100;
/// The last byte of a file up to which findings quote the text; findings behind it only name line and column.
const SHOWN: u64 = 16 << 20;

impl TextFindings {
    pub(crate) fn error(&mut self, position: TextPosition, message: impl Into<String>, hint: impl Into<String>) {
        self.push(position, message.into(), hint.into(), true);
    }

    pub(crate) fn warning(&mut self, position: TextPosition, message: impl Into<String>, hint: impl Into<String>) {
        self.push(position, message.into(), hint.into(), false);
    }

    fn push(&mut self, position: TextPosition, message: String, hint: String, is_error: bool) {
        if self.found.len() < MOST {
            self.found.push(TextFinding { position, message, hint, is_error });
        } else {
            self.rest += 1;
        }
    }

    pub(crate) fn has_errors(&self) -> bool {
        self.found.iter().any(|finding| finding.is_error)
    }

    /// Reports the findings as diagnostics, with the text of the file up to the last of them.
    pub(crate) fn tell(self, input: &Input, sources: &mut Sources, diagnostics: &mut Diagnostics) {
        let last = self.found.iter().map(|finding| finding.position.bytes.end).filter(|&end| end <= SHOWN).max();
        let source = last.map(|end| sources.add(input.to_string(), text_until(input, end)));
        for finding in self.found {
            let TextPosition { bytes, line, column } = finding.position;
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

/// Returns the text of a file up to the end of the line that contains byte `end`. Every byte that is not ASCII is
/// replaced by `?`, so that positions stay the same.
fn text_until(input: &Input, end: u64) -> String {
    let mut bytes = Vec::new();
    if let Ok(reader) = input.open() {
        // If the text cannot be read now, it is not quoted; the finding itself is reported all the same.
        let _ = reader.take(end + 4096).read_to_end(&mut bytes);
    }
    let rest = bytes.iter().skip(end as usize).position(|&byte| byte == b'\n');
    bytes.truncate(rest.map_or(bytes.len(), |length| end as usize + length));
    bytes.resize(bytes.len().max(end as usize), b' ');
    bytes.into_iter().map(|byte| if byte.is_ascii() { char::from(byte) } else { '?' }).collect()
}
