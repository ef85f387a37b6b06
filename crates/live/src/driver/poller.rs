//! Waiting for one of many descriptors (epoll(7)).
//!
//! Descriptors are watched by level: one with frames that nobody has taken yet is reported again, so that nothing depends
//! on an interface being emptied, and an interface that takes turns with others loses nothing.

use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};

use basis::Duration;
use rustix::buffer::spare_capacity;
use rustix::event::Timespec;
use rustix::event::epoll::{self, CreateFlags, Event, EventData, EventFlags};
use rustix::io::Errno;

use crate::Waker;

/// The most descriptors that one call reports; the kernel reports the others first the next time.
const MOST_REPORTED: usize = 128;

/// A reason for which the driver is awake again. Interfaces are named by their position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wakeup {
    /// Frames may have arrived at an interface.
    Readable(usize),
    /// An interface may have room.
    Writable(usize),
    /// Something may have happened to an interface.
    Changed(usize),
}

/// The descriptors of all interfaces and of the waker.
pub struct Poller {
    epoll: OwnedFd,
    waker: Waker,
    reported: Vec<Event>,
}

/// The kind of a descriptor, in the lowest two bits of its number.
const FRAMES: u64 = 0;
const CHANGES: u64 = 1;
const WAKER: u64 = 2;
const ROOM: u64 = 3;

fn number(interface: usize, kind: u64) -> EventData {
    EventData::new_u64((interface as u64) << 2 | kind)
}

fn interest(wants_frames: bool, wants_room: bool) -> EventFlags {
    let of = |wants, flag| if wants { flag } else { EventFlags::empty() };
    of(wants_frames, EventFlags::IN) | of(wants_room, EventFlags::OUT)
}

impl Poller {
    pub fn new() -> io::Result<Self> {
        let (epoll, waker) = (epoll::create(CreateFlags::CLOEXEC)?, Waker::new()?);
        epoll::add(&epoll, waker.descriptor(), number(0, WAKER), EventFlags::IN)?;
        Ok(Self { epoll, waker, reported: Vec::with_capacity(MOST_REPORTED) })
    }

    pub fn waker(&self) -> &Waker {
        &self.waker
    }

    /// Watches the descriptor of an interface for frames.
    pub fn watch(&self, interface: usize, descriptor: BorrowedFd<'_>) -> io::Result<()> {
        Ok(epoll::add(&self.epoll, descriptor, number(interface, FRAMES), interest(true, false))?)
    }

    /// Ends watching the descriptor of an interface for frames.
    pub fn unwatch(&self, descriptor: BorrowedFd<'_>) -> io::Result<()> {
        Ok(epoll::delete(&self.epoll, descriptor)?)
    }

    /// Watches the descriptor of an interface's events.
    pub fn watch_changes(&self, interface: usize, descriptor: BorrowedFd<'_>) -> io::Result<()> {
        Ok(epoll::add(&self.epoll, descriptor, number(interface, CHANGES), EventFlags::IN)?)
    }

    /// Says whether frames at an interface matter; `wants_room` says whether room does that its descriptor tells of.
    pub fn want_frames(
        &self,
        interface: usize,
        descriptor: BorrowedFd<'_>,
        wants: bool,
        wants_room: bool,
    ) -> io::Result<()> {
        Ok(epoll::modify(&self.epoll, descriptor, number(interface, FRAMES), interest(wants, wants_room))?)
    }

    /// Reports the descriptors of an interface under another position from now on; `wants` and `wants_room` say
    /// whether frames and room matter.
    pub fn renumber(
        &self,
        interface: usize,
        (descriptor, room): (BorrowedFd<'_>, Option<BorrowedFd<'_>>),
        [wants, wants_room]: [bool; 2],
    ) -> io::Result<()> {
        let is_own = wants_room && room.is_none();
        epoll::modify(&self.epoll, descriptor, number(interface, FRAMES), interest(wants, is_own))?;
        match room.filter(|_| wants_room) {
            Some(room) => Ok(epoll::modify(&self.epoll, room, number(interface, ROOM), EventFlags::IN)?),
            None => Ok(()),
        }
    }

    /// Reports the descriptor of an interface's events under another position from now on.
    pub fn renumber_changes(&self, interface: usize, descriptor: BorrowedFd<'_>) -> io::Result<()> {
        Ok(epoll::modify(&self.epoll, descriptor, number(interface, CHANGES), EventFlags::IN)?)
    }

    /// Says whether room at an interface matters, and whether frames do: that its descriptor is writable, or that the one which it
    /// has for room is readable.
    pub fn want_room(
        &self,
        interface: usize,
        (descriptor, room): (BorrowedFd<'_>, Option<BorrowedFd<'_>>),
        wants: bool,
        wants_frames: bool,
    ) -> io::Result<()> {
        match room {
            None => epoll::modify(&self.epoll, descriptor, number(interface, FRAMES), interest(wants_frames, wants)),
            Some(room) if wants => epoll::add(&self.epoll, room, number(interface, ROOM), EventFlags::IN),
            Some(room) => epoll::delete(&self.epoll, room),
        }
        .map_err(io::Error::from)
    }

    /// Waits for at most `longest`, or without a limit if that is `None`, and calls `wake` for everything that happened.
    /// Returns true if something did.
    pub fn wait(&mut self, longest: Option<Duration>, mut wake: impl FnMut(Wakeup)) -> io::Result<bool> {
        // The time is rounded up, because waking too early would mean to wake twice.
        let timeout = longest.map(|longest| {
            let nanoseconds = longest.picoseconds().div_ceil(1000);
            Timespec { tv_sec: (nanoseconds / 1_000_000_000) as _, tv_nsec: (nanoseconds % 1_000_000_000) as _ }
        });
        self.reported.clear();
        match epoll::wait(&self.epoll, spare_capacity(&mut self.reported), timeout.as_ref()) {
            Ok(_) => {}
            // A signal may be what the caller waits for.
            Err(Errno::INTR) => return Ok(true),
            Err(error) => return Err(error.into()),
        }
        for event in &self.reported {
            let (data, flags) = (event.data.u64(), event.flags);
            let interface = (data >> 2) as usize;
            match data & 3 {
                CHANGES => wake(Wakeup::Changed(interface)),
                ROOM => wake(Wakeup::Writable(interface)),
                FRAMES => {
                    // An error is a reason to read, which returns it.
                    if flags.intersects(!EventFlags::OUT) {
                        wake(Wakeup::Readable(interface));
                    }
                    if flags.contains(EventFlags::OUT) {
                        wake(Wakeup::Writable(interface));
                    }
                }
                _ => self.waker.reset(),
            }
        }
        Ok(!self.reported.is_empty())
    }
}
