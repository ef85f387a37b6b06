//! AF_XDP sockets of Linux: frames of an interface from before the kernel's network stack sees them (Linux,
//! Documentation/networking/af_xdp.rst).
//!
//! A small program in front of the stack gives the frames of each queue to a socket ([`program`]). They lie in memory that
//! is shared with the kernel ([`region`]); their payload is lent from there, and sent from there with the headers written
//! back in front of it. The `xdp` crate has sockets as well, but its memory belongs to one list of free chunks, and its
//! packets are not counted: neither could be lent to packets that go to other ports.

mod program;
mod queue;
mod region;
mod ring;
mod sockets;

use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use node::{Burst, Discarded, Reason};
use rustix::event::epoll::{self, CreateFlags, EventData, EventFlags};
use wire::Packet;

use crate::check::{Claim, Unusable};
use crate::frames::{self, ETHERNET};
use crate::link_watch::LinkWatch;
use crate::packet_socket;
use crate::{FrameProgram, Interface, InterfaceEvent, Offload, Options, Waker, namespace, reasons};
use program::Mode;
use queue::Queue;
use region::CHUNK;
use sockets::Sockets;

/// The length of a VLAN tag, by which a frame may exceed what the MTU allows.
const VLAN_TAG: usize = 4;
/// What is said of frames whose checksums are partial.
const PARTIAL_CHECKSUMS: &str = "frames arrive with partial checksums, which nothing completes behind AF_XDP, so that their \
    receivers drop them: `ethtool -K INTERFACE tx off` for the interface at the other end lets its host compute them";

/// All frames of an existing interface, from each of its queues. Nothing of the interface is changed that outlives this.
pub struct Xdp {
    name: String,
    mode: Option<Mode>,
    /// The network namespace of the interface, if it is not that of the thread.
    namespace: Option<String>,
    /// What looks at each frame before its socket is given it.
    program: Option<FrameProgram>,
    watch: LinkWatch,
    /// The sockets; `None` while there is no interface.
    sockets: Option<Sockets>,
    /// The queue from which frames are taken first the next time.
    turn: usize,
    /// Readable when frames have arrived in a queue. While nobody waits for that, no queue is watched: the kernel would note each
    /// frame for both descriptors, at the expense of who sends it.
    arrived: OwnedFd,
    tells_of_arrivals: bool,
    /// Readable when there is room to send, while somebody waits for it.
    room: OwnedFd,
    waits_for_room: bool,
    /// Readable when something has happened to the interface, or is to be told of it.
    events: OwnedFd,
    waker: Waker,
    to_tell: Option<&'static str>,
    has_told: bool,
}

impl Xdp {
    /// Opens sockets on the interface of a name, `INTERFACE` or `INTERFACE,mode=native` or `mode=generic`, in the network
    /// namespace of this thread. Without a mode it is native if the driver of the interface can do that.
    ///
    /// # Errors
    ///
    /// Returns that the text is not of that form, or the error of the system: there is no such interface, CAP_NET_ADMIN
    /// and CAP_BPF are missing, or the interface has an XDP program already.
    pub fn open(text: &str) -> io::Result<Self> {
        Self::open_with(text, &Options::default())
    }

    /// Does the same as [`Xdp::open`], with a program that looks at each frame, and the namespace in which the interface is found
    /// again when it returns.
    ///
    /// # Errors
    ///
    /// Returns what [`Xdp::open`] does, or that the kernel refuses the program, with the kernel's reason.
    pub fn open_with(text: &str, options: &Options) -> io::Result<Self> {
        let (interface, mode) = parts(text)?;
        let index = packet_socket::index(interface)?;
        let watch = LinkWatch::new(interface, index)?;
        let [arrived, room, events] = [(); 3].map(|()| epoll::create(CreateFlags::CLOEXEC));
        let (arrived, room, events, waker) = (arrived?, room?, events?, Waker::new()?);
        for descriptor in [watch.descriptor(), waker.descriptor()] {
            epoll::add(&events, descriptor, EventData::new_u64(0), EventFlags::IN)?;
        }
        let mut xdp = Self {
            name: format!("xdp:{text}"),
            mode,
            namespace: options.namespace.clone(),
            program: options.program.clone(),
            watch,
            sockets: None,
            turn: 0,
            arrived,
            tells_of_arrivals: true,
            room,
            waits_for_room: false,
            events,
            waker,
            to_tell: None,
            has_told: false,
        };
        xdp.take_up(Sockets::open(index, mode, xdp.program.as_ref(), xdp.watch.longest_frame())?)?;
        Ok(xdp)
    }

    /// Returns how many frames got a copy of their payload because no chunk was left to lend.
    pub fn copies(&self) -> u64 {
        self.sockets.iter().flat_map(|sockets| &sockets.queues).map(Queue::copies).sum()
    }

    /// Begins to use sockets.
    fn take_up(&mut self, sockets: Sockets) -> io::Result<()> {
        self.waits_for_room = false;
        let sockets = self.sockets.insert(sockets);
        if self.tells_of_arrivals {
            watch(&self.arrived, &sockets.queues)?;
        }
        Ok(())
    }

    /// Watches whether there is room to send, or ends that.
    fn wait_for_room(&mut self, wanted: bool) -> io::Result<()> {
        if let Some(sockets) = &self.sockets
            && std::mem::replace(&mut self.waits_for_room, wanted) != wanted
        {
            // Everything is sent by the first queue.
            let descriptor = sockets.queues[0].descriptor();
            match wanted {
                true => epoll::add(&self.room, descriptor, EventData::new_u64(0), EventFlags::OUT)?,
                false => epoll::delete(&self.room, descriptor)?,
            }
        }
        Ok(())
    }
}

/// Watches whether frames arrive in queues.
fn watch(arrived: &OwnedFd, queues: &[Queue]) -> io::Result<()> {
    let watch = |queue: &Queue| epoll::add(arrived, queue.descriptor(), EventData::new_u64(0), EventFlags::IN);
    Ok(queues.iter().try_for_each(watch)?)
}

/// Returns the name of the interface and the mode that a text has.
///
/// # Errors
///
/// Returns that the text is not of that form.
fn parts(text: &str) -> io::Result<(&str, Option<Mode>)> {
    match text.split_once(',') {
        None => Ok((text, None)),
        Some((interface, "mode=native")) => Ok((interface, Some(Mode::Native))),
        Some((interface, "mode=generic")) => Ok((interface, Some(Mode::Generic))),
        Some(_) => {
            let text =
                format!("`{text}` is not of the form INTERFACE, INTERFACE,mode=native or INTERFACE,mode=generic");
            Err(io::Error::new(io::ErrorKind::InvalidInput, text))
        }
    }
}

/// Checks what [`Xdp::open`] takes, without touching the interface.
pub(crate) fn check(text: &str) -> Result<Vec<Claim>, Unusable> {
    let (interface, _) = parts(text).map_err(|error| Unusable::new(error.to_string(), ""))?;
    crate::check::packet(interface)
}

impl Interface for Xdp {
    fn name(&self) -> &str {
        &self.name
    }

    fn offload(&self) -> Offload {
        Offload::default()
    }

    fn longest_frame(&self) -> Option<u32> {
        let takes_long = self.sockets.as_ref().is_none_or(|sockets| sockets.takes_long);
        self.watch.longest_frame().map(|longest| if takes_long { longest } else { longest.min(CHUNK as u32) })
    }

    fn receive(&mut self, limit: usize, into: &mut Burst, discarded: &mut Vec<Discarded>) -> io::Result<()> {
        let Some(Sockets { queues, .. }) = &mut self.sockets else { return Ok(()) };
        let before = into.len();
        let mut left = limit;
        let count = queues.len();
        for number in 0..count {
            left -= queues[(self.turn + number) % count].receive(left, into, discarded);
            if left == 0 {
                break;
            }
        }
        self.turn = (self.turn + 1) % count;
        // One frame of a burst is looked at: whoever leaves checksums to interfaces leaves all of them.
        if !self.has_told && into.get(before).is_some_and(Packet::lacks_checksum) {
            self.has_told = true;
            self.to_tell = Some(PARTIAL_CHECKSUMS);
            self.waker.wake();
        }
        Ok(())
    }

    fn has_arrived(&self) -> Option<bool> {
        Some(self.sockets.iter().flat_map(|sockets| &sockets.queues).any(Queue::has_arrived))
    }

    fn send(
        &mut self,
        packets: &mut VecDeque<Packet>,
        sent: &mut Burst,
        discarded: &mut Vec<Discarded>,
    ) -> io::Result<()> {
        let longest = self.longest_frame().map_or(usize::MAX, |longest| longest as usize);
        let is_up = self.watch.is_up();
        let Some(Sockets { queues, .. }) = self.sockets.as_mut().filter(|_| is_up) else {
            let refuse = |packet| Discarded::new(packet, reasons::INTERFACE_DOWN);
            discarded.extend(packets.drain(..).map(refuse));
            return Ok(());
        };
        let queue = &mut queues[0];
        let mut has_flushed = false;
        while let Some(packet) = packets.front() {
            let length = packet.len();
            let reason = if length < ETHERNET {
                Some(Reason::MALFORMED)
            } else if length > longest && !(length <= longest + VLAN_TAG && has_tag(packet)) {
                Some(reasons::TOO_LONG)
            } else {
                None
            };
            if let Some(reason) = reason {
                discarded.extend(packets.pop_front().map(|packet| Discarded::new(packet, reason)));
            } else if queue.send(packet) {
                sent.extend(packets.pop_front());
                has_flushed = false;
            } else if has_flushed {
                break;
            } else {
                queue.flush()?;
                has_flushed = true;
            }
        }
        queue.flush()?;
        self.wait_for_room(!packets.is_empty())
    }

    fn tell_of_arrivals(&mut self, wanted: bool) -> io::Result<()> {
        if std::mem::replace(&mut self.tells_of_arrivals, wanted) == wanted {
            return Ok(());
        }
        let queues = self.sockets.as_ref().map_or(&[][..], |sockets| &sockets.queues);
        match wanted {
            true => watch(&self.arrived, queues),
            false => Ok(queues.iter().try_for_each(|queue| epoll::delete(&self.arrived, queue.descriptor()))?),
        }
    }

    fn descriptor(&self) -> BorrowedFd<'_> {
        self.arrived.as_fd()
    }

    fn room(&self) -> Option<BorrowedFd<'_>> {
        Some(self.room.as_fd())
    }

    fn events(&self) -> Option<BorrowedFd<'_>> {
        Some(self.events.as_fd())
    }

    fn next_event(&mut self) -> io::Result<Option<InterfaceEvent>> {
        self.waker.reset();
        if let Some(warning) = self.to_tell.take() {
            return Ok(Some(InterfaceEvent::Warning(Some(warning))));
        }
        let event = self.watch.next()?;
        match (event, self.watch.index()) {
            (Some(InterfaceEvent::Removed), _) => self.sockets = None,
            (Some(InterfaceEvent::Returned), Some(index)) => {
                self.sockets = None;
                // If the interface is gone again, the next event says so.
                let (mode, longest) = (self.mode, self.watch.longest_frame());
                let open = || Sockets::open(index, mode, self.program.as_ref(), longest);
                match namespace::within(self.namespace.as_deref(), open) {
                    Ok(sockets) => self.take_up(sockets)?,
                    Err(error) if frames::is_down(&error) => {}
                    Err(error) => return Err(error),
                }
            }
            _ => {}
        }
        Ok(event)
    }
}

/// Returns true if a frame begins with a VLAN tag.
fn has_tag(packet: &Packet) -> bool {
    packet.head.bytes().get(12..14).is_some_and(|kind| matches!(kind, [0x81, 0x00] | [0x88, 0xA8]))
}
