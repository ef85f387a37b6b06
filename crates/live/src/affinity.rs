//! Threads that stay on one core.

use std::io;

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// Keeps the calling thread on one processor core from now on, by the number that Linux gives it. A driver whose thread
/// stays on a core keeps its caches.
///
/// # Errors
///
/// Returns the error of the system: there is no such core, or this process may not use it.
pub fn pin_to_core(core: usize) -> io::Result<()> {
    if core >= CpuSet::MAX_CPU {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let mut cores = CpuSet::new();
    cores.set(core);
    Ok(sched_setaffinity(None, &cores)?)
}

/// Returns the numbers of the processor cores that this thread may use.
///
/// # Errors
///
/// Returns the error of the system.
pub fn usable_cores() -> io::Result<Vec<usize>> {
    let cores = sched_getaffinity(None)?;
    Ok((0..CpuSet::MAX_CPU).filter(|core| cores.is_set(*core)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_stays_on_its_core() {
        let last = usable_cores().expect("the affinity can be read").pop().expect("a core is ours");
        let pinned = std::thread::spawn(move || {
            pin_to_core(last).expect("the core is ours");
            usable_cores().expect("the affinity can be read")
        });
        assert_eq!(pinned.join().expect("no panic"), [last]);
        assert_eq!(pin_to_core(1 << 20).unwrap_err().kind(), io::ErrorKind::InvalidInput);
    }
}
