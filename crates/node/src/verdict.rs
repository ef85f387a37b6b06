//! Why a packet was not forwarded. A packet that is not forwarded is never an error; it is counted here.

use std::fmt;

/// Why a node discarded a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Reason {
    /// The program said so.
    Program,
    /// The queue in front of a stateful stage was full when the packet came (no placeholders in use).
    StageQueueFull,
    /// Its phantom found the queue of a stateful stage full, so the packet had no place there (MP5 section 3.4).
    PhantomLost,
    /// It was stateless and gave way to a stateful packet that had waited too long (MP5 section 3.4).
    StarvationGuard,
    /// It would have been recirculated more often than the machine allows.
    RecirculationLimit,
    /// The queue in front of a recirculation port was full.
    RecirculationQueueFull,
    /// It came in on a port that nothing is behind.
    NoSuchPort,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Program => "dropped by the program",
            Self::StageQueueFull => "stage queue full",
            Self::PhantomLost => "phantom lost",
            Self::StarvationGuard => "gave way to a starving packet",
            Self::RecirculationLimit => "recirculated too often",
            Self::RecirculationQueueFull => "recirculation queue full",
            Self::NoSuchPort => "no such port",
        })
    }
}
