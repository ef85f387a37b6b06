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
    let mut course = Course::new(limit, interest);
    for offered in packets {
        course.offer(node, offered, sink)?;
    }
    course.finish(node, sink)
}

/// One node on its way through virtual time, by hand: packets are offered one after the other, and between two of them
/// whoever drives it may ask the node for something.
#[derive(Debug)]
pub struct Course {
    limit: Limit,
    out: Outbox,
    burst: Burst,
    now: Instant,
    received: u64,
    work: Work,
    readies: BinaryHeap<Reverse<(Instant, Port)>>,
}

impl Course {
    /// The course of a node that has not been called yet, within a limit; `interest` says which events are told.
    pub fn new(limit: Limit, interest: Interest) -> Self {
        Self {
            limit,
            out: Outbox::new(interest),
            burst: Burst::new(),
            now: Instant::ZERO,
            received: 0,
            work: Work::default(),
            readies: BinaryHeap::new(),
        }
    }

    /// Lets everything happen that comes before a packet, and offers it. Packets come in order of time; one that comes too
    /// late arrives now. It gets the number of packets before it, and the time, into its sidecar.
    ///
    /// # Errors
    /// [`Endless`] if the node goes on beyond the limit.
    pub fn offer<N: Node + ?Sized>(
        &mut self,
        node: &mut N,
        mut offered: Offered,
        sink: &mut impl Sink,
    ) -> Result<(), Endless> {
        // A packet that arrives with the deadline is there before the node is woken.
        let at = offered.at.max(self.now);
        self.advance(node, Some(at), sink)?;
        self.now = at;
        offered.packet.sidecar.id = self.received;
        offered.packet.sidecar.arrival = at;
        self.received += 1;
        self.burst.push(offered.packet);
        self.out.begin(at);
        node.receive(at, offered.port, &mut self.burst, &mut self.out);
        self.work = Work::default();
        self.end_call(sink)
    }

    /// Lets everything happen that is left. Returns when the node was last called.
    ///
    /// # Errors
    /// [`Endless`] if the node goes on beyond the limit.
    pub fn finish<N: Node + ?Sized>(&mut self, node: &mut N, sink: &mut impl Sink) -> Result<Instant, Endless> {
        self.advance(node, None, sink)?;
        Ok(self.now)
    }

    /// Lets everything happen that comes before a packet, or all.
    fn advance<N: Node + ?Sized>(
        &mut self,
        node: &mut N,
        arrival: Option<Instant>,
        sink: &mut impl Sink,
    ) -> Result<(), Endless> {
        loop {
            self.readies.extend(self.out.readies.drain(..).map(|(port, at)| Reverse((at, port))));
            let deadline = self.out.deadline();
            // A port is ready before what comes at the same time asks for it.
            if let Some(&Reverse((at, port))) = self.readies.peek()
                && arrival.into_iter().chain(deadline).min().is_none_or(|other| at <= other)
            {
                self.readies.pop();
                self.now = at.max(self.now);
                self.out.begin(self.now);
                node.control(self.now, Control::PortReady(port), &mut self.out);
            } else if let Some(deadline) = deadline.filter(|&at| arrival.is_none_or(|arrival| at < arrival)) {
                self.now = deadline.max(self.now);
                self.out.take_deadline();
                self.out.begin(self.now);
                node.wake(self.now, &mut self.out);
            } else {
                return Ok(());
            }
            self.work.called(&self.out);
            self.end_call(sink)?;
        }
    }

    fn end_call(&mut self, sink: &mut impl Sink) -> Result<(), Endless> {
        deliver(self.now, &mut self.out, sink);
        self.work.check(self.limit, self.received, self.now)
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
