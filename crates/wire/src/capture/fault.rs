//! Faults in captures, with their positions.

use std::fmt;

/// A fault in a capture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The offset in the file, from 0, of the record, block or field that is wrong.
    pub offset: u64,
    /// The fault, without its position.
    pub message: String,
    /// A hint that may help.
    pub hint: Option<String>,
    /// True if nothing behind the fault could be read.
    pub is_fatal: bool,
}

impl Fault {
    pub(super) fn fatal(offset: u64, message: impl Into<String>) -> Self {
        Self { offset, message: message.into(), hint: None, is_fatal: true }
    }

    pub(super) fn passing(offset: u64, message: impl Into<String>) -> Self {
        Self { is_fatal: false, ..Self::fatal(offset, message) }
    }

    pub(super) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

/// Returns the fault of a packet whose record begins at `start` and that claims `original` bytes on the wire.
pub(super) fn too_long(start: u64, original: u32) -> Fault {
    Fault::passing(start, too_long_message(original)).hint(LEFT_OUT)
}

/// Returns the message about a packet that claims `original` bytes on the wire.
pub(super) fn too_long_message(original: u32) -> String {
    let most = super::MOST_ON_WIRE;
    format!("a packet claims a length of {original} bytes on the wire; none is longer than {most}")
}

/// The hint for a fault that costs a single packet.
pub(super) const LEFT_OUT: &str = "this packet is left out";

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "byte {}: {}", self.offset, self.message)
    }
}

impl std::error::Error for Fault {}
