//! Events that the tenant of a vNIC may see.

use std::collections::{BTreeMap, VecDeque};

use basis::{Duration, Instant};

/// The most events that wait for somebody to take them.
const MOST: usize = 1024;
/// The time within which the same is told once.
const QUIET: Duration = Duration::from_microseconds(1_000_000);

/// Something that happened to the packets of one vNIC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// The time.
    pub at: Instant,
    /// The position of the vNIC.
    pub vnic: u32,
    /// The kind of event.
    pub kind: EventKind,
    /// How often it has happened since it was told last: at least once.
    pub count: u64,
}

/// The kinds of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EventKind {
    /// A session could not begin, or took the place of a half-open one, because the table of all sessions is full.
    TableFull,
    /// A session could not begin, or took the place of a half-open one, because the vNIC has as many as one may have.
    VnicFull,
    /// Sessions could not begin, because more of them begin already than may for the vNIC.
    OverSessionRate,
    /// A session could not begin because a pool has no free port.
    NoFreePort,
    /// The guest has sent a packet from addresses that are not its own.
    Spoofed,
    /// The guest does not read what it is sent, and packets for it were dropped.
    NotRead,
    /// The guest is slowed, because a guest that it sends to does not read, or a core has too much to do for it.
    Slowed,
}

impl EventKind {
    /// Returns the name of the kind.
    pub fn name(self) -> &'static str {
        match self {
            Self::TableFull => "session table full",
            Self::VnicFull => "sessions of the vNIC full",
            Self::OverSessionRate => "above the rate of new sessions",
            Self::NoFreePort => "no free port",
            Self::Spoofed => "spoofed source",
            Self::NotRead => "the guest does not read",
            Self::Slowed => "slowed",
        }
    }
}

/// The events that wait for somebody to take them. The same event of a vNIC is told at once, and then once a second with its
/// count.
#[derive(Debug, Default)]
pub struct Events {
    waiting: VecDeque<Event>,
    lost: u64,
    /// The time at which each event was told last, and how often it has happened since.
    quiet: BTreeMap<(u32, EventKind), (Instant, u64)>,
    /// The time at which the first of them may have to be told again.
    next: Option<Instant>,
}

impl Events {
    /// Records an event of a vNIC.
    pub fn happens(&mut self, now: Instant, vnic: u32, kind: EventKind) {
        match self.quiet.get_mut(&(vnic, kind)) {
            Some((_, count)) => *count += 1,
            None => {
                self.quiet.insert((vnic, kind), (now, 0));
                self.next = Some(self.next.map_or(now + QUIET, |next| next.min(now + QUIET)));
                self.push(Event { at: now, vnic, kind, count: 1 });
            }
        }
    }

    /// Tells what has happened again, when it is time to.
    pub fn tell(&mut self, now: Instant) {
        if self.next.is_none_or(|next| next > now) {
            return;
        }
        let mut due = Vec::new();
        self.quiet.retain(|&(vnic, kind), (told, count)| {
            if *told + QUIET > now {
                return true;
            }
            if *count > 0 {
                due.push(Event { at: now, vnic, kind, count: std::mem::take(count) });
                *told = now;
                return true;
            }
            false
        });
        self.next = self.quiet.values().map(|(told, _)| *told + QUIET).min();
        due.into_iter().for_each(|event| self.push(event));
    }

    /// Returns the time at which something may have to be told.
    pub fn next(&self) -> Option<Instant> {
        self.next
    }

    fn push(&mut self, event: Event) {
        if self.waiting.len() < MOST {
            self.waiting.push_back(event);
        } else {
            self.lost += 1;
        }
    }

    /// Takes all events.
    pub fn take(&mut self) -> impl Iterator<Item = Event> {
        self.waiting.drain(..)
    }

    /// Returns the number of events that found no room.
    pub fn lost(&self) -> u64 {
        self.lost
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_is_told_once_a_second_with_its_count() {
        let at = |tenths: u64| Instant::ZERO + Duration::from_microseconds(100_000 * tenths);
        let mut events = Events::default();
        let told = |events: &mut Events| events.take().map(|event| (event.vnic, event.count)).collect::<Vec<_>>();
        for tenth in 0..8 {
            events.tell(at(tenth));
            events.happens(at(tenth), 1, EventKind::Spoofed);
        }
        events.happens(at(8), 2, EventKind::Spoofed);
        assert_eq!(told(&mut events), [(1, 1), (2, 1)]);
        assert_eq!(events.next(), Some(at(10)));
        events.tell(at(10));
        assert_eq!(told(&mut events), [(1, 7)]);
        events.tell(at(20));
        events.tell(at(30));
        assert_eq!((told(&mut events), events.next()), (vec![], None));
        for vnic in 0..=MOST as u32 {
            events.happens(at(40), vnic, EventKind::NoFreePort);
        }
        assert_eq!((told(&mut events).len(), events.lost()), (MOST, 1));
    }
}
