//! Interfaces that ports can be bound to.

use std::collections::VecDeque;
use std::io;
use std::os::fd::BorrowedFd;

use node::{Burst, Discarded};
use wire::Packet;

use crate::{PacketSocket, Tap};

/// Sends and receives packets without ever blocking.
pub trait Interface {
    /// Returns what the interface takes beyond whole packets with complete checksums.
    fn offload(&self) -> Offload;

    /// Appends packets that have arrived to `into`, at most `limit`. Their sidecars say what the interface knows of
    /// checksums and segmentation; a packet that is not understood goes to `discarded` instead.
    ///
    /// # Errors
    ///
    /// Returns the error of the system, for example if the interface is gone.
    fn receive(&mut self, limit: usize, into: &mut Burst, discarded: &mut Vec<Discarded>) -> io::Result<()>;

    /// Sends packets from the front of `packets`, and removes those that were sent. Packets that stay found no room.
    /// One that can never be sent, because it is too long or the interface is down, goes to `discarded`. Returns the
    /// number of packets that were sent.
    ///
    /// The packets ask for no more than [`Interface::offload`] offers.
    ///
    /// # Errors
    ///
    /// Returns the error of the system.
    fn send(&mut self, packets: &mut VecDeque<Packet>, discarded: &mut Vec<Discarded>) -> io::Result<u64>;

    /// Returns a descriptor that is readable when a packet has arrived, and writable when there is room for one.
    fn descriptor(&self) -> BorrowedFd<'_>;
}

impl<I: Interface + ?Sized> Interface for Box<I> {
    fn offload(&self) -> Offload {
        (**self).offload()
    }

    fn receive(&mut self, limit: usize, into: &mut Burst, discarded: &mut Vec<Discarded>) -> io::Result<()> {
        (**self).receive(limit, into, discarded)
    }

    fn send(&mut self, packets: &mut VecDeque<Packet>, discarded: &mut Vec<Discarded>) -> io::Result<u64> {
        (**self).send(packets, discarded)
    }

    fn descriptor(&self) -> BorrowedFd<'_> {
        (**self).descriptor()
    }
}

/// Opens the interface of a name: a [`PacketSocket`] if there is such an interface that is not a TAP, and otherwise a
/// [`Tap`].
///
/// # Errors
///
/// Returns the error of the system, as [`PacketSocket::open`] and [`Tap::open`] do.
pub fn open(name: &str) -> io::Result<Box<dyn Interface>> {
    if !PacketSocket::exists(name) {
        return Ok(Box::new(Tap::open(name)?));
    }
    // Only the driver of TAP interfaces knows which interfaces are its own (`/sys` may show those of another network
    // namespace): it refuses others as invalid.
    match Tap::open(name) {
        Ok(tap) => Ok(Box::new(tap)),
        Err(error) if matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::NotFound) => {
            Ok(Box::new(PacketSocket::open(name)?))
        }
        Err(error) => Err(error),
    }
}

/// The work on packets that an interface takes over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Offload {
    /// Whether a packet may be sent with a partial checksum.
    pub checksum: bool,
    /// Whether a packet may be sent that is still to be cut into segments.
    pub segmentation: bool,
}
