//! The ghost thread: a block that runs when the depth of a queue changes, and writes it where ingress reads it.
//!
//! The thread of each pipe hears of all queues of the chip, for the pipes share no registers. The public documentation names
//! the fields that it is told; when it runs is ours.

use basis::{Duration, Instant};
use node::{Outbox, Port};
use queues::OutputQueues;
use serde::{Deserialize, Serialize};

use super::gress::Pass;
use super::item::{Item, untraced};
use super::layout::Ghost;
use super::ports::{STRIDE, pipe_of};
use super::switch::{Arrival, Tofino};
use crate::blocks::{Executor, Frame};

/// What the traffic manager says of a queue whose depth has changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Update {
    /// The device port.
    pub(super) port: u16,
    /// The queue of the port.
    pub(super) queue: u8,
    /// The cells in the queue.
    pub(super) depth: u64,
}

/// A packet on its way to the stage at which the ghost thread of its pipe writes.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct AtStage {
    pub(super) arrival: Arrival,
    /// The time at which it came to ingress.
    pub(super) came: Instant,
    /// The time of the cycle in which ingress took it.
    pub(super) taken: Instant,
    /// The time at which it will have passed the deparser.
    pub(super) passed: Instant,
}

impl<E: Executor> Tofino<E> {
    /// Returns true if a pipe has a ghost thread.
    pub(super) fn has_ghost(&self) -> bool {
        (0..usize::from(self.settings.pipes)).any(|pipe| self.layout(pipe).ghost.block.is_some())
    }

    /// Notes what the ghost threads hear of the queues that have changed since the last call.
    pub(super) fn tell_ghosts(&mut self, queues: &mut OutputQueues<Item>) {
        if !queues.manager().has_changes() {
            return;
        }
        let latency = self.settings.timed.as_ref().map_or(Duration::ZERO, |timed| timed.ghost.latency);
        let (at, ports, updates) = (self.now + latency, &self.queue_ports, &mut self.updates);
        queues.report_changes(&mut |place: Port, queue, depth| {
            updates.add(at, Update { port: ports.number(place), queue, depth: depth.cells });
        });
        if latency == Duration::ZERO {
            while self.run_next_ghost(self.now) {}
        }
    }

    /// Runs the ghost threads for what they hear next, if they hear it by now; returns true if they do.
    pub(super) fn run_next_ghost(&mut self, now: Instant) -> bool {
        let Some((at, update)) = self.updates.due(now) else { return false };
        self.now = self.now.max(at);
        self.run_ghosts(self.now, update);
        true
    }

    /// Returns the time at which a packet that ingress took in a cycle reaches the stage at which the ghost thread of its
    /// pipe writes; `None` if there is no such thread, or if nothing takes time.
    pub(super) fn reaches_stage(&self, port: u16, taken: Instant) -> Option<Instant> {
        let timed = self.settings.timed.as_ref()?;
        self.layout(pipe_of(port)).ghost.block?;
        Some(taken + timed.latency.ingress_parser + timed.ghost.before_stage(timed.latency.ingress))
    }

    /// Runs the blocks of ingress on a packet that has reached the stage.
    pub(super) fn ingress_at_stage(&mut self, at_stage: AtStage, out: &mut Outbox) {
        let AtStage { arrival, came, taken, passed } = at_stage;
        self.passed = passed;
        self.run_ingress([came, taken], arrival, out);
    }

    /// Runs the ghost thread of each pipe for a queue that has changed.
    fn run_ghosts(&mut self, now: Instant, update: Update) {
        // Threads of pipes that share their state would do the same again.
        for pipe in 0..self.states.len() {
            let ghost = self.layout(pipe).ghost;
            let Some(block) = ghost.block else { continue };
            // What is written to one version while ingress reads the other is written to both before anybody looks, so that
            // ingress may read either.
            let versions: &[u64] = if ghost.has_versions { &[1, 0] } else { &[0] };
            for &version in versions {
                let mut frame = self.frame.take().unwrap_or_else(|| self.executor.packet());
                frame.clear();
                self.tell_update(&mut frame, pipe, version, update);
                // No packet has to do with it.
                let ran = self.run(Pass { taken: now, pipe, length: 0, traced: untraced() }, block, &mut frame);
                self.frame = Some(frame);
                self.requests.clear();
                self.statistics.ghost_runs += 1;
                self.statistics.ghost_failures += u64::from(ran.is_err());
            }
            self.last_updates[pipe] = update;
        }
    }

    /// Sets what ingress is told beside a packet: the last update that the ghost thread of its pipe has worked on.
    pub(super) fn tell_last_update(&self, frame: &mut E::Packet, pipe: usize) {
        if self.layout(pipe).ghost.queue.is_some() {
            self.tell_update(frame, pipe, 0, self.last_updates[self.state_of(pipe)]);
        }
    }

    fn tell_update(&self, frame: &mut E::Packet, pipe: usize, version: u64, update: Update) {
        let layout = self.layout(pipe);
        let Ghost { queues_of_port, .. } = layout.ghost;
        let queue = u64::from(update.port % STRIDE) * u64::from(queues_of_port) + u64::from(update.queue);
        let told = [
            (layout.ghost.valid, 1),
            (layout.ghost.version, version),
            (layout.ghost.depth, update.depth),
            (layout.ghost.queue, queue),
            (layout.ghost.pipe, pipe_of(update.port) as u64),
        ];
        for (variable, value) in told {
            if let Some(variable) = variable {
                let most = runtime::arithmetic::mask(layout.width(variable).min(64));
                // A depth that does not fit is told as the greatest; a pipe of a larger chip by its last bits.
                let fits = if Some(variable) == layout.ghost.depth { value.min(most) } else { value & most };
                frame.set(variable, fits);
            }
        }
    }
}
