//! What came of a run.

use std::fmt;

use serde::Serialize;

use super::{Compared, Replayed};

/// What came of a run. Serialises to what scripts read.
#[derive(Serialize)]
#[serde(untagged)]
pub enum RunOutcome {
    /// What a program that works on fields did, against the interpreter.
    Compared(Box<Compared>),
    /// What went through each port, of a program with a parser.
    Replayed(Box<Replayed>),
}

/// The exit status where packets stand still in a machine.
const STANDS_STILL: u8 = 4;

impl RunOutcome {
    /// What went through each port, if the program has a parser.
    pub fn replayed(self) -> Option<Replayed> {
        if let Self::Replayed(replayed) = self { Some(*replayed) } else { None }
    }

    /// What the machine did against the interpreter, if the program works on fields.
    pub fn compared(self) -> Option<Compared> {
        if let Self::Compared(compared) = self { Some(*compared) } else { None }
    }

    /// The exit status of the command: 0, unless packets stand still or were lost. That a machine computes something else
    /// than the interpreter is a result.
    pub fn exit_status(&self) -> u8 {
        match self {
            Self::Compared(compared) if compared.comparison.standstill.is_some() => STANDS_STILL,
            Self::Compared(_) => 0,
            Self::Replayed(replayed) => u8::from(!replayed.is_conserved()),
        }
    }
}

impl fmt::Display for RunOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Compared(compared) => compared.fmt(f),
            Self::Replayed(replayed) => replayed.fmt(f),
        }
    }
}
