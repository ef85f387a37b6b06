//! TAP interfaces of Linux: Ethernet interfaces whose other end is a program (Linux,
//! Documentation/networking/tuntap.rst).

use std::io;
use std::os::fd::{AsFd, BorrowedFd};

use tun_rs::{DeviceBuilder, Layer, SyncDevice};

use crate::Interface;

/// The program's end of a TAP interface. The interface is removed when this is dropped, unless it existed before.
pub struct Tap(SyncDevice);

impl Tap {
    /// Creates a TAP interface, or attaches to an existing one that no other program uses. Its administrative state is
    /// not changed, so a new interface is down. Frames arrive without offload: whole, and with checksums.
    ///
    /// # Errors
    ///
    /// Returns the error of the system: there is no `/dev/net/tun`, CAP_NET_ADMIN is missing, the interface is in use,
    /// or the name is too long.
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

/// Returns true if the operation would only have to wait.
fn waits(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}
