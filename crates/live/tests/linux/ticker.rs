//! Calls the driver's turn again and again, for tests that wait there for something outside of the driver.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use live::Waker;

/// A thread that wakes a driver every few milliseconds, until this is dropped.
pub struct Ticker(Arc<AtomicBool>, Option<JoinHandle<()>>);

impl Ticker {
    pub fn new(waker: Waker) -> Self {
        let is_over = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&is_over);
        let thread = std::thread::spawn(move || {
            while !seen.load(Ordering::Relaxed) {
                waker.wake();
                std::thread::sleep(Duration::from_millis(5));
            }
        });
        Self(is_over, Some(thread))
    }
}

impl Drop for Ticker {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
        let _ = self.1.take().map(JoinHandle::join);
    }
}
