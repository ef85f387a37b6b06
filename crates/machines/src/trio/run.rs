//! What happens in a cycle.

use basis::Instant;
use ir::interpret::Unobserved;
use ir::interpret::threads::{Instructions, Output, Step, ThreadEnding, Ticket};
use ir::threads::InstructionId;
use node::Outbox;

use super::chip::Trio;
use super::event::{Event, short};
use super::memory::{Requester, Times};
use super::reasons;
use super::slot::{State, THERE};
use super::trace::Traces;
use crate::threads::{Replied, Took};

impl<C: Instructions> Trio<C> {
    /// Returns the next cycle in which something happens.
    pub(super) fn next_cycle(&self) -> Option<u64> {
        if self.engines.any() {
            return Some(self.cycle);
        }
        let next = self.calendar.next().into_iter().chain(self.memory.next()).chain(self.timers.next()).min();
        next.map(|next| next.max(self.cycle))
    }

    /// Lets all cycles pass that begin before a time, or at it if `with_end`.
    pub(super) fn pass(&mut self, until: Instant, with_end: bool, out: &mut Outbox) {
        let end = if with_end {
            self.clock.last_edge_at_or_before(until) + 1
        } else {
            self.clock.first_edge_at_or_after(until)
        };
        while let Some(cycle) = self.next_cycle().filter(|cycle| *cycle < end) {
            self.run_cycle(cycle, out);
        }
        self.cycle = self.cycle.max(end);
    }

    fn run_cycle(&mut self, cycle: u64, out: &mut Outbox) {
        self.cycle = cycle;
        if self.memory.next().is_some_and(|at| at <= cycle) {
            self.admit(cycle, out);
        }
        while let Some(fired) = self.timers.fire(cycle, self.clock) {
            self.fired(fired, self.clock.edge(cycle), out);
        }
        let mut events = std::mem::take(&mut self.memory_of_calls.events);
        // An effect may come in the very cycle in which it is asked for.
        while self.calendar.next().is_some_and(|next| next <= cycle) {
            self.calendar.take(cycle, &mut events);
            for event in events.drain(..) {
                self.happens(event, out);
            }
        }
        self.memory_of_calls.events = events;
        for word in 0..self.engines.words() {
            let mut ready = self.engines.ready(word);
            while ready != 0 {
                let ppe = word as u32 * 64 + ready.trailing_zeros();
                ready &= ready - 1;
                let thread = self.engines.pop(ppe);
                self.execute_next(thread);
            }
        }
        self.cycle = cycle + 1;
    }

    /// Lets the requests enter their engines that were held at the crossbar.
    fn admit(&mut self, cycle: u64, out: &mut Outbox) {
        let mut entered = std::mem::take(&mut self.memory_of_calls.entered);
        self.memory.advance(cycle, &mut entered);
        for (from, times) in entered.drain(..) {
            self.enters(from, times, out);
            self.go_on(from.thread, out);
        }
        self.memory_of_calls.entered = entered;
    }

    /// Executes the next instruction of a thread.
    #[inline]
    fn execute_next(&mut self, number: u32) {
        let slot = &mut self.slots[number as usize];
        let thread = slot.thread.as_mut().expect(THERE);
        let before = thread.next_instruction();
        let traces = self.traces.as_mut();
        let watching = traces.and_then(|own| own.watch(number, self.code.declarations().program(), self.cycle));
        let step = match watching {
            Some(mut watching) => thread.step(&self.code, &mut watching),
            None => thread.step(&self.code, &mut Unobserved),
        };
        self.statistics.instructions += 1;
        let done = self.cycle + u64::from(self.parameters.instruction_cycles);
        if self.slices.is_some() {
            self.record_instruction(number, before, done);
        }
        let event = match step {
            Step::Done => Event::Ready(number),
            Step::Asks(ticket) => Event::Asks(number, short(ticket)),
            Step::Ended(_) => Event::Ends(number),
            Step::Waits => unreachable!("a thread that is ready waits for nothing"),
        };
        self.calendar.add(done, event);
    }

    /// Records an instruction for people.
    #[cold]
    fn record_instruction(&mut self, number: u32, instruction: Option<InstructionId>, done: u64) {
        let place = self.place(number);
        if let (Some(slices), Some(instruction)) = (&mut self.slices, instruction) {
            let name = &self.code.declarations().threads().instruction(instruction).name;
            slices.instruction(place, name, self.cycle, done);
        }
    }

    #[inline]
    fn happens(&mut self, event: Event, out: &mut Outbox) {
        match event {
            // The next instruction may wait for the replies to earlier asynchronous transactions.
            Event::Ready(thread) => self.go_on(thread, out),
            Event::Asks(thread, ticket) => self.asks(thread, Ticket(ticket.into()), out),
            Event::Ends(thread) => self.end(thread, out),
            Event::Replies(thread, ticket) => self.reply(thread, Ticket(ticket.into()), out),
            Event::Output(place) => {
                let pending = self.pending[place as usize].take();
                self.free_pending.push(place);
                if let Some((thread, output)) = pending {
                    self.put_out(thread, output, out);
                }
            }
        }
    }

    /// Sends a request to the crossbar.
    fn asks(&mut self, number: u32, ticket: Ticket, out: &mut Outbox) {
        let from = Requester { thread: number, ppe: self.ppe(number), ticket };
        let thread = self.slots[number as usize].thread.as_ref().expect(THERE);
        let request = thread.request(ticket).expect("asked for, and not answered yet");
        // A thread whose request is held at the crossbar does not go on, whether it waits for the reply or not.
        if let Some(times) = self.memory.issue(self.cycle, from, request) {
            self.enters(from, times, out);
            self.go_on(number, out);
        }
    }

    /// Lets a transaction take effect, which has entered its engine: in this order transactions take effect.
    fn enters(&mut self, from: Requester, times: Times, out: &mut Outbox) {
        let slot = &mut self.slots[from.thread as usize];
        let thread = slot.thread.as_mut().expect(THERE);
        let request = *thread.request(from.ticket).expect("asked for, and not answered yet");
        let time = self.clock.edge(times.effect);
        let outputs = &mut self.memory_of_calls.outputs;
        let reply = self.code.declarations().apply(&mut self.state, time, &request, thread.packets_mut(), outputs);
        slot.own.replies.push((from.ticket, reply));
        if let Some(slices) = &mut self.slices {
            let place = from.thread % self.parameters.threads;
            slices.transaction([from.ppe, place], &request, times.left, times.reply);
        }
        if out.interest().wants::<Took>() {
            out.emit(Took { thread: slot.own.number, ticket: from.ticket, time });
        }
        if !self.memory_of_calls.outputs.is_empty() {
            self.put_out_later(from.thread, times.effect);
        }
        self.calendar.add(times.reply, Event::Replies(from.thread, short(from.ticket)));
    }

    /// Keeps what a transaction asks of the chip until it takes effect.
    fn put_out_later(&mut self, thread: u32, effect: u64) {
        let mut outputs = std::mem::take(&mut self.memory_of_calls.outputs);
        for output in outputs.drain(..) {
            let place = self.keep((thread, output));
            self.calendar.add(effect, Event::Output(place));
        }
        self.memory_of_calls.outputs = outputs;
    }

    fn keep(&mut self, pending: (u32, Output)) -> u32 {
        match self.free_pending.pop() {
            Some(place) => {
                self.pending[place as usize] = Some(pending);
                place
            }
            None => {
                self.pending.push(Some(pending));
                self.pending.len() as u32 - 1
            }
        }
    }

    /// Gives a thread the reply to a transaction.
    fn reply(&mut self, number: u32, ticket: Ticket, out: &mut Outbox) {
        let slot = &mut self.slots[number as usize];
        let thread = slot.thread.as_mut().expect(THERE);
        let place = slot.own.replies.iter().position(|(own, _)| *own == ticket).expect("the reply is on its way");
        let (_, reply) = slot.own.replies.remove(place);
        if out.interest().wants::<Replied>() {
            out.emit(Replied { thread: slot.own.number, ticket, executed: thread.executed() });
        }
        let traces = self.traces.as_mut();
        match traces.and_then(|own| own.watch(number, self.code.declarations().program(), self.cycle)) {
            Some(mut watching) => thread.answer(&self.code, ticket, &reply, &mut watching),
            None => thread.answer(&self.code, ticket, &reply, &mut Unobserved),
        }
        if slot.own.state == State::Ended {
            if thread.pending().next().is_none() {
                self.release(number, out);
            }
        } else if slot.own.is_suspended {
            self.go_on(number, out);
        }
    }

    /// Lets a thread go on whose instruction has been executed, if it waits for no reply.
    fn go_on(&mut self, number: u32, out: &mut Outbox) {
        let slot = &mut self.slots[number as usize];
        let thread = slot.thread.as_mut().expect(THERE);
        slot.own.is_suspended = thread.waits(&self.code);
        if slot.own.is_suspended {
            return;
        }
        match thread.next_instruction() {
            Some(_) => self.engines.push(number / self.parameters.threads, number),
            None => self.end(number, out),
        }
    }

    /// Ends a thread. A packet that it still holds is consumed, or dropped if the thread was stopped by an error.
    fn end(&mut self, number: u32, out: &mut Outbox) {
        let slot = &mut self.slots[number as usize];
        let thread = slot.thread.as_mut().expect(THERE);
        let Step::Ended(ending) = thread.step(&self.code, &mut Unobserved) else {
            unreachable!("the thread has come to its end")
        };
        slot.own.state = State::Ended;
        let holds_packet = thread.holds_packet();
        let is_answered = thread.pending().next().is_none();
        let reason = match ending {
            ThreadEnding::Done => reasons::CONSUMED,
            ThreadEnding::Fault(fault) => {
                self.statistics.faults += 1;
                reasons::of_fault(fault)
            }
        };
        if holds_packet && let Some(packet) = slot.own.arrived.take() {
            self.statistics.in_threads -= 1;
            self.note(|traces| traces.discarded(number, reason));
            self.discard(packet, reason, out);
        }
        if is_answered {
            self.release(number, out);
        }
    }

    /// Tells the records of packets, if there are any.
    #[inline]
    pub(super) fn note(&mut self, tell: impl FnOnce(&mut Traces)) {
        if let Some(traces) = &mut self.traces {
            tell(traces);
        }
    }

    /// Frees the place of a thread that has ended and whose transactions have been answered.
    fn release(&mut self, number: u32, out: &mut Outbox) {
        let own = &mut self.slots[number as usize].own;
        own.state = State::Free;
        self.working -= u32::from(own.counts);
        self.statistics.thread_cycles += self.cycle - own.began;
        let (number_of_thread, began) = (own.number, own.began);
        if let Some(place) = own.place.take() {
            self.order_done(place, out);
        }
        self.note(|traces| traces.end(number));
        let place = self.place(number);
        if let Some(slices) = &mut self.slices {
            slices.thread(place, number_of_thread, began, self.cycle);
        }
        self.give_back(number, out);
    }
}
