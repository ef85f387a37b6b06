//! The amount of memory that this process may still use.
//!
//! A program, a plan or a capture can ask for more memory than there is, and a failed allocation aborts the process.
//! Code that can estimate the memory needed by a piece of work therefore calls [`check`] first and refuses the work
//! with the [`Shortage`], which states both numbers. The answer depends on the computer and on the moment, so nodes
//! must not ask.
//!
//! ```
//! let shortage = memory::check(u64::MAX).expect_err("no computer has 16 EiB");
//! assert!(shortage.to_string().starts_with("about 18.4 EB of memory are needed, and "));
//! ```

use std::fmt;

use rustix::process::{Resource, getrlimit};
use sysinfo::{MemoryRefreshKind, ProcessRefreshKind, ProcessesToUpdate, System};

/// The size in bytes of the arenas that mimalloc reserves: address space that may be reserved without being used.
const ARENA: u64 = 1 << 30;

/// Returns the number of bytes that this process may still allocate, or `None` if the system does not say.
///
/// This is the minimum of the memory that the computer has available, what is left to the control group of the process
/// (a container, a systemd unit), and what is left of its address space limit (`ulimit -v`). Swap space does not count.
pub fn available_memory() -> Option<u64> {
    let mut system = System::new().ok()?;
    system.refresh_memory_specifics(MemoryRefreshKind::nothing().with_ram());
    let in_computer = Some(system.available_memory()).filter(|&bytes| bytes > 0);
    let process = sysinfo::get_current_pid().ok().and_then(|pid| {
        let what = ProcessRefreshKind::nothing().with_memory();
        system.refresh_processes_specifics(ProcessesToUpdate::Some(&[pid]), false, what);
        system.process(pid)
    });
    // The page cache counts as used memory of a control group, but the kernel gives it back when it is needed.
    let in_group = process
        .and_then(|process| process.cgroup_limits())
        .map(|group| group.total_memory.saturating_sub(group.rss).max(group.free_memory));
    let in_address_space = getrlimit(Resource::As)
        .current
        .zip(process)
        .map(|(limit, process)| left_of_address_space(limit, process.virtual_memory(), process.memory()));
    [in_computer, in_group, in_address_space].into_iter().flatten().min()
}

/// Returns what is left of a limit of `limit` bytes of address space if `reserved` bytes are taken and `resident` bytes
/// used.
///
/// Part of the difference between the two is an arena of the allocator. Later allocations can be served from it, but no
/// block larger than its largest free range; half of it is therefore counted as free.
fn left_of_address_space(limit: u64, reserved: u64, resident: u64) -> u64 {
    let arena = reserved.saturating_sub(resident).min(ARENA);
    limit.saturating_sub(reserved - arena / 2)
}

/// The error that more memory is needed than is available.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shortage {
    /// The number of bytes that the work needs.
    pub need: u64,
    /// The number of bytes that this process may still allocate.
    pub available: u64,
}

impl fmt::Display for Shortage {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "about {} of memory are needed, and {} are available",
            Bytes(self.need),
            Bytes(self.available)
        )
    }
}

impl std::error::Error for Shortage {}

/// Checks that `need` more bytes of memory can be allocated.
///
/// # Errors
/// Fails if `need` exceeds [`available_memory`]. Never fails where the system does not tell.
pub fn check(need: u64) -> Result<(), Shortage> {
    match available_memory() {
        Some(available) if need > available => Err(Shortage { need, available }),
        _ => Ok(()),
    }
}

/// A number of bytes that is displayed in decimal units, such as `4.2 GB`.
#[derive(Clone, Copy, Debug)]
pub struct Bytes(pub u64);

impl fmt::Display for Bytes {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = ["kB", "MB", "GB", "TB", "PB", "EB"];
        let mut value = self.0 as f64;
        let mut unit = "bytes";
        for next in units {
            if value < 999.95 {
                break;
            }
            (value, unit) = (value / 1000.0, next);
        }
        match unit {
            "bytes" => write!(formatter, "{value:.0} bytes"),
            _ => write!(formatter, "{value:.1} {unit}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use rustix::process::{Rlimit, setrlimit};

    use super::*;

    #[test]
    fn respects_the_address_space_limit() {
        let before = getrlimit(Resource::As);
        let unlimited = available_memory().expect("the system says how much memory it has");
        let limit = Rlimit { current: Some(6 << 30), maximum: before.maximum };
        setrlimit(Resource::As, limit).expect("a process may lower its own limit");
        let limited = available_memory().expect("a limit is set");
        setrlimit(Resource::As, before).expect("the old limit is not above the maximum");
        assert!(limited <= unlimited.max(6 << 30) && limited < 6 << 30, "{limited} of {unlimited}");
    }

    #[test]
    fn a_shortage_states_need_and_available_memory() {
        assert_eq!(check(0), Ok(()));
        let shortage = check(u64::MAX).expect_err("no computer has it");
        let text = shortage.to_string();
        assert!(
            text.starts_with("about 18.4 EB of memory are needed, and ") && text.ends_with(" are available"),
            "{text}"
        );
    }

    #[test]
    fn half_of_an_unused_arena_counts_as_free() {
        assert_eq!(left_of_address_space(4 << 30, 2 << 30, 1 << 20), (2 << 30) + (512 << 20));
        assert_eq!(left_of_address_space(4 << 30, 100 << 20, 100 << 20), (4 << 30) - (100 << 20));
        assert_eq!(left_of_address_space(1 << 20, 1 << 30, 1 << 30), 0);
    }

    #[test]
    fn displays_bytes_in_decimal_units() {
        let texts = [0, 999, 1000, 4_200_000_000, 999_960_000].map(|bytes| Bytes(bytes).to_string());
        assert_eq!(texts, ["0 bytes", "999 bytes", "1.0 kB", "4.2 GB", "1.0 GB"]);
    }
}
