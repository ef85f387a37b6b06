//! How much memory this process takes.

use std::fs;

/// What of it is in memory now, in bytes; `None` where no Linux says so.
pub(super) fn resident() -> Option<u64> {
    resident_of(&fs::read_to_string("/proc/self/status").ok()?)
}

/// The most that another process has had in memory at a time, in bytes; `None` where no Linux says so, or when it has
/// ended.
pub(super) fn peak_of(process: u32) -> Option<u64> {
    amount(&fs::read_to_string(format!("/proc/{process}/status")).ok()?, "VmHWM:")
}

/// The line `VmRSS` of a process's status, which counts in units of 1024 bytes (proc(5)).
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
        assert_eq!(resident_of("Name:\tx\n"), None, "a process without memory of its own has no such line");
        assert_eq!(resident_of("VmRSS:\tmuch\n"), None);
    }
}
