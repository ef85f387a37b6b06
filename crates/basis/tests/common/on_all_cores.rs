//! Many cases of one test, on all cores. Tests include this module with `#[path]`.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Returns what `work` makes of each item, in the order of the items. There is a thread for each core, and each takes the
/// next item when it has finished one.
///
/// # Panics
/// If `work` panics, with what it says, when the other items are finished.
pub fn on_all_cores<I: Sync, T: Send>(items: &[I], work: impl Fn(&I) -> T + Sync) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, T)>> = Mutex::default();
    let take = || {
        while let Some((number, item)) = items.iter().enumerate().nth(next.fetch_add(1, Ordering::Relaxed)) {
            let result = work(item);
            done.lock().expect("nobody panics while it is locked").push((number, result));
        }
    };
    thread::scope(|scope| {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let threads: Vec<_> = (0..cores).map(|_| scope.spawn(take)).collect();
        for thread in threads {
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        }
    });
    let mut done = done.into_inner().expect("no thread panicked");
    done.sort_by_key(|(number, _)| *number);
    done.into_iter().map(|(_, result)| result).collect()
}
