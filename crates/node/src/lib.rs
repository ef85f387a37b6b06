//! The contract of everything that handles packets.
//!
//! A [`Node`] is a state machine with ports that is told the time. It reads no clock, opens no socket and draws
//! randomness only from a seed that it was given. It puts its requests, such as packets to send, into an [`Outbox`],
//! and whoever drives it (a simulator, a live runtime, [`drive()`]) carries them out. A [`Station`] is a node that can
//! also be inspected. The crate does not know what any node does.
//!
//! Begin with [`Node`]; this one swaps ports 0 and 1 and discards all other packets:
//!
//! ```
//! use basis::Instant;
//! use node::{Burst, Control, Node, Outbox, Port, Reason};
//!
//! struct Wire;
//!
//! impl Node for Wire {
//!     fn receive(&mut self, _: Instant, port: Port, burst: &mut Burst, out: &mut Outbox) {
//!         for packet in burst.drain(..) {
//!             match port.0 {
//!                 0 | 1 => out.transmit(Port(1 - port.0), packet),
//!                 _ => out.discard(packet, Reason::NO_SUCH_PORT),
//!             }
//!         }
//!     }
//!     fn wake(&mut self, _: Instant, _: &mut Outbox) {}
//!     fn control(&mut self, _: Instant, _: Control, _: &mut Outbox) {}
//! }
//! ```

mod backpressure;
mod drive;
mod limit;
mod link;
mod outbox;
mod reason;
mod station;

pub use backpressure::{AskedPause, Backpressure, Held, StoppedQueue};
use basis::{Duration, Instant};
pub use drive::{Course, Offered, Sink, drive, drive_within};
pub use limit::{Endless, Limit};
pub use link::Link;
pub use outbox::{Discarded, Outbox, Transmission};
pub use reason::{Declaration, Reason};
use serde::{Deserialize, Serialize};
pub use station::{
    Account, Counter, InnerQueue, MessageProgress, NotBegun, QueueLength, RegisterValue, SenderState, Station,
    UnfinishedWork, Upcoming,
};
use wire::Packet;

/// The number of a port of a node, counted from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Port(pub u16);

/// Packets that arrive together on one port; a single packet is a burst of one.
pub type Burst = Vec<Packet>;

/// Takes each packet out of a burst, in order. Nearly all bursts of simulated links have one packet, which is taken without
/// what a drain of a vector has to prepare for.
#[inline]
pub fn take_each(burst: &mut Burst, mut take: impl FnMut(Packet)) {
    if burst.len() > 1 {
        burst.reverse();
    }
    while let Some(packet) = burst.pop() {
        take(packet);
    }
}

/// A request to a node from its driver, ordered with the packets.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Control {
    /// The port can transmit again, as [`Outbox::ready_at`] asked to be told.
    PortReady(Port),
    /// A link went up or down.
    Link {
        /// The port of the link.
        port: Port,
        /// Whether the link now carries packets.
        up: bool,
    },
    /// From now on, the node may report transmissions on a port up to so long after they have started: see
    /// [`Outbox::transmit_late`]. Only nodes that can ([`Station::may_report_late`]) are told this; at first every transmission is
    /// reported at once. With [`Duration::ZERO`], the node reports everything that has started by now, and asks anew for
    /// `PortReady` if packets wait at the port.
    ReportLate {
        /// The port.
        port: Port,
        /// The longest time between the start of a transmission and the call in which the node reports it.
        by: Duration,
    },
    /// The time, and nothing else. A driver says it before somebody asks the node something by another way, such as the
    /// control plane of a switch, so that the node knows when that is; and again afterwards, so that the node can ask for
    /// a deadline. Without it, a node takes the time of its last call.
    Time,
}

/// A state machine that handles packets.
///
/// Times never go backwards from call to call. A node takes all packets out of a burst; each one ends up in the outbox
/// of this call or of a later one, either transmitted or discarded.
pub trait Node: Send {
    /// Handles packets that have arrived on a port.
    fn receive(&mut self, now: Instant, port: Port, burst: &mut Burst, out: &mut Outbox);

    /// Called when the deadline that the node asked for has come.
    fn wake(&mut self, now: Instant, out: &mut Outbox);

    /// Handles a request.
    fn control(&mut self, now: Instant, request: Control, out: &mut Outbox);

    /// Returns the time after which the node does nothing more by itself but act by timers that go on for ever, such as a
    /// generator of packets, as far as it knows now; `None` if it does not know such a time. A run whose packets have all
    /// arrived can end then, although the node still asks to be woken.
    fn rests_after(&self) -> Option<Instant> {
        None
    }

    /// Returns true if the node, which was last called at `now`, does nothing more by itself but act by timers that go on for
    /// ever: see [`Node::rests_after`].
    fn rests(&self, now: Instant) -> bool {
        self.rests_after().is_some_and(|at| at <= now)
    }

    /// Returns true if a packet may be handed over with work left undone: to be cut into segments, or with a checksum
    /// still to be computed, as its sidecar says. A node may say so only if this changes nothing: it treats all segments
    /// alike, counts each of them, and reads and writes nothing that cutting or computing would change. Otherwise its
    /// driver does the work first. Links of simulations carry no such packets: what leaves with a checksum still to be computed gets it there.
    fn takes_whole(&mut self, packet: &Packet) -> bool {
        let _ = packet;
        false
    }
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

    fn rests_after(&self) -> Option<Instant> {
        (**self).rests_after()
    }

    fn takes_whole(&mut self, packet: &Packet) -> bool {
        (**self).takes_whole(packet)
    }
}
