//! Why a request is refused because of the pipe that it names, or because it names none.

use std::fmt;

use crate::{EntityKind, Error};

/// The reason why a request is refused because of the pipe that it names, or because it names none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PipeError {
    /// The machine does not have the pipe.
    Unknown {
        /// The pipe.
        pipe: u32,
        /// The number of pipes.
        pipes: usize,
    },
    /// The request is about something that all pipes share.
    Shared {
        /// What all pipes share, such as "multicast groups".
        what: &'static str,
    },
    /// The request names a second pipe.
    Twice {
        /// The second pipe.
        pipe: u32,
    },
    /// What the request is about is written by pipe, so that the pipes differ.
    ByPipe {
        /// The kind of entity.
        kind: EntityKind,
        /// The name of the entity.
        name: String,
    },
    /// What the request would write in one pipe is written to all pipes and is not empty.
    ToAll {
        /// The kind of entity.
        kind: EntityKind,
        /// The name of the entity.
        name: String,
    },
}

impl From<PipeError> for Error {
    fn from(error: PipeError) -> Self {
        Self::Pipe(error)
    }
}

impl fmt::Display for PipeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown { pipe, pipes: 1 } => write!(f, "there is no pipe {pipe}; the machine has one pipe, 0"),
            Self::Unknown { pipe, pipes } => {
                write!(f, "there is no pipe {pipe}; the machine has {pipes} pipes, 0 to {}", pipes - 1)
            }
            Self::Shared { what } => write!(f, "all pipes share {what}; leave out the pipe"),
            Self::Twice { pipe } => write!(f, "the request names a pipe already; pipe {pipe} is one too many"),
            Self::ByPipe { kind, name } => {
                write!(f, "{kind} `{name}` is written by pipe, so that a request about it must name a pipe")
            }
            Self::ToAll { kind, name } => write!(
                f,
                "{kind} `{name}` is written to all pipes; it can be written by pipe only after it was emptied in all of them"
            ),
        }
    }
}
