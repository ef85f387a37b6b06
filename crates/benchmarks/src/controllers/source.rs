//! A port where packets always wait while they are asked for, and where what leaves is counted. Packets come from memory, on the
//! thread of the switch, so that neither another thread nor the kernel is measured with it.

use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use live::{Interface, Offload};
use node::{Burst, Discarded};
use rustix::event::{EventfdFlags, eventfd};
use wire::Packet;

/// What other threads see and set of a [`Source`].
pub struct Faucet {
    is_open: AtomicBool,
    left: AtomicU64,
    /// Readable while packets wait.
    wakes: OwnedFd,
}

impl Faucet {
    /// Returns a faucet from which nothing flows yet.
    ///
    /// # Errors
    /// Returns the error of the system if no descriptors are left.
    pub fn new() -> io::Result<Arc<Self>> {
        let wakes = eventfd(0, EventfdFlags::NONBLOCK | EventfdFlags::CLOEXEC)?;
        Ok(Arc::new(Self { is_open: AtomicBool::new(false), left: AtomicU64::new(0), wakes }))
    }

    /// Lets packets flow, or no more.
    pub fn set_open(&self, is_open: bool) {
        self.is_open.store(is_open, Ordering::Release);
        if is_open {
            // This fails only if it is readable already.
            let _ = rustix::io::write(&self.wakes, &1u64.to_ne_bytes());
        }
    }

    /// Returns the number of packets that have left the switch by this port.
    pub fn left(&self) -> u64 {
        self.left.load(Ordering::Relaxed)
    }
}

/// The interface of the port.
pub struct Source {
    faucet: Arc<Faucet>,
    frames: Vec<[u8; 60]>,
    next: usize,
}

impl Source {
    /// Returns a port at which these frames arrive again and again.
    ///
    /// # Panics
    /// Panics if there are no frames.
    pub fn new(faucet: Arc<Faucet>, frames: Vec<[u8; 60]>) -> Self {
        assert!(!frames.is_empty(), "a source needs frames");
        Self { faucet, frames, next: 0 }
    }
}

impl Interface for Source {
    fn name(&self) -> &str {
        "source"
    }

    fn offload(&self) -> Offload {
        Offload::default()
    }

    fn receive(&mut self, limit: usize, into: &mut Burst, _: &mut Vec<Discarded>) -> io::Result<()> {
        if !self.faucet.is_open.load(Ordering::Acquire) {
            // This fails only if it was unreadable.
            let _ = rustix::io::read(&self.faucet.wakes, &mut [0; 8]);
            if !self.faucet.is_open.load(Ordering::Acquire) {
                return Ok(());
            }
            // Somebody has opened it meanwhile.
            self.faucet.set_open(true);
        }
        for _ in 0..limit {
            into.push(Packet::of_bytes(&self.frames[self.next]));
            self.next = (self.next + 1) % self.frames.len();
        }
        Ok(())
    }

    fn send(&mut self, packets: &mut VecDeque<Packet>, sent: &mut Burst, _: &mut Vec<Discarded>) -> io::Result<()> {
        self.faucet.left.fetch_add(packets.len() as u64, Ordering::Relaxed);
        sent.extend(packets.drain(..));
        Ok(())
    }

    fn descriptor(&self) -> BorrowedFd<'_> {
        self.faucet.wakes.as_fd()
    }

    /// There always is room, so that this is never asked for.
    fn room(&self) -> Option<BorrowedFd<'_>> {
        Some(self.faucet.wakes.as_fd())
    }
}
