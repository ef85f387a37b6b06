//! The queues of all ports of a switch.

mod named;

use std::collections::BTreeMap;

use basis::snapshot::{Loader, Saver, Snapshot, Unfit};
use basis::{Instant, Random, prefetch, prefetch_at};
use node::{Backpressure, Counter, Held, Port, QueueLength, Reason, StoppedQueue};
use wire::{Packet, PriorityPause};

use crate::cells::Cells;
use crate::counts::Totals;
use crate::disciplines::{Known, Queue};
use crate::flow_control::FlowControl;
use crate::memory::Memory;
use crate::reasons;
use crate::surroundings::{Note, Surroundings};
use crate::{BufferPlan, PortPlan, Queued};

/// The packets that a call of the traffic manager did not queue, and the frames that it made.
#[derive(Debug)]
pub struct Refusals<Q = Packet> {
    /// Packets that are dropped, each with the reason.
    pub discarded: Vec<(Q, Reason)>,
    /// Packets that return to their senders. Their addresses have been exchanged, and they must be routed afresh.
    pub returned: Vec<Q>,
    /// Frames to transmit before any queued packet, such as PFC pause frames, each with its egress port. The traffic
    /// manager itself made them.
    pub urgent: Vec<(Port, Packet)>,
}

/// The queues of all ports of a switch, and the memory that they share. A queued item is a packet, or whatever a
/// machine makes of one: see [`Queued`].
///
/// Every packet that is offered is either still held or has been taken, discarded or returned exactly once.
#[derive(Debug)]
pub struct TrafficManager<Q = Packet> {
    ports: Vec<PortQueue<Q>>,
    memory: Memory,
    random: Random,
    #[cfg(debug_assertions)]
    balance: u64,
}

#[derive(Debug)]
struct PortQueue<Q> {
    queue: Queue<Q>,
    framing: u32,
    is_last_hop: bool,
    /// The priorities that the peer has asked to pause, bit n for priority n. Some of the pauses may be over.
    paused: u8,
    /// True if the discipline may let packets wait although the link is free and nobody has asked for a pause.
    is_shaping: bool,
}

impl<Q> Default for Refusals<Q> {
    fn default() -> Self {
        Self { discarded: Vec::new(), returned: Vec::new(), urgent: Vec::new() }
    }
}

impl<Q: Queued> TrafficManager<Q> {
    /// Returns a traffic manager with empty queues. `seed` initialises the random generator of disciplines that draw.
    pub fn new(ports: Vec<PortPlan>, buffer: &BufferPlan, seed: u64) -> Self {
        let flow_control = buffer.flow_control.as_ref().map(|plan| Box::new(FlowControl::new(plan, &ports)));
        let mut known = Known::default();
        let queue = |(number, plan): (u16, PortPlan)| {
            let queue = Queue::new(&plan.discipline, Port(number), plan.rate, &mut known);
            let is_shaping = queue.is_scheduler();
            PortQueue { queue, framing: plan.framing, is_last_hop: plan.is_last_hop, paused: 0, is_shaping }
        };
        let cells = buffer.cells.as_ref().map(|plan| Box::new(Cells::new(plan, &ports)));
        Self {
            ports: (0..).zip(ports).map(queue).collect(),
            memory: Memory::new(buffer, flow_control, cells),
            random: Random::new(seed),
            #[cfg(debug_assertions)]
            balance: 0,
        }
    }

    /// Offers a packet that came in at `from` for the queue of `to`. A packet that cannot wait is added to `refusals`:
    /// this one, or another one that gave way to it.
    #[inline]
    pub fn offer(&mut self, now: Instant, from: Port, to: Port, item: Q, refusals: &mut Refusals<Q>) {
        let Some(port) = self.ports.get_mut(usize::from(to.0)) else {
            refusals.discarded.push((item, Reason::NO_SUCH_PORT));
            return;
        };
        // No packet is longer than 4 GB.
        let bytes = item.length() as u32 + port.framing;
        let mut note = Note { bytes, from, priority: 0, is_lossless: false, is_trimmed: false };
        if let Some(flow_control) = &mut self.memory.flow_control {
            let dscp = item.code_point().unwrap_or(0);
            (note.priority, note.is_lossless) = flow_control.priority(dscp);
            if note.is_lossless && !flow_control.admits(from, note.priority, bytes) {
                refusals.discarded.push((item, reasons::HEADROOM_FULL));
                return;
            }
        }
        #[cfg(debug_assertions)]
        let refused = refusals.discarded.len() + refusals.returned.len();
        let mut around = Surroundings {
            now,
            framing: port.framing,
            is_last_hop: port.is_last_hop,
            random: &mut self.random,
            memory: &mut self.memory,
            refusals,
        };
        port.queue.offer(item, note, &mut around);
        #[cfg(debug_assertions)]
        {
            self.balance = self.balance + 1 - (refusals.discarded.len() + refusals.returned.len() - refused) as u64;
            assert_eq!(self.balance, self.held(), "a packet was lost or doubled");
        }
    }

    /// Takes the packet that goes next on the link of `port`, or returns `None` if nothing may go now. The call may
    /// add frames that end pauses to `refusals`, and packets that the discipline drops on their way out.
    #[inline]
    pub fn take(&mut self, now: Instant, port: Port, refusals: &mut Refusals<Q>) -> Option<Q> {
        let number = port;
        let port = self.ports.get_mut(usize::from(port.0))?;
        if port.paused != 0
            && let Some(flow_control) = &self.memory.flow_control
        {
            port.paused = flow_control.paused(now, number);
        }
        let mut around = Surroundings {
            now,
            framing: port.framing,
            is_last_hop: port.is_last_hop,
            random: &mut self.random,
            memory: &mut self.memory,
            refusals,
        };
        #[cfg(debug_assertions)]
        let refused = around.refusals.discarded.len();
        let item = port.queue.take(port.paused, &mut around);
        #[cfg(debug_assertions)]
        {
            self.balance -= u64::from(item.is_some()) + (refusals.discarded.len() - refused) as u64;
            assert_eq!(self.balance, self.held(), "a packet was lost or doubled");
        }
        item
    }

    /// Returns true if nothing else depends on when a packet is taken for `port` but what is taken there afterwards: the port shares
    /// no memory, nobody pauses it, and its discipline decides about packets when they are offered.
    pub fn is_independent(&self, port: Port) -> bool {
        let is_alone = self.memory.flow_control.is_none() && self.memory.is_unlimited();
        is_alone && self.ports.get(usize::from(port.0)).is_some_and(|port| port.queue.decides_at_offers())
    }

    /// Returns true if a packet could be taken for `port` at the time `now`, judging by the pauses that were in force at
    /// the last call of [`TrafficManager::take`] or [`TrafficManager::pause`].
    #[inline]
    pub fn has_waiting(&self, now: Instant, port: Port) -> bool {
        self.ports.get(usize::from(port.0)).is_some_and(|port| port.queue.can_go(port.paused, now))
    }

    /// Obeys a PFC pause frame that came in at `port`: the priorities that it names pause or resume there. Returns
    /// true if `frame` was a pause frame, which must then not be forwarded. Without flow control in the plan, pause
    /// frames are consumed without effect.
    pub fn pause(&mut self, now: Instant, port: Port, frame: &Packet) -> bool {
        let Some(pause) = PriorityPause::of(frame) else { return false };
        if let (Some(flow_control), Some(queue)) =
            (&mut self.memory.flow_control, self.ports.get_mut(usize::from(port.0)))
        {
            queue.paused = flow_control.obey(now, port, &pause);
        }
        true
    }

    /// Returns the time after `now` at which a packet of `port` that may not go now may go by itself, because a pause is
    /// over or a shaper lets it go: [`TrafficManager::take`] should be tried again then. Returns `None` if nothing waits
    /// for such a time.
    #[inline]
    pub fn next_release(&self, now: Instant, port: Port) -> Option<Instant> {
        let queue = self.ports.get(usize::from(port.0))?;
        if queue.paused == 0 && !queue.is_shaping { None } else { self.next_release_of(now, port, queue) }
    }

    #[cold]
    fn next_release_of(&self, now: Instant, port: Port, queue: &PortQueue<Q>) -> Option<Instant> {
        let resumes = self.next_resumption(port, queue);
        let shaped = queue.queue.shaped_until(queue.paused, now);
        match (resumes, shaped) {
            (Some(resumes), Some(shaped)) => Some(resumes.min(shaped)),
            (resumes, shaped) => resumes.or(shaped),
        }
    }

    /// Returns the time at which a paused queue may resume by itself.
    fn next_resumption(&self, port: Port, queue: &PortQueue<Q>) -> Option<Instant> {
        if queue.paused == 0 {
            return None;
        }
        let is_held_back = queue.queue.length().packets > 0;
        let flow_control = self.memory.flow_control.as_ref().filter(|_| is_held_back)?;
        flow_control.next_release(port, queue.paused)
    }

    /// Returns the time at which [`TrafficManager::refresh`] must be called, if at all.
    pub fn next_refresh(&self) -> Option<Instant> {
        self.memory.flow_control.as_ref()?.next_refresh()
    }

    /// Renews pauses that would expire too early at the peers. The frames are added to `refusals` as urgent frames.
    pub fn refresh(&mut self, now: Instant, refusals: &mut Refusals<Q>) {
        if let Some(flow_control) = &mut self.memory.flow_control {
            flow_control.refresh(now, &mut refusals.urgent);
        }
    }

    /// Returns the pauses that this switch has asked for, and the queues that are stopped because peers have asked for
    /// it.
    pub fn backpressure(&self, now: Instant) -> Backpressure {
        let Some(flow_control) = &self.memory.flow_control else { return Backpressure::default() };
        let asked: Vec<_> = flow_control.asked().collect();
        let mut stopped = Vec::new();
        for (port, number) in self.ports.iter().zip(0..) {
            let paused = if port.paused == 0 { 0 } else { flow_control.paused(now, Port(number)) };
            if paused == 0 {
                continue;
            }
            port.queue.each_fifo(&mut |fifo| {
                let Some((class, notes)) = fifo.stopped(paused) else { return };
                let mut held: BTreeMap<(Port, u8), u64> = BTreeMap::new();
                notes.for_each(|note| *held.entry((note.from, note.priority)).or_default() += u64::from(note.bytes));
                let held = held.into_iter().map(|((from, class), bytes)| Held { from, class, bytes }).collect();
                stopped.push(StoppedQueue { port: Port(number), class, held });
            });
        }
        Backpressure { asked, stopped }
    }

    /// Prefetches the memory of a port's queue.
    #[inline]
    pub fn prepare(&self, port: Port) {
        if let Some(port) = self.ports.get(usize::from(port.0)) {
            prefetch(port);
            prefetch_at(port, 64);
            prefetch_at(port, 128);
        }
    }

    /// Prefetches the packets that wait first at a port, whose queue is in the cache.
    #[inline]
    pub fn prepare_waiting(&self, port: Port) {
        if let Some(port) = self.ports.get(usize::from(port.0)) {
            port.queue.prepare();
        }
    }

    /// Returns the length of the queue of `port`.
    pub fn length(&self, port: Port) -> QueueLength {
        self.ports.get(usize::from(port.0)).map_or(QueueLength::default(), |port| port.queue.length())
    }

    /// Returns how many bytes on the wire wait in the queue of `port`.
    #[inline]
    pub fn bytes(&self, port: Port) -> u64 {
        self.ports.get(usize::from(port.0)).map_or(0, |port| port.queue.bytes())
    }

    /// Returns how many packets wait at all ports.
    pub fn held(&self) -> u64 {
        self.memory.packets()
    }

    /// Returns how many bytes on the wire wait at all ports.
    pub fn held_bytes(&self) -> u64 {
        self.memory.used()
    }

    /// Reports every counter that is not zero in a fixed order: by port, and within a port in the order of
    /// `docs/queues.md`. The queues of one port are counted together.
    pub fn counters(&self, tell: &mut dyn FnMut(Counter)) {
        for (number, port) in self.ports.iter().enumerate() {
            let number = Port(number as u16);
            let mut totals = Totals::default();
            port.queue.add_to(&mut totals);
            totals.tell(number, tell);
            if let Some(flow_control) = &self.memory.flow_control {
                flow_control.tell(number, tell);
            }
        }
    }
}

basis::snapshot!([Q: Queued] PortQueue<Q> { values paused; parts queue; });

impl<Q: Queued> Snapshot for TrafficManager<Q> {
    fn save(&self, into: &mut Saver) -> Result<(), Unfit> {
        into.put(&self.random)?;
        self.memory.save(into)?;
        self.ports.save(into)
    }

    fn restore(&mut self, from: &mut Loader<'_>) -> Result<(), Unfit> {
        self.random = from.take()?;
        self.memory.restore(from)?;
        #[cfg(debug_assertions)]
        {
            self.balance = self.held();
        }
        self.ports.restore(from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_idle_port_takes_little_memory() {
        // Networks of 400,000 ports must fit in memory; nothing else is allocated for a port of one class.
        assert!(size_of::<PortQueue<Packet>>() <= 192, "{}", size_of::<PortQueue<Packet>>());
    }

    /// A chip has many ports of many queues each, of which a network uses few.
    #[test]
    fn a_port_with_a_scheduler_takes_no_more_memory_before_its_first_packet() {
        let discipline = crate::DisciplinePlan::Scheduler(std::sync::Arc::default());
        let rate = basis::Rate::from_gigabits_per_second(100);
        let port = PortPlan { rate, framing: 24, is_last_hop: false, discipline };
        let mut manager = TrafficManager::new(vec![port.clone(), port], &BufferPlan::default(), 0);
        let is_made = |manager: &TrafficManager, port: usize| match &manager.ports[port].queue {
            Queue::Scheduler(scheduler) => scheduler.is_made(),
            _ => false,
        };
        let mut refusals = Refusals::default();
        manager.offer(Instant::ZERO, Port(0), Port(1), Packet::of_bytes(&[0; 60]), &mut refusals);
        assert!(manager.take(Instant::ZERO, Port(0), &mut refusals).is_none());
        assert!(!manager.has_waiting(Instant::ZERO, Port(0)) && manager.next_release(Instant::ZERO, Port(0)).is_none());
        manager.counters(&mut |_| ());
        assert_eq!([0, 1].map(|port| is_made(&manager, port)), [false, true]);
    }
}
