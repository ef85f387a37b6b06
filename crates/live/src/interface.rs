//! Interfaces that ports can be bound to.

use std::io;
use std::os::fd::BorrowedFd;

/// Sends and receives frames without ever blocking.
pub trait Interface {
    /// Copies the next frame that has arrived into `into` and returns its length; `None` if no frame is waiting. A
    /// frame that does not fit is truncated.
    ///
    /// # Errors
    ///
    /// Returns the error of the system, for example if the interface is gone.
    fn receive(&mut self, into: &mut [u8]) -> io::Result<Option<usize>>;

    /// Sends a frame. Returns false if there is no room for it now.
    ///
    /// # Errors
    ///
    /// Returns the error of the system.
    fn send(&mut self, frame: &[u8]) -> io::Result<bool>;

    /// Returns a descriptor that is readable when a frame has arrived, and writable when there is room for one.
    fn descriptor(&self) -> BorrowedFd<'_>;
}
