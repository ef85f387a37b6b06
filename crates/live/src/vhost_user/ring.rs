//! A split virtqueue in the memory of a guest (Virtual I/O Device specification 1.2, section 2.7), as the device has it.
//!
//! Nothing that a guest writes is believed: every address is looked up in its memory at each access, chains of descriptors end
//! after as many as the ring has, and a ring whose indices make no sense is given up.

use std::fs::File;
use std::sync::atomic::{Ordering, fence};

use vm_memory::{Bytes, GuestAddress, GuestMemoryBackend, GuestMemoryMmap};

use super::chain::Chain;

/// The most descriptors of a ring: as many as QEMU gives a queue. A guest can make the switch walk through as many of them for
/// nothing.
pub const MOST_DESCRIPTORS: u32 = 1024;
/// The driver wants no interrupts (section 2.7.6, VIRTQ_AVAIL_F_NO_INTERRUPT).
const NO_INTERRUPT: u16 = 1;
/// The device wants no kicks (section 2.7.8, VIRTQ_USED_F_NO_NOTIFY).
const NO_NOTIFY: u16 = 1;

/// A ring that cannot be used any more: its parts do not lie in the guest's memory, or its driver says that more descriptors are
/// available than there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Broken;

/// The places of the three parts of a ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Places {
    /// The address of the descriptors.
    pub descriptors: GuestAddress,
    /// The address of the ring of available chains, which the driver writes.
    pub available: GuestAddress,
    /// The address of the ring of used chains, which the device writes.
    pub used: GuestAddress,
}

/// A ring that runs.
#[derive(Debug)]
pub struct Ring {
    places: Places,
    size: u16,
    has_event_index: bool,
    /// The number of chains that were taken, modulo 2^16.
    next_available: u16,
    /// The number of chains that were given back, those included that the driver has not been told of.
    next_used: u16,
    /// The number of chains that the driver knows to be used.
    published: u16,
    /// As `published`, when the driver was last interrupted or asked whether it wants to be. `None` before the first time: a switch
    /// that was killed may have left chains for which it had not interrupted the driver any more.
    told: Option<u16>,
    /// Whether the driver was asked to kick.
    wants_kicks: bool,
    call: Option<File>,
}

/// The places and the size of a ring, with which it begins.
#[derive(Debug)]
pub struct Start {
    /// The places of its parts.
    pub places: Places,
    /// The number of its descriptors.
    pub size: u32,
    /// Whether the driver says which entry it wants to be interrupted for (VIRTIO_F_EVENT_IDX).
    pub has_event_index: bool,
    /// The event descriptor by which the driver is interrupted, if it wants to be.
    pub call: Option<File>,
}

impl Ring {
    /// Begins to use a ring.
    ///
    /// # Errors
    /// If its size is not a power of two up to [`MOST_DESCRIPTORS`], or its parts do not lie aligned in the memory.
    pub fn start(memory: &GuestMemoryMmap, start: Start) -> Result<Self, Broken> {
        let Start { places, size, has_event_index, call } = start;
        let Places { descriptors, available, used } = places;
        // Section 2.7: the sizes and alignments of the parts.
        let size =
            u16::try_from(size).ok().filter(|size| size.is_power_of_two() && u32::from(*size) <= MOST_DESCRIPTORS);
        let size = size.ok_or(Broken)?;
        let parts = [
            (descriptors, 16 * usize::from(size), 16),
            (available, 6 + 2 * usize::from(size), 2),
            (used, 6 + 8 * usize::from(size), 4),
        ];
        for (address, length, alignment) in parts {
            let is_there = memory.get_slice(address, length).is_ok() && address.0.is_multiple_of(alignment);
            is_there.then_some(()).ok_or(Broken)?;
        }
        // All that is taken is given back at once, so that both indices agree. DPDK's virtio-user says 0 of queues that have gone on, when it is
        // connected again; chains in front of the one in memory would be taken twice, and those behind it never be given back.
        let used = load(memory, used, 2)?;
        Ok(Self {
            places,
            size,
            has_event_index,
            next_available: used,
            next_used: used,
            published: used,
            told: None,
            wants_kicks: true,
            call,
        })
    }

    /// Returns the number of the next chain, from which another device may go on.
    pub fn base(&self) -> u16 {
        self.next_available
    }

    /// Returns the event descriptor by which the driver is interrupted, for another use of the ring.
    pub fn into_call(self) -> Option<File> {
        self.call
    }

    /// Sets the event descriptor by which the driver is interrupted.
    pub fn set_call(&mut self, call: Option<File>) {
        self.call = call;
    }

    /// Returns the number of chains that are available.
    ///
    /// # Errors
    /// If there are more than the ring has.
    pub fn available(&self, memory: &GuestMemoryMmap) -> Result<u16, Broken> {
        let index = load(memory, self.places.available, 2)?;
        let count = index.wrapping_sub(self.next_available);
        if count > self.size { Err(Broken) } else { Ok(count) }
    }

    /// Takes the next chain, if there is one: the number of its first descriptor.
    ///
    /// # Errors
    /// If the ring makes no sense.
    pub fn take(&mut self, memory: &GuestMemoryMmap) -> Result<Option<u16>, Broken> {
        if self.available(memory)? == 0 {
            return Ok(None);
        }
        let place = u64::from(self.next_available % self.size);
        let head = load(memory, self.places.available, 4 + 2 * place)?;
        if head >= self.size {
            return Err(Broken);
        }
        self.next_available = self.next_available.wrapping_add(1);
        Ok(Some(head))
    }

    /// Puts the last `count` chains back that were taken and not given back.
    pub fn put_back(&mut self, count: u16) {
        self.next_available = self.next_available.wrapping_sub(count);
    }

    /// Returns the descriptors of a chain by its first.
    pub fn chain<'a>(&self, memory: &'a GuestMemoryMmap, head: u16) -> Chain<'a> {
        Chain::new(memory, self.places.descriptors, self.size, head)
    }

    /// Returns the number of descriptors of the ring.
    pub fn size(&self) -> u16 {
        self.size
    }

    /// Gives a chain back, of which `length` bytes were written. The driver sees it after [`Ring::publish`].
    ///
    /// # Errors
    /// If the ring does not lie in the memory.
    pub fn give_back(&mut self, memory: &GuestMemoryMmap, head: u16, length: u32) -> Result<(), Broken> {
        let place = u64::from(self.next_used % self.size);
        let mut element = [0; 8];
        element[..4].copy_from_slice(&u32::from(head).to_le_bytes());
        element[4..].copy_from_slice(&length.to_le_bytes());
        let address = self.places.used.0.checked_add(4 + 8 * place).ok_or(Broken)?;
        memory.write_slice(&element, GuestAddress(address)).map_err(|_| Broken)?;
        self.next_used = self.next_used.wrapping_add(1);
        Ok(())
    }

    /// Tells the driver of all chains that were given back, all at once: those of a frame in several chains must not be seen one
    /// by one (section 5.1.6.4). Interrupts it if it wants that.
    ///
    /// # Errors
    /// If the ring does not lie in the memory.
    pub fn publish(&mut self, memory: &GuestMemoryMmap) -> Result<(), Broken> {
        if self.published == self.next_used {
            return Ok(());
        }
        store(memory, self.places.used, 2, self.next_used)?;
        self.published = self.next_used;
        // What the driver wants is read after it could have seen the chains (section 2.7.7.2).
        fence(Ordering::SeqCst);
        let wants = if self.has_event_index {
            let event = load(memory, self.places.available, 4 + 2 * u64::from(self.size))?;
            let new = self.published.wrapping_sub(event).wrapping_sub(1);
            self.told.is_none_or(|told| new < self.published.wrapping_sub(told))
        } else {
            load(memory, self.places.available, 0)? & NO_INTERRUPT == 0
        };
        self.told = Some(self.published);
        if let Some(call) = self.call.as_ref().filter(|_| wants) {
            // This fails only if the guest has not looked for 2^64 - 2 interrupts.
            let _ = rustix::io::write(call, &1u64.to_ne_bytes());
        }
        Ok(())
    }

    /// Says whether the driver is to kick when it makes a chain available. Whoever wants that looks once more afterwards.
    ///
    /// # Errors
    /// If the ring does not lie in the memory.
    pub fn want_kicks(&mut self, memory: &GuestMemoryMmap, wants: bool) -> Result<(), Broken> {
        if !(std::mem::replace(&mut self.wants_kicks, wants) || wants) {
            return Ok(());
        }
        let size = u64::from(self.size);
        match (self.has_event_index, wants) {
            // The driver kicks when it passes the entry of this number, which the next one is.
            (true, true) => store(memory, self.places.used, 4 + 8 * size, self.next_available)?,
            (true, false) => {}
            (false, _) => store(memory, self.places.used, 0, if wants { 0 } else { NO_NOTIFY })?,
        }
        fence(Ordering::SeqCst);
        Ok(())
    }
}

/// Reads a number of 16 bits behind an address.
fn load(memory: &GuestMemoryMmap, address: GuestAddress, offset: u64) -> Result<u16, Broken> {
    let address = GuestAddress(address.0.checked_add(offset).ok_or(Broken)?);
    memory.load(address, Ordering::Acquire).map(u16::from_le).map_err(|_| Broken)
}

/// Writes a number of 16 bits behind an address.
fn store(memory: &GuestMemoryMmap, address: GuestAddress, offset: u64, value: u16) -> Result<(), Broken> {
    let address = GuestAddress(address.0.checked_add(offset).ok_or(Broken)?);
    memory.store(value.to_le(), address, Ordering::Release).map_err(|_| Broken)
}
