//! Checks across pipes: whether a program means the same when its ports lie in pipes that share nothing.

use control::Request;
use diagnostics::{Diagnostic, Failure};
use equivalence::coverage;
use machines::tofino::{ChipSettings, TofinoParameters};

use crate::Entries;

/// The number of ports on which packets arrive, in all pipes together.
const PORTS: usize = 8;

/// Lets packets arrive in all of so many pipes, at a chip that has one state for all of them: it shows what the program
/// can do.
pub(super) fn spread(pipes: u16, options: &mut coverage::Options) {
    let chip = ChipSettings::of_pipes(pipes);
    let of_pipe = (PORTS / usize::from(pipes)).max(1);
    // A chip of which nothing is set has the same number of ports in each pipe.
    let each = chip.ports.chunks(chip.ports.len() / usize::from(pipes));
    options.ports = each.flat_map(|ports| ports.iter().take(of_pipe)).map(|port| port.number).collect();
    options.moves = true;
    options.chip = TofinoParameters { chip: Some(chip), shares_state: true, ..options.chip.clone() };
}

/// Refuses entries of single pipes: what pipes that share nothing would change is asked of a program whose tables are the
/// same everywhere.
pub(super) fn refuse_entries_by_pipe(entries: &Entries) -> Result<(), Failure> {
    if !entries.requests().any(|request| matches!(request, Request::InPipe(..))) {
        return Ok(());
    }
    let message = "a check across pipes needs entries that are in all pipes, and some lines name a pipe";
    Err(Diagnostic::without_place(message).hint("leave `pipe` out of the lines that fill tables").into())
}

/// Returns the failure for machines whose ports do not lie in pipes.
pub(super) fn without_pipes(machine: &str) -> Failure {
    let message = format!("the ports of `{machine}` do not lie in pipes");
    Diagnostic::without_place(message).hint("`--pipes` is for programs that run on `tofino`").into()
}
