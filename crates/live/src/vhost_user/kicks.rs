//! Waiting for the kicks of a queue by one descriptor, which stays the same while guests come and go.

use std::fs::File;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

use rustix::event::epoll::{self, CreateFlags, Event, EventData, EventFlags};
use rustix::event::{EventfdFlags, Timespec, eventfd};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};

/// A descriptor that is readable after a kick. The event descriptors of guests are watched by edge and never read, because
/// a read of one could block: its flags are shared with the guest's process.
#[derive(Debug)]
pub struct Kicks {
    epoll: OwnedFd,
    /// The switch's own event descriptor.
    own: OwnedFd,
}

const KICK: EventFlags = EventFlags::IN.union(EventFlags::ET);

impl Kicks {
    pub fn new() -> io::Result<Self> {
        let (epoll, own) = (epoll::create(CreateFlags::CLOEXEC)?, event()?);
        epoll::add(&epoll, &own, EventData::new_u64(0), KICK)?;
        Ok(Self { epoll, own })
    }

    pub fn descriptor(&self) -> BorrowedFd<'_> {
        self.epoll.as_fd()
    }

    /// Watches the event descriptor of a guest.
    pub fn watch(&self, kick: &File) -> io::Result<()> {
        Ok(epoll::add(&self.epoll, kick, EventData::new_u64(1), KICK)?)
    }

    /// Ends watching the event descriptor of a guest, which the guest's process may go on using.
    pub fn unwatch(&self, kick: &File) {
        // This fails only if it was not watched.
        let _ = epoll::delete(&self.epoll, kick);
    }

    /// Kicks as a guest does.
    pub fn kick(&self) {
        signal(&self.own);
    }

    /// Makes the descriptor unreadable until the next kick.
    pub fn forget(&self) {
        let mut reported = [MaybeUninit::<Event>::uninit(); 2];
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        let _ = epoll::wait(&self.epoll, &mut reported, Some(&now));
    }
}

/// Returns an event descriptor.
pub fn event() -> io::Result<OwnedFd> {
    Ok(eventfd(0, EventfdFlags::NONBLOCK | EventfdFlags::CLOEXEC)?)
}

/// Makes an event descriptor readable.
pub fn signal(event: &OwnedFd) {
    // This fails only after 2^64 - 2 calls that nobody took back, and then it is readable.
    let _ = rustix::io::write(event, &1u64.to_ne_bytes());
}

/// Checks that a descriptor of a guest's process is an event descriptor (eventfd(2)), whose operations never wait for anybody else
/// as those of a pipe or of a file in user space may, and makes it non-blocking.
pub fn accept(descriptor: &File) -> io::Result<()> {
    let kind = std::fs::read_link(format!("/proc/self/fd/{}", descriptor.as_raw_fd()))?;
    if kind.as_os_str() != "anon_inode:[eventfd]" {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not an event descriptor"));
    }
    fcntl_setfl(descriptor, fcntl_getfl(descriptor)? | OFlags::NONBLOCK)?;
    Ok(())
}
