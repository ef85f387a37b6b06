//! A port of the node: its interface, and the packets that wait for room there.

use std::collections::VecDeque;
use std::io;

use basis::{Duration, Instant};
use node::{Burst, Discarded, Port};
use wire::{Packet, Segmentation};

use super::poller::Poller;
use super::rounds::BURST;
use super::waits::{Due, Waits};
use crate::{Interface, Offload, PortTally, reasons, segments};

/// The most packets that wait for room at an interface; further ones are discarded.
const MOST_WAITING: usize = 4096;
/// The time after which an interface is tried again that says it has room and then has none, as one behind a full
/// queueing discipline does.
const RETRY: Duration = Duration::from_microseconds(100);

/// What a port waits for before it sends more packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Room {
    /// Nothing: the interface has taken all packets so far.
    Free,
    /// The interface's descriptor becomes writable.
    Writable,
    /// A time has come.
    Retry,
}

/// A port and its interface.
pub struct Bound<I> {
    pub port: Port,
    pub interface: I,
    /// Whether the interface can carry packets, as far as it has said.
    pub is_up: bool,
    /// Whether the interface is there and works: its descriptor is watched.
    pub is_watched: bool,
    /// Whether frames stay in the interface's queue for now, because the node would rather receive none.
    pub is_held: bool,
    /// The error with which the interface failed last.
    pub failure: Option<io::Error>,
    /// The last warning of the interface.
    pub warning: Option<&'static str>,
    pub tally: PortTally,
    /// The number of packets that came about because others were cut in front of the interface.
    pub cut: u64,
    /// Whether the interface may have frames that nobody has taken: it is on the driver's list.
    pub is_readable: bool,
    /// The most frames of its next turn.
    pub most: usize,
    /// The number of the round in which the port has its next turn, or of an earlier one.
    pub next_round: u64,
    /// What the port has cost beyond its turns, in packets; less than a turn.
    pub owes: u64,
    /// Whether packets were added since the interface was called: it is on the driver's list.
    pub is_touched: bool,
    /// The packets that were refused.
    pub refused: Vec<Discarded>,
    /// The number of times that the node wanted to be told by now that the port is ready.
    pub owed: u32,
    backlog: VecDeque<Packet>,
    /// A buffer that is reused between calls.
    finished: Burst,
    room: Room,
}

impl<I: Interface> Bound<I> {
    pub fn new(port: Port, interface: I) -> Self {
        Self {
            port,
            interface,
            is_up: true,
            is_watched: true,
            is_held: false,
            failure: None,
            warning: None,
            tally: PortTally::default(),
            is_readable: false,
            most: BURST,
            next_round: 0,
            owes: 0,
            is_touched: false,
            refused: Vec::new(),
            owed: 0,
            backlog: VecDeque::new(),
            finished: Burst::new(),
            cut: 0,
            room: Room::Free,
        }
    }

    /// Records what the packets of a turn have cost, in packets that cost no more than any does. A turn pays for `quantum` of
    /// them; a port that has cost more is not on in the following rounds, until these have paid for it.
    pub fn has_cost(&mut self, packets: u64, round: u64, quantum: u64) {
        let owes = self.owes.saturating_add(packets).saturating_sub(quantum);
        (self.owes, self.next_round) = (owes % quantum, round.saturating_add(1 + owes / quantum));
    }

    /// Returns true if a packet would be sent at once.
    pub fn has_room(&self) -> bool {
        self.backlog.is_empty()
    }

    /// Adds a packet to those that wait for the interface. Work that the interface does not do is done first. Packets are
    /// refused if too many wait, or the interface is gone.
    pub fn push(&mut self, packet: Packet) {
        if !self.is_watched {
            self.refused.push(Discarded::new(packet, reasons::INTERFACE_DOWN));
        } else if segments::has_work(&packet) && !self.does_work_of(&packet) {
            let Offload { checksum, .. } = self.interface.offload();
            self.cut += segments::finish(packet, |_| checksum, &mut self.finished, &mut self.refused);
            let mut finished = std::mem::take(&mut self.finished);
            finished.drain(..).for_each(|packet| self.add(packet));
            self.finished = finished;
        } else {
            self.add(packet);
        }
    }

    /// Returns true if the interface does the work that is left to do on a packet. What a guest says of its packet is believed only as
    /// far as the headers say the same: the kernel refuses the others in ways that say nothing of the one packet.
    fn does_work_of(&self, packet: &Packet) -> bool {
        let offload = self.interface.offload();
        let Some(Segmentation { kind, .. }) = packet.sidecar.segmentation else { return offload.checksum };
        let segments = packet.segments();
        // A segment that is too long for the interface is refused like any packet that is.
        let fits = || self.interface.longest_frame().is_none_or(|most| segments.longest <= u64::from(most));
        offload.cuts(kind) && segments.count > 1 && !packet.is_cut_within_tunnel() && fits()
    }

    fn add(&mut self, packet: Packet) {
        if self.backlog.len() < MOST_WAITING {
            self.backlog.push_back(packet);
        } else {
            self.refused.push(Discarded::new(packet, reasons::INTERFACE_FULL));
        }
    }

    /// Gives an interface up that is gone or has failed: nothing is received, and what is sent is discarded.
    pub fn give_up(&mut self, index: usize, poller: &Poller) -> io::Result<()> {
        if std::mem::replace(&mut self.is_watched, false) {
            self.set_room(index, Room::Free, poller)?;
            poller.unwatch(self.interface.descriptor())?;
            self.is_held = false;
        }
        let refuse = |packet| Discarded::new(packet, reasons::INTERFACE_DOWN);
        self.refused.extend(self.backlog.drain(..).map(refuse));
        Ok(())
    }

    /// Begins to use an interface that is there again.
    pub fn take_up(&mut self, index: usize, poller: &Poller) -> io::Result<()> {
        self.give_up(index, poller)?;
        poller.watch(index, self.interface.descriptor())?;
        self.is_watched = true;
        self.failure = None;
        Ok(())
    }

    /// Waits for the interface under another position.
    pub fn watch_as(&self, index: usize, poller: &Poller) -> io::Result<()> {
        let wants_room = self.room == Room::Writable;
        if self.is_watched {
            poller.renumber(
                index,
                (self.interface.descriptor(), self.interface.room()),
                [!self.is_held, wants_room],
            )?;
        }
        self.interface.events().map_or(Ok(()), |events| poller.renumber_changes(index, events))
    }

    /// Passes the packets that wait to the interface, as far as it takes them; unless it is known to have no room, which
    /// `has_changed` says is over. What was sent and what can never be sent is appended to the lists.
    pub fn send(
        &mut self,
        index: usize,
        has_changed: bool,
        poller: &Poller,
        (sent, discarded): (&mut Burst, &mut Vec<Discarded>),
    ) -> io::Result<bool> {
        if self.room != Room::Free && !has_changed {
            return Ok(false);
        }
        let before = self.backlog.len();
        if before > 0 {
            self.interface.send(&mut self.backlog, sent, discarded)?;
        }
        let after = self.backlog.len();
        let room = match after {
            0 => Room::Free,
            _ if has_changed && after == before => Room::Retry,
            _ => Room::Writable,
        };
        self.set_room(index, room, poller)?;
        Ok(room == Room::Retry)
    }

    /// Sets what the port waits for.
    fn set_room(&mut self, index: usize, room: Room, poller: &Poller) -> io::Result<()> {
        if (room == Room::Writable) != (self.room == Room::Writable) {
            let descriptors = (self.interface.descriptor(), self.interface.room());
            poller.want_room(index, descriptors, room == Room::Writable, !self.is_held)?;
        }
        self.room = room;
        Ok(())
    }

    /// Says whether frames stay in the interface's queue, or are fetched.
    pub fn hold(&mut self, index: usize, holds: bool, poller: &Poller) -> io::Result<()> {
        if !self.is_watched || std::mem::replace(&mut self.is_held, holds) == holds {
            return Ok(());
        }
        let wants_room = self.room == Room::Writable && self.interface.room().is_none();
        poller.want_frames(index, self.interface.descriptor(), !holds, wants_room)
    }

    /// Asks for the calls that became possible or necessary by [`Bound::send`].
    pub fn ask(&mut self, index: usize, now: Instant, retries: bool, waits: &mut Waits) {
        if retries {
            waits.add(now + RETRY, Due::Retry(index));
        }
        if self.has_room() {
            for _ in 0..std::mem::take(&mut self.owed) {
                waits.add(now, Due::Ready(self.port));
            }
        }
    }

    /// Returns the number of packets that wait for room. A packet that is to be cut counts as its segments.
    pub fn held(&self) -> u64 {
        self.backlog.iter().map(|packet| packet.segments().count).sum()
    }

    /// Returns what others may know of the port.
    pub fn view(&self) -> PortView<'_> {
        PortView {
            port: self.port,
            name: self.interface.name(),
            is_up: self.is_up,
            longest_frame: self.interface.longest_frame(),
            waiting: self.backlog.len(),
            failure: self.failure.as_ref(),
            warning: self.warning,
            tally: &self.tally,
        }
    }

    /// Counts packets that the interface has taken.
    pub fn count_sent(&mut self, sent: &Burst) {
        let transmitted = &mut self.tally.transmitted;
        for packet in sent {
            transmitted.frames += 1;
            transmitted.packets += packet.segments().count;
            transmitted.bytes += packet.len() as u64;
        }
    }
}

/// The state of a port of a driver.
#[derive(Clone, Copy, Debug)]
pub struct PortView<'a> {
    /// The number of the port.
    pub port: Port,
    /// The name of its interface.
    pub name: &'a str,
    /// Whether the interface is there and can carry packets.
    pub is_up: bool,
    /// The longest frame that the interface sends, in bytes with its Ethernet header; `None` if there is no limit, or
    /// none is known.
    pub longest_frame: Option<u32>,
    /// The number of packets that wait for room at the interface.
    pub waiting: usize,
    /// The error with which the interface failed, if it did; then it is used again when it returns.
    pub failure: Option<&'a io::Error>,
    /// What the interface has warned of last, in a sentence: packets pass, but not as somebody wants them to.
    pub warning: Option<&'a str>,
    /// The counts so far.
    pub tally: &'a PortTally,
}
