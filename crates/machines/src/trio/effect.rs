//! What the chip tells whoever wants to run its threads again in the same order.

use basis::Instant;
use ir::interpret::threads::Ticket;
use ir::threads::{Cause, EventId, TimerId};
use measure::{EventKind, Numbers, TypedEvent};

/// An event: a thread began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Began {
    /// The number of the thread, in the order in which threads begin, from 0.
    pub thread: u64,
    /// What it began for.
    pub cause: Cause,
    /// The time at which the packet arrived, the timer fired or the event happened.
    pub time: Instant,
    /// How often the timer had fired before, or what the event carries; for a packet its number in the order of arrival.
    pub argument: u64,
}

impl TypedEvent for Began {
    const KIND: &'static EventKind = {
        static KIND: EventKind = EventKind::new("trio", "thread_began", "A thread began.");
        &KIND
    };

    fn into_numbers(self) -> Numbers {
        let (kind, number) = match self.cause {
            Cause::Packet => (0, 0),
            Cause::Timer(timer) => (1, timer.0),
            Cause::Event(event) => (2, event.0),
        };
        Numbers { words: [self.thread, self.time.picoseconds(), self.argument], list: [kind, u64::from(number)].into() }
    }

    fn from_numbers(numbers: Numbers) -> Self {
        let [thread, time, argument] = numbers.words;
        let number = |place: usize| numbers.list.get(place).copied().unwrap_or(0);
        let cause = match number(0) {
            0 => Cause::Packet,
            1 => Cause::Timer(TimerId(number(1) as u32)),
            _ => Cause::Event(EventId(number(1) as u32)),
        };
        Self { thread, cause, time: Instant::from_picoseconds(time), argument }
    }
}

/// An event: a transaction of a thread took its place in the order of effects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Took {
    /// The number of the thread.
    pub thread: u64,
    /// The number of the transaction in its thread.
    pub ticket: Ticket,
    /// The time at which it takes effect.
    pub time: Instant,
}

impl TypedEvent for Took {
    const KIND: &'static EventKind = {
        static KIND: EventKind = EventKind::new("trio", "took_effect", "A transaction of a thread took effect.");
        &KIND
    };

    fn into_numbers(self) -> Numbers {
        Numbers { words: [self.thread, self.ticket.0, self.time.picoseconds()], ..Numbers::default() }
    }

    fn from_numbers(numbers: Numbers) -> Self {
        let [thread, ticket, time] = numbers.words;
        Self { thread, ticket: Ticket(ticket), time: Instant::from_picoseconds(time) }
    }
}
