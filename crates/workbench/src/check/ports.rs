//! The ports on which the packets of a check arrive, and checks across pipes: whether a program means the same when its ports
//! lie in pipes that share nothing.

use control::Request;
use diagnostics::{Diagnostic, Failure};
use equivalence::coverage;
use machines::tofino::{ChipSettings, TofinoParameters};

use crate::Entries;

/// The number of ports on which packets arrive, in all pipes together.
const PORTS: usize = 8;

/// Lets packets arrive in all pipes of a chip, on ports that lead outside and are up. If the check is across pipes, the chip
/// on which packets are tried has one state for all of them: it shows what the program can do. Nothing takes time in it, so that
/// all of what a packet reaches is known before the next one is made.
pub(super) fn spread(chip: ChipSettings, is_across_pipes: bool, options: &mut coverage::Options) {
    let of_pipe = (PORTS / usize::from(chip.pipes)).max(1);
    options.ports = (0..chip.pipes).flat_map(|pipe| chip.ports_outside(pipe).take(of_pipe)).collect();
    options.moves = is_across_pipes;
    let chip = Some(ChipSettings { timed: None, ..chip });
    options.chip = TofinoParameters { chip, shares_state: is_across_pipes, ..options.chip.clone() };
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
