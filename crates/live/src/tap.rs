//! TAP interfaces of Linux: Ethernet interfaces whose other end is a program (Linux,
//! Documentation/networking/tuntap.rst).

use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};

use node::{Burst, Discarded};
use tun_rs::{DeviceBuilder, Layer, SyncDevice};
use wire::Packet;

use crate::{Interface, Offload};

/// The longest frame, in bytes: the greatest length of an IPv4 packet, and 18 for the Ethernet header.
const LONGEST: usize = 65_535 + 18;

/// The program's end of a TAP interface. The interface is removed when this is dropped, unless it existed before.
pub struct Tap {
    name: String,
    device: SyncDevice,
    /// The bytes of the frame that is received or sent.
    frame: Vec<u8>,
}

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
        Ok(Self { name: name.to_owned(), device, frame: Vec::with_capacity(LONGEST) })
    }
}

impl Interface for Tap {
    fn name(&self) -> &str {
        &self.name
    }

    fn offload(&self) -> Offload {
        Offload::default()
    }

    fn receive(&mut self, limit: usize, into: &mut Burst, _: &mut Vec<Discarded>) -> io::Result<()> {
        self.frame.resize(LONGEST, 0);
        for _ in 0..limit {
            match self.device.recv(&mut self.frame) {
                Ok(length) => into.push(Packet::of_bytes(&self.frame[..length])),
                Err(error) if waits(&error) => break,
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn send(&mut self, packets: &mut VecDeque<Packet>, sent: &mut Burst, _: &mut Vec<Discarded>) -> io::Result<()> {
        while let Some(packet) = packets.front() {
            self.frame.clear();
            packet.append_to(&mut self.frame);
            match self.device.send(&self.frame) {
                Ok(_) => sent.extend(packets.pop_front()),
                Err(error) if waits(&error) => break,
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn descriptor(&self) -> BorrowedFd<'_> {
        self.device.as_fd()
    }
}

/// Returns true if the operation would only have to wait.
fn waits(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}
