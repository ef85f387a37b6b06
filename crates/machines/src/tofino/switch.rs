//! The chip: its state, and how it is driven.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use arch::Architecture;
use basis::{Instant, Random};
use control::{DigestQueue, Info, Plane, Replication};
use ir::Program;
use ir::interpret::{Request, Undefined};
use node::{Outbox, Port, Reason};
use queues::{OutputQueues, SchedulerPlan};
use serde::{Deserialize, Serialize};

use super::agenda::Agenda;
use super::front::Known;
use super::generator::Generators;
use super::ghost::{AtStage, Update};
use super::item::{Item, Side, untraced};
use super::layout::Layout;
use super::lines::Departing;
use super::parameters::TofinoParameters;
use super::ports::{Numbering, Ports};
use super::settings::ChipSettings;
use super::statistics::Statistics;
use super::timing::Timing;
use crate::blocks::{self, Executor, NextIdle};
use crate::trace::{Begins, Origin, Recorder};
use crate::unsuitable::Unsuitable;

/// A chip that runs a program in its pipes: one for all, or one in each.
pub struct Tofino<E: Executor> {
    pub(super) executor: E,
    /// The program of each pipe, or the one of all pipes.
    layouts: Vec<Layout>,
    pub(super) plane: Plane,
    /// The state of each pipe, or the one that all pipes share.
    pub(super) states: Vec<runtime::ProgramState>,
    pub(super) replication: Replication,
    pub(super) digests: DigestQueue,
    pub(super) random: Random,
    pub(super) undefined: Undefined,
    pub(super) parameters: TofinoParameters,
    /// The settings now in force.
    pub(super) settings: ChipSettings,
    pub(super) ports: Ports,
    pub(super) generators: Generators,
    /// What the ghost thread of each state heard last.
    pub(super) last_updates: Vec<Update>,
    /// What ghost threads are going to hear.
    pub(super) updates: Agenda<Update>,
    pub(super) statistics: Statistics,
    /// The time of the current call.
    pub(super) called: Instant,
    /// The time of what the chip is doing: that of the current call, or an earlier one at which something was due.
    pub(super) now: Instant,
    /// What the last arriving packet became and is not done yet.
    pub(super) jobs: VecDeque<Job>,
    /// The number of copies that were made in this call.
    pub(super) copies: u32,
    /// The time at which the packet that was last taken by a gress has passed its deparser.
    pub(super) passed: Instant,
    /// The packet that has just passed egress, until it is put on its link.
    pub(super) departing: Option<Departing>,
    /// The clock and the latencies; `None` if nothing takes time.
    pub(super) timing: Option<Timing>,
    /// Packets on their way from one part of the chip to the next.
    pub(super) agenda: Agenda<Job>,
    /// When links of ports that recirculate are free for the next packet; ports are given by their places in
    /// `queue_ports`.
    pub(super) calls: Agenda<Port>,
    /// The numbers that ports have outside of the chip, if they are not those of the device.
    pub(super) numbering: Option<Numbering>,
    /// The requests of the program that have not been handled yet.
    pub(super) requests: Vec<Request>,
    /// The variables and bytes of the packet that blocks work on. No packet waits in this form.
    pub(super) frame: Option<E::Packet>,
    /// The queues of the ports, if these have links; `None` while they are being called, too.
    pub(super) queues: Option<Box<OutputQueues<Item>>>,
    /// The ports that have queues, whose places are their numbers there.
    pub(super) queue_ports: Ports,
    /// The places of the ports whose queues have changed since the last call.
    pub(super) changed_queues: Vec<Port>,
    /// What the queues of device ports were changed to, for the time when links are put behind them anew.
    pub(super) queue_changes: BTreeMap<u16, SchedulerPlan>,
    pub(super) recorder: Option<Recorder>,
    /// The next time at which an idle timeout may end.
    pub(super) next_idle: NextIdle,
    /// Memory for what lies in front of packets.
    pub(super) front: Vec<u8>,
}

/// A packet that waits, and what is to be done with it.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Job {
    /// The blocks of ingress, at the stage at which a ghost thread writes.
    Stage(AtStage),
    /// Ingress, at a port.
    Ingress(Arrival),
    /// The queue of a port.
    Queue(Item, u32),
}

/// A packet in front of ingress.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Arrival {
    pub(super) packet: wire::Packet,
    pub(super) port: u16,
    pub(super) rounds: u32,
    /// The data that a resubmission put in the place of the port's metadata.
    pub(super) resubmitted: Option<Vec<u8>>,
    /// The number of the packet in its trace.
    #[serde(skip, default = "untraced")]
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
        let (settings, prefixes) = pipes(program, &parameters)?;
        let layouts = prefixes.iter().map(|prefix| Layout::new(info.architecture(), program, prefix));
        let layouts = layouts.collect::<Result<Vec<_>, _>>()?;
        let ports = Ports::of(settings.ports.iter().map(|port| port.number));
        let mut unsuitable = blocks::unsuitable(&executor, &info, parameters.undefined.is_some());
        unsuitable.unless(ports.place(settings.cpu_port).is_some(), || {
            format!("the chip has no port {}, which is to be its CPU port", settings.cpu_port)
        });
        unsuitable.findings.extend(settings.problems(info.architecture().name, &layouts[0].in_front));
        unsuitable.or(())?;
        let states = if parameters.shares_state { 1 } else { settings.pipes };
        let drawn = |seed| Undefined::Drawn(Random::for_part(seed, 1));
        let timing = settings.timed.as_ref().map(|timed| Timing::new(timed.latency, settings.pipes));
        let mut chip = Self {
            states: (0..states).map(|_| program.initial_state()).collect(),
            frame: Some(executor.packet()),
            digests: DigestQueue::new(&info, parameters.digests),
            random: Random::new(parameters.seed),
            undefined: parameters.undefined.map_or(Undefined::Zero, drawn),
            plane: Plane::new(info),
            replication: Replication::new(),
            statistics: Statistics::default(),
            called: Instant::ZERO,
            now: Instant::ZERO,
            jobs: VecDeque::new(),
            copies: 0,
            passed: Instant::ZERO,
            departing: None,
            timing,
            agenda: Agenda::default(),
            calls: Agenda::default(),
            numbering: None,
            requests: Vec::new(),
            queues: None,
            queue_ports: Ports::default(),
            changed_queues: Vec::new(),
            queue_changes: BTreeMap::new(),
            recorder: None,
            next_idle: NextIdle::default(),
            front: Vec::new(),
            executor,
            layouts,
            generators: Generators::default(),
            last_updates: vec![Update::default(); usize::from(states)],
            updates: Agenda::default(),
            settings,
            ports,
            parameters,
        };
        for port in chip.settings.ports.iter().filter(|port| !port.is_up) {
            chip.states.iter_mut().for_each(|state| state.set_port(port.number.into(), false));
            chip.replication.set_port(port.number.into(), false);
        }
        if chip.timing.is_some() {
            chip.link_all();
        }
        Ok(chip)
    }

    /// Returns the executor.
    pub fn executor(&self) -> &E {
        &self.executor
    }

    /// Returns the executor for changing it between packets.
    pub fn executor_mut(&mut self) -> &mut E {
        &mut self.executor
    }

    /// Returns the state of each pipe, or the one that all pipes share.
    pub fn states(&self) -> &[runtime::ProgramState] {
        &self.states
    }

    /// Returns the device port of a port as the node's caller numbers it; a number that is no port's if there is none.
    pub(super) fn device_port(&self, port: Port) -> u16 {
        self.numbering.as_ref().map_or(port.0, |numbering| numbering.device(port))
    }

    /// Returns the number that the node's caller has for a device port.
    pub(super) fn node_port(&self, device: u16) -> Port {
        self.numbering.as_ref().map_or(Port(device), |numbering| numbering.number(device))
    }

    /// Fails with the reason why no packet can come in by a device port or leave by it.
    pub(super) fn admits(&self, device: u16) -> Result<(), Reason> {
        // Settings and ports are in the same order.
        let place = self.ports.place(device).ok_or(Reason::NO_SUCH_PORT)?;
        let is_up = self.settings.ports.get(usize::from(place.0)).is_none_or(|port| port.is_up);
        is_up.then_some(()).ok_or(super::reasons::PORT_DOWN)
    }

    pub(super) fn architecture(&self) -> &'static Architecture {
        self.layouts[0].architecture
    }

    /// Returns the program of a pipe.
    pub(super) fn layout(&self, pipe: usize) -> &Layout {
        // One program runs in all pipes.
        self.layouts.get(pipe).unwrap_or(&self.layouts[0])
    }

    /// Returns the index in `states` of the state of a pipe.
    pub(super) fn state_of(&self, pipe: usize) -> usize {
        if self.parameters.shares_state { 0 } else { pipe }
    }

    /// Returns the name of the last block that a packet was in when it leaves ingress, which is the same in all pipes.
    pub(super) fn ingress_deparser(&self) -> &'static str {
        self.layouts[0].ingress.deparser.0
    }

    /// Returns the name of the last block that a packet was in when it leaves egress.
    pub(super) fn egress_deparser(&self) -> &'static str {
        self.layouts[0].egress.deparser.0
    }

    /// Handles all pending packets in order.
    pub(super) fn work(&mut self, now: Instant, out: &mut Outbox) {
        while let Some(job) = self.jobs.pop_front() {
            match job {
                Job::Ingress(arrival) => self.ingress(now, arrival, out),
                Job::Stage(at_stage) => self.ingress_at_stage(at_stage, out),
                Job::Queue(item, port) => self.offer(now, item, port, out),
            }
        }
    }

    /// Reports an event of a packet to the recorder, if there is one.
    pub(super) fn note(&mut self, pass: usize, tell: impl FnOnce(&mut Recorder)) {
        if let Some(recorder) = self.recorder.as_mut().filter(|_| pass != untraced()) {
            recorder.select(pass);
            tell(recorder);
        }
    }

    /// Reports to the recorder that another packet begins with these bytes. Returns its number.
    pub(super) fn fork(&mut self, pass: usize, origin: Origin, packet: &wire::Packet) -> usize {
        let Some(recorder) = self.recorder.as_mut().filter(|_| pass != untraced()) else { return untraced() };
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
        Known { now, departure_port: port, side, length, arrival_port: side.from, ..Known::default() }
    }
}

/// Returns the settings of a chip for a program, and what the names of the entrances of each pipe's program begin with: one
/// prefix, which is empty, if one program runs in all pipes.
fn pipes(program: &Program, parameters: &TofinoParameters) -> Result<(ChipSettings, Vec<String>), Unsuitable> {
    let programs = arch::programs_of_pipes(program);
    let settings = parameters.chip.clone().unwrap_or_else(|| ChipSettings::for_program(program));
    if programs == 1 {
        return Ok((settings, vec![String::new()]));
    }
    if programs != usize::from(settings.pipes) {
        let finding = format!(
            "the program has a program of its own for each of {programs} pipes, and the chip has {}: it takes one program for \
             all pipes, or one for each",
            settings.pipes
        );
        return Err(Unsuitable { findings: vec![finding] });
    }
    Ok((settings, (0..programs).map(arch::pipe_prefix).collect()))
}
