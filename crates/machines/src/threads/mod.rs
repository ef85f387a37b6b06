//! What machines that run threads have in common: how packets get into threads and out of them, and what they tell whoever
//! wants to run these threads again in the same order.
//!
//! A thread begins, its transactions take effect, and their replies reach it. In which order all of this happens is the
//! machine's choice; with it the interpreter comes to the same state ([`ir::interpret::threads`]). Events are emitted in the
//! order in which the machine does what they say.

mod packets;

use basis::Instant;
use ir::interpret::threads::Ticket;
use ir::threads::{Cause, EventId, TimerId};
use measure::{EventKind, Interest, Numbers, TypedEvent};

pub use packets::{arrival, leaving};

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

/// An event: the reply to a transaction reached its thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Replied {
    /// The number of the thread.
    pub thread: u64,
    /// The number of the transaction in its thread.
    pub ticket: Ticket,
    /// The number of instructions that the thread had executed by then. Those that follow see the reply.
    pub executed: u64,
}

/// Returns the interest in all events of this module.
pub fn interest() -> Interest {
    Interest::of::<Began>().and::<Took>().and::<Replied>()
}

impl TypedEvent for Began {
    const KIND: &'static EventKind = {
        static KIND: EventKind = EventKind::new("threads", "thread_began", "A thread began.");
        &KIND
    };

    fn into_numbers(self) -> Numbers {
        let (kind, number) = match self.cause {
            Cause::Packet => (0, 0),
            Cause::Timer(timer) => (1, timer.0),
            Cause::Event(event) => (2, event.0),
        };
        let words = [self.thread, self.time.picoseconds(), self.argument];
        Numbers { words, list: [kind, u64::from(number)].into() }
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

impl TypedEvent for Took {
    const KIND: &'static EventKind = {
        static KIND: EventKind =
            EventKind::new("threads", "transaction_took_effect", "A transaction of a thread took effect.");
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

impl TypedEvent for Replied {
    const KIND: &'static EventKind = {
        static KIND: EventKind =
            EventKind::new("threads", "transaction_replied", "The reply to a transaction reached its thread.");
        &KIND
    };

    fn into_numbers(self) -> Numbers {
        Numbers { words: [self.thread, self.ticket.0, self.executed], ..Numbers::default() }
    }

    fn from_numbers(numbers: Numbers) -> Self {
        let [thread, ticket, executed] = numbers.words;
        Self { thread, ticket: Ticket(ticket), executed }
    }
}

#[cfg(test)]
mod tests {
    use measure::Event;

    use super::*;

    #[test]
    fn events_survive_the_way_as_numbers() {
        for cause in [Cause::Packet, Cause::Timer(TimerId(3)), Cause::Event(EventId(9))] {
            let began = Began { thread: 7, cause, time: Instant::from_microseconds(5), argument: 11 };
            assert_eq!(Event::of(began).read(), Ok(began));
        }
        let took = Took { thread: 1, ticket: Ticket(2), time: Instant::from_microseconds(3) };
        assert_eq!(Event::of(took).read(), Ok(took));
        let replied = Replied { thread: 4, ticket: Ticket(5), executed: 6 };
        assert_eq!(Event::of(replied).read(), Ok(replied));
    }
}
