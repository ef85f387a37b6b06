//! Memory that user space and the kernel share for frames, in chunks (a UMEM; Linux, Documentation/networking/af_xdp.rst).
//!
//! All queues of the process take their chunks from as few regions as will do, so that a frame that one port has received
//! can be sent by another from where it lies.
#![allow(unsafe_code)] // the kernel writes into the memory

use std::io;
use std::ptr::{self, NonNull};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous, munmap};
use wire::{ForeignMemory, Loan};

/// The length of a chunk in bytes: a page, the most that the kernel takes.
pub const CHUNK: usize = 4096;
/// The number of chunks of a queue.
pub const BLOCK: usize = 1024;
/// The number of queues that share a region of 32 MB, which the kernel keeps in memory.
const BLOCKS: usize = 8;
/// The length of a region in bytes.
pub const LENGTH: usize = BLOCKS * BLOCK * CHUNK;

/// The regions of this process that are in use. It decides only where frames lie.
static REGIONS: Mutex<Vec<Weak<Region>>> = Mutex::new(Vec::new());

/// A region of memory.
pub struct Region {
    base: NonNull<u8>,
    /// The blocks that no queue has.
    free: Mutex<Vec<usize>>,
}

// SAFETY: the memory may be used from any thread. Who uses which part when is settled by those that own the chunks.
unsafe impl Send for Region {}
// SAFETY: as above.
unsafe impl Sync for Region {}

/// Nothing that holds one of the locks here panics.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Region {
    fn new() -> io::Result<Arc<Self>> {
        let access = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: the kernel chooses an address where nothing is.
        let base = unsafe { mmap_anonymous(ptr::null_mut(), LENGTH, access, MapFlags::PRIVATE)? };
        let base = NonNull::new(base.cast()).ok_or(io::ErrorKind::OutOfMemory)?;
        Ok(Arc::new(Self { base, free: Mutex::new((0..BLOCKS).rev().collect()) }))
    }

    /// Returns the address of the region, by which the kernel is told of it.
    pub fn address(&self) -> usize {
        self.base.as_ptr().expose_provenance()
    }

    /// Returns the offset of bytes in the region, if they lie in it.
    pub fn offset_of(&self, bytes: &[u8]) -> Option<usize> {
        let offset = bytes.as_ptr().addr().checked_sub(self.base.as_ptr().addr())?;
        (offset + bytes.len() <= LENGTH).then_some(offset)
    }

    /// Writes bytes into the region.
    ///
    /// # Safety
    ///
    /// Nobody else reads or writes these bytes of the region.
    ///
    /// # Panics
    ///
    /// If they do not lie within the region.
    pub unsafe fn write(&self, offset: usize, bytes: &[u8]) {
        assert!(offset + bytes.len() <= LENGTH, "{} bytes at {offset} lie in a region", bytes.len());
        // SAFETY: the bytes lie in the region, and in no other memory; the caller vouches that they are nobody's.
        unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), self.base.as_ptr().add(offset), bytes.len()) }
    }

    /// Returns bytes of the region.
    ///
    /// # Safety
    ///
    /// Nobody writes these bytes while the result is used.
    ///
    /// # Panics
    ///
    /// If they do not lie within the region.
    pub unsafe fn bytes(&self, offset: usize, length: usize) -> &[u8] {
        assert!(offset + length <= LENGTH, "{length} bytes at {offset} lie in a region");
        // SAFETY: the bytes lie in the region, which lives as long as the result; the caller vouches for the rest.
        unsafe { std::slice::from_raw_parts(self.base.as_ptr().add(offset), length) }
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        // SAFETY: the region was mapped with this length, and nothing refers to it any more. An error is not possible.
        let _ = unsafe { munmap(self.base.as_ptr().cast(), LENGTH) };
    }
}

/// The chunks of one queue.
pub struct Block {
    pub region: Arc<Region>,
    /// The number of the first chunk in its region.
    pub first: usize,
    /// The chunks, which are lent to packets.
    pub chunks: Vec<Loan>,
}

impl Block {
    /// Takes a block of a region that has one left, or of a new one.
    ///
    /// # Errors
    ///
    /// Returns the error of the system if there is no memory.
    pub fn take() -> io::Result<Self> {
        let mut regions = lock(&REGIONS);
        regions.retain(|region| region.strong_count() > 0);
        let with_room = |region: Arc<Region>| {
            let number = lock(&region.free).pop()?;
            Some((region, number))
        };
        let (region, number) = match regions.iter().filter_map(Weak::upgrade).find_map(with_room) {
            Some(found) => found,
            None => {
                let region = Region::new()?;
                regions.push(Arc::downgrade(&region));
                let number = lock(&region.free).pop().ok_or(io::ErrorKind::OutOfMemory)?;
                (region, number)
            }
        };
        let taken = Arc::new(Taken { region: Arc::clone(&region), number });
        let first = number * BLOCK;
        let chunk = |number| Loan::of_foreign(Chunk { taken: Arc::clone(&taken), offset: number * CHUNK });
        Ok(Self { region, first, chunks: (first..first + BLOCK).map(chunk).collect() })
    }
}

/// A block that is taken, until its last chunk is dropped.
struct Taken {
    region: Arc<Region>,
    number: usize,
}

impl Drop for Taken {
    fn drop(&mut self) {
        lock(&self.region.free).push(self.number);
    }
}

/// A chunk of a block.
struct Chunk {
    taken: Arc<Taken>,
    offset: usize,
}

impl ForeignMemory for Chunk {
    fn bytes(&self) -> &[u8] {
        // SAFETY: a chunk is lent only after the kernel has returned it, and given to the kernel only when it is free.
        // What is lent is read; only a sender that has the only part writes around it, and reads nothing meanwhile.
        unsafe { self.taken.region.bytes(self.offset, CHUNK) }
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: no packet has a part of the chunk, and its owner does not ask for it while the kernel has it.
        unsafe { std::slice::from_raw_parts_mut(self.taken.region.base.as_ptr().add(self.offset), CHUNK) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_a_region_are_used_again_when_nothing_has_a_part_of_them() {
        let first = Block::take().expect("there is memory");
        let second = Block::take().expect("there is memory");
        assert!(Arc::ptr_eq(&first.region, &second.region) && first.first != second.first);
        let lent = first.chunks[3].lend(10..20);
        assert_eq!(first.region.offset_of(&lent), Some((first.first + 3) * CHUNK + 10));
        assert_eq!(first.region.offset_of(&[1, 2, 3]), None);
        assert!(lent.is_only_part());
        let (region, number) = (Arc::clone(&first.region), first.first / BLOCK);
        let is_free = || lock(&region.free).contains(&number);
        drop(first);
        assert!(!is_free(), "a packet has a part of it");
        drop(lent);
        assert!(is_free());
    }
}
