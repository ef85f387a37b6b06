//! What leaves threads: packets go through the reorder engine to the queues of ports, messages to the control plane.

use std::sync::Arc;

use basis::{Duration, Instant};
use control::Replica;
use ir::DigestId;
use ir::interpret::threads::{Instructions, LeavingPacket, Output};
use node::{Link, Outbox, Port, Reason};
use queues::{
    Behind, BufferPlan, DisciplinePlan, OutputPlan, OutputQueues, PortPlan, QueuePlan, Queued, RoomPlan, SchedulerPlan,
    TrafficManager,
};
use runtime::Bits;
use serde::{Deserialize, Serialize};
use wire::Packet;

use super::chip::Trio;
use super::packets::{Destination, Leaving};
use super::reasons;
use super::reorder::Place;
use crate::blocks::send_digest;
use crate::threads;

/// A packet in the queue of a port.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Item {
    packet: Packet,
    /// The queue that the program chose.
    queue: u8,
    /// Whether the chip is not at rest as long as the packet waits: its thread kept it from being so.
    counts: bool,
}

impl Queued for Item {
    fn length(&self) -> usize {
        self.packet.len()
    }

    fn class(&self) -> Option<u8> {
        Some(self.queue)
    }

    fn code_point(&self) -> Option<u8> {
        None
    }

    fn packet(&self) -> Option<&Packet> {
        Some(&self.packet)
    }

    fn packet_mut(&mut self) -> Option<&mut Packet> {
        Some(&mut self.packet)
    }
}

impl<C: Instructions> Trio<C> {
    /// Puts the chip's own links and queues behind its ports.
    pub(super) fn link_own(&mut self) {
        let room = RoomPlan { limit: Some(self.parameters.queue_bytes), ..RoomPlan::default() };
        let queue = QueuePlan { room, ..QueuePlan::default() };
        let queues = vec![queue; self.parameters.queues.into()];
        let discipline = DisciplinePlan::Scheduler(Arc::new(SchedulerPlan { queues, ..SchedulerPlan::default() }));
        let port = |rate: &basis::Rate| PortPlan {
            rate: *rate,
            framing: Link::ETHERNET_FRAMING,
            is_last_hop: false,
            discipline: discipline.clone(),
        };
        let ports = self.parameters.ports.iter().map(port).collect();
        self.link(OutputPlan { ports, buffer: BufferPlan::default(), seed: self.parameters.seed });
    }

    /// Puts links and queues behind the ports.
    pub(super) fn link(&mut self, plan: OutputPlan) {
        self.ports = plan.ports.len() as u32;
        self.queues = Some(Box::new(OutputQueues::new(plan.ports, &plan.buffer, plan.seed)));
    }

    /// Calls the queues, which call the chip for packets that come out of them.
    pub(super) fn with_queues<R>(&mut self, call: impl FnOnce(&mut OutputQueues<Item>, &mut Self) -> R) -> Option<R> {
        let mut queues = self.queues.take()?;
        let result = call(&mut queues, self);
        self.queues = Some(queues);
        Some(result)
    }

    /// Discards a packet, and counts it.
    pub(super) fn discard(&mut self, packet: Packet, reason: Reason, out: &mut Outbox) {
        self.statistics.discarded.add(reason);
        out.discard(packet, reason);
    }

    /// Does what a transaction of a thread asks of the chip.
    pub(super) fn put_out(&mut self, thread: u32, output: Output, out: &mut Outbox) {
        match output {
            Output::Sent { port, queue, packet } => {
                let queue = u8::try_from(queue).unwrap_or(u8::MAX);
                self.leaves(thread, packet, Destination::Port { port, queue }, out);
            }
            Output::Multicast { group, packet } => self.leaves(thread, packet, Destination::Group(group), out),
            // A packet that a thread has made and does not send has never been.
            Output::Dropped { number: 1.., .. } => (),
            Output::Dropped { number: 0, reason } => {
                let reason = self.reasons.get(reason.index()).copied().unwrap_or(Reason::PROGRAM);
                let own = &mut self.slots[thread as usize].own;
                let place = own.place.take();
                if let Some(packet) = own.arrived.take() {
                    self.statistics.in_threads -= 1;
                    self.note(|traces| traces.discarded(thread, reason));
                    self.discard(packet, reason, out);
                }
                if let Some(place) = place {
                    self.order_done(place, out);
                }
            }
            Output::Digest { digest, values } => self.digest(digest, &values, out),
            Output::TimerStarted { timer, period } => {
                // A timer that threads of timers start again and again would be awaited for ever.
                let own = &self.slots[thread as usize].own;
                let is_awaited = own.counts && !own.is_of_timer;
                let period = Duration::from_nanoseconds(period);
                self.timers.start(timer, period, is_awaited, self.clock.edge(self.cycle), self.clock);
            }
            Output::TimerStopped { timer } => self.timers.stop(timer),
        }
    }

    fn digest(&mut self, digest: DigestId, values: &[u64], out: &mut Outbox) {
        let program = self.code.declarations().program();
        let widths = program.digests[digest.index()].fields.iter().map(|(_, ty)| ty.width());
        let values = values.iter().zip(widths).map(|(value, width)| Bits::from_u64(*value, width)).collect();
        self.statistics.digests += 1;
        send_digest(&mut self.digests, digest, values, out);
    }

    /// Sends a packet of a thread to the reorder engine.
    fn leaves(&mut self, thread: u32, packet: LeavingPacket, to: Destination, out: &mut Outbox) {
        let refused = self.traces.as_ref().and_then(|_| self.refused(to));
        let own = &mut self.slots[thread as usize].own;
        let is_own = packet.number == 0;
        let arrived = if is_own { own.arrived.take() } else { None };
        if is_own {
            self.statistics.in_threads -= 1;
        } else {
            self.statistics.generated += 1;
        }
        let number = packet.number;
        let packet = threads::leaving(packet, arrived);
        if let Some(traces) = &mut self.traces {
            traces.leaves(thread, number, &packet, to, refused);
        }
        let (from, counts) = (own.port, own.counts);
        let leaving = Leaving { packet, to, from, counts, came: is_own.then_some(own.came), left: self.cycle };
        // After its own packet, a thread is in no order any more.
        let place = if is_own { own.place.take() } else { own.place };
        let mut now = std::mem::take(&mut self.memory_of_calls.leaving);
        match place {
            Some(place) => self.reorder.leave(place, leaving, &mut now),
            None => now.push(leaving),
        }
        if let Some(place) = place.filter(|_| is_own) {
            self.reorder.done(place, &mut now);
        }
        self.depart(now, out);
    }

    /// Tells the reorder engine that nothing more leaves for a packet.
    pub(super) fn order_done(&mut self, place: Place, out: &mut Outbox) {
        let mut now = std::mem::take(&mut self.memory_of_calls.leaving);
        self.reorder.done(place, &mut now);
        self.depart(now, out);
    }

    /// Sends what has left the reorder engine to the queues.
    fn depart(&mut self, mut leaving: Vec<Leaving>, out: &mut Outbox) {
        for Leaving { packet, to, from, counts, came, left } in leaving.drain(..) {
            self.statistics.left += 1;
            self.statistics.reordered.add_number(self.cycle - left);
            if let Some(came) = came {
                self.statistics.latency.add(self.clock.edge(self.cycle).since(came));
            }
            match to {
                Destination::Port { port, queue } => self.offer(from, port, Item { packet, queue, counts }, out),
                Destination::Group(group) => self.replicate(from, group, Item { packet, queue: 0, counts }, out),
            }
        }
        self.memory_of_calls.leaving = leaving;
    }

    /// Returns why a packet is discarded that leaves for a port or a group which is not there.
    fn refused(&self, to: Destination) -> Option<Reason> {
        match to {
            Destination::Port { port, .. } => (!self.has_queues(port)).then_some(Reason::NO_SUCH_PORT),
            Destination::Group(group) => self.replicas(group).is_empty().then_some(reasons::UNKNOWN_GROUP),
        }
    }

    /// Returns the replicas of a multicast group; none if the control plane has not set it up.
    fn replicas(&self, group: u64) -> &[Replica] {
        let group = u32::try_from(group).ok().and_then(|group| self.replication.group(group));
        group.unwrap_or_default()
    }

    /// Returns whether there is such a port.
    pub(super) fn has_queues(&self, port: u64) -> bool {
        let port = u16::try_from(port).ok().map(Port);
        port.is_some_and(|port| self.queues.as_ref().is_some_and(|queues| queues.has(port)))
    }

    /// Sends a copy of a packet to each port of a group.
    fn replicate(&mut self, from: u16, group: u64, item: Item, out: &mut Outbox) {
        // When the packet left its thread, the group may have been another one.
        let ports: Vec<u64> = self.replicas(group).iter().map(|replica| replica.port.into()).collect();
        let Some((last, others)) = ports.split_last() else {
            return self.discard(item.packet, reasons::UNKNOWN_GROUP, out);
        };
        self.statistics.replicated += others.len() as u64;
        for port in others {
            self.offer(from, *port, item.clone(), out);
        }
        self.offer(from, *last, item, out);
    }

    /// Offers a packet to the queue of a port.
    fn offer(&mut self, from: u16, port: u64, item: Item, out: &mut Outbox) {
        let now = self.now;
        match u16::try_from(port).ok().map(Port).filter(|_| self.has_queues(port)) {
            Some(to) => {
                self.queued += u64::from(item.counts);
                self.with_queues(|queues, chip| queues.offer(now, [Port(from), to], item, chip, out));
            }
            None => self.discard(item.packet, Reason::NO_SUCH_PORT, out),
        }
    }
}

/// Between a queue and its link lies nothing.
impl<C: Instructions> Behind<Item> for Trio<C> {
    fn leave(&mut self, _: Instant, _: Port, item: Item, _: &TrafficManager<Item>, _: &mut Outbox) -> Option<Packet> {
        self.statistics.transmitted += 1;
        self.queued -= u64::from(item.counts);
        Some(item.packet)
    }

    fn refuse(&mut self, item: Item, reason: Reason, out: &mut Outbox) {
        self.queued -= u64::from(item.counts);
        self.discard(item.packet, reason, out);
    }

    /// Packets that return to their senders are discarded: no program has asked for it.
    fn turn_back(&mut self, _: Port, item: Item, out: &mut Outbox) {
        self.refuse(item, queues::reasons::QUEUE_FULL, out);
    }
}
