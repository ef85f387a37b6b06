//! What the command says. A reader that has seen enough (`polyplane … | head`) closes the pipe; that is no failure, and
//! the exit status still says what was found. `print!` would panic.

use std::io::{ErrorKind, Write, stderr, stdout};

use experiments::Failure;

/// Prints a result.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut stdout = stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::plain(format!("cannot write the result: {error}")))
        }
        _ => Ok(()),
    }
}

/// Prints a result as JSON, for scripts.
pub fn print_json(value: &impl serde::Serialize) -> Result<(), Failure> {
    print(&(serde_json::to_string_pretty(value).expect("results have no maps with odd keys") + "\n"))
}

/// Tells what is no part of the result: warnings, progress, failures.
pub fn tell(text: &str) {
    // Whoever closed this stream does not want to know.
    let _ = stderr().write_all(text.as_bytes());
}
