//! What a line of a packet test says.

use diagnostics::Span;

use super::{CounterCheck, Expectation};
use crate::{Word, commands};

/// A line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// What it says.
    pub statement: Statement,
    /// Where it is.
    pub span: Span,
}

/// What a line says. Names are as they stand there, but for `x$0`, which has become `x[0]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Statement {
    /// A packet arrives.
    Packet {
        /// Where.
        port: u32,
        /// Its bytes.
        bytes: Vec<u8>,
    },
    /// A packet leaves, after all that are expected before on the same port.
    Expect {
        /// Where.
        port: u32,
        /// What it is.
        expectation: Expectation,
    },
    /// No packet leaves that is not expected before.
    NoPacket,
    /// Everything that was asked for happens before what follows.
    Wait,
    /// An entry is added.
    Add {
        /// The table.
        table: Word,
        /// The larger wins.
        priority: Option<u32>,
        /// The fields of the key that are given, with what is asked of them.
        key: Vec<(Word, Word)>,
        /// The action.
        call: Call,
        /// A name for the entry, without `$`.
        handle: Option<Word>,
    },
    /// The default of a table is changed.
    SetDefault {
        /// The table.
        table: Word,
        /// The action.
        call: Call,
    },
    /// All entries of all tables are taken out.
    RemoveAll,
    /// An entry is taken out.
    Remove {
        /// Its name, without `$`.
        handle: Word,
    },
    /// A counter is looked at.
    CheckCounter {
        /// The counters.
        counter: Word,
        /// An index, or the name of an entry with `$`.
        place: Word,
        /// What it must have counted.
        check: Option<CounterCheck>,
    },
    /// A command of the switch.
    Switch(commands::Command),
}

/// An action with what it is given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The name of the action.
    pub action: Word,
    /// The names of parameters, with their values.
    pub arguments: Vec<(Word, Word)>,
    /// Where it is.
    pub span: Span,
}
