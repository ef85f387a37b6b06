//! Network cards of virtual machines (vhost-user): the guest's two queues lie in memory that its front end (QEMU, DPDK's
//! virtio-user) shares with the switch, which copies frames from them and into them.
//!
//! The driver's thread moves frames; a thread for each interface answers the front end's messages, and holds the device only
//! while it changes it. A guest may write anything into its memory and at any time: the switch copies before it looks, bounds
//! every walk, and gives up a queue that makes no sense. What a front end could do beyond that is in `docs/live.md`.

mod back_end;
mod chain;
pub(crate) mod check;
mod control;
mod device;
mod enabling;
mod features;
mod kicks;
mod ring;
mod socket;

use std::collections::VecDeque;
use std::io::{self, IoSlice, IoSliceMut};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use node::{Burst, Discarded};
use rustix::io::Errno;
use vm_memory::GuestMemoryMmap;
use wire::Packet;

use crate::{Interface, InterfaceEvent, Offload, frames, reasons, virtio};
use back_end::BackEnd;
use chain::{BadChain, Piece};
use device::{Device, QUEUES, RECEIVE, TRANSMIT};
use kicks::Kicks;
use ring::{Broken, Ring};
use socket::{Connecting, Listening, Socket};

/// The network card of a virtual machine, which a front end connects to the switch by a socket. Its link is up while a front end is
/// connected whose guest uses both queues.
pub struct VhostUser {
    name: String,
    shared: Arc<Shared>,
    receiver: frames::Receiver,
    sender: frames::Sender,
    /// Whether the guest is asked to kick when it transmits.
    tells_of_arrivals: bool,
    /// Buffers that are reused between calls.
    pieces: Vec<Piece>,
    heads: Vec<(u16, u64)>,
    /// Dropped last but for what it shares.
    _back_end: BackEnd,
}

/// What the driver's thread and that of the messages share.
#[derive(Debug)]
struct Shared {
    device: Mutex<Device>,
    /// The kicks of the queues: of the queue in which the guest receives, they say that there is room.
    kicks: [Kicks; QUEUES],
    /// The offloads that the guest takes, as [`bits`] has them.
    offload: AtomicU8,
    link: Mutex<Link>,
    /// Readable when something has happened to the link.
    events: OwnedFd,
}

/// The state of the link, and what has happened to it and was not told yet.
#[derive(Debug)]
struct Link {
    is_up: bool,
    /// Whether the last warning holds.
    is_warned_of: bool,
    happened: VecDeque<InterfaceEvent>,
}

/// The most events that are kept for a driver that does not ask for them.
const MOST_EVENTS: usize = 64;

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Device> {
        // A panic of the other thread leaves a device that is whole enough to be reset.
        self.device.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tell(&self, event: InterfaceEvent) {
        let mut link = self.link.lock().unwrap_or_else(PoisonError::into_inner);
        // A front end that comes and goes without end is told of by its last state.
        if link.happened.len() >= MOST_EVENTS {
            link.happened.pop_front();
        }
        link.happened.push_back(event);
        kicks::signal(&self.events);
    }

    /// Tells the driver of the link's state if it is new. A link that is up has nothing that was warned of.
    fn tell_of_link(&self, device: &mut Device) {
        let is_up = device.is_up();
        let mut link = self.link.lock().unwrap_or_else(PoisonError::into_inner);
        if std::mem::replace(&mut link.is_up, is_up) == is_up {
            return;
        }
        let is_over = is_up && std::mem::take(&mut link.is_warned_of);
        drop(link);
        if is_over {
            self.tell(InterfaceEvent::Warning(None));
        }
        self.tell(if is_up { InterfaceEvent::Up } else { InterfaceEvent::Down });
        // Frames and room that are there already are found as if the guest had kicked.
        self.kicks.iter().for_each(Kicks::kick);
    }

    fn warn(&self, warning: &'static str) {
        self.link.lock().unwrap_or_else(PoisonError::into_inner).is_warned_of = true;
        self.tell(InterfaceEvent::Warning(Some(warning)));
    }

    fn set_offload(&self, offload: Offload) {
        self.offload.store(bits(offload), Ordering::Release);
    }

    /// Forgets the front end and all that it has said.
    fn reset(&self) {
        let mut device = self.lock();
        for (queue, kicks) in device.queues.iter().zip(&self.kicks) {
            if let Some(kick) = &queue.kick {
                kicks.unwatch(kick);
            }
        }
        let old = std::mem::take(&mut *device);
        self.set_offload(Offload::default());
        self.tell_of_link(&mut device);
        // Unmapping memory may take long.
        drop(device);
        drop(old);
    }

    /// Stops a queue that makes no sense until the front end describes it again.
    fn give_up(&self, device: &mut Device, queue: usize) {
        device.pause(queue);
        device.queues[queue].is_started = false;
        self.tell_of_link(device);
        self.warn("a queue of the guest makes no sense, and is not used until the guest sets it up again");
    }
}

/// Returns an offload as a number.
fn bits(Offload { checksum, tcp_segmentation, udp_segmentation }: Offload) -> u8 {
    u8::from(checksum) | u8::from(tcp_segmentation) << 1 | u8::from(udp_segmentation) << 2
}

impl VhostUser {
    /// Makes a socket at a path, on which front ends connect one after the other. The interface is down until one has.
    ///
    /// # Errors
    ///
    /// Returns the error of the system: there is a file that is no abandoned socket, or the folder is not there or may not be
    /// written.
    pub fn open(path: &str) -> io::Result<Self> {
        Self::over(path, Socket::Listening(Listening::bind(Path::new(path))?))
    }

    /// Connects to the socket at a path whenever a front end listens there. The interface is down until one has answered, and again from
    /// the end of its connection to the next one; between attempts that fail are 10 ms at first and a second at last.
    ///
    /// # Errors
    ///
    /// Returns the error of the system: descriptors or threads have run out. Whether anybody listens is not looked at.
    pub fn connect(path: &str) -> io::Result<Self> {
        Self::over(path, Socket::Connecting(Connecting::new(Path::new(path))))
    }

    /// Answers the front ends of a socket.
    fn over(path: &str, socket: Socket) -> io::Result<Self> {
        let shared = Shared {
            device: Mutex::default(),
            kicks: [Kicks::new()?, Kicks::new()?],
            offload: AtomicU8::new(0),
            link: Mutex::new(Link {
                is_up: false,
                is_warned_of: false,
                happened: VecDeque::from([InterfaceEvent::Down]),
            }),
            events: kicks::event()?,
        };
        kicks::signal(&shared.events);
        let shared = Arc::new(shared);
        let back_end = BackEnd::start(socket, Arc::clone(&shared))?;
        Ok(Self {
            name: path.to_owned(),
            shared,
            receiver: frames::Receiver::new(),
            sender: frames::Sender::default(),
            tells_of_arrivals: true,
            pieces: Vec::new(),
            heads: Vec::new(),
            _back_end: back_end,
        })
    }
}

/// Takes the next chain of a queue. When there is none and somebody is to be told of the next one, the guest is asked to kick, and the
/// queue is looked at once more.
fn next(ring: &mut Ring, memory: &GuestMemoryMmap, tells: bool) -> Result<Option<u16>, Broken> {
    match ring.take(memory)? {
        None if tells => {
            ring.want_kicks(memory, true)?;
            ring.take(memory)
        }
        taken => Ok(taken),
    }
}

impl Interface for VhostUser {
    fn name(&self) -> &str {
        &self.name
    }

    fn offload(&self) -> Offload {
        let bits = self.shared.offload.load(Ordering::Acquire);
        let has = |bit: u8| bits >> bit & 1 == 1;
        Offload { checksum: has(0), tcp_segmentation: has(1), udp_segmentation: has(2) }
    }

    fn receive(&mut self, limit: usize, into: &mut Burst, discarded: &mut Vec<Discarded>) -> io::Result<()> {
        self.shared.kicks[TRANSMIT].forget();
        let mut device = self.shared.lock();
        let header = device.features.header_length();
        let Some((ring, memory, is_enabled)) = device.running(TRANSMIT) else { return Ok(()) };
        let (mut taken, mut bad, mut broken) = (0, 0, ring.want_kicks(memory, false));
        let before = into.len();
        let tells = self.tells_of_arrivals;
        let read = |parts: &mut [IoSliceMut<'_>]| {
            while taken < limit && broken.is_ok() {
                let read = next(ring, memory, tells).and_then(|head| {
                    let Some(head) = head else { return Ok(None) };
                    let read = chain::read(memory, ring.chain(memory, head), header, parts);
                    ring.give_back(memory, head, 0).map(|()| Some(read))
                });
                taken += 1;
                match read {
                    Ok(Some(Ok(length))) => return Ok((length, ())),
                    Ok(Some(Err(BadChain))) => bad += 1,
                    Ok(None) => break,
                    Err(Broken) => broken = Err(Broken),
                }
            }
            Err(io::ErrorKind::WouldBlock.into())
        };
        let outcome = self.receiver.receive_burst(limit, (into, discarded), read, |_, ()| ());
        let broken = broken.and_then(|()| ring.publish(memory));
        let refuse = |reason| move |packet| Discarded::new(packet, reason);
        discarded.extend((0..bad).map(|_| Packet::of_bytes(&[])).map(refuse(reasons::BAD_DESCRIPTOR)));
        if !is_enabled {
            // What a guest sends by a queue that is not enabled is discarded (vhost-user, section "Ring states").
            discarded.extend(into.drain(before..).map(refuse(reasons::INTERFACE_DOWN)));
        }
        if broken.is_err() {
            self.shared.give_up(&mut device, TRANSMIT);
        }
        outcome
    }

    fn has_arrived(&self) -> Option<bool> {
        // A ring that makes no sense is found out when frames are taken.
        let mut device = self.shared.lock();
        let running = device.running(TRANSMIT);
        Some(running.is_some_and(|(ring, memory, _)| ring.available(memory) != Ok(0)))
    }

    fn tell_of_arrivals(&mut self, wanted: bool) -> io::Result<()> {
        if !std::mem::replace(&mut self.tells_of_arrivals, wanted) && wanted {
            // The guest is asked to kick when the queue is found empty the next time, which is soon.
            self.shared.kicks[TRANSMIT].kick();
        }
        Ok(())
    }

    fn send(
        &mut self,
        packets: &mut VecDeque<Packet>,
        sent: &mut Burst,
        discarded: &mut Vec<Discarded>,
    ) -> io::Result<()> {
        let offload = self.offload();
        let Self { shared, pieces, heads, sender, .. } = self;
        shared.kicks[RECEIVE].forget();
        let mut device = shared.lock();
        let (header, merges, is_up) =
            (device.features.header_length(), device.features.merges_buffers(), device.is_up());
        let Some((ring, memory, _)) = device.running(RECEIVE).filter(|_| is_up) else {
            discarded.extend(packets.drain(..).map(|packet| Discarded::new(packet, reasons::INTERFACE_DOWN)));
            return Ok(());
        };
        let mut broken = ring.want_kicks(memory, false);
        let outcome = sender.send(offload, packets, (sent, discarded), |parts| {
            let put = put(ring, memory, (header, merges), parts, (pieces, heads));
            put.unwrap_or_else(|Broken| {
                broken = Err(Broken);
                Err(Errno::NODEV.into())
            })
        });
        if broken.and_then(|()| ring.publish(memory)).is_err() {
            shared.give_up(&mut device, RECEIVE);
        }
        outcome
    }

    fn descriptor(&self) -> BorrowedFd<'_> {
        self.shared.kicks[TRANSMIT].descriptor()
    }

    fn room(&self) -> Option<BorrowedFd<'_>> {
        Some(self.shared.kicks[RECEIVE].descriptor())
    }

    fn events(&self) -> Option<BorrowedFd<'_>> {
        Some(self.shared.events.as_fd())
    }

    fn next_event(&mut self) -> io::Result<Option<InterfaceEvent>> {
        let mut link = self.shared.link.lock().unwrap_or_else(PoisonError::into_inner);
        let event = link.happened.pop_front();
        if event.is_none() {
            // This fails only if nothing was signalled.
            let _ = rustix::io::read(&self.shared.events, &mut [0; 8]);
        }
        Ok(event)
    }
}

/// Puts a frame, of which `parts` begin with a virtio header, into as few chains of a queue as hold it: one, unless the guest
/// merges buffers. Fails as a call of the system would.
fn put(
    ring: &mut Ring,
    memory: &GuestMemoryMmap,
    (header, merges): (usize, bool),
    parts: &[IoSlice<'_>],
    (pieces, heads): (&mut Vec<Piece>, &mut Vec<(u16, u64)>),
) -> Result<io::Result<usize>, Broken> {
    let [own, frame @ ..] = parts else { return Ok(Err(Errno::INVAL.into())) };
    let length = (header + frame.iter().map(|part| part.len()).sum::<usize>()) as u64;
    pieces.clear();
    heads.clear();
    let (mut room, mut is_bad) = (0, false);
    while room < length && !is_bad && (merges || heads.is_empty()) {
        let Some(head) = next(ring, memory, true)? else {
            ring.put_back(heads.len() as u16);
            // All descriptors together are too few for it.
            let never = heads.len() == usize::from(ring.size());
            return Ok(Err(if never { Errno::MSGSIZE } else { Errno::AGAIN }.into()));
        };
        let before = room;
        for piece in ring.chain(memory, head) {
            match piece {
                Ok(piece) if piece.is_written => {
                    room += u64::from(piece.length);
                    pieces.push(piece);
                }
                _ => is_bad = true,
            }
        }
        heads.push((head, room - before));
    }
    if room < length && !is_bad {
        ring.put_back(heads.len() as u16);
        return Ok(Err(Errno::MSGSIZE.into()));
    }
    // Section 5.1.6.4: the number of chains, in the last bytes of the header.
    let number = (heads.len() as u16).to_le_bytes();
    let number = IoSlice::new(&number[..header - virtio::LENGTH]);
    is_bad = is_bad || chain::write(memory, pieces.iter(), [own, &number].into_iter().chain(frame)).is_err();
    let mut left = if is_bad { 0 } else { length };
    for (head, room) in heads.drain(..) {
        let written = left.min(room);
        ring.give_back(memory, head, written as u32)?;
        left -= written;
    }
    Ok(if is_bad { Err(Errno::FAULT.into()) } else { Ok(length as usize) })
}
