//! The result of a run.

use std::fmt;

use serde::Serialize;

use super::{Compared, Replayed};

/// The result of a run.
#[derive(Serialize)]
#[serde(untagged)]
pub enum RunOutcome {
    /// The result of a program that works on fields, compared with the interpreter.
    Compared(Box<Compared>),
    /// The result of a program with a parser: the traffic of each port.
    Replayed(Box<Replayed>),
}

/// The exit status if packets stand still in a machine.
const STANDS_STILL: u8 = 4;

impl RunOutcome {
    /// Returns the result of a program with a parser, or `None` if the program has none.
    pub fn replayed(self) -> Option<Replayed> {
        if let Self::Replayed(replayed) = self { Some(*replayed) } else { None }
    }

    /// Returns the result of a program that works on fields, or `None` if the program has a parser.
    pub fn compared(self) -> Option<Compared> {
        if let Self::Compared(compared) = self { Some(*compared) } else { None }
    }

    /// Returns the exit status of the command: 0, unless packets stand still or were lost. A difference from the
    /// interpreter is a result and not an error.
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
