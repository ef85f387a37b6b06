//! What is wrong with a capture, and where.

use std::fmt;

/// Something wrong with a capture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The byte of the file, from 0, at which the wrong record, block or field starts.
    pub offset: u64,
    /// What is wrong, without the place.
    pub message: String,
    /// What may help.
    pub hint: Option<String>,
    /// True if nothing after it could be read.
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

/// The fault of a packet, whose record begins at `start`, that claims `original` bytes on the wire.
pub(super) fn too_long(start: u64, original: u32) -> Fault {
    Fault::passing(start, too_long_message(original)).hint(LEFT_OUT)
}

/// What is wrong with a packet that claims `original` bytes on the wire.
pub(super) fn too_long_message(original: u32) -> String {
    let most = super::MOST_ON_WIRE;
    format!("a packet claims a length of {original} bytes on the wire; none is longer than {most}")
}

/// The hint of a fault that costs one packet.
pub(super) const LEFT_OUT: &str = "this packet is left out";

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "byte {}: {}", self.offset, self.message)
    }
}

impl std::error::Error for Fault {}
