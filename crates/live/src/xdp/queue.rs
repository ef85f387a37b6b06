//! One queue of an interface: a socket with its four rings, and the chunks of memory that it uses.

use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use node::{Burst, Discarded};
use rustix::io::Errno;
use rustix::net::sockopt::{
    set_xdp_rx_ring_size, set_xdp_tx_ring_size, set_xdp_umem_completion_ring_size, set_xdp_umem_fill_ring_size,
    set_xdp_umem_reg, xdp_mmap_offsets,
};
use rustix::net::xdp::{
    SocketAddrXdp, SocketAddrXdpFlags, XDP_PGOFF_RX_RING, XDP_PGOFF_TX_RING, XDP_UMEM_PGOFF_COMPLETION_RING,
    XDP_UMEM_PGOFF_FILL_RING, XdpDesc, XdpDescOptions, XdpUmemReg, XdpUmemRegFlags,
};
use rustix::net::{AddressFamily, SendFlags, SocketFlags, SocketType, bind, send, socket_with};
use wire::{Lender, Packet, SharedBytes, Sidecar, Tail};

use super::region::{BLOCK, Block, CHUNK, LENGTH};
use super::ring::{Consumer, Producer};
use crate::frames::{self, ETHERNET, HEAD, LONGEST_TAIL};
use crate::reasons;

/// The sizes of the rings. Completions never exceed chunks that are sent, so that their ring is never full.
const RECEIVE_RING: u32 = 1024;
const SEND_RING: u32 = 512;
/// The number of chunks that wait in the kernel for frames.
const MOST_IN_KERNEL: usize = BLOCK / 2;
/// The number of chunks that are not lent, so that frames can be copied into them to be sent.
const RESERVE: usize = 64;
/// The number of buffers for payload that came in several chunks.
const BUFFERS: usize = 128;

/// A socket of one queue. Fields before `sending` hold the socket open; when they are dropped, the kernel no longer uses
/// the memory.
pub struct Queue {
    fill: Producer<u64>,
    completion: Consumer<u64>,
    arrived: Consumer<XdpDesc>,
    to_send: Producer<XdpDesc>,
    socket: OwnedFd,
    /// The parts of chunks that are being sent from where they were received, by the chunk's number in the region.
    sending: Vec<Option<SharedBytes>>,
    block: Block,
    /// The chunks that nobody uses, and those that packets may have, by their numbers in the block.
    free: Vec<usize>,
    lent: VecDeque<usize>,
    in_kernel: usize,
    /// The number of bytes in front of a frame that a program has written about it.
    metadata: usize,
    /// The payload of a frame that comes in several chunks, so far.
    long: Option<Packet>,
    long_payload: Vec<u8>,
    /// The lender of the memory for such payload, once there is one.
    lender: Option<Lender>,
    copies: u64,
}

impl Queue {
    /// Opens a socket for a queue of an interface, with so many bytes in front of each frame that a program writes about it.
    ///
    /// # Errors
    ///
    /// Returns the error of the system. EINVAL may mean that there is no such queue, or that the kernel does not know a
    /// flag.
    pub fn open(interface: u32, number: u32, metadata: usize, flags: SocketAddrXdpFlags) -> io::Result<Self> {
        let socket = socket_with(AddressFamily::XDP, SocketType::RAW, SocketFlags::CLOEXEC, None)?;
        let block = Block::take()?;
        let memory = XdpUmemReg {
            addr: block.region.address() as u64,
            len: LENGTH as u64,
            chunk_size: CHUNK as u32,
            headroom: 0,
            flags: XdpUmemRegFlags::empty(),
            tx_metadata_len: 0,
        };
        set_xdp_umem_reg(&socket, memory)?;
        set_xdp_umem_fill_ring_size(&socket, BLOCK as u32)?;
        set_xdp_umem_completion_ring_size(&socket, BLOCK as u32)?;
        set_xdp_rx_ring_size(&socket, RECEIVE_RING)?;
        set_xdp_tx_ring_size(&socket, SEND_RING)?;
        let offsets = xdp_mmap_offsets(&socket)?;
        let descriptor = socket.as_fd();
        let mut queue = Self {
            fill: Producer::map(descriptor, XDP_UMEM_PGOFF_FILL_RING, &offsets.fr, BLOCK as u32)?,
            completion: Consumer::map(descriptor, XDP_UMEM_PGOFF_COMPLETION_RING, &offsets.cr, BLOCK as u32)?,
            arrived: Consumer::map(descriptor, XDP_PGOFF_RX_RING, &offsets.rx, RECEIVE_RING)?,
            to_send: Producer::map(descriptor, XDP_PGOFF_TX_RING, &offsets.tx, SEND_RING)?,
            socket,
            sending: vec![None; LENGTH / CHUNK],
            block,
            free: (0..BLOCK).rev().collect(),
            lent: VecDeque::with_capacity(BLOCK),
            in_kernel: 0,
            metadata,
            long: None,
            long_payload: Vec::new(),
            lender: None,
            copies: 0,
        };
        queue.refill();
        bind(&queue.socket, &SocketAddrXdp::new(flags, interface, number))?;
        Ok(queue)
    }

    pub fn descriptor(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }

    /// Returns true if frames have arrived.
    pub fn has_arrived(&self) -> bool {
        !self.arrived.is_empty()
    }

    /// Returns how many frames got a copy of their payload because no chunk was left to lend.
    pub fn copies(&self) -> u64 {
        self.copies
    }

    /// Takes back chunks that no packet has any more.
    fn reclaim_lent(&mut self) {
        for _ in 0..self.lent.len().min(2 * SEND_RING as usize) {
            let Some(chunk) = self.lent.pop_front() else { return };
            if self.block.chunks[chunk].is_free() {
                self.free.push(chunk);
            } else {
                self.lent.push_back(chunk);
            }
        }
    }

    /// Takes back what the kernel has sent.
    fn reclaim_sent(&mut self) {
        while let Some(address) = self.completion.pop() {
            let chunk = address as usize / CHUNK;
            if self.sending[chunk].take().is_none() {
                self.free.push(chunk - self.block.first);
            }
        }
    }

    /// Gives free chunks to the kernel for frames that will arrive.
    fn refill(&mut self) {
        let wanted = MOST_IN_KERNEL.saturating_sub(self.in_kernel).min(self.free.len());
        for chunk in self.free.drain(self.free.len() - wanted..) {
            self.fill.push(((self.block.first + chunk) * CHUNK) as u64);
        }
        // A driver that sleeps until it is told of new chunks is woken when epoll looks at the socket.
        self.fill.submit();
        self.in_kernel += wanted;
    }

    /// Appends frames that have arrived to the lists, at most `limit`. Returns how many these are.
    pub fn receive(&mut self, limit: usize, into: &mut Burst, discarded: &mut Vec<Discarded>) -> usize {
        let mut taken = 0;
        let mut has_reclaimed = false;
        while taken < limit
            && let Some(part) = self.arrived.pop()
        {
            self.in_kernel -= 1;
            if self.free.len() <= RESERVE && !has_reclaimed {
                self.reclaim_lent();
                has_reclaimed = true;
            }
            let chunk = part.addr as usize / CHUNK - self.block.first;
            let start = part.addr as usize % CHUNK;
            let range = start..start + part.len as usize;
            let is_continued = part.options.contains(XdpDescOptions::XDP_PKT_CONTD);
            let packet = if is_continued || self.long.is_some() {
                self.append(chunk, range);
                self.free.push(chunk);
                if is_continued {
                    continue;
                }
                self.finish_long()
            } else {
                self.take(chunk, range)
            };
            taken += 1;
            let reason = match packet.sidecar.original_length as usize {
                ..ETHERNET => Some(reasons::TOO_SHORT),
                length if length > HEAD + LONGEST_TAIL => Some(reasons::TOO_LONG),
                _ => None,
            };
            match reason {
                Some(reason) => discarded.push(Discarded::new(packet, reason)),
                None => into.push(packet),
            }
        }
        if self.in_kernel < MOST_IN_KERNEL - RESERVE || taken < limit {
            self.reclaim_lent();
            self.refill();
        }
        taken
    }

    /// Returns the frame in a part of a chunk, whose payload is lent.
    fn take(&mut self, chunk: usize, range: std::ops::Range<usize>) -> Packet {
        let behind = range.start + range.len().min(HEAD);
        let bytes = self.block.chunks[chunk].bytes_mut().expect("the kernel had the chunk");
        let sidecar = Sidecar { original_length: range.len() as u32, ..Sidecar::default() };
        let mut packet = begin(bytes, self.metadata, range.start..behind, sidecar);
        if behind == range.end {
            self.free.push(chunk);
        } else if self.free.len() > RESERVE {
            packet.tail = Tail::Bytes(self.block.chunks[chunk].lend(behind..range.end));
            self.lent.push_back(chunk);
        } else {
            packet.tail = Tail::Bytes(bytes[behind..range.end].into());
            self.copies += 1;
            self.free.push(chunk);
        }
        packet
    }

    /// Appends a part of a chunk to the frame that comes in several.
    fn append(&mut self, chunk: usize, range: std::ops::Range<usize>) {
        let bytes = self.block.chunks[chunk].bytes_mut().expect("the kernel had the chunk");
        let rest = match &mut self.long {
            Some(packet) => {
                packet.sidecar.original_length += range.len() as u32;
                &bytes[range]
            }
            None => {
                let behind = range.start + range.len().min(HEAD);
                let sidecar = Sidecar { original_length: range.len() as u32, ..Sidecar::default() };
                self.long = Some(begin(bytes, self.metadata, range.start..behind, sidecar));
                self.long_payload.clear();
                &bytes[behind..range.end]
            }
        };
        // What is longer than any frame is only counted.
        if self.long_payload.len() <= LONGEST_TAIL {
            self.long_payload.extend_from_slice(rest);
        }
    }

    /// Returns the frame that came in several chunks, with its payload in one piece of memory.
    fn finish_long(&mut self) -> Packet {
        let mut packet = self.long.take().expect("a part was appended");
        let lender = self.lender.get_or_insert_with(|| Lender::new(BUFFERS, LONGEST_TAIL));
        lender.rewind();
        let payload = &self.long_payload[..self.long_payload.len().min(LONGEST_TAIL)];
        let bytes = match lender.buffer() {
            Some(buffer) => {
                buffer[..payload.len()].copy_from_slice(payload);
                lender.lend(payload.len())
            }
            None => lender.copy(payload),
        };
        packet.tail = Tail::Bytes(bytes);
        packet
    }

    /// Writes a packet into the ring of frames to send, of which [`Queue::flush`] tells the kernel. Returns false if there
    /// is no room.
    pub fn send(&mut self, packet: &Packet) -> bool {
        if self.to_send.room() == 0 {
            return false;
        }
        if let Some((address, tail)) = self.place_before(packet) {
            // SAFETY: nobody else has a part of the chunk, and these bytes of it lie before the part.
            #[allow(unsafe_code)]
            unsafe {
                self.block.region.write(address, packet.head.bytes());
            }
            self.sending[address / CHUNK] = Some(tail);
            self.push(address, packet.len(), false);
            return true;
        }
        let parts = packet.len().div_ceil(CHUNK);
        if self.free.len() < parts {
            self.reclaim_sent();
            self.reclaim_lent();
        }
        if self.free.len() < parts || (self.to_send.room() as usize) < parts {
            return false;
        }
        let (head, tail) = (packet.head.bytes(), frames::known_tail(packet).unwrap_or_default());
        let length = head.len() + tail.len();
        for start in (0..length).step_by(CHUNK) {
            let end = length.min(start + CHUNK);
            let Some(chunk) = self.free.pop() else { return false };
            let into = self.block.chunks[chunk].bytes_mut().expect("the chunk is free");
            let of_head = &head[start.min(head.len())..end.min(head.len())];
            let of_tail = &tail[start.saturating_sub(head.len())..end.saturating_sub(head.len())];
            into[..of_head.len()].copy_from_slice(of_head);
            into[of_head.len()..end - start].copy_from_slice(of_tail);
            self.push((self.block.first + chunk) * CHUNK, end - start, end < length);
        }
        true
    }

    /// Returns where in the region a packet's head can be written in front of its tail, if that is the only part of a chunk
    /// that anybody has, and has room in front.
    fn place_before(&self, packet: &Packet) -> Option<(usize, SharedBytes)> {
        let Tail::Bytes(tail) = &packet.tail else { return None };
        let start = self.block.region.offset_of(tail)?;
        let has_room = start % CHUNK >= packet.head.len() && !tail.is_empty();
        (has_room && tail.is_only_part()).then(|| (start - packet.head.len(), tail.clone()))
    }

    fn push(&mut self, address: usize, length: usize, is_continued: bool) {
        let options = if is_continued { XdpDescOptions::XDP_PKT_CONTD } else { XdpDescOptions::empty() };
        self.to_send.push(XdpDesc { addr: address as u64, len: length as u32, options });
    }

    /// Lets the kernel send what is in the ring.
    ///
    /// # Errors
    ///
    /// Returns the error of the system, unless it says that there is no room or that the interface is down.
    pub fn flush(&mut self) -> io::Result<()> {
        self.to_send.submit();
        // One call sends no more than 32 frames where the kernel copies them.
        loop {
            let waiting = self.to_send.waiting();
            if waiting == 0 || !self.to_send.needs_wakeup() {
                break;
            }
            let outcome = send(&self.socket, &[], SendFlags::DONTWAIT);
            self.reclaim_sent();
            match outcome {
                Ok(_) | Err(Errno::AGAIN | Errno::BUSY | Errno::NOBUFS | Errno::INTR)
                    if self.to_send.waiting() < waiting => {}
                Ok(_) | Err(Errno::AGAIN | Errno::BUSY | Errno::NOBUFS | Errno::INTR) => break,
                Err(error) if frames::is_down(&error.into()) => break,
                Err(error) => return Err(error.into()),
            }
        }
        self.reclaim_sent();
        Ok(())
    }
}

/// Returns a packet that begins with a part of a chunk, with what a program has written about it in front. That is erased in the chunk,
/// so that no later frame there has it.
fn begin(chunk: &mut [u8], metadata: usize, head: std::ops::Range<usize>, sidecar: Sidecar) -> Packet {
    let metadata = metadata.min(head.start);
    let start = head.start - metadata;
    let mut packet = Packet::new(&chunk[start..head.end], Tail::Length(0), sidecar);
    packet.head.set_apart(metadata);
    chunk[start..head.start].fill(0);
    packet
}
