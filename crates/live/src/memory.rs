//! Links in memory: two interfaces that are joined by queues, one for a driver and the other for whoever speaks to its
//! node from the same process, such as a controller at a CPU port, another driver, or a test.

use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::{Arc, Mutex, MutexGuard};

use basis::Duration;
use node::{Burst, Discarded};
use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};
use wire::Packet;

use crate::{Interface, Offload, reasons};

/// One end of a link in memory.
///
/// An end is bound to a port of a [`crate::Driver`] as any interface is, or used by its own methods from any number of
/// threads, which may share it by an [`Arc`]. What one end sends wakes who waits for the other. Packets pass as they
/// are, with their sidecars; payload is not copied.
///
/// ```
/// use live::MemoryInterface;
/// use wire::Packet;
///
/// let [near, far] = MemoryInterface::pair("cpu", 64)?;
/// far.send_packet(Packet::of_bytes(&[0; 60])).expect("there is room");
/// assert_eq!(near.receive_packet().expect("it has arrived").len(), 60);
/// # std::io::Result::Ok(())
/// ```
#[derive(Debug)]
pub struct MemoryInterface {
    name: String,
    incoming: Arc<Direction>,
    outgoing: Arc<Direction>,
}

/// The counts of one direction of a link in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryCounts {
    /// The number of packets that were put into the queue.
    pub passed: u64,
    /// The number of packets that [`MemoryInterface::send_packet`] gave back, because the queue was full or nobody was
    /// left at the other end. What a driver sends is not among them: it keeps packets until there is room.
    pub refused: u64,
    /// The number of packets that are in the queue now.
    pub waiting: usize,
}

/// One direction of a link.
#[derive(Debug)]
struct Direction {
    queue: Mutex<Queue>,
    /// Readable while packets wait, and once when the sender has gone.
    arrived: OwnedFd,
    /// Readable when there is room again, after a sender has found none.
    room: OwnedFd,
}

#[derive(Debug)]
struct Queue {
    packets: VecDeque<Packet>,
    capacity: usize,
    /// Whether a sender waits for room.
    is_awaited: bool,
    /// Whether both ends are there.
    is_open: bool,
    passed: u64,
    refused: u64,
}

impl Direction {
    fn new(capacity: usize) -> io::Result<Arc<Self>> {
        let descriptor = || eventfd(0, EventfdFlags::NONBLOCK | EventfdFlags::CLOEXEC);
        let queue = Queue {
            packets: VecDeque::with_capacity(capacity),
            capacity,
            is_awaited: false,
            is_open: true,
            passed: 0,
            refused: 0,
        };
        Ok(Arc::new(Self { queue: Mutex::new(queue), arrived: descriptor()?, room: descriptor()? }))
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        // No code that holds the lock panics; if one did, the queue would still be whole.
        self.queue.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Moves packets from the front of a list into the queue while there is room; copies go to `sent`. What stays in the
    /// list has found no room. Returns false, and moves none, if the other end is gone.
    fn put(&self, packets: &mut VecDeque<Packet>, sent: &mut Burst) -> bool {
        let mut queue = self.lock();
        if !queue.is_open {
            return false;
        }
        while queue.has_room()
            && let Some(packet) = packets.pop_front()
        {
            sent.push(packet.clone());
            self.push(&mut queue, packet);
        }
        if !packets.is_empty() {
            queue.is_awaited = true;
            clear(&self.room);
        }
        true
    }

    /// Puts a packet into the queue, which has room.
    fn push(&self, queue: &mut Queue, packet: Packet) {
        queue.packets.push_back(packet);
        queue.passed += 1;
        if queue.packets.len() == 1 {
            signal(&self.arrived);
        }
    }

    /// Takes at most `limit` packets from the queue, and hands each to `take`.
    fn take(&self, limit: usize, take: impl FnMut(Packet)) {
        let mut queue = self.lock();
        let count = queue.packets.len().min(limit);
        queue.packets.drain(..count).for_each(take);
        if queue.packets.is_empty() {
            clear(&self.arrived);
        }
        if queue.has_room() && std::mem::take(&mut queue.is_awaited) {
            signal(&self.room);
        }
    }

    /// Ends the link, for both who waits for packets and who waits for room.
    fn close(&self) {
        self.lock().is_open = false;
        signal(&self.arrived);
        signal(&self.room);
    }
}

/// Makes an event descriptor readable.
fn signal(descriptor: &OwnedFd) {
    // This fails only after 2^64 - 2 calls that nobody took back, and then it is readable.
    let _ = rustix::io::write(descriptor, &1u64.to_ne_bytes());
}

/// Makes an event descriptor unreadable.
fn clear(descriptor: &OwnedFd) {
    // This fails only if it was unreadable.
    let _ = rustix::io::read(descriptor, &mut [0; 8]);
}

impl MemoryInterface {
    /// Returns the two ends of a new link, both of one name, where up to `capacity` packets wait in each direction.
    ///
    /// # Errors
    ///
    /// Returns the error of the system if no descriptors are left; a link takes four.
    ///
    /// # Panics
    ///
    /// Panics if `capacity` is zero.
    pub fn pair(name: &str, capacity: usize) -> io::Result<[Self; 2]> {
        assert!(capacity > 0, "a link in memory needs room for a packet");
        let (there, back) = (Direction::new(capacity)?, Direction::new(capacity)?);
        let end = |incoming: &Arc<_>, outgoing: &Arc<_>| Self {
            name: name.to_owned(),
            incoming: Arc::clone(incoming),
            outgoing: Arc::clone(outgoing),
        };
        Ok([end(&there, &back), end(&back, &there)])
    }

    /// Sends a packet to the other end.
    ///
    /// # Errors
    ///
    /// Returns the packet, and counts it as refused, if there is no room or the other end is gone.
    pub fn send_packet(&self, packet: Packet) -> Result<(), Packet> {
        let mut queue = self.outgoing.lock();
        if queue.is_open && queue.has_room() {
            self.outgoing.push(&mut queue, packet);
            return Ok(());
        }
        queue.refused += 1;
        Err(packet)
    }

    /// Returns the next packet that has arrived, if there is one. It never waits.
    pub fn receive_packet(&self) -> Option<Packet> {
        let mut received = None;
        self.incoming.take(1, |packet| received = Some(packet));
        received
    }

    /// Waits until a packet has arrived, for at most `longest` or else without a limit. Returns true if one has, and false
    /// if the time is over, a signal came, or nothing will come any more because the other end is gone.
    ///
    /// # Errors
    ///
    /// Returns the error of the system.
    pub fn wait(&self, longest: Option<Duration>) -> io::Result<bool> {
        let has_arrived = |queue: &Queue| !queue.packets.is_empty();
        {
            let queue = self.incoming.lock();
            if has_arrived(&queue) || !queue.is_open {
                return Ok(has_arrived(&queue));
            }
        }
        let timeout = longest.map(|longest| {
            let nanoseconds = longest.picoseconds().div_ceil(1000);
            Timespec { tv_sec: (nanoseconds / 1_000_000_000) as _, tv_nsec: (nanoseconds % 1_000_000_000) as _ }
        });
        match poll(&mut [PollFd::new(&self.incoming.arrived, PollFlags::IN)], timeout.as_ref()) {
            Ok(_) | Err(rustix::io::Errno::INTR) => Ok(has_arrived(&self.incoming.lock())),
            Err(error) => Err(error.into()),
        }
    }

    /// Returns true while the other end is there. What it sent before it went can still be received.
    pub fn is_connected(&self) -> bool {
        self.outgoing.lock().is_open
    }

    /// Returns the counts of what this end has sent.
    pub fn sent(&self) -> MemoryCounts {
        self.outgoing.lock().counts()
    }

    /// Returns the counts of what the other end has sent.
    pub fn received(&self) -> MemoryCounts {
        self.incoming.lock().counts()
    }
}

impl Queue {
    fn has_room(&self) -> bool {
        self.packets.len() < self.capacity
    }

    fn counts(&self) -> MemoryCounts {
        MemoryCounts { passed: self.passed, refused: self.refused, waiting: self.packets.len() }
    }
}

impl Drop for MemoryInterface {
    fn drop(&mut self) {
        self.incoming.close();
        self.outgoing.close();
    }
}

impl Interface for MemoryInterface {
    fn name(&self) -> &str {
        &self.name
    }

    fn offload(&self) -> Offload {
        Offload::default()
    }

    fn receive(&mut self, limit: usize, into: &mut Burst, _: &mut Vec<Discarded>) -> io::Result<()> {
        self.incoming.take(limit, |packet| into.push(packet));
        Ok(())
    }

    fn has_arrived(&self) -> Option<bool> {
        Some(!self.incoming.lock().packets.is_empty())
    }

    fn send(
        &mut self,
        packets: &mut VecDeque<Packet>,
        sent: &mut Burst,
        discarded: &mut Vec<Discarded>,
    ) -> io::Result<()> {
        if !self.outgoing.put(packets, sent) {
            let gone = |packet| Discarded::new(packet, reasons::INTERFACE_DOWN);
            discarded.extend(packets.drain(..).map(gone));
        }
        Ok(())
    }

    fn descriptor(&self) -> BorrowedFd<'_> {
        self.incoming.arrived.as_fd()
    }

    fn room(&self) -> Option<BorrowedFd<'_>> {
        Some(self.outgoing.room.as_fd())
    }
}
