//! A port where packets arrive at a rate, or as many as are asked for, and where what leaves is counted. Packets come from
//! memory, on the thread of the switch, so that neither another thread nor the kernel is measured with it.

use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use live::{Interface, Offload};
use node::{Burst, Discarded};
use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create, timerfd_settime,
};
use wire::Packet;

/// The nanoseconds between two looks at a port where packets arrive at a rate.
const BETWEEN_ARRIVALS: i64 = 50_000;
/// The packets that wait at the port at most, as in the ring of a network card. Others are lost.
const RING: u64 = 4096;

/// The packets that arrive at a [`Source`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// None.
    Nothing,
    /// This many in a second.
    PerSecond(u64),
    /// As many as are asked for, so that packets always wait.
    Endless,
}

/// What other threads see and set of a [`Source`].
pub struct Faucet {
    /// The packets in a second: 0 for none, and the largest number for those without end.
    flow: AtomicU64,
    left: AtomicU64,
    /// A timer, which is readable when packets may have arrived.
    arrivals: OwnedFd,
}

impl Faucet {
    /// Returns a faucet from which nothing flows yet.
    ///
    /// # Errors
    /// Returns the error of the system if no descriptors are left.
    pub fn new() -> io::Result<Arc<Self>> {
        let arrivals = timerfd_create(TimerfdClockId::Monotonic, TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC)?;
        Ok(Arc::new(Self { flow: AtomicU64::new(0), left: AtomicU64::new(0), arrivals }))
    }

    /// Lets packets flow.
    pub fn set(&self, flow: Flow) {
        let (rate, nanoseconds) = match flow {
            Flow::Nothing => (0, 0),
            Flow::PerSecond(rate) => (rate, BETWEEN_ARRIVALS),
            Flow::Endless => (u64::MAX, BETWEEN_ARRIVALS),
        };
        self.flow.store(rate, Ordering::Release);
        let time = Timespec { tv_sec: 0, tv_nsec: nanoseconds };
        // These times are valid, and so is the timer. Times of 0 end it, and forget what has expired.
        let _ = timerfd_settime(
            &self.arrivals,
            TimerfdTimerFlags::empty(),
            &Itimerspec { it_interval: time, it_value: time },
        );
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
    /// The moment from which packets arrive at a rate, and how many have arrived since.
    began: Option<(Instant, u64)>,
}

impl Source {
    /// Returns a port at which these frames arrive again and again.
    ///
    /// # Panics
    /// Panics if there are no frames.
    pub fn new(faucet: Arc<Faucet>, frames: Vec<[u8; 60]>) -> Self {
        assert!(!frames.is_empty(), "a source needs frames");
        Self { faucet, frames, next: 0, began: None }
    }

    /// Returns how many packets wait: those that have arrived at a rate, and have not been taken.
    fn waiting(&mut self, rate: u64) -> u64 {
        let (began, arrived) = self.began.get_or_insert_with(|| (Instant::now(), 0));
        let all = (began.elapsed().as_secs_f64() * rate as f64) as u64;
        *arrived = (*arrived).max(all.saturating_sub(RING));
        all.saturating_sub(*arrived)
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
        let limit = match self.faucet.flow.load(Ordering::Acquire) {
            0 => {
                self.began = None;
                0
            }
            u64::MAX => limit,
            rate => {
                // This fails only if nothing has expired since.
                let _ = rustix::io::read(&self.faucet.arrivals, &mut [0; 8]);
                let limit = self.waiting(rate).min(limit as u64);
                self.began = self.began.map(|(began, arrived)| (began, arrived + limit));
                limit as usize
            }
        };
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
        self.faucet.arrivals.as_fd()
    }

    /// There always is room, so that this is never asked for.
    fn room(&self) -> Option<BorrowedFd<'_>> {
        Some(self.faucet.arrivals.as_fd())
    }
}
