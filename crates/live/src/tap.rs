//! TAP interfaces of Linux: an Ethernet interface whose other end is a program (Linux, Documentation/networking/tuntap.rst).

use std::io;
use std::os::fd::{AsFd, BorrowedFd};

use tun_rs::{DeviceBuilder, Layer, SyncDevice};

use crate::Interface;

/// The program's end of a TAP interface. The interface is gone when this is dropped, unless it was there before.
pub struct Tap(SyncDevice);

impl Tap {
    /// Makes a TAP interface, or takes one that is there and that nobody else has. It is down until somebody sets it up.
    /// Frames come without offload: whole, and with checksums.
    ///
    /// # Errors
    /// What the system says: no `/dev/net/tun`, not allowed (CAP_NET_ADMIN), taken, a name that is too long.
    pub fn open(name: &str) -> io::Result<Self> {
        let device = DeviceBuilder::new().name(name).layer(Layer::L2).inherit_enable_state().build_sync()?;
        device.set_nonblocking(true)?;
        Ok(Self(device))
    }
}

impl Interface for Tap {
    fn receive(&mut self, into: &mut [u8]) -> io::Result<Option<usize>> {
        match self.0.recv(into) {
            Ok(length) => Ok(Some(length)),
            Err(error) if waits(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn send(&mut self, frame: &[u8]) -> io::Result<bool> {
        match self.0.send(frame) {
            Ok(_) => Ok(true),
            Err(error) if waits(&error) => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn descriptor(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// True if an error only says that it is not the time.
fn waits(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}
