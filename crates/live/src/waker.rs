//! A handle by which other threads end the driver's sleep.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;

use rustix::event::{EventfdFlags, eventfd};

/// A handle by which any thread ends the sleep of a [`crate::Driver`], whose `turn` is then called at once. It may outlive
/// the driver, and then does nothing.
#[derive(Clone, Debug)]
pub struct Waker(Arc<OwnedFd>);

impl Waker {
    pub(crate) fn new() -> io::Result<Self> {
        let descriptor = eventfd(0, EventfdFlags::NONBLOCK | EventfdFlags::CLOEXEC)?;
        Ok(Self(Arc::new(descriptor)))
    }

    /// Ends the driver's sleep, or its next one if it does not sleep now. Several calls before that count as one.
    pub fn wake(&self) {
        // This fails only if nobody has slept since 2^64 - 2 calls, and then the driver is awake.
        let _ = rustix::io::write(&self.0, &1u64.to_ne_bytes());
    }

    /// Takes back all calls so far.
    pub(crate) fn reset(&self) {
        // This fails only if there were none.
        let _ = rustix::io::read(&self.0, &mut [0; 8]);
    }

    pub(crate) fn descriptor(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
