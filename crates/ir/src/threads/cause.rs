//! What begins threads, and why packets are dropped.

use basis::typed_id;

use super::InstructionId;

typed_id!(
    /// Identifies a timer of a program of threads.
    TimerId
);
typed_id!(
    /// Identifies an event of a program of threads.
    EventId
);
typed_id!(
    /// Identifies a reason for which a program of threads drops packets: an index in [`super::Threads::reasons`].
    ReasonId
);

/// What a thread begins for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cause {
    /// A packet has arrived.
    Packet,
    /// A timer has fired.
    Timer(TimerId),
    /// An event has happened.
    Event(EventId),
}

impl Cause {
    /// Returns the number of the kind, which threads see: 0 for a packet, 1 for a timer, 2 for an event.
    pub const fn number(self) -> u64 {
        match self {
            Self::Packet => 0,
            Self::Timer(_) => 1,
            Self::Event(_) => 2,
        }
    }
}

/// A timer, which begins a thread each time it fires.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timer {
    /// The name, unique among timers.
    pub name: String,
    /// The period in nanoseconds with which the timer runs from the beginning: it first fires one period after the machine
    /// starts. `None` if it stands still until a thread starts it.
    pub period: Option<u64>,
}

/// An event that the machine around the threads knows by its name, such as the loss of a link or a request of the control
/// plane. It carries a number of 64 bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The name, unique among events.
    pub name: String,
}

/// Where the threads of a cause begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadEntrance {
    /// The cause.
    pub cause: Cause,
    /// The first instruction.
    pub start: InstructionId,
}
