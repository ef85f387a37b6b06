//! Packet tests: files in the format STF ("simple test framework") of the P4 compilers.
//!
//! ```text
//! add ipv4_lpm 10 hdr.ipv4.dstAddr:0x0a00**** forward(port:3) = route   # the larger priority wins
//! setdefault ipv4_lpm drop()
//! packet 1 0800 4500
//! expect 3 0800 45**$      # a hex prefix; * is any digit; $ ends the packet
//! check_counter hits($route) packets == 1
//! check_digest learned(port:1, source:00:00:00:00:00:07)
//! check_idle $route                                     # the next entry that was found idle is this one
//! check_memory drops(8) == 1500                         # the word 8 bytes behind the beginning of a segment
//! check_records flows == 2                              # how many records the table has
//! ```
//!
//! A line that begins with `pipe 2` is about that pipe of a switch with several: `pipe 2 add ...`.
//!
//! Further statements are `expect` with a port only, which accepts any packet, `no_packet`, `wait`, `wait 20 us`,
//! `option NAME VALUE`, which says how the machine is built, `remove all`, `remove HANDLE`, and the [`crate::commands`]
//! about multicast, mirroring, registers, counters, meters, shared memory, records, events and settings. In names,
//! `x$0` means `x[0]`. [`read`] parses a file into [`Command`]s, and a [`Session`] turns these into the [`Step`]s for a
//! program, which the driver of the switch executes.

mod check;
mod command;
mod cursor;
mod digest_check;
mod expectation;
mod idle_check;
mod line;
mod session;
mod state_check;

use diagnostics::{Diagnostics, SourceId, Sources};

pub use check::{Amount, Comparison, CounterCheck};
pub use command::{Call, Command, Statement};
pub use digest_check::DigestCheck;
pub use expectation::Expectation;
pub use idle_check::{ExpectedIdle, IdleCheck};
pub use session::{Session, Step};
pub use state_check::{Check, NumberCheck};

use crate::{Info, Placed, Prepared};

/// Parses a file.
///
/// # Errors
/// Returns an error for each malformed line.
pub fn read(sources: &Sources, source: SourceId) -> Result<Vec<Command>, Diagnostics> {
    let mut findings = Diagnostics::new();
    let mut commands = Vec::new();
    for command in line::commands(sources, source) {
        match command {
            Ok(command) => commands.push(command),
            Err(diagnostic) => findings.push(diagnostic),
        }
    }
    findings.into_result(commands)
}

/// Parses a file and resolves all names for a program. Returns the steps, in order.
///
/// # Errors
/// Returns all errors of the file, including names that the program does not have.
pub fn prepare(info: &Info, sources: &Sources, source: SourceId) -> Result<Prepared<Step>, Diagnostics> {
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
) -> Result<Prepared<Step>, Diagnostics> {
    let mut findings = Diagnostics::new();
    let mut steps = Vec::new();
    for command in line::commands(sources, source) {
        if findings.is_full() {
            break;
        }
        let lowered = command.map_err(Diagnostics::from).and_then(|command| {
            let span = command.span;
            session.lower(&command).map(|made| made.into_iter().map(move |item| Placed { span, item }))
        });
        match lowered {
            Ok(made) => steps.extend(made),
            Err(errors) => findings.extend(errors),
        }
    }
    findings.extend(session.take_warnings());
    if findings.has_errors() { Err(findings) } else { Ok(Prepared { steps, warnings: findings }) }
}
