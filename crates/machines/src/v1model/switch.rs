//! The switch: its state, and how it is driven.

use std::collections::VecDeque;
use std::sync::Arc;

use basis::{Instant, Random};
use control::{DigestQueue, Info, Plane, Replication};
use ir::interpret::Undefined;
use node::Outbox;
use passes::segments::Shape;

use super::buffer::Buffer;
use super::layout::Layout;
use super::parameters::V1modelParameters;
use super::statistics::Statistics;
use super::trace::{Origin, Recorder};
use super::traveller::Traveller;
use crate::blocks::{self, Executor, NextIdle, begins};
use crate::unsuitable::Unsuitable;

/// A v1model switch that runs one program.
///
/// Its blocks take no time. Without queues, a packet and everything that it becomes leaves or is discarded in the call
/// in which the packet arrives. With queues (see [`crate::Device::hold_queues`]), egress runs when the link of the port
/// is free for the packet.
pub struct Switch<E: Executor> {
    pub(super) executor: E,
    pub(super) layout: Layout,
    pub(super) plane: Plane,
    pub(super) state: runtime::ProgramState,
    pub(super) replication: Replication,
    pub(super) digests: DigestQueue,
    pub(super) random: Random,
    pub(super) undefined: Undefined,
    pub(super) parameters: V1modelParameters,
    pub(super) statistics: Statistics,
    /// The time of the current call.
    pub(super) now: Instant,
    /// The packets that the last arriving packet became and that are not done yet.
    pub(super) queue: VecDeque<Job<E::Packet>>,
    /// The number of them on the way to egress for each port, if ports have no queues.
    pub(super) waiting: Vec<u32>,
    /// The queues between ingress and egress and the packets in them, if ports have links of their own.
    pub(super) buffer: Option<Buffer<E::Packet>>,
    /// The number of copies made of that packet, or of the packets that come out of queues in this call.
    pub(super) copies: u32,
    /// The requests of the program that have not been handled yet.
    pub(super) requests: Vec<ir::interpret::Request>,
    /// The memory of the last finished packet, for the next one; most of the time this is all there is. Travellers are
    /// boxed, so that queues move pointers rather than packets.
    pub(super) spare: Option<Box<Traveller<E::Packet>>>,
    /// The memory of other finished packets.
    pub(super) spares: Vec<Box<Traveller<E::Packet>>>,
    pub(super) recorder: Option<Recorder>,
    /// The shapes of superframes that arrived, and whether the program treats their segments alike.
    pub(super) shapes: Vec<(Shape, bool)>,
    /// Whether a multicast group sends several copies to one port; `None` if the groups have changed since this was known.
    pub(super) repeats_ports: Option<bool>,
    pub(super) next_idle: NextIdle,
}

/// A packet that waits, and what is to be done with it.
pub(super) enum Job<P> {
    /// Parser and ingress.
    Ingress(Box<Traveller<P>>),
    /// Offering to the queue of a port, if ports have queues.
    Queue(Box<Traveller<P>>, u64),
    /// Egress for a port without a queue.
    Egress(Box<Traveller<P>>, u32),
}

impl<E: Executor> Switch<E> {
    /// Creates a switch that runs the program of `executor`, which [`ir::verify`] must have accepted. `info` is the
    /// control plane's view of the program. Between the blocks the switch does what the architecture named by `info`
    /// says, or what v1model says if it names none.
    ///
    /// # Errors
    /// Fails with all reasons why the switch cannot run the program.
    pub fn new(executor: E, info: Arc<Info>, parameters: V1modelParameters) -> Result<Self, Unsuitable> {
        let program = executor.program();
        let layout = Layout::new(info.architecture(), program, &parameters, |block| executor.does_nothing(block))?;
        let mut unsuitable = blocks::unsuitable(&executor, &info, parameters.undefined.is_some());
        unsuitable.unless(!super::reads::puts_data_in_front(program), || {
            "the program mirrors or resubmits packets with data in front of them, but this switch clones and resubmits \
             packets only as they are"
                .into()
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
            shapes: Vec::new(),
            repeats_ports: None,
            next_idle: NextIdle::default(),
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

    /// Returns the counters of the switch.
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    /// Handles all pending packets in order.
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

    /// Reports an event of a packet to the recorder, if there is one.
    #[inline(always)] // A call costs more than to see that there is none.
    pub(super) fn note(&mut self, pass: usize, tell: impl FnOnce(&mut Recorder)) {
        if let Some(recorder) = &mut self.recorder {
            recorder.select(pass);
            tell(recorder);
        }
    }

    /// Reports to the recorder that another packet begins here.
    pub(super) fn fork(&mut self, traveller: &mut Traveller<E::Packet>, origin: Origin) {
        if let Some(recorder) = &mut self.recorder {
            traveller.way.pass = recorder.fork(traveller.way.pass, origin, begins(&traveller.packet));
        }
    }
}
