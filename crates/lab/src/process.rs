//! Processes of a lab: found by what they run or where, and ended.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

/// The folder under which labs have theirs.
const RUN: &str = "/run";
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
    all().find(|process| plan_of(*process).is_some_and(|its| its == plan))
}

/// Returns the processes that run `polyplane live` with plans in a folder.
pub fn of_folder(folder: &Path) -> Vec<u32> {
    all().filter(|process| plan_of(*process).is_some_and(|plan| plan.parent() == Some(folder))).collect()
}

/// Returns the plan of the switch that a process is, if it is one and sees the same labs: in another mount namespace, with a
/// `/run` of its own, a path means another file.
fn plan_of(process: u32) -> Option<PathBuf> {
    // A process that has ended and that nobody has waited for has an empty command line.
    let line = fs::read(format!("/proc/{process}/cmdline")).ok()?;
    let mut words = line.split(|byte| *byte == 0).skip(1);
    let plan = words.next().filter(|word| *word == b"live").and_then(|_| words.next())?;
    let folder = |path: &str| fs::metadata(path).map(|its| (its.dev(), its.ino())).ok();
    let sees_same = folder(&format!("/proc/{process}/root{RUN}")).is_some_and(|its| folder(RUN) == Some(its));
    sees_same.then(|| PathBuf::from(OsStr::from_bytes(plan)))
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
