//! The switch: what it holds, and how it is driven.

use std::collections::VecDeque;
use std::sync::Arc;

use basis::{Instant, Random};
use control::{DigestQueue, Info, Plane, Replication};
use ir::interpret::Undefined;
use node::Outbox;

use super::buffer::Buffer;
use super::executor::Executor;
use super::frame::begins;
use super::layout::Layout;
use super::parameters::Parameters;
use super::statistics::Statistics;
use super::trace::{Origin, Recorder};
use super::traveller::Traveller;
use crate::unsuitable::Unsuitable;

/// A v1model switch that runs one program.
///
/// Its blocks take no time. Without queues, what a packet becomes leaves, or is discarded, in the call that brings the
/// packet; with them (see [`crate::Device::hold_queues`]) egress runs when the line of its port is free for it.
pub struct Switch<E: Executor> {
    pub(super) executor: E,
    pub(super) layout: Layout,
    pub(super) plane: Plane,
    pub(super) state: runtime::State,
    pub(super) replication: Replication,
    pub(super) digests: DigestQueue,
    pub(super) random: Random,
    pub(super) undefined: Undefined,
    pub(super) parameters: Parameters,
    pub(super) statistics: Statistics,
    /// The time of the call.
    pub(super) now: Instant,
    /// What the packet that came in last became, and is not done yet.
    pub(super) queue: VecDeque<Job<E::Packet>>,
    /// How many of them are on the way to egress for each port, if ports have no queues.
    pub(super) waiting: Vec<u32>,
    /// Queues between ingress and egress, and what waits there, if ports have lines of their own.
    pub(super) buffer: Option<Buffer<E::Packet>>,
    /// How many came of that packet; of what came out of a queue, if that is what the call is about.
    pub(super) copies: u32,
    /// What the program asked for and was not looked at.
    pub(super) requests: Vec<ir::interpret::Request>,
    /// The memory of the packet that went last, for the one that comes next: most often there is only this. Travellers stand
    /// in boxes, so that a queue moves places and not packets.
    pub(super) spare: Option<Box<Traveller<E::Packet>>>,
    /// That of others that are gone.
    pub(super) spares: Vec<Box<Traveller<E::Packet>>>,
    pub(super) recorder: Option<Recorder>,
}

/// A packet that waits, and for what.
pub(super) enum Job<P> {
    /// Parser and ingress.
    Ingress(Box<Traveller<P>>),
    /// The queue of a port, if ports have queues.
    Queue(Box<Traveller<P>>, u64),
    /// Egress, for a port without a queue.
    Egress(Box<Traveller<P>>, u32),
}

impl<E: Executor> Switch<E> {
    /// A switch that runs the program of `executor`, which [`ir::verify`] accepts, and whose control plane knows what
    /// `info` says of it; or all reasons why it cannot. It does between the blocks what the architecture of the program
    /// says, which is v1model if `info` names none.
    pub fn new(executor: E, info: Arc<Info>, parameters: Parameters) -> Result<Self, Unsuitable> {
        let program = executor.program();
        let layout = Layout::new(info.architecture(), program, &parameters, |block| executor.does_nothing(block))?;
        let mut unsuitable = Unsuitable::default();
        for (what, has, known) in [
            ("tables", program.tables.len(), info.tables.len()),
            ("action profiles", program.profiles.len(), info.profiles.len()),
            ("counters", program.counters.len(), info.counters.len()),
            ("meters", program.meters.len(), info.meters.len()),
            ("kinds of digest", program.digests.len(), info.digests.len()),
            ("value sets", program.value_sets.len(), info.value_sets.len()),
        ] {
            unsuitable
                .unless(has == known, || format!("the program has {has} {what}, and its control plane knows {known}"));
        }
        unsuitable.unless(executor.observes() || parameters.undefined.is_none(), || {
            "what runs the program takes values that the language leaves open to be 0, and cannot draw them".into()
        });
        unsuitable.or(())?;
        let drawn = |seed| Undefined::Drawn(Random::for_part(seed, 1));
        Ok(Self {
            state: program.initial_state(),
            digests: DigestQueue::new(&info, parameters.digests),
            random: Random::new(parameters.seed),
            undefined: parameters.undefined.map_or(Undefined::Zero, drawn),
            plane: Plane::new(info),
            replication: Replication::new(),
            statistics: Statistics::default(),
            now: Instant::ZERO,
            queue: VecDeque::new(),
            waiting: vec![0; layout.ports.usable as usize],
            buffer: None,
            copies: 0,
            requests: Vec::new(),
            spare: None,
            spares: Vec::new(),
            recorder: None,
            executor,
            layout,
            parameters,
        })
    }

    /// What runs the program.
    pub fn executor(&self) -> &E {
        &self.executor
    }

    /// What runs the program, to ask something of it between packets.
    pub fn executor_mut(&mut self) -> &mut E {
        &mut self.executor
    }

    /// What it has done so far, in v1model's words.
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    /// Does all that there is to do, in the order in which it came up.
    #[inline(never)]
    pub(super) fn work(&mut self, now: Instant, out: &mut Outbox) {
        while let Some(job) = self.queue.pop_front() {
            match job {
                Job::Ingress(traveller) => self.ingress(now, traveller, out),
                Job::Queue(traveller, port) => self.offer(now, traveller, port, out),
                Job::Egress(traveller, port) => self.egress_at_once(now, traveller, port, out),
            }
        }
    }

    /// Tells a trace something about a packet, if there is one.
    #[inline]
    pub(super) fn note(&mut self, pass: usize, tell: impl FnOnce(&mut Recorder)) {
        if let Some(recorder) = &mut self.recorder {
            recorder.select(pass);
            tell(recorder);
        }
    }

    /// Tells a trace that another packet begins here.
    pub(super) fn fork(&mut self, traveller: &mut Traveller<E::Packet>, origin: Origin) {
        if let Some(recorder) = &mut self.recorder {
            traveller.way.pass = recorder.fork(traveller.way.pass, origin, begins(&traveller.packet));
        }
    }
}
