//! The lines of packet tests.

use basis::Duration;
use diagnostics::Span;

use super::{Comparison, CounterCheck, Expectation};
use crate::{Word, commands};

/// A line of a packet test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// The pipe that the line names, if it names one.
    pub pipe: Option<u32>,
    /// The statement on the line.
    pub statement: Statement,
    /// The location.
    pub span: Span,
}

/// A statement of a packet test. Names are as written, except that `x$0` has become `x[0]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Statement {
    /// A packet arrives.
    Packet {
        /// The port.
        port: u32,
        /// The bytes of the packet.
        bytes: Vec<u8>,
    },
    /// A packet must leave, after all packets expected earlier on the same port.
    Expect {
        /// The port.
        port: u32,
        /// The expected content.
        expectation: Expectation,
    },
    /// No packet may leave other than those expected earlier.
    NoPacket,
    /// All earlier statements take effect before the following ones, and the next packet arrives at least so long after
    /// the last one.
    Wait {
        /// The time between the two packets.
        time: Duration,
    },
    /// The machine on which the test runs has this value for an option.
    Option {
        /// The name of the option.
        name: Word,
        /// The value; empty if there is none.
        value: Word,
    },
    /// An entry is added to a table.
    Add {
        /// The table.
        table: Word,
        /// The priority, of which the largest wins.
        priority: Option<u32>,
        /// The key fields that are given, with their matches.
        key: Vec<(Word, Word)>,
        /// The action.
        call: Call,
        /// A name for the entry, without `$`.
        handle: Option<Word>,
    },
    /// The default action of a table is changed.
    SetDefault {
        /// The table.
        table: Word,
        /// The action.
        call: Call,
    },
    /// All entries of all tables are removed.
    RemoveAll,
    /// An entry is removed.
    Remove {
        /// The name of the entry, without `$`.
        handle: Word,
    },
    /// A counter is read.
    CheckCounter {
        /// The counters.
        counter: Word,
        /// An index, or the name of an entry with `$`.
        element: Word,
        /// The condition that it must satisfy.
        check: Option<CounterCheck>,
    },
    /// A word of shared memory is compared with a number.
    CheckMemory {
        /// The segment.
        segment: Word,
        /// The distance of the word from the beginning of the segment, in bytes.
        offset: Word,
        /// The comparison.
        comparison: Comparison,
        /// The number.
        value: Word,
    },
    /// The number of records of a table is compared with a number.
    CheckRecords {
        /// The table.
        records: Word,
        /// The comparison.
        comparison: Comparison,
        /// The number.
        value: Word,
    },
    /// The next message of a digest is looked at.
    CheckDigest {
        /// The digest, with the values that the message must have. Without a type of several fields, the value has no name.
        message: Call,
    },
    /// A digest must have no further message.
    NoDigest {
        /// The digest.
        digest: Word,
    },
    /// The next notification of an idle entry is looked at.
    CheckIdle {
        /// The entry that it must be about; `None` if there must be no further notification.
        handle: Option<Word>,
    },
    /// A command of the switch's command line interface.
    Switch(commands::Command),
}

impl Statement {
    /// Returns whether the statement makes requests of the control plane.
    pub(super) fn is_request(&self) -> bool {
        !matches!(
            self,
            Self::Packet { .. } | Self::Expect { .. } | Self::NoPacket | Self::Wait { .. } | Self::Option { .. }
        )
    }
}

/// An action with its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The name of the action.
    pub action: Word,
    /// The names of the parameters, with their values.
    pub arguments: Vec<(Word, Word)>,
    /// The location.
    pub span: Span,
}
