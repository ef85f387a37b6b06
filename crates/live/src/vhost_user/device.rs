//! The network device that a guest sees: its memory, its two queues, and what the front end has said of them so far.

use std::fs::File;

use vm_memory::{GuestAddress, GuestMemoryMmap};

use super::features::Features;
use super::ring::{Broken, Places, Ring, Start};

/// The position of the queue in which the guest receives (Virtual I/O Device specification 1.2, section 5.1.2).
pub const RECEIVE: usize = 0;
/// The position of the queue in which the guest transmits.
pub const TRANSMIT: usize = 1;
/// The number of queues.
pub const QUEUES: usize = 2;

/// A part of the guest's memory, as the process of the front end sees it.
#[derive(Clone, Copy, Debug)]
pub struct Region {
    /// The address of the first byte in that process.
    pub user: u64,
    /// The address of the first byte in the guest.
    pub guest: u64,
    /// The number of bytes.
    pub length: u64,
}

/// The memory of a guest.
#[derive(Debug, Default)]
pub struct Memory {
    /// The memory by the addresses of the guest.
    pub guest: GuestMemoryMmap,
    /// The parts of it.
    pub regions: Vec<Region>,
}

impl Memory {
    /// Returns the guest's address of what has an address in the process of the front end.
    fn translate(&self, user: u64) -> Option<GuestAddress> {
        let within = |region: &&Region| user.checked_sub(region.user).is_some_and(|offset| offset < region.length);
        self.regions.iter().find(within).map(|region| GuestAddress(user - region.user + region.guest))
    }
}

/// The state of a queue.
#[derive(Debug, Default)]
pub struct Queue {
    /// The number of descriptors.
    pub size: u32,
    /// The addresses of descriptors, available and used ring in the process of the front end.
    pub addresses: Option<[u64; 3]>,
    /// The number of the next chain, as the front end is told while the queue does not run.
    pub base: u16,
    /// The event descriptor by which the guest kicks.
    pub kick: Option<File>,
    /// The event descriptor by which the guest is interrupted, until the queue runs.
    pub call: Option<File>,
    /// Whether the front end has begun the queue.
    pub is_started: bool,
    /// Whether the guest uses the queue.
    pub is_enabled: bool,
    ring: Option<Ring>,
}

/// A network device.
#[derive(Debug, Default)]
pub struct Device {
    /// What the guest has taken of the features that it was offered.
    pub features: Features,
    /// The queues: [`RECEIVE`] and [`TRANSMIT`].
    pub queues: [Queue; QUEUES],
    memory: Memory,
}

impl Device {
    /// Returns true if frames can pass in both directions.
    pub fn is_up(&self) -> bool {
        self.queues.iter().all(|queue| queue.ring.is_some() && queue.is_enabled)
    }

    /// Returns the ring of a queue that runs, with the memory that it is in, and whether the guest uses the queue.
    pub fn running(&mut self, queue: usize) -> Option<(&mut Ring, &GuestMemoryMmap, bool)> {
        let Self { queues, memory, .. } = self;
        let queue = &mut queues[queue];
        let is_enabled = queue.is_enabled;
        queue.ring.as_mut().map(|ring| (ring, &memory.guest, is_enabled))
    }

    /// Returns the parts of the guest's memory, for a memory with some more or fewer.
    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    /// Sets the memory of the guest, in which queues that run go on. Returns the old one, whose mapping ends with it.
    ///
    /// # Errors
    /// If a queue does not lie in the new memory.
    pub fn set_memory(&mut self, memory: Memory) -> Result<Memory, Broken> {
        (0..QUEUES).for_each(|queue| self.pause(queue));
        let old = std::mem::replace(&mut self.memory, memory);
        self.start()?;
        Ok(old)
    }

    /// Starts the queues of which everything is known.
    ///
    /// # Errors
    /// If a queue cannot run as it was described.
    pub fn start(&mut self) -> Result<(), Broken> {
        let Self { features, queues, memory } = self;
        for queue in queues.iter_mut().filter(|queue| queue.ring.is_none() && queue.is_started) {
            let Some(addresses) = queue.addresses.filter(|_| !memory.regions.is_empty() && queue.size > 0) else {
                continue;
            };
            let [descriptors, available, used] = addresses.map(|address| memory.translate(address).ok_or(Broken));
            let start = Start {
                places: Places { descriptors: descriptors?, available: available?, used: used? },
                size: queue.size,
                has_event_index: features.has_event_index(),
                call: queue.call.take(),
            };
            queue.ring = Some(Ring::start(&memory.guest, start)?);
        }
        Ok(())
    }

    /// Stops a queue until [`Device::start`].
    pub fn pause(&mut self, queue: usize) {
        let queue = &mut self.queues[queue];
        if let Some(ring) = queue.ring.take() {
            queue.base = ring.base();
            queue.call = ring.into_call();
        }
    }

    /// Sets the event descriptor by which the guest is interrupted for a queue.
    pub fn set_call(&mut self, queue: usize, call: Option<File>) {
        let queue = &mut self.queues[queue];
        match &mut queue.ring {
            Some(ring) => ring.set_call(call),
            None => queue.call = call,
        }
    }
}
