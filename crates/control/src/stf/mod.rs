//! Packet tests: files in the format STF ("simple test framework") of the P4 compilers.
//!
//! ```text
//! add ipv4_lpm 10 hdr.ipv4.dstAddr:0x0a00**** forward(port:3) = route   # the larger priority wins
//! setdefault ipv4_lpm drop()
//! packet 1 0800 4500
//! expect 3 0800 45**$      # a hex prefix; * is any digit; $ ends the packet
//! check_counter hits($route) packets == 1
//! ```
//!
//! Beside these there are `expect` with a port only, which takes any packet, `no_packet`, `wait`, `remove all`, `remove
//! HANDLE`, and the [`crate::commands`] about multicast, mirroring, registers, counters and meters. In names `x$0` means
//! `x[0]`. A file is read into [`Command`]s, and a [`Session`] makes [`Step`]s of them for a program, which whoever
//! drives the switch carries out.

mod check;
mod command;
mod cursor;
mod expectation;
mod line;
mod session;

use diagnostics::{Diagnostics, SourceId, Sources};

pub use check::{Amount, Comparison, CounterCheck};
pub use command::{Call, Command, Statement};
pub use expectation::Expectation;
pub use session::{Session, Step};

use crate::{Info, Placed, Prepared};

/// Reads a file.
///
/// # Errors
/// Every line that cannot be read.
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

/// Reads a file and looks everything up for a program: what is to be done, in order.
///
/// # Errors
/// Everything that is wrong with the file for this program.
pub fn prepare(info: &Info, sources: &Sources, source: SourceId) -> Result<Prepared<Step>, Diagnostics> {
    let mut findings = Diagnostics::new();
    let mut session = Session::new(info);
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
