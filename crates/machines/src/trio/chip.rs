//! The chip: its state, and how it is built.

use std::sync::Arc;

use basis::{Clock, Duration, Instant};
use control::{DigestQueue, Info, Plane, Replication};
use ir::Threads;
use ir::interpret::threads::{Instructions, Output, Thread};
use ir::threads::{Cause, TimerId};
use node::Reason;
use queues::OutputQueues;
use runtime::ProgramState;

use super::calendar::Calendar;
use super::dispatch::Dispatch;
use super::engines::Engines;
use super::event::Event;
use super::memory::{MemorySystem, Requester, Times};
use super::output::Item;
use super::packets::Leaving;
use super::parameters::TrioParameters;
use super::reorder::Reorder;
use super::slot::Slot;
use super::statistics::Statistics;
use super::timeline::Slices;
use super::timers::Timers;
use super::trace::Traces;
use crate::blocks::NextIdle;
use crate::unsuitable::Unsuitable;

/// A packet forwarding engine of Trio that runs a program of threads: the words of an image, or the IR.
pub struct Trio<C> {
    pub(super) code: C,
    pub(super) parameters: TrioParameters,
    pub(super) clock: Clock,
    pub(super) plane: Plane,
    /// What all threads share.
    pub(super) state: ProgramState,
    pub(super) replication: Replication,
    pub(super) digests: DigestQueue,
    pub(super) next_idle: NextIdle,
    /// Whether the chip has been called.
    pub(super) has_begun: bool,
    /// The time of the present call.
    pub(super) now: Instant,
    /// The first cycle that has not passed.
    pub(super) cycle: u64,
    pub(super) calendar: Calendar<Event>,
    pub(super) slots: Vec<Slot>,
    pub(super) engines: Engines,
    pub(super) dispatch: Dispatch,
    pub(super) memory: MemorySystem,
    pub(super) reorder: Reorder<Leaving>,
    pub(super) timers: Timers,
    /// What transactions ask of the chip at the time at which they take effect.
    pub(super) pending: Vec<Option<(u32, Output)>>,
    /// The free places of that list.
    pub(super) free_pending: Vec<u32>,
    /// The queues of the ports and their links; `None` while they are being called.
    pub(super) queues: Option<Box<OutputQueues<Item>>>,
    pub(super) statistics: Statistics,
    /// The number of ports that lead somewhere.
    pub(super) ports: u32,
    /// The reasons that the program declares.
    pub(super) reasons: Vec<Reason>,
    /// The number of threads inside that keep the chip from being at rest.
    pub(super) working: u32,
    /// The number of packets in queues that such threads have sent.
    pub(super) queued: u64,
    /// The number of threads that have begun.
    pub(super) threads: u64,
    pub(super) memory_of_calls: Scratch,
    /// The records of packets, if somebody asks for them.
    pub(super) traces: Option<Traces>,
    /// The record of the first cycles, if somebody asks for it.
    pub(super) slices: Option<Slices>,
}

/// Memory that calls use again.
#[derive(Default)]
pub(super) struct Scratch {
    pub(super) events: Vec<Event>,
    pub(super) entered: Vec<(Requester, Times)>,
    pub(super) outputs: Vec<Output>,
    pub(super) leaving: Vec<Leaving>,
    pub(super) bytes: Vec<u8>,
    pub(super) flow: Vec<u64>,
}

impl<C: Instructions> Trio<C> {
    /// Creates a chip that runs a program. `info` is the control plane's view of it.
    ///
    /// # Errors
    /// Fails with all reasons why the chip cannot run the program.
    pub fn new(mut code: C, info: Arc<Info>, parameters: TrioParameters) -> Result<Self, Unsuitable> {
        code.declarations_mut().limit = parameters.instructions;
        let program = Arc::clone(code.declarations().program());
        let threads = code.declarations().threads();
        unsuitable(threads, &parameters)?;
        let clock = parameters.clock();
        let mut chip = Self {
            state: program.initial_state(),
            replication: Replication::new(),
            digests: DigestQueue::new(&info, parameters.digests),
            plane: Plane::new(info),
            next_idle: NextIdle::default(),
            has_begun: false,
            now: Instant::ZERO,
            cycle: 0,
            calendar: Calendar::default(),
            slots: (0..parameters.ppes * parameters.threads).map(|_| Slot::default()).collect(),
            engines: Engines::new(parameters.ppes, parameters.threads),
            dispatch: Dispatch::new(parameters.ppes, parameters.threads),
            memory: MemorySystem::new(&parameters.memory(), threads, parameters.ppes),
            reorder: Reorder::new(parameters.reorder_queues),
            timers: Timers::new(&threads.timers),
            pending: Vec::new(),
            free_pending: Vec::new(),
            queues: None,
            statistics: Statistics::default(),
            ports: 0,
            reasons: super::reasons::of_program(threads),
            working: 0,
            queued: 0,
            threads: 0,
            memory_of_calls: Scratch::default(),
            traces: None,
            slices: None,
            clock,
            parameters,
            code,
        };
        chip.link_own();
        chip.start_periodic_timers(Instant::ZERO);
        Ok(chip)
    }

    /// Starts the timers that run from the beginning.
    pub(super) fn start_periodic_timers(&mut self, now: Instant) {
        let program = Arc::clone(self.code.declarations().program());
        let periods = program.threads.iter().flat_map(|threads| &threads.timers).map(|timer| timer.period);
        for (timer, period) in periods.enumerate() {
            if let Some(period) = period {
                let period = Duration::from_nanoseconds(period);
                self.timers.start(TimerId::from(timer), period, false, now, self.clock);
            }
        }
    }

    /// Returns the parameters of the chip.
    pub fn parameters(&self) -> &TrioParameters {
        &self.parameters
    }

    /// Returns what all threads share.
    pub fn program_state(&self) -> &ProgramState {
        &self.state
    }

    /// Returns the engine of a thread.
    #[inline]
    pub(super) fn ppe(&self, thread: u32) -> u32 {
        thread / self.parameters.threads
    }

    /// Returns the engine of a thread, and its place there.
    pub(super) fn place(&self, thread: u32) -> [u32; 2] {
        [thread / self.parameters.threads, thread % self.parameters.threads]
    }

    /// Returns a thread that has ended, in whose memory others can begin.
    pub(super) fn blank_thread(&self) -> Thread {
        let cause = self.code.declarations().threads().entrances[0].cause;
        let start = super::dispatch::start(cause, Instant::ZERO, 0);
        Thread::new(&self.code, &start).expect("the cause has an entrance")
    }
}

/// Fails with all reasons why a chip cannot run a program.
fn unsuitable(threads: &Threads, parameters: &TrioParameters) -> Result<(), Unsuitable> {
    let mut unsuitable = Unsuitable { findings: parameters.problems() };
    unsuitable.unless(!threads.entrances.is_empty(), || "no thread begins: the program has no entrance".to_owned());
    let mut at_most = |what: &str, has: u64, most: u64| {
        unsuitable.unless(has <= most, || format!("the program has {has} {what}, and the chip has {most}"));
    };
    at_most("bytes of local memory", threads.local_memory.bytes.into(), parameters.local_memory.into());
    at_most("bytes in the head of a packet", threads.head.bytes.into(), parameters.head_bytes.into());
    at_most("timers", threads.timers.len() as u64, parameters.timers.into());
    unsuitable.findings.extend(parameters.memory.shortages(threads));
    unsuitable.or(())
}

/// Returns the timer of a cause, if it is one.
pub(super) const fn timer_of(cause: Cause) -> Option<TimerId> {
    match cause {
        Cause::Timer(timer) => Some(timer),
        Cause::Packet | Cause::Event(_) => None,
    }
}
