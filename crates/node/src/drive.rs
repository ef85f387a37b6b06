//! One node driven through virtual time by a stream of packets, until it is idle.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use basis::Instant;
use measure::{Event, Interest};
use wire::Packet;

use crate::limit::{Endless, Limit, Work};
use crate::{Burst, Control, Discarded, Node, Outbox, Port, Transmission};

/// A packet that arrives at a node: when, and on which port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offered {
    /// When its last byte is there.
    pub at: Instant,
    /// Where.
    pub port: Port,
    /// What.
    pub packet: Packet,
}

/// Takes what a driven node puts out, in order.
pub trait Sink {
    /// A packet was sent.
    fn transmitted(&mut self, transmission: Transmission);
    /// A packet was discarded.
    fn discarded(&mut self, at: Instant, discarded: Discarded);
    /// Something happened that was asked for.
    fn event(&mut self, at: Instant, event: Event);
}

/// Offers `packets`, which come in order of time, to a node and wakes it as it asks, until both are done.
///
/// Numbers the packets in their sidecars by order of arrival, and stamps their arrival. Returns when the node
/// was last called.
///
/// # Errors
/// [`Endless`] if the node goes on beyond the default [`Limit`].
pub fn drive<N: Node + ?Sized>(
    node: &mut N,
    packets: impl IntoIterator<Item = Offered>,
    interest: Interest,
    sink: &mut impl Sink,
) -> Result<Instant, Endless> {
    drive_within(Limit::default(), node, packets, interest, sink)
}

/// As [`drive`], with a limit of one's own.
///
/// # Errors
/// [`Endless`] if the node goes on beyond the limit.
pub fn drive_within<N: Node + ?Sized>(
    limit: Limit,
    node: &mut N,
    packets: impl IntoIterator<Item = Offered>,
    interest: Interest,
    sink: &mut impl Sink,
) -> Result<Instant, Endless> {
    let mut out = Outbox::new(interest);
    let mut burst = Burst::new();
    let mut now = Instant::ZERO;
    let mut packets = packets.into_iter().peekable();
    let mut id = 0;
    let mut work = Work::default();
    let mut readies: BinaryHeap<Reverse<(Instant, Port)>> = BinaryHeap::new();
    loop {
        readies.extend(out.readies.drain(..).map(|(port, at)| Reverse((at, port))));
        // A port is ready before what comes at the same time asks for it.
        if let Some(&Reverse((at, port))) = readies.peek() {
            let others = packets.peek().map(|offered| offered.at.max(now)).into_iter().chain(out.deadline());
            if others.min().is_none_or(|other| at <= other) {
                readies.pop();
                now = at.max(now);
                out.begin(now);
                node.control(now, Control::PortReady(port), &mut out);
                work.called(&out);
                deliver(now, &mut out, sink);
                work.check(limit, id, now)?;
                continue;
            }
        }
        let arrival = packets.peek().map(|offered| offered.at.max(now));
        match (arrival, out.deadline()) {
            (None, None) => return Ok(now),
            // A packet that arrives with the deadline is there before the node is woken.
            (Some(at), deadline) if deadline.is_none_or(|deadline| at <= deadline) => {
                now = at;
                let mut offered = packets.next().expect("peeked");
                offered.packet.sidecar.id = id;
                offered.packet.sidecar.arrival = now;
                id += 1;
                burst.push(offered.packet);
                out.begin(now);
                node.receive(now, offered.port, &mut burst, &mut out);
                work = Work::default();
            }
            (_, Some(deadline)) => {
                now = deadline.max(now);
                out.take_deadline();
                out.begin(now);
                node.wake(now, &mut out);
                work.called(&out);
            }
            (Some(_), None) => unreachable!("an arrival without a deadline is taken above"),
        }
        deliver(now, &mut out, sink);
        work.check(limit, id, now)?;
    }
}

fn deliver(now: Instant, out: &mut Outbox, sink: &mut impl Sink) {
    for event in out.events.drain(..) {
        sink.event(now, event);
    }
    for discarded in out.discarded.drain(..) {
        sink.discarded(now, discarded);
    }
    for transmission in out.transmissions.drain(..) {
        sink.transmitted(transmission);
    }
}
