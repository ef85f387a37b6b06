//! How much memory this process may still use.
//!
//! A program, a plan or a capture can ask for more memory than there is, and an allocation that fails aborts the
//! process. So whoever can say beforehand what a piece of work needs calls [`check`] and refuses the work with the
//! [`Shortage`], which states both numbers. Answers depend on the computer and on the moment: nodes must not ask.

use std::fmt;

use rustix::process::{Resource, getrlimit};
use sysinfo::{MemoryRefreshKind, ProcessRefreshKind, ProcessesToUpdate, System};

/// Address space in bytes that an allocator may have reserved without using it: mimalloc reserves arenas of this size.
const ARENA: u64 = 1 << 30;

/// Returns the number of bytes that this process may still allocate, or `None` if the system does not say.
///
/// It is the least of what the computer has available, what the control group of the process leaves (a container, a
/// systemd unit), and what is left of the limit of its address space (`ulimit -v`). Swap space does not count.
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

/// Returns what is left of a limit of `limit` bytes of address space, of which `reserved` are taken and `resident` used.
///
/// Part of the difference is an allocator's arena, from which it will serve what is asked of it next, but not a block
/// larger than what is free there; so half of it counts as free.
fn left_of_address_space(limit: u64, reserved: u64, resident: u64) -> u64 {
    let arena = reserved.saturating_sub(resident).min(ARENA);
    limit.saturating_sub(reserved - arena / 2)
}

/// More memory is needed than is available.
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
/// Fails if they are more than [`available_memory`] says. Where the system does not say, nothing fails.
pub fn check(need: u64) -> Result<(), Shortage> {
    match available_memory() {
        Some(available) if need > available => Err(Shortage { need, available }),
        _ => Ok(()),
    }
}

/// A number of bytes as people write it: `4.2 GB`, in powers of ten.
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
    fn a_limit_of_the_address_space_counts() {
        let before = getrlimit(Resource::As);
        let unlimited = available_memory().expect("the system says how much memory it has");
        let limit = Rlimit { current: Some(6 << 30), maximum: before.maximum };
        setrlimit(Resource::As, limit).expect("a process may lower its own limit");
        let limited = available_memory().expect("a limit is set");
        setrlimit(Resource::As, before).expect("the old limit is not above the maximum");
        assert!(limited <= unlimited.max(6 << 30) && limited < 6 << 30, "{limited} of {unlimited}");
    }

    #[test]
    fn too_great_a_need_is_refused_with_both_numbers() {
        assert_eq!(check(0), Ok(()));
        let shortage = check(u64::MAX).expect_err("no computer has it");
        let text = shortage.to_string();
        assert!(
            text.starts_with("about 18.4 EB of memory are needed, and ") && text.ends_with(" are available"),
            "{text}"
        );
    }

    #[test]
    fn of_what_an_allocator_reserved_and_does_not_use_half_is_free() {
        assert_eq!(left_of_address_space(4 << 30, 2 << 30, 1 << 20), (2 << 30) + (512 << 20));
        assert_eq!(left_of_address_space(4 << 30, 100 << 20, 100 << 20), (4 << 30) - (100 << 20));
        assert_eq!(left_of_address_space(1 << 20, 1 << 30, 1 << 30), 0);
    }

    #[test]
    fn bytes_are_written_in_powers_of_ten() {
        let texts = [0, 999, 1000, 4_200_000_000, 999_960_000].map(|bytes| Bytes(bytes).to_string());
        assert_eq!(texts, ["0 bytes", "999 bytes", "1.0 kB", "4.2 GB", "1.0 GB"]);
    }
}
