//! The dispatch module: it gives packets, and what else begins threads, to free threads of any engine (section 2.1).

use std::collections::VecDeque;

use basis::Instant;
use ir::interpret::threads::{Instructions, Start, Thread};
use ir::threads::{Cause, EventId, TimerId};
use node::{Outbox, Port, Reason};
use serde::{Deserialize, Serialize};
use wire::Packet;

use super::chip::{Trio, timer_of};
use super::free::FreeThreads;
use super::slot::{Own, State};
use super::timers::Fired;
use super::{flow, reasons};
use crate::threads::{self, Began};

/// What waits for a free thread. Timers and events, of which there are few, go before packets.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Dispatch {
    pub(super) free: FreeThreads,
    pub(super) packets: VecDeque<Waiting>,
    causes: VecDeque<WaitingCause>,
    /// The number of events that wait.
    events: u32,
    /// The number of causes that wait and keep the chip from being at rest.
    counting: u32,
    /// The largest number of packets that have waited at once.
    pub(super) most_waiting: u64,
    /// The number of events that were lost because too many waited.
    pub(super) lost_events: u64,
}

/// A packet that waits for a free thread.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Waiting {
    packet: Packet,
    port: u16,
    came: Instant,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct WaitingCause {
    /// The number of the timer or of the event.
    number: u32,
    is_timer: bool,
    came: Instant,
    argument: u64,
    /// Whether it keeps the chip from being at rest.
    counts: bool,
}

impl Dispatch {
    pub(super) fn new(ppes: u32, threads: u32) -> Self {
        Self {
            free: FreeThreads::new(ppes, threads),
            packets: VecDeque::new(),
            causes: VecDeque::new(),
            events: 0,
            counting: 0,
            most_waiting: 0,
            lost_events: 0,
        }
    }

    /// Returns whether nothing waits for a thread but timers that nobody awaits.
    pub(super) fn rests(&self) -> bool {
        self.packets.is_empty() && self.counting == 0
    }

    fn wait(&mut self, cause: WaitingCause) {
        self.counting += u32::from(cause.counts);
        self.causes.push_back(cause);
    }

    /// Returns whether nothing waits for a thread.
    pub(super) fn is_idle(&self) -> bool {
        self.packets.is_empty() && self.causes.is_empty()
    }
}

/// Returns the start of a thread without a packet.
pub(super) fn start(cause: Cause, time: Instant, argument: u64) -> Start<'static> {
    Start { cause, time, argument, packet: None }
}

impl<C: Instructions> Trio<C> {
    /// Takes a packet that arrives.
    pub(super) fn arrive(&mut self, now: Instant, port: Port, packet: Packet, out: &mut Outbox) {
        self.statistics.received += 1;
        if self.code.declarations().threads().entrance(Cause::Packet).is_none() {
            return self.refuse_packet(packet, port, reasons::NO_ENTRANCE, out);
        }
        if !self.has_queues(port.0.into()) {
            return self.discard(packet, Reason::NO_SUCH_PORT, out);
        }
        let waiting = Waiting { packet, port: port.0, came: now };
        if self.dispatch.is_idle()
            && let Some(thread) = self.dispatch.free.take()
        {
            return self.begin_packet(thread, waiting, out);
        }
        if self.dispatch.packets.len() >= self.parameters.waiting as usize {
            return self.refuse_packet(waiting.packet, port, reasons::NO_THREAD, out);
        }
        self.dispatch.packets.push_back(waiting);
        self.dispatch.most_waiting = self.dispatch.most_waiting.max(self.dispatch.packets.len() as u64);
    }

    /// Discards a packet for which no thread begins.
    fn refuse_packet(&mut self, packet: Packet, port: Port, reason: Reason, out: &mut Outbox) {
        let now = self.now;
        self.note(|traces| traces.refused(&packet, now, port.0, reason));
        self.discard(packet, reason, out);
    }

    /// Lets an event happen, which carries a number. It is lost, and counted, if too many events wait for a thread.
    /// Nothing happens if no thread begins for it.
    pub(super) fn happen(&mut self, event: EventId, argument: u64, now: Instant, out: &mut Outbox) {
        let cause = Cause::Event(event);
        if self.code.declarations().threads().entrance(cause).is_none() {
            return;
        }
        if let Some(thread) = self.take_if_idle() {
            let own = Own { came: now, counts: true, ..Own::default() };
            self.begin(thread, &start(cause, now, argument), argument, own, out);
            return;
        }
        if self.dispatch.events >= self.parameters.events {
            self.dispatch.lost_events += 1;
            return;
        }
        self.dispatch.events += 1;
        let cause = WaitingCause { number: event.0, is_timer: false, came: now, argument, counts: true };
        self.dispatch.wait(cause);
    }

    /// Begins a thread for a timer that fires.
    pub(super) fn fired(&mut self, fired: Fired, now: Instant, out: &mut Outbox) {
        let Fired { timer, before: argument, was_awaited: counts } = fired;
        let cause = Cause::Timer(timer);
        if self.code.declarations().threads().entrance(cause).is_none() {
            return;
        }
        if let Some(thread) = self.take_if_idle() {
            let own = Own { came: now, counts, is_of_timer: true, ..Own::default() };
            self.begin(thread, &start(cause, now, argument), argument, own, out);
        } else if self.timers.wait(timer) {
            self.dispatch.wait(WaitingCause { number: timer.0, is_timer: true, came: now, argument, counts });
        }
    }

    fn take_if_idle(&mut self) -> Option<u32> {
        if self.dispatch.causes.is_empty() { self.dispatch.free.take() } else { None }
    }

    /// Gives a place back, or to whatever waits for one.
    pub(super) fn give_back(&mut self, thread: u32, out: &mut Outbox) {
        if let Some(waiting) = self.dispatch.causes.pop_front() {
            let WaitingCause { number, is_timer, came, argument, counts } = waiting;
            self.dispatch.counting -= u32::from(counts);
            let cause = if is_timer { Cause::Timer(TimerId(number)) } else { Cause::Event(EventId(number)) };
            match timer_of(cause) {
                Some(timer) => self.timers.begins(timer),
                None => self.dispatch.events -= 1,
            }
            let own = Own { came, counts, is_of_timer: is_timer, ..Own::default() };
            self.begin(thread, &start(cause, came, argument), argument, own, out);
        } else if let Some(waiting) = self.dispatch.packets.pop_front() {
            self.begin_packet(thread, waiting, out);
        } else {
            self.dispatch.free.give(thread);
        }
    }

    /// Begins a thread for a packet.
    fn begin_packet(&mut self, thread: u32, Waiting { packet, port, came }: Waiting, out: &mut Outbox) {
        let mut bytes = std::mem::take(&mut self.memory_of_calls.bytes);
        let arrival = threads::arrival(&packet, port, &mut bytes);
        let start = Start { cause: Cause::Packet, time: came, argument: 0, packet: Some(arrival) };
        let number = packet.sidecar.id;
        self.begin(thread, &start, number, Own { port, came, counts: true, ..Own::default() }, out);
        self.memory_of_calls.bytes = bytes;
        if let Some(traces) = &mut self.traces {
            traces.begin(thread, &packet, came, port);
        }
        let flow = self.flow(thread, &packet);
        let own = &mut self.slots[thread as usize].own;
        own.place = Some(self.reorder.arrive(flow));
        own.arrived = Some(packet);
        self.statistics.in_threads += 1;
        self.statistics.waited.add(self.clock.edge(self.cycle).since(came));
    }

    /// Returns a hash of the flow of a packet whose thread has begun.
    fn flow(&mut self, thread: u32, packet: &Packet) -> u64 {
        if self.code.declarations().threads().flow.is_empty() {
            return flow::of_packet(packet);
        }
        let values = &mut self.memory_of_calls.flow;
        values.clear();
        if let Some(thread) = &self.slots[thread as usize].thread {
            thread.flow(&self.code, values);
        }
        flow::of_values(values)
    }

    /// Begins a thread at a place, which is not free from now on. `told` is what is told of its cause: the argument, or the
    /// number of the packet.
    fn begin(&mut self, thread: u32, start: &Start<'_>, told: u64, own: Own, out: &mut Outbox) {
        let slot = &mut self.slots[thread as usize];
        match &mut slot.thread {
            Some(before) => {
                before.begin(&self.code, start);
            }
            before => *before = Thread::new(&self.code, start),
        }
        debug_assert!(slot.thread.is_some(), "the cause has an entrance");
        let replies = std::mem::take(&mut slot.own.replies);
        self.working += u32::from(own.counts);
        slot.own = Own { state: State::Running, number: self.threads, began: self.cycle, replies, ..own };
        self.statistics.count_thread(start.cause);
        if out.interest().wants::<Began>() {
            out.emit(Began { thread: self.threads, cause: start.cause, time: start.time, argument: told });
        }
        if let Some(slices) = &mut self.slices {
            let busy = self.slots.len() as u64 - u64::from(self.dispatch.free.count());
            slices.cause(start.cause, self.code.declarations().threads(), self.cycle);
            slices.waiting(self.cycle, self.dispatch.packets.len() as u64, busy);
        }
        self.threads += 1;
        self.engines.push(thread / self.parameters.threads, thread);
    }
}
