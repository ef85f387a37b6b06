//! The signals at which a switch that runs ends.

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

/// Catches the signals that end a command that runs until it is stopped: SIGINT, SIGTERM and SIGHUP. The last one comes when a
/// terminal is closed; who starts a command so that it outlives its terminal has SIGHUP ignored (nohup(1)), and it stays so.
///
/// # Errors
/// Returns the error of the system if they cannot be caught.
pub fn catch() -> std::io::Result<Signals> {
    let hang_up = (!is_ignored(SIGHUP)).then_some(SIGHUP);
    Signals::new([SIGINT, SIGTERM].into_iter().chain(hang_up))
}

/// Returns true if this process ignores a signal (proc(5), SigIgn).
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    ignored.and_then(|set| u64::from_str_radix(set.trim(), 16).ok()).is_some_and(|set| set >> (signal - 1) & 1 == 1)
}
