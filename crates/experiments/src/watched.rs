//! A machine that is watched: the same machine, with what it sends and discards shown to somebody on the way.

use basis::Instant;
use machines::{Machine, Statistics, Stuck, Timeline};
use measure::Event;
use node::{Burst, Control, Discarded, Node, Outbox, Port, Transmission};
use runtime::RegisterFile;

/// Sees what a machine puts out, in order, before it goes on.
pub trait Watcher: Send {
    /// A packet is sent.
    fn transmitted(&mut self, transmission: &Transmission);

    /// A packet is discarded.
    fn discarded(&mut self, at: Instant, discarded: &Discarded) {
        let _ = (at, discarded);
    }

    /// Something happened that whoever drives the machine asked for.
    fn event(&mut self, event: &Event) {
        let _ = event;
    }
}

/// A machine and its watcher.
pub struct Watched<'w> {
    machine: Box<dyn Machine>,
    watcher: &'w mut dyn Watcher,
}

impl<'w> Watched<'w> {
    /// Shows what `machine` puts out to `watcher`.
    pub fn new(machine: Box<dyn Machine>, watcher: &'w mut dyn Watcher) -> Self {
        Self { machine, watcher }
    }

    /// Calls the machine, then shows what the call added to the outbox.
    fn call(&mut self, now: Instant, out: &mut Outbox, call: impl FnOnce(&mut dyn Machine, &mut Outbox)) {
        let before = (out.events.len(), out.discarded.len(), out.transmissions.len());
        call(&mut *self.machine, out);
        out.events[before.0..].iter().for_each(|event| self.watcher.event(event));
        out.discarded[before.1..].iter().for_each(|discarded| self.watcher.discarded(now, discarded));
        out.transmissions[before.2..].iter().for_each(|transmission| self.watcher.transmitted(transmission));
    }
}

impl Node for Watched<'_> {
    fn receive(&mut self, now: Instant, port: Port, burst: &mut Burst, out: &mut Outbox) {
        self.call(now, out, |machine, out| machine.receive(now, port, burst, out));
    }

    fn wake(&mut self, now: Instant, out: &mut Outbox) {
        self.call(now, out, |machine, out| machine.wake(now, out));
    }

    fn control(&mut self, now: Instant, request: Control, out: &mut Outbox) {
        self.call(now, out, |machine, out| machine.control(now, request, out));
    }
}

impl Machine for Watched<'_> {
    fn registers(&self) -> RegisterFile {
        self.machine.registers()
    }

    fn counted(&self) -> &[machines::edge::EntryCounts] {
        self.machine.counted()
    }

    fn statistics(&self) -> Statistics {
        self.machine.statistics()
    }

    fn waiting(&self) -> Vec<Stuck> {
        self.machine.waiting()
    }

    fn record_timeline(&mut self, cycles: u64) {
        self.machine.record_timeline(cycles);
    }

    fn timeline(&self) -> Option<&Timeline> {
        self.machine.timeline()
    }
}
