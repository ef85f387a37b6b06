//! The number of threads of commands that run many independent jobs.

use std::num::NonZeroUsize;
use std::thread;

/// Returns the number of threads that `--threads` asks for; without the option, one for each core.
pub fn threads(asked: Option<u32>) -> NonZeroUsize {
    let asked = asked.and_then(|asked| NonZeroUsize::new(asked as usize));
    asked.or_else(|| thread::available_parallelism().ok()).unwrap_or(NonZeroUsize::MIN)
}
