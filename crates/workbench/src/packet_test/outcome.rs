//! The result of a packet test.

use serde::Serialize;

use crate::Activity;

/// The result of a packet test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TestOutcome {
    /// The path of the test.
    pub test: String,
    /// Whether the test passed.
    pub passed: bool,
    /// The counts of what the switch did.
    pub statistics: Activity,
    /// All expected packets, in the order of the file.
    pub expectations: Vec<ExpectationOutcome>,
    /// The unexpected packets, by port and in order.
    pub unexpected: Vec<UnexpectedPacket>,
    /// All checks of counters and digests, in the order of the file.
    pub checks: Vec<CheckOutcome>,
    /// The results of all reads, in the order of the file.
    pub reads: Vec<ReadOutcome>,
}

/// An expected packet, and the packet that left in its place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ExpectationOutcome {
    /// The line in the test.
    pub line: usize,
    /// The port.
    pub port: u32,
    /// The expected bytes in hexadecimal digits, with `*` for any digit and `$` for the end of the packet.
    pub expected: String,
    /// The bytes of the packet that left in its place, in hexadecimal digits, if there is one.
    pub found: Option<String>,
    /// The difference in words; `None` if the packet is as expected.
    pub difference: Option<String>,
}

/// An unexpected packet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UnexpectedPacket {
    /// The egress port.
    pub port: u32,
    /// The departure time in microseconds.
    pub time: u64,
    /// The bytes in hexadecimal digits.
    pub bytes: String,
    /// The first line with `no_packet` after the packet left, if there is one.
    pub no_packet: Option<usize>,
}

/// The result of reading something, such as a register.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ReadOutcome {
    /// The line in the test.
    pub line: usize,
    /// The object that was read: `register Ingress.seen[1]`.
    pub what: String,
    /// The values that were read, in order.
    pub found: Vec<String>,
}

/// A check of a counter or a digest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CheckOutcome {
    /// The line in the test.
    pub line: usize,
    /// The difference in words; `None` if what was checked is right.
    pub difference: Option<String>,
}
