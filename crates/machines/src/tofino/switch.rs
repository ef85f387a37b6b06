//! The chip: its state, and how it is driven.

use std::collections::VecDeque;
use std::sync::Arc;

use basis::{Instant, Random};
use control::{DigestQueue, Info, Plane, Replication};
use ir::interpret::{Request, Undefined};
use node::{Outbox, Reason};
use queues::OutputQueues;

use super::front::Known;
use super::item::{Item, Side};
use super::layout::Layout;
use super::parameters::TofinoParameters;
use super::statistics::Statistics;
use crate::blocks::Executor;
use crate::trace::{Begins, Origin, Recorder};
use crate::unsuitable::Unsuitable;

/// A chip that runs one program in its pipe.
pub struct Tofino<E: Executor> {
    pub(super) executor: E,
    pub(super) layout: Layout,
    pub(super) plane: Plane,
    pub(super) state: runtime::ProgramState,
    pub(super) replication: Replication,
    pub(super) digests: DigestQueue,
    pub(super) random: Random,
    pub(super) undefined: Undefined,
    pub(super) parameters: TofinoParameters,
    pub(super) statistics: Statistics,
    /// The time of the current call.
    pub(super) now: Instant,
    /// What the last arriving packet became and is not done yet.
    pub(super) jobs: VecDeque<Job>,
    /// The number of copies that were made in this call.
    pub(super) copies: u32,
    /// The requests of the program that have not been handled yet.
    pub(super) requests: Vec<Request>,
    /// The variables and bytes of the packet that blocks work on. No packet waits in this form.
    pub(super) frame: Option<E::Packet>,
    /// The queues of the ports, if these have links; `None` while they are being called, too.
    pub(super) queues: Option<Box<OutputQueues<Item>>>,
    pub(super) has_queues: bool,
    pub(super) recorder: Option<Recorder>,
    /// The next time at which an idle timeout may end.
    pub(super) next_idle: Option<Instant>,
    /// Memory for what lies in front of packets.
    pub(super) front: Vec<u8>,
}

/// A packet that waits, and what is to be done with it.
pub(super) enum Job {
    /// Ingress, at a port.
    Ingress(Arrival),
    /// The queue of a port.
    Queue(Item, u32),
}

/// A packet in front of ingress.
pub(super) struct Arrival {
    pub(super) packet: wire::Packet,
    pub(super) port: u16,
    pub(super) rounds: u32,
    /// The data that a resubmission put in the place of the port's metadata.
    pub(super) resubmitted: Option<Vec<u8>>,
    /// The number of the packet in its trace.
    pub(super) pass: usize,
}

impl<E: Executor> Tofino<E> {
    /// Creates a chip that runs the program of `executor`, which [`ir::verify`] must have accepted. `info` is the control
    /// plane's view of the program, and names its architecture.
    ///
    /// # Errors
    /// Fails with all reasons why the chip cannot run the program.
    pub fn new(executor: E, info: Arc<Info>, parameters: TofinoParameters) -> Result<Self, Unsuitable> {
        let program = executor.program();
        let layout = Layout::new(info.architecture(), program, &parameters)?;
        let mut unsuitable = Unsuitable::default();
        unsuitable.unless(executor.observes() || parameters.undefined.is_none(), || {
            "with this executor, values that the language leaves undefined are 0 and cannot be drawn at random".into()
        });
        unsuitable.or(())?;
        let drawn = |seed| Undefined::Drawn(Random::for_part(seed, 1));
        Ok(Self {
            state: program.initial_state(),
            frame: Some(executor.packet()),
            digests: DigestQueue::new(&info, parameters.digests),
            random: Random::new(parameters.seed),
            undefined: parameters.undefined.map_or(Undefined::Zero, drawn),
            plane: Plane::new(info),
            replication: Replication::new(),
            statistics: Statistics::default(),
            now: Instant::ZERO,
            jobs: VecDeque::new(),
            copies: 0,
            requests: Vec::new(),
            queues: None,
            has_queues: false,
            recorder: None,
            next_idle: None,
            front: Vec::new(),
            executor,
            layout,
            parameters,
        })
    }

    /// Returns the executor.
    pub fn executor(&self) -> &E {
        &self.executor
    }

    /// Returns the executor for changing it between packets.
    pub fn executor_mut(&mut self) -> &mut E {
        &mut self.executor
    }

    /// Handles all pending packets in order.
    pub(super) fn work(&mut self, now: Instant, out: &mut Outbox) {
        while let Some(job) = self.jobs.pop_front() {
            match job {
                Job::Ingress(arrival) => self.ingress(now, arrival, out),
                Job::Queue(item, port) => self.offer(now, item, port, out),
            }
        }
    }

    /// Reports an event of a packet to the recorder, if there is one.
    pub(super) fn note(&mut self, pass: usize, tell: impl FnOnce(&mut Recorder)) {
        if let Some(recorder) = &mut self.recorder {
            recorder.select(pass);
            tell(recorder);
        }
    }

    /// Reports to the recorder that another packet begins with these bytes. Returns its number.
    pub(super) fn fork(&mut self, pass: usize, origin: Origin, packet: &wire::Packet) -> usize {
        let Some(recorder) = &mut self.recorder else { return 0 };
        recorder.fork(pass, origin, Begins { bytes: packet.head.bytes(), length: packet.len() })
    }

    /// Discards a packet, which has a number in its trace.
    pub(super) fn discard(
        &mut self,
        (packet, pass): (wire::Packet, usize),
        reason: Reason,
        block: &'static str,
        out: &mut Outbox,
    ) {
        self.note(pass, |recorder| recorder.discarded(reason, None));
        self.statistics.discarded.add(reason);
        self.statistics.discarded_in.add((reason, block));
        out.discard(packet, reason);
    }

    /// Counts a copy that goes to the traffic manager; fails if there are too many.
    pub(super) fn count_copy(&mut self) -> Result<(), Reason> {
        if self.copies >= self.parameters.copies {
            return Err(super::reasons::COPY_LIMIT);
        }
        self.copies += 1;
        Ok(())
    }

    /// Returns what lies in front of a packet in egress.
    pub(super) fn known_in_egress(&self, now: Instant, side: Side, port: u16, length: usize) -> Known {
        Known { now, departure_port: port, side, length, arrival_port: side.from, resubmitted: false }
    }

    /// Finds entries whose idle timeouts have ended.
    pub(super) fn expire(&mut self, now: Instant) {
        if self.next_idle.is_some_and(|at| at <= now) {
            self.state.expire(now);
            self.next_idle = self.state.next_idle();
        }
    }
}
