//! How the chip is driven.

use basis::Instant;
use ir::interpret::threads::Instructions;
use node::{Burst, Control, Node, Outbox, Port};

use super::chip::Trio;

impl<C: Instructions> Node for Trio<C> {
    fn receive(&mut self, now: Instant, port: Port, burst: &mut Burst, out: &mut Outbox) {
        self.catch_up(now, false, out);
        for packet in burst.drain(..) {
            let packet = match self.queues.as_ref().is_some_and(|queues| queues.has(port)) {
                true => self.with_queues(|queues, chip| queues.obey(now, port, packet, chip, out)).flatten(),
                false => Some(packet),
            };
            if let Some(packet) = packet {
                self.arrive(now, port, packet, out);
            }
        }
        self.ask(out);
    }

    fn wake(&mut self, now: Instant, out: &mut Outbox) {
        self.catch_up(now, true, out);
        self.next_idle.expire(now, std::slice::from_mut(&mut self.state));
        self.with_queues(|queues, chip| queues.refresh(now, chip, out));
        self.ask(out);
    }

    fn control(&mut self, now: Instant, request: Control, out: &mut Outbox) {
        // A chip that is told the time before anything else begins then, as one that takes the place of another.
        if matches!(request, Control::Time) && !self.has_begun {
            self.start_periodic_timers(now);
        }
        self.catch_up(now, false, out);
        match request {
            Control::PortReady(port) => {
                self.with_queues(|queues, chip| {
                    if queues.has(port) {
                        queues.ready(now, port, chip, out);
                    }
                });
            }
            Control::Link { port, up } => {
                self.state.set_port(port.0.into(), up);
                self.replication.set_port(port.0.into(), up);
            }
            _ => {}
        }
        self.ask(out);
    }

    /// Timers that run begin threads for ever, which may overlap and whose packets may always wait in a queue. So what counts is
    /// what began for packets and events: their threads, timers that these have started, until they have fired once, the threads
    /// that begin then, and the packets of all these. No packet waits for idle timeouts of entries.
    fn rests_after(&self) -> Option<Instant> {
        let rests = self.is_idle() && self.queues.as_ref().is_none_or(|queues| queues.next_refresh().is_none());
        rests.then(|| self.timers.last_awaited().map_or(Instant::ZERO, |cycle| self.clock.edge(cycle)))
    }
}

impl<C: Instructions> Trio<C> {
    /// Lets all cycles pass that begin before a time, or at it if `with_end`, and then the events happen that the control
    /// plane has raised.
    fn catch_up(&mut self, now: Instant, with_end: bool, out: &mut Outbox) {
        self.now = now;
        self.has_begun = true;
        self.pass(now, with_end, out);
        self.happen_raised(out);
    }

    /// Asks to be woken when something happens next.
    fn ask(&self, out: &mut Outbox) {
        let refresh = self.queues.as_ref().and_then(|queues| queues.next_refresh());
        let own = self.next_cycle().map(|cycle| self.clock.edge(cycle));
        match own.into_iter().chain(refresh).chain(self.next_idle.at()).min() {
            Some(at) => out.wake_at(at.max(self.now)),
            None => out.sleep(),
        }
    }

    /// Returns whether no thread is there but those of timers that nobody awaits, nothing else waits for one, and nothing that it has
    /// sent is on its way out.
    fn is_idle(&self) -> bool {
        let on_the_way = self.queued > 0 || self.reorder.held() > 0;
        self.dispatch.rests() && self.working == 0 && !on_the_way && !self.plane.has_raised()
    }
}
