//! Interfaces that ports can be bound to.

use std::collections::VecDeque;
use std::io;
use std::os::fd::BorrowedFd;

use node::{Burst, Discarded};
use wire::{Packet, SegmentationKind};

/// Sends and receives packets without ever blocking.
pub trait Interface: Send {
    /// Returns the name, by which people know the interface.
    fn name(&self) -> &str;

    /// Returns what the interface takes beyond whole packets with complete checksums.
    fn offload(&self) -> Offload;

    /// Returns the longest frame that the interface sends, in bytes with its Ethernet header and without segments that
    /// it cuts itself; `None` if there is no limit, or none is known.
    fn longest_frame(&self) -> Option<u32> {
        None
    }

    /// Appends packets that have arrived to `into`, and those that are not understood to `discarded`, at most `limit`
    /// together; if there are fewer, nothing waits any more until the descriptor is readable again. The sidecars say what
    /// the interface knows of checksums and segmentation.
    ///
    /// # Errors
    ///
    /// Returns the error of the system, for example if the interface is gone. Packets that were appended before count.
    fn receive(&mut self, limit: usize, into: &mut Burst, discarded: &mut Vec<Discarded>) -> io::Result<()>;

    /// Returns whether packets have arrived, or something else is to be received; `None` if only a call of the system would
    /// tell. A driver that spins asks this all the time.
    fn has_arrived(&self) -> Option<bool> {
        None
    }

    /// Sends packets from the front of `packets`, and moves those to `sent`. Packets that stay found no room. One that
    /// can never be sent, because it is too long or the interface is down, goes to `discarded`.
    ///
    /// The packets ask for no more than [`Interface::offload`] offers.
    ///
    /// # Errors
    ///
    /// Returns the error of the system.
    fn send(
        &mut self,
        packets: &mut VecDeque<Packet>,
        sent: &mut Burst,
        discarded: &mut Vec<Discarded>,
    ) -> io::Result<()>;

    /// Says whether [`Interface::descriptor`] is to tell of packets that arrive, as it does at first and until this says otherwise. Who
    /// asks [`Interface::has_arrived`] again and again spares an interface what telling costs. When it is to tell again, it tells of
    /// packets that are there as well. An interface may tell all the same.
    ///
    /// # Errors
    ///
    /// Returns the error of the system.
    fn tell_of_arrivals(&mut self, _wanted: bool) -> io::Result<()> {
        Ok(())
    }

    /// Returns a descriptor that is readable when a packet has arrived, and writable when there is room for one, unless
    /// [`Interface::room`] has another that says so.
    fn descriptor(&self) -> BorrowedFd<'_>;

    /// Returns a descriptor that is readable when there is room again after [`Interface::send`] has found none; `None` if
    /// [`Interface::descriptor`] becomes writable then.
    fn room(&self) -> Option<BorrowedFd<'_>> {
        None
    }

    /// Returns a descriptor that is readable when something has happened to the interface; `None` if nothing ever does.
    fn events(&self) -> Option<BorrowedFd<'_>> {
        None
    }

    /// Returns the next thing that has happened to the interface, if there is one. It is up before the first.
    ///
    /// # Errors
    ///
    /// Returns the error of the system.
    fn next_event(&mut self) -> io::Result<Option<InterfaceEvent>> {
        Ok(None)
    }
}

impl<I: Interface + ?Sized> Interface for Box<I> {
    fn name(&self) -> &str {
        (**self).name()
    }

    fn offload(&self) -> Offload {
        (**self).offload()
    }

    fn longest_frame(&self) -> Option<u32> {
        (**self).longest_frame()
    }

    fn receive(&mut self, limit: usize, into: &mut Burst, discarded: &mut Vec<Discarded>) -> io::Result<()> {
        (**self).receive(limit, into, discarded)
    }

    fn has_arrived(&self) -> Option<bool> {
        (**self).has_arrived()
    }

    fn tell_of_arrivals(&mut self, wanted: bool) -> io::Result<()> {
        (**self).tell_of_arrivals(wanted)
    }

    fn send(
        &mut self,
        packets: &mut VecDeque<Packet>,
        sent: &mut Burst,
        discarded: &mut Vec<Discarded>,
    ) -> io::Result<()> {
        (**self).send(packets, sent, discarded)
    }

    fn descriptor(&self) -> BorrowedFd<'_> {
        (**self).descriptor()
    }

    fn room(&self) -> Option<BorrowedFd<'_>> {
        (**self).room()
    }

    fn events(&self) -> Option<BorrowedFd<'_>> {
        (**self).events()
    }

    fn next_event(&mut self) -> io::Result<Option<InterfaceEvent>> {
        (**self).next_event()
    }
}

/// Something that has happened to an interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InterfaceEvent {
    /// It can carry packets.
    Up,
    /// It cannot carry packets for now.
    Down,
    /// It is gone. It carries no packets until it returns.
    Removed,
    /// There is an interface of its name again, which takes its place, with a descriptor of its own. Whether it is up is
    /// an event of its own.
    Returned,
    /// The longest frame that it sends is another, in bytes with its Ethernet header.
    LongestFrame(u32),
    /// Packets do not pass as somebody wants them to: a sentence says why, and what to do. `None` says that this is over.
    Warning(Option<&'static str>),
}

/// The work on packets that an interface takes over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Offload {
    /// Whether a packet may be sent with a partial checksum.
    pub checksum: bool,
    /// Whether a packet may be sent that is still to be cut into segments of TCP.
    pub tcp_segmentation: bool,
    /// Whether a packet may be sent that is still to be cut into datagrams of UDP.
    pub udp_segmentation: bool,
}

impl Offload {
    /// Returns whether a packet may be sent that is still to be cut by a protocol.
    pub fn cuts(&self, kind: SegmentationKind) -> bool {
        match kind {
            SegmentationKind::TcpIpv4 | SegmentationKind::TcpIpv6 => self.tcp_segmentation,
            SegmentationKind::Udp => self.udp_segmentation,
        }
    }
}
