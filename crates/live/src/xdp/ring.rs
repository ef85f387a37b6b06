//! Rings of descriptors that are shared with the kernel, each with one producer and one consumer (Linux,
//! Documentation/networking/af_xdp.rst, "Rings").
#![allow(unsafe_code)] // the kernel reads and writes the other end

use std::io;
use std::os::fd::BorrowedFd;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicU32, Ordering};

use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};
use rustix::net::xdp::{XdpRingFlags, XdpRingOffset};

/// A ring of entries, which are descriptors or addresses.
struct Ring<T> {
    memory: NonNull<u8>,
    length: usize,
    producer: NonNull<AtomicU32>,
    consumer: NonNull<AtomicU32>,
    flags: NonNull<AtomicU32>,
    entries: NonNull<T>,
    size: u32,
}

// SAFETY: the ring belongs to one thread at a time, for it is used by exclusive reference only.
unsafe impl<T: Send> Send for Ring<T> {}

impl<T: Copy> Ring<T> {
    fn map(socket: BorrowedFd<'_>, page: u64, offsets: &XdpRingOffset, size: u32) -> io::Result<Self> {
        assert!(size.is_power_of_two(), "a ring of {size} entries");
        let flags = offsets.flags.ok_or(io::ErrorKind::Unsupported)?;
        let length = offsets.desc as usize + size as usize * size_of::<T>();
        let access = ProtFlags::READ | ProtFlags::WRITE;
        let shared = MapFlags::SHARED | MapFlags::POPULATE;
        // SAFETY: the kernel chooses an address where nothing is.
        let memory = unsafe { mmap(ptr::null_mut(), length, access, shared, socket, page)? };
        let memory = NonNull::new(memory.cast::<u8>()).ok_or(io::ErrorKind::OutOfMemory)?;
        // SAFETY: the kernel has said where in the memory these lie, each aligned for its type.
        let at = |offset: u64| unsafe { memory.add(offset as usize) };
        Ok(Self {
            memory,
            length,
            producer: at(offsets.producer).cast(),
            consumer: at(offsets.consumer).cast(),
            flags: at(flags).cast(),
            entries: at(offsets.desc).cast(),
            size,
        })
    }

    fn producer(&self) -> &AtomicU32 {
        // SAFETY: it lies in the memory, which lives as long as this.
        unsafe { self.producer.as_ref() }
    }

    fn consumer(&self) -> &AtomicU32 {
        // SAFETY: as above.
        unsafe { self.consumer.as_ref() }
    }

    fn entry(&self, number: u32) -> NonNull<T> {
        // SAFETY: the position is below the size.
        unsafe { self.entries.add((number & (self.size - 1)) as usize) }
    }
}

impl<T> Drop for Ring<T> {
    fn drop(&mut self) {
        // SAFETY: the memory was mapped with this length, and nothing refers to it any more. An error is not possible.
        let _ = unsafe { munmap(self.memory.as_ptr().cast(), self.length) };
    }
}

/// A ring that user space fills.
pub struct Producer<T> {
    ring: Ring<T>,
    /// The number of entries that were written, and of those that the kernel was told of.
    written: u32,
}

impl<T: Copy> Producer<T> {
    /// Maps the ring of a socket that lies at an offset of it.
    pub fn map(socket: BorrowedFd<'_>, page: u64, offsets: &XdpRingOffset, size: u32) -> io::Result<Self> {
        Ok(Self { ring: Ring::map(socket, page, offsets, size)?, written: 0 })
    }

    /// Returns how many entries the kernel has not taken.
    pub fn waiting(&self) -> u32 {
        self.written.wrapping_sub(self.ring.consumer().load(Ordering::Acquire))
    }

    /// Returns the number of free entries.
    pub fn room(&self) -> u32 {
        self.ring.size - self.waiting()
    }

    /// Writes an entry, of which the kernel is told by [`Producer::submit`].
    ///
    /// # Panics
    ///
    /// If there is no room.
    pub fn push(&mut self, entry: T) {
        assert!(self.room() > 0, "a full ring");
        // SAFETY: the kernel does not read the entry before it is told of it.
        unsafe { self.ring.entry(self.written).write(entry) };
        self.written = self.written.wrapping_add(1);
    }

    /// Tells the kernel of all entries so far.
    pub fn submit(&mut self) {
        self.ring.producer().store(self.written, Ordering::Release);
    }

    /// Returns true if the kernel has to be called to look at the ring.
    pub fn needs_wakeup(&self) -> bool {
        // SAFETY: the flags lie in the memory, which lives as long as this.
        let flags = unsafe { self.ring.flags.as_ref() }.load(Ordering::Relaxed);
        flags & XdpRingFlags::XDP_RING_NEED_WAKEUP.bits() != 0
    }
}

/// A ring that the kernel fills.
pub struct Consumer<T> {
    ring: Ring<T>,
    /// The number of entries that were read.
    read: u32,
}

impl<T: Copy> Consumer<T> {
    /// Maps the ring of a socket that lies at an offset of it.
    pub fn map(socket: BorrowedFd<'_>, page: u64, offsets: &XdpRingOffset, size: u32) -> io::Result<Self> {
        Ok(Self { ring: Ring::map(socket, page, offsets, size)?, read: 0 })
    }

    /// Returns true if the kernel has written no entry that was not read.
    pub fn is_empty(&self) -> bool {
        self.ring.producer().load(Ordering::Acquire) == self.read
    }

    /// Returns the next entry, and leaves its place to the kernel.
    pub fn pop(&mut self) -> Option<T> {
        if self.is_empty() {
            return None;
        }
        // SAFETY: the kernel has written the entry, and leaves it until its place is free.
        let entry = unsafe { self.ring.entry(self.read).read() };
        self.read = self.read.wrapping_add(1);
        self.ring.consumer().store(self.read, Ordering::Release);
        Some(entry)
    }
}
