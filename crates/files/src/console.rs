//! What commands write to standard output and standard error, and the status with which they exit.
//!
//! A reader that has seen enough (`polyplane … | head`) closes the pipe. This is not an error, and the exit status still
//! reflects the result. (`print!` would panic.)

use std::io::{ErrorKind, IsTerminal, Write, stderr, stdout};
use std::process::ExitCode;

use diagnostics::Failure;
use serde::Serialize;

/// Prints a result to standard output.
///
/// # Errors
/// If standard output cannot be written for a reason other than that its reader has closed it.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut stdout = stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::plain(format!("cannot write the result: {error}")))
        }
        _ => Ok(()),
    }
}

/// Prints a result as JSON that ends with a line break.
///
/// # Errors
/// If standard output cannot be written, as for [`print`](print()).
///
/// # Panics
/// If the value has a map whose keys are not strings.
pub fn print_json(value: &impl Serialize) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(value).expect("the keys of all maps in results are strings");
    print(&(text + "\n"))
}

/// Prints text that is not part of the result (warnings, progress, errors) to standard error.
pub fn tell(text: &str) {
    // If standard error is closed, nobody reads it.
    let _ = stderr().write_all(text.as_bytes());
}

/// Returns the exit status of a command, and prints why it failed if it did.
pub fn exit_code(outcome: Result<u8, Failure>) -> ExitCode {
    let status = outcome.unwrap_or_else(|failure| {
        tell(&failure.render(stderr().is_terminal()));
        failure.exit_status()
    });
    ExitCode::from(status)
}
