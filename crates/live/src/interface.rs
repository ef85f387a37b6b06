//! What a port can be bound to.

use std::io;
use std::os::fd::BorrowedFd;

/// Something that carries frames and never blocks.
pub trait Interface {
    /// Puts the next frame that has come to the front of `into` and says how long it is; `None` if none waits. What does
    /// not fit is lost.
    ///
    /// # Errors
    /// What the system says, for example that the interface is gone.
    fn receive(&mut self, into: &mut [u8]) -> io::Result<Option<usize>>;

    /// Sends a frame; false if there is no room for it now.
    ///
    /// # Errors
    /// What the system says.
    fn send(&mut self, frame: &[u8]) -> io::Result<bool>;

    /// What becomes readable when a frame has come, and writable when there is room.
    fn descriptor(&self) -> BorrowedFd<'_>;
}
