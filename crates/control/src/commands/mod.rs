//! Files of commands in the manner of BMv2's `simple_switch_CLI`, one a line.
//!
//! ```text
//! table_add ipv4_lpm forward 10.0.1.0/24 => 08:00:00:00:01:11 1
//! mc_mgrp_create 1
//! mirroring_add 100 4      # everything after # is a comment
//! ```
//!
//! Handles are those of BMv2: entries of a table, members, groups and multicast nodes are numbered from 0 in the order
//! of the commands that made them, and a number that became free is used again. A priority is larger the less it counts
//! (BMv2), while in requests the larger one wins (P4Runtime). Rates are per microsecond.

mod place;
mod profiles;
mod replication;
mod session;
mod shared;
mod tables;
mod verb;

use diagnostics::{Diagnostics, SourceId, Sources, Span};

pub use session::Session;
pub use verb::Verb;
pub(crate) use verb::read as read_line;

use crate::client::words;
use crate::{Info, Placed, Prepared, Request, Word};

/// A line of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// What is to be done.
    pub verb: Verb,
    /// All words after the first.
    pub arguments: Vec<Word>,
    /// The whole line.
    pub span: Span,
}

/// Reads a file.
///
/// # Errors
/// Every line that is no command or has too few or too many words.
pub fn read(sources: &Sources, source: SourceId) -> Result<Vec<Command>, Diagnostics> {
    let mut findings = Diagnostics::new();
    let mut commands = Vec::new();
    for line in words(sources, source) {
        match verb::read(line) {
            Ok(command) => commands.push(command),
            Err(diagnostic) => findings.push(diagnostic),
        }
    }
    findings.into_result(commands)
}

/// Reads a file and looks everything up for a program: the requests, in order.
///
/// # Errors
/// Everything that is wrong with the file for this program.
pub fn prepare(info: &Info, sources: &Sources, source: SourceId) -> Result<Prepared<Request>, Diagnostics> {
    let mut findings = Diagnostics::new();
    let mut session = Session::new(info);
    let mut steps = Vec::new();
    for line in words(sources, source) {
        if findings.is_full() {
            break;
        }
        let lowered = verb::read(line).map_err(Diagnostics::from).and_then(|command| {
            let span = command.span;
            session.lower(&command).map(|requests| requests.into_iter().map(move |item| Placed { span, item }))
        });
        match lowered {
            Ok(requests) => steps.extend(requests),
            Err(errors) => findings.extend(errors),
        }
    }
    findings.extend(session.take_warnings());
    if findings.has_errors() { Err(findings) } else { Ok(Prepared { steps, warnings: findings }) }
}
