//! Files of commands in the syntax of BMv2's `simple_switch_CLI`, one per line.
//!
//! ```text
//! table_add ipv4_lpm forward 10.0.1.0/24 => 08:00:00:00:01:11 1
//! mc_mgrp_create 1
//! mirroring_add 100 4      # everything after # is a comment
//! ```
//!
//! A line that begins with `pipe 2` is about that pipe of a switch with several. `configure` and settings as TOML on one
//! line change the settings of a switch that has any.
//!
//! Handles are those of BMv2: entries of a table, members, groups and multicast nodes are numbered from 0 in the order
//! of the commands that create them, and unused numbers are reused. In commands, the smaller priority wins (BMv2),
//! whereas in requests the larger one does (P4Runtime). Rates are in units per microsecond.

mod element_selection;
mod filters;
mod memory;
mod numbers;
mod profiles;
mod replication;
mod session;
mod shared;
mod tables;
mod verb;

use diagnostics::{Diagnostics, SourceId, Sources, Span};

pub use session::Session;
pub use verb::Verb;
pub(crate) use verb::{PIPE_ALONE, PIPE_USAGE, pipe_number, read as read_line};

use crate::client::words;
use crate::{ConfigureRequest, Info, Placed, Prepared, Request, Word};

/// A command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// The pipe that the line names, if it names one.
    pub pipe: Option<u32>,
    /// The verb of the command.
    pub verb: Verb,
    /// All words after the first.
    pub arguments: Vec<Word>,
    /// The location of the whole line.
    pub span: Span,
}

/// Parses a file.
///
/// # Errors
/// Returns an error for each line that is not a command or has too few or too many words.
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

/// Returns the request that changes settings to the text that words are, or reads them if there are no words.
fn configure(words: &[Word]) -> Request {
    let Some(first) = words.first() else { return Request::Configure(ConfigureRequest::Read) };
    let mut text = String::new();
    for word in words {
        // As many blanks as between the words of the line.
        let blanks = ((word.span.start - first.span.start) as usize).saturating_sub(text.len());
        text.extend(std::iter::repeat_n(' ', blanks));
        text.push_str(&word.text);
    }
    Request::Configure(ConfigureRequest::Change(text))
}

/// Parses a file and resolves all names for a program. Returns the requests, in order.
///
/// # Errors
/// Returns all errors of the file, including names that the program does not have.
pub fn prepare(info: &Info, sources: &Sources, source: SourceId) -> Result<Prepared<Request>, Diagnostics> {
    prepare_in(Session::new(info), sources, source)
}

/// Parses lines and resolves all names for a program in a session, as [`prepare`] does in a new one.
///
/// # Errors
/// As [`prepare`].
pub fn prepare_in(
    mut session: Session<'_>,
    sources: &Sources,
    source: SourceId,
) -> Result<Prepared<Request>, Diagnostics> {
    let mut findings = Diagnostics::new();
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
