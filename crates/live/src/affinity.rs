//! Threads that stay on one core.

use std::io;

use rustix::thread::{CpuSet, sched_setaffinity};

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

#[cfg(test)]
mod tests {
    use rustix::thread::sched_getaffinity;

    use super::*;

    #[test]
    fn a_thread_stays_on_its_core() {
        let cores = sched_getaffinity(None).expect("the affinity can be read");
        let last = (0..CpuSet::MAX_CPU).rfind(|core| cores.is_set(*core)).expect("a core is ours");
        let pinned = std::thread::spawn(move || {
            pin_to_core(last).expect("the core is ours");
            sched_getaffinity(None).expect("the affinity can be read")
        });
        let pinned = pinned.join().expect("no panic");
        assert!(pinned.count() == 1 && pinned.is_set(last));
        assert_eq!(pin_to_core(1 << 20).unwrap_err().kind(), io::ErrorKind::InvalidInput);
    }
}
