//! Processes of a lab: found by what they run or where, and ended.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

/// The time between looks at whether processes have ended.
const BETWEEN_LOOKS: Duration = Duration::from_millis(5);

/// Returns the numbers of all processes that can be seen.
pub fn all() -> impl Iterator<Item = u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// Returns the process that runs `polyplane live` with a plan of a switch. Its command line tells it, which no other process
/// can have by chance, as a number that the system uses again would.
pub fn of_plan(plan: &Path) -> Option<u32> {
    let plan = plan.as_os_str().as_encoded_bytes();
    all().find(|process| {
        // A process that has ended and that nobody has waited for has an empty command line.
        let line = fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
        let mut words = line.split(|byte| *byte == 0).skip(1);
        words.next() == Some(b"live") && words.next() == Some(plan)
    })
}

/// Returns whether a process is there, and has not ended.
fn is_alive(process: u32) -> bool {
    let Ok(stat) = fs::read_to_string(format!("/proc/{process}/stat")) else { return false };
    // The state follows the name, which is in parentheses and may contain some itself (proc_pid_stat(5)).
    let state = stat.rsplit_once(") ").and_then(|(_, rest)| rest.chars().next());
    !matches!(state, Some('Z' | 'X') | None)
}

/// Ends processes: asks them, and kills those that are still there after `patience`. Returns those that could not be ended.
pub fn end(processes: &[u32], patience: Duration) -> Vec<u32> {
    let mut left = processes.to_vec();
    for (signal, patience) in [(Signal::TERM, patience), (Signal::KILL, Duration::from_secs(2))] {
        left.retain(|process| is_alive(*process));
        for process in left.iter().filter_map(|process| Pid::from_raw(*process as i32)) {
            // One that has ended in the meantime needs no signal.
            let _ = kill_process(process, signal);
        }
        let latest = Instant::now() + patience;
        while left.iter().any(|process| is_alive(*process)) && Instant::now() < latest {
            std::thread::sleep(BETWEEN_LOOKS);
        }
    }
    left.retain(|process| is_alive(*process));
    left
}
