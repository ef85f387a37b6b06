//! Driving one node through virtual time with a stream of packets, until it is idle.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use basis::Instant;
use measure::{Event, Interest};
use wire::Packet;

use crate::limit::{Endless, Limit, Work};
use crate::{Burst, Control, Discarded, Node, Outbox, Port, Transmission};

/// A packet to be offered to a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offered {
    /// The time at which the last byte of the packet arrives.
    pub at: Instant,
    /// The ingress port.
    pub port: Port,
    /// The packet itself.
    pub packet: Packet,
}

/// A consumer of everything that a driven node puts out, called in order.
pub trait Sink {
    /// Called for each packet that is sent.
    fn transmitted(&mut self, transmission: Transmission);
    /// Called for each packet that is discarded.
    fn discarded(&mut self, at: Instant, discarded: Discarded);
    /// Called for each event of the wanted types.
    fn event(&mut self, at: Instant, event: Event);
}

/// Offers `packets`, which must be ordered by time, to a node, and wakes it whenever it asks, until neither packets nor
/// work are left.
///
/// Writes the number of each packet in order of arrival and its time of arrival into its sidecar. Returns the time of
/// the last call to the node.
///
/// # Errors
/// Fails with [`Endless`] if the node keeps asking for calls beyond the default [`Limit`].
pub fn drive<N: Node + ?Sized>(
    node: &mut N,
    packets: impl IntoIterator<Item = Offered>,
    interest: Interest,
    sink: &mut impl Sink,
) -> Result<Instant, Endless> {
    drive_within(Limit::default(), node, packets, interest, sink)
}

/// Drives a node like [`drive`], with the given limit.
///
/// # Errors
/// Fails with [`Endless`] if the node keeps asking for calls beyond the limit.
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

/// A node's course through virtual time, one packet at a time. Between two packets the caller may inspect the node or
/// send it requests.
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
    /// Starts the course of a node that has not been called yet. `interest` is the set of events that the sink wants.
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

    /// Advances time to the arrival of a packet and offers it. Packets must be ordered by time; one that comes too late
    /// arrives now. The number of packets offered before it and its time of arrival are written into its sidecar.
    ///
    /// # Errors
    /// Fails with [`Endless`] if the node keeps asking for calls beyond the limit.
    pub fn offer<N: Node + ?Sized>(
        &mut self,
        node: &mut N,
        mut offered: Offered,
        sink: &mut impl Sink,
    ) -> Result<(), Endless> {
        // A packet that arrives at the very time of the deadline is received before the node is woken.
        let at = offered.at.max(self.now);
        if self.is_due_before(at) {
            self.advance(node, Some(at), sink)?;
        }
        self.now = at;
        offered.packet.sidecar.id = self.received;
        offered.packet.sidecar.arrival = at;
        self.received += 1;
        self.burst.push(offered.packet);
        self.out.begin(at);
        node.receive(at, offered.port, &mut self.burst, &mut self.out);
        // The calls that the limit counts begin anew.
        self.work = Work::default();
        deliver(self.now, &mut self.out, sink);
        Ok(())
    }

    /// Tells the node the time of its last call again ([`Control::Time`]), after somebody has asked it something by another
    /// way, so that it can ask for a deadline.
    ///
    /// # Errors
    /// Fails with [`Endless`] if the node has asked for calls beyond the limit.
    pub fn tell_time<N: Node + ?Sized>(&mut self, node: &mut N, sink: &mut impl Sink) -> Result<(), Endless> {
        self.out.begin(self.now);
        node.control(self.now, Control::Time, &mut self.out);
        self.end_call(sink)
    }

    /// Lets time pass until `until`, though no packet arrives: makes all calls that are due before, and then tells the node the
    /// time ([`Control::Time`]).
    ///
    /// # Errors
    /// Fails with [`Endless`] if the node keeps asking for calls beyond the limit.
    pub fn wait<N: Node + ?Sized>(
        &mut self,
        node: &mut N,
        until: Instant,
        sink: &mut impl Sink,
    ) -> Result<(), Endless> {
        // A node that has not been called yet has asked for nothing.
        self.tell_time(node, sink)?;
        self.advance(node, Some(until), sink)?;
        self.now = until.max(self.now);
        self.tell_time(node, sink)
    }

    /// Runs until the node asks for nothing more, or rests ([`Node::rests_after`]). Returns the time of the last call to the node.
    ///
    /// # Errors
    /// Fails with [`Endless`] if the node keeps asking for calls beyond the limit.
    pub fn finish<N: Node + ?Sized>(&mut self, node: &mut N, sink: &mut impl Sink) -> Result<Instant, Endless> {
        self.advance(node, None, sink)?;
        Ok(self.now)
    }

    /// Returns true if some call may be due before a packet that arrives at `arrival`.
    #[inline]
    fn is_due_before(&self, arrival: Instant) -> bool {
        !self.out.readies.is_empty()
            || !self.readies.is_empty()
            || self.out.deadline().is_some_and(|deadline| deadline < arrival)
    }

    /// Makes all calls that are due before a packet that arrives at `arrival`, or all calls there are if it is `None`.
    fn advance<N: Node + ?Sized>(
        &mut self,
        node: &mut N,
        arrival: Option<Instant>,
        sink: &mut impl Sink,
    ) -> Result<(), Endless> {
        let mut since = self.now;
        loop {
            if !self.out.readies.is_empty() {
                self.readies.extend(self.out.readies.drain(..).map(|(port, at)| Reverse((at, port))));
            }
            if arrival.is_none() && node.rests(self.now) {
                return Ok(());
            }
            let deadline = self.out.deadline();
            // At the same time, a port becomes ready before a packet arrives or a deadline expires.
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
            if let Err(endless) = self.end_call(sink) {
                // Timers that go on for ever end with the arrival of the packet, or when the node rests, if time goes on.
                let ends = match arrival {
                    Some(_) => node.rests(self.now),
                    None => node.rests_after().is_some(),
                };
                if self.now == since || !ends {
                    return Err(endless);
                }
                (since, self.work) = (self.now, Work::default());
            }
        }
    }

    fn end_call(&mut self, sink: &mut impl Sink) -> Result<(), Endless> {
        deliver(self.now, &mut self.out, sink);
        self.work.check(self.limit, self.received, self.now)
    }
}

/// Gives the sink what a call has put out. Most calls put out nothing, and even draining an empty list has a cost.
#[inline]
fn deliver(now: Instant, out: &mut Outbox, sink: &mut impl Sink) {
    if !(out.events.is_empty() && out.discarded.is_empty() && out.transmissions.is_empty()) {
        deliver_all(now, out, sink);
    }
}

fn deliver_all(now: Instant, out: &mut Outbox, sink: &mut impl Sink) {
    if !out.events.is_empty() {
        out.events.drain(..).for_each(|event| sink.event(now, event));
    }
    if !out.discarded.is_empty() {
        out.discarded.drain(..).for_each(|discarded| sink.discarded(now, discarded));
    }
    out.transmissions.drain(..).for_each(|transmission| sink.transmitted(transmission));
}
