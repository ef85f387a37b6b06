//! AF_PACKET sockets of Linux: all frames of an interface that exists already (packet(7)).
//!
//! A frame comes with a virtio header (`PACKET_VNET_HDR`), so that a neighbour need not switch its offloads off: it may
//! hold 64 KB, which are still to be cut, and its checksum may be partial.

mod system;

use std::collections::VecDeque;
use std::io::{self, IoSliceMut};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use node::{Burst, Discarded};
use wire::Packet;

use crate::link_watch::LinkWatch;
use crate::{Interface, InterfaceEvent, Offload, frames};
use system::Tag;

#[cfg(feature = "af_xdp")]
pub use system::Promiscuous;
pub use system::index;

/// The offset of a VLAN tag in a frame, behind the two addresses.
const TAG_OFFSET: usize = 12;

/// All frames of an existing interface, such as one end of a veth pair. Frames of others than the interface's own
/// address are received as well. Nothing of the interface is changed that outlives this.
pub struct PacketSocket {
    name: String,
    socket: OwnedFd,
    watch: LinkWatch,
    receiver: frames::Receiver,
    sender: frames::Sender,
}

impl PacketSocket {
    /// Opens a socket on the interface of a name, in the network namespace of this thread.
    ///
    /// # Errors
    ///
    /// Returns the error of the system: there is no such interface, or CAP_NET_RAW is missing.
    pub fn open(name: &str) -> io::Result<Self> {
        let index = system::index(name)?;
        let socket = system::open()?;
        system::bind(&socket, index)?;
        let watch = LinkWatch::new(name, index)?;
        Ok(Self {
            name: name.to_owned(),
            socket,
            watch,
            receiver: frames::Receiver::new(),
            sender: frames::Sender::default(),
        })
    }

    /// Returns true if there is an interface of a name in the network namespace of this thread.
    pub fn exists(name: &str) -> bool {
        system::index(name).is_ok()
    }
}

impl Interface for PacketSocket {
    fn name(&self) -> &str {
        &self.name
    }

    fn offload(&self) -> Offload {
        Offload { checksum: true, tcp_segmentation: true, udp_segmentation: true }
    }

    fn longest_frame(&self) -> Option<u32> {
        self.watch.longest_frame()
    }

    fn receive(&mut self, limit: usize, into: &mut Burst, discarded: &mut Vec<Discarded>) -> io::Result<()> {
        let read = |parts: &mut [IoSliceMut<'_>]| system::receive(self.socket.as_fd(), parts);
        self.receiver.receive_burst(limit, (into, discarded), read, |packet, tag| {
            if let Some(tag) = tag {
                put_back(packet, tag);
            }
        })
    }

    fn send(
        &mut self,
        packets: &mut VecDeque<Packet>,
        sent: &mut Burst,
        discarded: &mut Vec<Discarded>,
    ) -> io::Result<()> {
        let (offload, to) = (self.offload(), &self.socket);
        self.sender.send(offload, packets, (sent, discarded), |parts| Ok(rustix::io::writev(to, parts)?))
    }

    fn descriptor(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }

    fn events(&self) -> Option<BorrowedFd<'_>> {
        Some(self.watch.descriptor())
    }

    fn next_event(&mut self) -> io::Result<Option<InterfaceEvent>> {
        let event = self.watch.next()?;
        if let (Some(InterfaceEvent::Returned), Some(index)) = (event, self.watch.index()) {
            // The socket stays in its network namespace, and takes what the new interface receives. If that is gone
            // again, the next event says so.
            match system::bind(&self.socket, index) {
                Err(error) if !frames::is_down(&error) => return Err(error),
                _ => {}
            }
        }
        Ok(event)
    }
}

/// Puts a VLAN tag back that the kernel took out of a frame.
fn put_back(packet: &mut Packet, Tag { protocol, control }: Tag) {
    if packet.head.len() < TAG_OFFSET {
        return;
    }
    let mut front = [0; TAG_OFFSET + 4];
    front[..TAG_OFFSET].copy_from_slice(&packet.head.bytes()[..TAG_OFFSET]);
    front[TAG_OFFSET..TAG_OFFSET + 2].copy_from_slice(&protocol.to_be_bytes());
    front[TAG_OFFSET + 2..].copy_from_slice(&control.to_be_bytes());
    packet.replace_front(TAG_OFFSET, &front);
    packet.sidecar.original_length += 4;
}
