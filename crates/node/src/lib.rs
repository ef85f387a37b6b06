//! The contract of everything that handles packets.
//!
//! A [`Node`] is a state machine with ports that is told the time. It reads no clock, opens no socket and draws
//! randomness only from a seed that it was given. What it wants done it puts into an [`Outbox`]; whoever drives
//! it (a simulator, a live runtime, [`drive`]) does it.

mod backpressure;
mod drive;
mod limit;
mod line;
mod outbox;
mod reason;
mod station;

pub use backpressure::{AskedPause, Backpressure, Held, StoppedQueue};
use basis::Instant;
pub use drive::{Course, Offered, Sink, drive, drive_within};
pub use limit::{Endless, Limit};
pub use line::Line;
pub use outbox::{Discarded, Outbox, Transmission};
pub use reason::{Declaration, Reason};
use serde::{Deserialize, Serialize};
pub use station::{Account, Counter, NotBegun, Progress, QueueLength, Station, Upcoming, Waiting};
use wire::Packet;

/// A port of a node, from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Port(pub u16);

/// Packets that arrive together on one port; one packet is a burst of one.
pub type Burst = Vec<Packet>;

/// A request of the control plane or of the surroundings, ordered with packets.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Control {
    /// A port can transmit again, as [`Outbox::ready_at`] asked to be told.
    PortReady(Port),
    /// A link went up or down.
    Link {
        /// Whose link.
        port: Port,
        /// Whether it carries packets now.
        up: bool,
    },
}

/// A state machine that handles packets.
///
/// Times never go backwards from call to call. A node takes all packets out of a burst; each ends up in the
/// outbox of this call or a later one, transmitted or discarded.
pub trait Node: Send {
    /// Packets have arrived on a port.
    fn receive(&mut self, now: Instant, port: Port, burst: &mut Burst, out: &mut Outbox);

    /// The deadline that the node asked for has come.
    fn wake(&mut self, now: Instant, out: &mut Outbox);

    /// A request has arrived.
    fn control(&mut self, now: Instant, request: Control, out: &mut Outbox);
}

impl<N: Node + ?Sized> Node for Box<N> {
    fn receive(&mut self, now: Instant, port: Port, burst: &mut Burst, out: &mut Outbox) {
        (**self).receive(now, port, burst, out);
    }

    fn wake(&mut self, now: Instant, out: &mut Outbox) {
        (**self).wake(now, out);
    }

    fn control(&mut self, now: Instant, request: Control, out: &mut Outbox) {
        (**self).control(now, request, out);
    }
}
