//! A guest: memory that it shares with the switch, two queues in it, and a front end that says where they are.

use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

use live::{Interface, InterfaceEvent, VhostUser};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{MemfdFlags, ftruncate, memfd_create};
use vhost::vhost_user::message::{VhostUserHeaderFlag, VhostUserProtocolFeatures};
use vhost::vhost_user::{Frontend, VhostUserFrontend};
use vhost::{VhostBackend, VhostUserMemoryRegionInfo, VringConfigData};
use vm_memory::{Bytes, FileOffset, GuestAddress, GuestMemoryMmap};
use vmm_sys_util::eventfd::EventFd;

/// The queue in which the guest receives, and that in which it transmits.
pub const RECEIVE: usize = 0;
pub const TRANSMIT: usize = 1;
/// The number of descriptors of each queue.
pub const SIZE: u16 = 64;
/// The length of the header in front of each frame.
pub const HEADER: usize = 12;
/// The guest's address of its memory, the front end's address of it, and its length.
pub const BASE: u64 = 0x1000_0000;
const USER: u64 = 0x7F00_0000_0000;
pub const LENGTH: u64 = 4 << 20;
/// Where buffers begin in the memory, behind the queues.
pub const BUFFERS: u64 = BASE + 0x10_0000;

pub const CHECKSUMS: u64 = 1 | 1 << 1;
pub const SEGMENTS: u64 = 1 << 7 | 1 << 8 | 1 << 9 | 1 << 11 | 1 << 12 | 1 << 13;
pub const MERGED: u64 = 1 << 15;
pub const INDIRECT: u64 = 1 << 28;
pub const EVENT_INDEX: u64 = 1 << 29;
const PROTOCOL_FEATURES: u64 = 1 << 30;
pub const VERSION_1: u64 = 1 << 32;

pub const NEXT: u16 = 1;
pub const WRITE: u16 = 2;
pub const TABLE: u16 = 4;

/// Returns a path for a socket that no other test has.
pub fn socket() -> PathBuf {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    std::env::temp_dir().join(format!("polyplane-vhost-{}-{number}.sock", std::process::id()))
}

/// Returns an interface and the path of its socket.
pub fn interface() -> (VhostUser, PathBuf) {
    let path = socket();
    (VhostUser::open(path.to_str().expect("a path of ASCII")).expect("a socket can be made"), path)
}

/// Waits until a descriptor is readable. Fails after ten seconds.
pub fn wait(descriptor: impl AsFd) {
    assert!(is_readable(descriptor, 10), "nothing happens");
}

/// Returns whether a descriptor is readable, or becomes so within some seconds.
pub fn is_readable(descriptor: impl AsFd, seconds: i64) -> bool {
    let timeout = Timespec { tv_sec: seconds, tv_nsec: 0 };
    poll(&mut [PollFd::new(&descriptor, PollFlags::IN)], Some(&timeout)).expect("poll works") > 0
}

/// Waits until the link of an interface is up or down, and returns the warnings until then, and ends of warnings.
pub fn await_link(interface: &mut VhostUser, is_up: bool) -> Vec<Option<&'static str>> {
    let mut warnings = Vec::new();
    loop {
        wait(interface.events().expect("it has events"));
        while let Some(event) = interface.next_event().expect("events can be read") {
            match event {
                InterfaceEvent::Warning(warning) => warnings.push(warning),
                InterfaceEvent::Up if is_up => return warnings,
                InterfaceEvent::Down if !is_up => return warnings,
                _ => {}
            }
        }
    }
}

/// A guest whose front end is connected.
pub struct Guest {
    pub front_end: Frontend,
    pub memory: GuestMemoryMmap,
    file: OwnedFd,
    pub kicks: [EventFd; 2],
    pub calls: [EventFd; 2],
    /// The number of chains that were made available in each queue, and of those that were found used.
    available: [u16; 2],
    used: [u16; 2],
}

/// The places of the three parts of a queue, behind the beginning of the memory.
fn places(queue: usize) -> [u64; 3] {
    let start = 0x4000 * queue as u64;
    [start, start + 0x1000, start + 0x2000]
}

impl Guest {
    /// Connects, and takes features. The queues are not set up yet.
    pub fn connect(path: &std::path::Path, features: u64) -> Self {
        let mut guest = Self::over(UnixStream::connect(path).expect("the switch listens"));
        guest.take_features(features);
        guest
    }

    /// Waits until a switch connects, and sets everything up.
    pub fn accept(listener: &UnixListener, features: u64) -> Self {
        wait(listener);
        let (stream, _) = listener.accept().expect("the switch has connected");
        Self::start_over(stream, features)
    }

    /// Becomes the owner of a connection.
    pub fn over(stream: UnixStream) -> Self {
        let file = memfd_create("guest", MemfdFlags::CLOEXEC).expect("memory can be had");
        ftruncate(&file, LENGTH).expect("memory can be had");
        let mapped = file.try_clone().expect("a descriptor is left");
        let range = (GuestAddress(BASE), LENGTH as usize, Some(FileOffset::new(mapped.into(), 0)));
        let memory = GuestMemoryMmap::from_ranges_with_files([range]).expect("memory can be mapped");
        let front_end = Frontend::from_stream(stream, 2);
        front_end.set_owner().expect("an owner");
        let events = || [0, 1].map(|_| EventFd::new(libc_nonblock()).expect("a descriptor is left"));
        Self { front_end, memory, file, kicks: events(), calls: events(), available: [0; 2], used: [0; 2] }
    }

    /// Takes features, and those of the protocol.
    pub fn take_features(&mut self, features: u64) {
        let front_end = &mut self.front_end;
        let offered = front_end.get_features().expect("features");
        assert_eq!(offered & features, features, "the features are offered");
        front_end.set_features(features | PROTOCOL_FEATURES).expect("features that are offered");
        let protocol = front_end.get_protocol_features().expect("features of the protocol");
        front_end.set_protocol_features(protocol).expect("features of the protocol");
        assert!(protocol.contains(VhostUserProtocolFeatures::REPLY_ACK));
        front_end.set_hdr_flags(VhostUserHeaderFlag::NEED_REPLY);
    }

    /// Connects, and sets everything up.
    pub fn start(path: &std::path::Path, features: u64) -> Self {
        Self::start_over(UnixStream::connect(path).expect("the switch listens"), features)
    }

    /// Takes features, and sets everything up.
    pub fn start_over(stream: UnixStream, features: u64) -> Self {
        let mut guest = Self::over(stream);
        guest.take_features(features);
        guest.share_memory(LENGTH).expect("the memory is accepted");
        guest.set_up(RECEIVE);
        guest.set_up(TRANSMIT);
        guest
    }

    /// Tells the switch of the memory, as if it had a length.
    pub fn share_memory(&self, length: u64) -> vhost::Result<()> {
        let region = VhostUserMemoryRegionInfo {
            guest_phys_addr: BASE,
            memory_size: length,
            userspace_addr: USER,
            mmap_offset: 0,
            mmap_handle: self.file.as_raw_fd(),
        };
        self.front_end.set_mem_table(&[region]).map(|_| ())
    }

    /// Tells the switch where the rings of a queue are, behind the beginning of the memory.
    pub fn describe(&self, queue: usize, [descriptors, available, used]: [u64; 3], size: u16) -> vhost::Result<()> {
        self.front_end.set_vring_num(queue, size)?;
        let data = VringConfigData {
            queue_max_size: size,
            queue_size: size,
            desc_table_addr: USER + descriptors,
            avail_ring_addr: USER + available,
            used_ring_addr: USER + used,
            ..VringConfigData::default()
        };
        self.front_end.set_vring_addr(queue, &data)?;
        self.front_end.set_vring_base(queue, 0)
    }

    /// Sets a queue up from its beginning, and enables it.
    pub fn set_up(&mut self, queue: usize) {
        self.set_up_without_enabling(queue);
        self.front_end_enables(queue);
    }

    /// Sets a queue up from its beginning.
    pub fn set_up_without_enabling(&mut self, queue: usize) {
        let [_, available, used] = places(queue);
        self.memory.write_slice(&[0; 0x1000], GuestAddress(BASE + available)).expect("within the memory");
        self.memory.write_slice(&[0; 0x1000], GuestAddress(BASE + used)).expect("within the memory");
        (self.available[queue], self.used[queue]) = (0, 0);
        self.describe(queue, places(queue), SIZE).expect("a queue");
        self.front_end.set_vring_call(queue, &self.calls[queue]).expect("an event descriptor");
        self.front_end.set_vring_kick(queue, &self.kicks[queue]).expect("an event descriptor");
    }

    /// Disables a queue.
    pub fn front_end_disables(&mut self, queue: usize) {
        self.front_end.set_vring_enable(queue, false).expect("a queue that was set up");
    }

    /// Enables a queue.
    pub fn front_end_enables(&mut self, queue: usize) {
        self.front_end.set_vring_enable(queue, true).expect("a queue that was set up");
    }

    /// Starts a queue that was described.
    pub fn front_end_starts(&mut self, queue: usize) -> vhost::Result<()> {
        self.front_end.set_vring_kick(queue, &self.kicks[queue])
    }

    /// Stops a queue. Returns the number of the next chain.
    pub fn front_end_stops(&mut self, queue: usize) -> u32 {
        self.front_end.get_vring_base(queue).expect("a queue that was set up")
    }

    /// Stops a queue, and starts it where it was.
    pub fn front_end_starts_again(&mut self, queue: usize) {
        let next = self.front_end_stops(queue);
        self.front_end.set_vring_base(queue, next as u16).expect("a queue that was set up");
        self.front_end.set_vring_call(queue, &self.calls[queue]).expect("an event descriptor");
        self.front_end_starts(queue).expect("a queue that was described");
    }

    /// Writes a descriptor.
    pub fn describe_buffer(&self, queue: usize, number: u16, (address, length): (u64, u32), flags: u16, next: u16) {
        let [descriptors, ..] = places(queue);
        write_descriptor(&self.memory, BASE + descriptors, number, (address, length), flags, next);
    }

    /// Makes the chain that begins at a descriptor available, without a kick.
    pub fn offer_chain(&mut self, queue: usize, head: u16) {
        let [_, available, _] = places(queue);
        let place = u64::from(self.available[queue] % SIZE);
        self.memory.write_obj(head, GuestAddress(BASE + available + 4 + 2 * place)).expect("within the memory");
        self.available[queue] = self.available[queue].wrapping_add(1);
        self.set_available(queue, self.available[queue]);
    }

    /// Says how many chains were made available.
    pub fn set_available(&self, queue: usize, index: u16) {
        let [_, available, _] = places(queue);
        self.memory.store(index, GuestAddress(BASE + available + 2), Ordering::Release).expect("within the memory");
    }

    /// Kicks a queue.
    pub fn kick(&self, queue: usize) {
        self.kicks[queue].write(1).expect("there is room for a kick");
    }

    /// Returns whether the switch asks for kicks of a queue by its flags.
    pub fn wants_kicks(&self, queue: usize) -> bool {
        let [_, _, used] = places(queue);
        self.memory.load::<u16>(GuestAddress(BASE + used), Ordering::Acquire).expect("within the memory") == 0
    }

    /// Returns whether the guest was interrupted for a queue since this was asked last.
    pub fn is_interrupted(&self, queue: usize) -> bool {
        self.calls[queue].read().is_ok()
    }

    /// Says by the flags whether the guest wants to be interrupted for a queue.
    pub fn want_interrupts(&self, queue: usize, wants: bool) {
        let [_, available, _] = places(queue);
        let flags = u16::from(!wants);
        self.memory.store(flags, GuestAddress(BASE + available), Ordering::Release).expect("within the memory");
    }

    /// Transmits a frame behind a header, each piece in a buffer of its own, and kicks.
    pub fn transmit(&mut self, header: [u8; HEADER], pieces: &[&[u8]]) {
        // Four descriptors and 64 KiB for each frame.
        let first = self.available[TRANSMIT].wrapping_mul(4);
        let mut address = BUFFERS + u64::from(self.available[TRANSMIT] % 16) * 0x1_0000;
        let all: Vec<&[u8]> = std::iter::once(&header[..]).chain(pieces.iter().copied()).collect();
        for (number, piece) in all.iter().enumerate() {
            self.memory.write_slice(piece, GuestAddress(address)).expect("within the memory");
            let number = number as u16;
            let is_last = usize::from(number) + 1 == all.len();
            let flags = if is_last { 0 } else { NEXT };
            let buffer = (address, piece.len() as u32);
            self.describe_buffer(TRANSMIT, (first + number) % SIZE, buffer, flags, (first + number + 1) % SIZE);
            address += piece.len() as u64;
        }
        self.offer_chain(TRANSMIT, first % SIZE);
        self.kick(TRANSMIT);
    }

    /// Offers buffers of some length for frames, one a chain, and kicks.
    pub fn offer_buffers(&mut self, count: u16, length: u32) {
        for _ in 0..count {
            let number = self.available[RECEIVE] % SIZE;
            let address = BUFFERS + 0x10_0000 + u64::from(number) * 0x4000;
            self.describe_buffer(RECEIVE, number, (address, length), WRITE, 0);
            self.offer_chain(RECEIVE, number);
        }
        self.kick(RECEIVE);
    }

    /// Returns the chains of a queue that were given back and not returned before: their first descriptors and lengths.
    pub fn used(&mut self, queue: usize) -> Vec<(u32, u32)> {
        let [_, available, used] = places(queue);
        let index: u16 = self.memory.load(GuestAddress(BASE + used + 2), Ordering::Acquire).expect("within the memory");
        let mut chains = Vec::new();
        while self.used[queue] != index {
            let at = BASE + used + 4 + 8 * u64::from(self.used[queue] % SIZE);
            let read = |at| self.memory.read_obj::<u32>(GuestAddress(at)).expect("within the memory");
            chains.push((read(at), read(at + 4)));
            self.used[queue] = self.used[queue].wrapping_add(1);
        }
        // With VIRTIO_F_EVENT_IDX, the guest wants to be interrupted for the next one.
        let event = GuestAddress(BASE + available + 4 + 2 * u64::from(SIZE));
        self.memory.store(self.used[queue], event, Ordering::SeqCst).expect("within the memory");
        chains
    }

    /// Returns the next frame with its header, and the number of its buffers, if the switch has given one.
    pub fn received(&mut self) -> Vec<(Vec<u8>, u16)> {
        let chains = self.used(RECEIVE);
        let mut chains = chains.into_iter();
        let mut frames = Vec::new();
        while let Some((head, length)) = chains.next() {
            let mut bytes = self.buffer(head, length);
            let count = u16::from_le_bytes([bytes[10], bytes[11]]);
            for _ in 1..count {
                let (head, length) = chains.next().expect("all buffers of a frame are given back at once");
                bytes.extend(self.buffer(head, length));
            }
            frames.push((bytes, count));
        }
        frames
    }

    fn buffer(&self, head: u32, length: u32) -> Vec<u8> {
        let mut bytes = vec![0; length as usize];
        let address = BUFFERS + 0x10_0000 + u64::from(head) * 0x4000;
        self.memory.read_slice(&mut bytes, GuestAddress(address)).expect("within the memory");
        bytes
    }
}

/// Writes a descriptor of a table.
pub fn write_descriptor(
    memory: &GuestMemoryMmap,
    table: u64,
    number: u16,
    (address, length): (u64, u32),
    flags: u16,
    next: u16,
) {
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&address.to_le_bytes());
    bytes[8..12].copy_from_slice(&length.to_le_bytes());
    bytes[12..14].copy_from_slice(&flags.to_le_bytes());
    bytes[14..].copy_from_slice(&next.to_le_bytes());
    memory.write_slice(&bytes, GuestAddress(table + 16 * u64::from(number))).expect("within the memory");
}

/// The flag of eventfd(2) by which reads and writes do not wait.
fn libc_nonblock() -> i32 {
    rustix::event::EventfdFlags::NONBLOCK.bits() as i32
}
