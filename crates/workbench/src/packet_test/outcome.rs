//! What came of a packet test. Serialises to what scripts read.

use serde::Serialize;

use crate::Activity;

/// What came of a packet test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TestOutcome {
    /// The test's path.
    pub test: String,
    /// Whether everything is as it must be.
    pub passed: bool,
    /// What the switch did.
    pub statistics: Activity,
    /// Every packet that is expected, in the order of the file.
    pub expectations: Vec<ExpectationOutcome>,
    /// Packets that nothing expects, by port and in order.
    pub unexpected: Vec<UnexpectedPacket>,
    /// Every counter that was looked at, in the order of the file.
    pub checks: Vec<CheckOutcome>,
    /// Everything that was read, in the order of the file.
    pub reads: Vec<ReadOutcome>,
}

/// A packet that is expected, and what came.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ExpectationOutcome {
    /// The line of the test.
    pub line: usize,
    /// The port.
    pub port: u32,
    /// Hexadecimal digits, with `*` for any and `$` for the end.
    pub expected: String,
    /// The bytes that came in its place, if any did.
    pub found: Option<String>,
    /// Why these are not right; `None` if they are.
    pub difference: Option<String>,
}

/// A packet that nothing expects.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UnexpectedPacket {
    /// The port that it left by.
    pub port: u32,
    /// When, in microseconds.
    pub time: u64,
    /// Its bytes.
    pub bytes: String,
    /// The line that says `no_packet` when it had left, if one does.
    pub no_packet: Option<usize>,
}

/// Something that was read, such as a register.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ReadOutcome {
    /// The line of the test.
    pub line: usize,
    /// What was read: `register Ingress.seen[1]`.
    pub what: String,
    /// What was there, in order.
    pub found: Vec<String>,
}

/// A counter that was looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CheckOutcome {
    /// The line of the test.
    pub line: usize,
    /// What is wrong; `None` if nothing is.
    pub difference: Option<String>,
}
