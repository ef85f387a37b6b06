//! Queues at the outputs of a switch, and the links that drain them.

mod late;

use std::collections::VecDeque;

use basis::{Duration, Instant, prefetch};
use node::{Backpressure, Counter, InnerQueue, Link, Outbox, Port, QueueLength};
use wire::Packet;

use crate::{Behind, BufferPlan, Depth, PortPlan, Queued, Refusals, TrafficManager};

/// The longest time for which a link makes up that somebody was late. It covers a computer that is busy with other things, not
/// an interface that was full or down for a while.
const LONGEST_LATENESS: Duration = Duration::from_microseconds(20_000);

/// The queues of a switch together with the links that drain them. What lies between queues and links is given with
/// each call, as a [`Behind`].
#[derive(Debug)]
pub struct OutputQueues<Q = Packet> {
    manager: TrafficManager<Q>,
    ports: Vec<OutputPort>,
    refusals: Refusals<Q>,
    /// Pause frames, which take precedence over all queued packets, each with its egress port. There are few.
    urgent: VecDeque<(Port, Packet)>,
    /// The number of frames that were made here.
    generated: u64,
    /// The number of frames that were consumed here: pause frames that were obeyed.
    consumed: u64,
}

#[derive(Debug)]
struct OutputPort {
    link: Link,
    /// The time for which the port has asked for `PortReady` and has not been called yet; [`Instant::MAX`] if there is
    /// none.
    asked: Instant,
    /// The largest number of bytes that have waited here at once.
    high_water: u64,
    /// The time by which the port may report a transmission late; [`Duration::ZERO`] if it reports at once.
    late: Duration,
}

impl OutputPort {
    /// Returns the time at which a packet begins to occupy the link that leaves now. Calls in real time come later than was
    /// asked, and if the link waited for them each time, it would carry fewer packets than its rate says. So it counts from the
    /// time at which the port, in which packets waited, was to be called. In virtual time no call is late.
    #[inline]
    fn start(&self, now: Instant) -> Instant {
        let due = self.asked.max(self.link.free_at());
        if due >= now {
            return now;
        }
        due.max(Instant::from_picoseconds(now.picoseconds().saturating_sub(LONGEST_LATENESS.picoseconds())))
    }
}

impl<Q: Queued> OutputQueues<Q> {
    /// Returns empty queues. `seed` initialises the random generator of disciplines that draw.
    pub fn new(plans: Vec<PortPlan>, buffer: &BufferPlan, seed: u64) -> Self {
        let port = |plan: &PortPlan| OutputPort {
            link: Link::new(plan.rate, plan.framing),
            asked: Instant::MAX,
            high_water: 0,
            late: Duration::ZERO,
        };
        let ports = plans.iter().map(port).collect();
        Self {
            manager: TrafficManager::new(plans, buffer, seed),
            ports,
            refusals: Refusals::default(),
            urgent: VecDeque::new(),
            generated: 0,
            consumed: 0,
        }
    }

    /// Returns true if `port` exists.
    pub fn has(&self, port: Port) -> bool {
        usize::from(port.0) < self.ports.len()
    }

    /// Obeys and consumes a pause frame that came in at `port`; returns any other packet to the caller.
    #[inline]
    pub fn obey(
        &mut self,
        now: Instant,
        port: Port,
        packet: Packet,
        behind: &mut impl Behind<Q>,
        out: &mut Outbox,
    ) -> Option<Packet> {
        if !self.manager.pause(now, port, &packet) {
            return Some(packet);
        }
        self.consumed += 1;
        self.catch_up(now, port, behind, out);
        self.serve(now, port, behind, out);
        // A packet that leaves now may have caused a pause elsewhere, which ends at once.
        self.carry_out_refusals(now, port, behind, out);
        None
    }

    /// Puts an item that came in at `from` into the queue of `to`, and on the link if that is free.
    ///
    /// # Panics
    ///
    /// Panics if there is no port `to`: see [`OutputQueues::has`].
    #[inline]
    pub fn offer(
        &mut self,
        now: Instant,
        [from, to]: [Port; 2],
        item: Q,
        behind: &mut impl Behind<Q>,
        out: &mut Outbox,
    ) {
        // What has started by now has left room in the queue.
        self.catch_up(now, to, behind, out);
        self.manager.offer(now, from, to, item, &mut self.refusals);
        self.serve(now, to, behind, out);
        // What goes on the line at once has not waited.
        let output = &mut self.ports[usize::from(to.0)];
        output.high_water = output.high_water.max(self.manager.bytes(to));
        self.carry_out_refusals(now, to, behind, out);
    }

    /// Transmits the next packet of `port`, whose link is free.
    ///
    /// # Panics
    ///
    /// Panics if there is no such port.
    #[inline]
    pub fn ready(&mut self, now: Instant, port: Port, behind: &mut impl Behind<Q>, out: &mut Outbox) {
        let output = &mut self.ports[usize::from(port.0)];
        let start = output.start(now);
        if output.asked <= now {
            output.asked = Instant::MAX;
        }
        self.catch_up(now, port, behind, out);
        self.serve_from(now, start, port, behind, out);
        self.carry_out_refusals(now, port, behind, out);
    }

    /// Returns the time at which [`OutputQueues::refresh`] must be called, if at all.
    #[inline]
    pub fn next_refresh(&self) -> Option<Instant> {
        self.manager.next_refresh()
    }

    /// Renews pauses that would expire too early at the peers.
    pub fn refresh(&mut self, now: Instant, behind: &mut impl Behind<Q>, out: &mut Outbox) {
        self.manager.refresh(now, &mut self.refusals);
        self.send_urgent(now, behind, out);
    }

    #[inline]
    fn serve(&mut self, now: Instant, port: Port, behind: &mut impl Behind<Q>, out: &mut Outbox) {
        let start = self.ports[usize::from(port.0)].start(now);
        self.serve_from(now, start, port, behind, out);
    }

    /// Puts the next packet of `port` on its link, if that is free, as of the time `start`.
    #[inline]
    fn serve_from(&mut self, now: Instant, start: Instant, port: Port, behind: &mut impl Behind<Q>, out: &mut Outbox) {
        let Self { manager, ports, refusals, urgent, .. } = self;
        let output = &mut ports[usize::from(port.0)];
        if !output.link.is_free(now) && output.asked <= output.link.free_at() + output.late {
            // Nothing can go before the time for which the port has asked already.
            return;
        }
        while output.link.is_free(now) && behind.has_room(port, out) {
            let packet = match take_urgent(urgent, port) {
                Some((_, frame)) => Some((start, frame)),
                None => match manager.take(now, port, refusals) {
                    Some(item) => {
                        let length = item.length();
                        let packet = behind.leave(now, port, item, manager, out);
                        if packet.is_none() && behind.paces_what_it_drops() {
                            output.link.begin(start, length);
                            break;
                        }
                        packet.map(|packet| (behind.begins(start, port), packet))
                    }
                    None => break,
                },
            };
            if let Some((start, packet)) = packet {
                let end = output.link.begin(start, packet.len());
                behind.send(start..end, port, packet, out);
                break;
            }
        }
        let is_urgent = !urgent.is_empty() && urgent.iter().any(|&(to, _)| to == port);
        let next = if is_urgent || manager.has_waiting(now, port) {
            output.link.free_at() + output.late
        } else if let Some(release) = manager.next_release(now, port) {
            release.max(output.link.free_at())
        } else {
            return;
        };
        // The end of a pause, or the time at which a shaper lets a packet go, may be preceded by a packet that need not
        // wait for it, so the earlier of the two times counts.
        if next < output.asked {
            output.asked = next;
            behind.ask(port, next, out);
        }
    }

    #[inline]
    fn carry_out_refusals(&mut self, now: Instant, to: Port, behind: &mut impl Behind<Q>, out: &mut Outbox) {
        let Refusals { discarded, returned, urgent } = &self.refusals;
        if !(discarded.is_empty() && returned.is_empty() && urgent.is_empty()) {
            self.carry_out_some(now, to, behind, out);
        }
    }

    #[cold]
    fn carry_out_some(&mut self, now: Instant, to: Port, behind: &mut impl Behind<Q>, out: &mut Outbox) {
        self.discard_refused(behind, out);
        for item in self.refusals.returned.drain(..) {
            behind.turn_back(to, item, out);
        }
        self.send_urgent(now, behind, out);
    }

    fn discard_refused(&mut self, behind: &mut impl Behind<Q>, out: &mut Outbox) {
        for (item, reason) in self.refusals.discarded.drain(..) {
            behind.refuse(item, reason, out);
        }
    }

    /// Sends urgent frames in the order in which they were made, because the last one takes effect.
    #[inline]
    fn send_urgent(&mut self, now: Instant, behind: &mut impl Behind<Q>, out: &mut Outbox) {
        while !self.refusals.urgent.is_empty() {
            let (port, frame) = self.refusals.urgent.remove(0);
            self.generated += 1;
            self.urgent.push_back((port, frame));
            self.serve(now, port, behind, out);
            self.discard_refused(behind, out);
        }
    }

    /// Returns the queues, to look into them.
    pub fn manager(&self) -> &TrafficManager<Q> {
        &self.manager
    }

    /// Starts or ends the record of queues whose depths change: see [`TrafficManager::record_changes`].
    pub fn record_changes(&mut self, is_wanted: bool) {
        self.manager.record_changes(is_wanted);
    }

    /// Reports the queues whose depths have changed: see [`TrafficManager::report_changes`].
    pub fn report_changes(&mut self, tell: &mut dyn FnMut(Port, u8, Depth)) {
        self.manager.report_changes(tell);
    }

    /// Returns the queues, to change them. Packets that may go then wait until their port is served: see
    /// [`OutputQueues::change`].
    pub fn manager_mut(&mut self) -> &mut TrafficManager<Q> {
        &mut self.manager
    }

    /// Changes the queues of `port` by `change`, such as [`TrafficManager::change_queue`], and transmits what may go then.
    pub fn change<R>(
        &mut self,
        now: Instant,
        port: Port,
        change: impl FnOnce(&mut TrafficManager<Q>) -> R,
        behind: &mut impl Behind<Q>,
        out: &mut Outbox,
    ) -> R {
        if self.has(port) {
            self.catch_up(now, port, behind, out);
        }
        let result = change(&mut self.manager);
        if self.has(port) {
            self.serve(now, port, behind, out);
            self.carry_out_refusals(now, port, behind, out);
        }
        result
    }

    /// Prefetches the memory of a port.
    #[inline]
    pub fn prepare(&self, port: Port) {
        if let Some(output) = self.ports.get(usize::from(port.0)) {
            prefetch(output);
            self.manager.prepare(port);
        }
    }

    /// Prefetches the packets that wait first at a port, whose own memory is in the cache.
    #[inline]
    pub fn prepare_waiting(&self, port: Port) {
        self.manager.prepare_waiting(port);
    }

    /// Returns the pauses that this switch has asked for, and the queues that are stopped because peers have asked for
    /// it.
    pub fn backpressure(&self, now: Instant) -> Backpressure {
        self.manager.backpressure(now)
    }

    /// Returns the length of the queue of a port, which is zero if there is no such port.
    pub fn length(&self, port: Port) -> QueueLength {
        if self.has(port) { self.manager.length(port) } else { QueueLength::default() }
    }

    /// Reports the length of every queue, by port; of a port with queues that can be named, of each of these.
    pub fn each(&self, tell: &mut dyn FnMut(InnerQueue)) {
        for port in (0..self.ports.len() as u16).map(Port) {
            for queue in 0..self.manager.queues(port) as u8 {
                let depth = self.manager.depth(port, queue).unwrap_or_default();
                let length = QueueLength { packets: depth.packets, bytes: depth.bytes };
                tell(InnerQueue { port, queue: Some(queue), length });
            }
            if self.manager.queues(port) == 0 {
                tell(InnerQueue { port, queue: None, length: self.manager.length(port) });
            }
        }
    }

    /// Returns the largest number of bytes, as the queue counts them, that have waited for a port at once;
    /// `None` if there is no such port.
    pub fn high_water(&self, port: Port) -> Option<u64> {
        self.ports.get(usize::from(port.0)).map(|output| output.high_water)
    }

    /// Returns how many packets and frames wait.
    pub fn held(&self) -> u64 {
        self.manager.held() + self.urgent.len() as u64
    }

    /// Returns how many frames were made here.
    pub fn generated(&self) -> u64 {
        self.generated
    }

    /// Returns how many frames were consumed here.
    pub fn consumed(&self) -> u64 {
        self.consumed
    }

    /// Reports all counters of the queues that are not zero.
    pub fn counters(&self, tell: &mut dyn FnMut(Counter)) {
        self.manager.counters(tell);
    }
}

/// Takes the first urgent frame of a port. Most switches never have any, so that is looked at first.
#[inline]
fn take_urgent(urgent: &mut VecDeque<(Port, Packet)>, port: Port) -> Option<(Port, Packet)> {
    if urgent.is_empty() {
        return None;
    }
    let at = urgent.iter().position(|&(to, _)| to == port)?;
    urgent.remove(at)
}

basis::snapshot!([Q: Queued] OutputQueues<Q> { values urgent, generated, consumed; parts manager, ports; });
basis::snapshot!(OutputPort { values link, asked, high_water; });
