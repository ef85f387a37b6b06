//! Reads from Linux how much memory a process uses.

use std::fs;

/// Returns the resident set size of this process in bytes, or `None` on systems other than Linux.
pub(super) fn resident() -> Option<u64> {
    resident_of(&fs::read_to_string("/proc/self/status").ok()?)
}

/// Returns the peak resident set size of another process in bytes, or `None` if the process has ended or the system is
/// not Linux.
pub(super) fn peak_of(process: u32) -> Option<u64> {
    amount(&fs::read_to_string(format!("/proc/{process}/status")).ok()?, "VmHWM:")
}

/// Reads the line `VmRSS` of a process's status, whose unit is 1024 bytes (proc(5)), and returns bytes.
fn resident_of(status: &str) -> Option<u64> {
    amount(status, "VmRSS:")
}

fn amount(status: &str, name: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_resident_set_is_read_in_bytes() {
        assert_eq!(resident_of("Name:\tx\nVmHWM:\t    9 kB\nVmRSS:\t    1500 kB\nThreads:\t1\n"), Some(1_536_000));
        assert_eq!(resident_of("Name:\tx\n"), None, "a kernel thread has no such line");
        assert_eq!(resident_of("VmRSS:\tmuch\n"), None);
    }
}
