//! AF_PACKET sockets of Linux: all frames of an interface that exists already (packet(7)).
//!
//! A frame comes with a virtio header (`PACKET_VNET_HDR`), so that a neighbour need not switch its offloads off: it may
//! hold 64 KB, which are still to be cut, and its checksum may be partial.

mod system;

use std::collections::VecDeque;
use std::io::{self, IoSlice, IoSliceMut};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use node::{Burst, Discarded, Reason};
use wire::{ChecksumState, Lender, Packet, Tail};

use crate::{Interface, Offload, reasons, virtio};
use system::Tag;

/// The number of bytes that are received into the head of a packet: all headers that most programs parse, with room
/// behind them in the packet for a few more.
const HEAD: usize = 128;
/// The longest tail of a frame: the greatest length of an IP packet behind an Ethernet header with two tags.
const LONGEST_TAIL: usize = 65_535 + 22 - HEAD;
/// The number of tails that can be lent at once; beyond it they are copied.
const TAILS: usize = 256;
/// The offset of a VLAN tag in a frame, behind the two addresses.
const TAG_OFFSET: usize = 12;

/// All frames of an existing interface, such as one end of a veth pair. Frames of others than the interface's own
/// address are received as well. Nothing of the interface is changed that outlives this.
#[derive(Debug)]
pub struct PacketSocket {
    name: String,
    socket: OwnedFd,
    lender: Lender,
    /// Where a tail is received when all are lent.
    spare: Vec<u8>,
}

impl PacketSocket {
    /// Opens a socket on the interface of a name, in the network namespace of this thread.
    ///
    /// # Errors
    ///
    /// Returns the error of the system: there is no such interface, or CAP_NET_RAW is missing.
    pub fn open(name: &str) -> io::Result<Self> {
        Ok(Self {
            name: name.to_owned(),
            socket: system::open(name)?,
            lender: Lender::new(TAILS, LONGEST_TAIL),
            spare: vec![0; LONGEST_TAIL],
        })
    }

    /// Returns true if there is an interface of a name in the network namespace of this thread.
    pub fn exists(name: &str) -> bool {
        system::index(name).is_ok()
    }

    /// Receives one frame; `None` if none is waiting. The packet is an error if its virtio header is not understood.
    fn receive_one(&mut self) -> io::Result<Option<Result<Packet, Packet>>> {
        let mut header = [0; virtio::LENGTH];
        let mut packet = Packet::blank(HEAD);
        let (tail, is_lent) = match self.lender.buffer() {
            Some(buffer) => (buffer, true),
            None => (&mut self.spare[..], false),
        };
        let head = packet.head.bytes_mut();
        let mut parts = [IoSliceMut::new(&mut header), IoSliceMut::new(head), IoSliceMut::new(tail)];
        let (length, tag) = match system::receive(self.socket.as_fd(), &mut parts) {
            Ok(received) => received,
            Err(error) if waits(&error) || is_down(&error) => return Ok(None),
            Err(error) => return Err(error),
        };
        let length = length.saturating_sub(virtio::LENGTH);
        packet.head.truncate(length);
        if let Some(of_tail) = length.checked_sub(HEAD).filter(|of_tail| *of_tail > 0) {
            let bytes = if is_lent { self.lender.lend(of_tail) } else { self.lender.copy(&self.spare[..of_tail]) };
            packet.tail = Tail::Bytes(bytes);
        }
        let is_known = virtio::read(header, &mut packet).is_ok();
        if let Some(tag) = tag {
            put_back(&mut packet, tag);
        }
        packet.sidecar.original_length = packet.len() as u32;
        Ok(Some(if is_known { Ok(packet) } else { Err(packet) }))
    }
}

impl Interface for PacketSocket {
    fn name(&self) -> &str {
        &self.name
    }

    fn offload(&self) -> Offload {
        Offload { checksum: true, segmentation: true }
    }

    fn receive(&mut self, limit: usize, into: &mut Burst, discarded: &mut Vec<Discarded>) -> io::Result<()> {
        self.lender.rewind();
        for _ in 0..limit {
            match self.receive_one()? {
                Some(Ok(packet)) => into.push(packet),
                Some(Err(packet)) => discarded.push(Discarded { packet, reason: Reason::MALFORMED }),
                None => break,
            }
        }
        Ok(())
    }

    fn send(
        &mut self,
        packets: &mut VecDeque<Packet>,
        sent: &mut Burst,
        discarded: &mut Vec<Discarded>,
    ) -> io::Result<()> {
        while let Some(packet) = packets.front() {
            let header = virtio::write(packet);
            let zeros;
            let tail: &[u8] = match &packet.tail {
                Tail::Bytes(bytes) => bytes,
                // Bytes whose content does not matter are sent as zeros.
                Tail::Length(0) => &[],
                Tail::Length(length) => {
                    zeros = vec![0; *length as usize];
                    &zeros
                }
            };
            let parts = [IoSlice::new(&header), IoSlice::new(packet.head.bytes()), IoSlice::new(tail)];
            let reason = match rustix::io::writev(&self.socket, &parts).map_err(io::Error::from) {
                Ok(_) => {
                    sent.extend(packets.pop_front());
                    continue;
                }
                Err(error)
                    if waits(&error) || error.raw_os_error() == Some(rustix::io::Errno::NOBUFS.raw_os_error()) =>
                {
                    break;
                }
                Err(error) if is_down(&error) => reasons::INTERFACE_DOWN,
                Err(error) if error.raw_os_error() == Some(rustix::io::Errno::MSGSIZE.raw_os_error()) => {
                    reasons::TOO_LONG
                }
                // The kernel refuses a frame that is shorter than an Ethernet header, or whose virtio header does not
                // fit its bytes.
                Err(error) if error.raw_os_error() == Some(rustix::io::Errno::INVAL.raw_os_error()) => {
                    Reason::MALFORMED
                }
                Err(error) => return Err(error),
            };
            discarded.extend(packets.pop_front().map(|packet| Discarded { packet, reason }));
        }
        Ok(())
    }

    fn descriptor(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
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
    packet.head.replace_front(TAG_OFFSET, &front);
    if let ChecksumState::Partial { start, .. } = &mut packet.sidecar.checksum {
        *start += 4;
    }
}

/// Returns true if the operation would only have to wait.
fn waits(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}

/// Returns true if the interface is down or gone for now.
fn is_down(error: &io::Error) -> bool {
    use rustix::io::Errno;
    [Errno::NETDOWN, Errno::NXIO, Errno::NODEV].iter().any(|down| error.raw_os_error() == Some(down.raw_os_error()))
}
