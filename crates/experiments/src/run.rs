//! One program on one machine on one stream of packets, held against the interpreter all along.

use std::cell::RefCell;

use basis::Instant;
use equivalence::{Comparison, Flows, Reference, Rules, Watcher, compare_watched};
use ir::pipeline::Division;
use machines::{Device, Timeline};
use node::Offered;
use passes::Compiled;
use runtime::RegisterFile;
use runtime::binding::Binding;
use traffic::{Prepared, Traffic};

use crate::failure::Failure;
use crate::fit::fit;
use crate::machine::{MachinePlan, for_each_access};
use crate::memory_need::check_machine;
use crate::program::LoadedProgram;
use crate::progress::Progress;

/// What is to be run.
pub struct Run<'r> {
    /// The program.
    pub loaded: &'r LoadedProgram,
    /// The machine.
    pub plan: MachinePlan,
    /// The packets.
    pub traffic: &'r Traffic,
}

/// What came of it.
pub struct Outcome {
    /// The machine, with everything that depended on the packets decided.
    pub plan: MachinePlan,
    /// The program as the machine ran it.
    pub compiled: Compiled,
    /// The machine against the interpreter.
    pub comparison: Comparison,
    /// The machine's registers at the end.
    pub registers: RegisterFile,
    /// How many packets had come by when.
    pub arrivals: Progress,
    /// How many packets had left by when.
    pub departures: Progress,
    /// What was where in each cycle, if that was to be recorded.
    pub timeline: Option<Timeline>,
}

/// A run that is known to be possible: the program fits and the traffic is right.
pub struct ReadyRun<'r> {
    /// The program.
    pub loaded: &'r LoadedProgram,
    /// The machine.
    pub plan: MachinePlan,
    /// The program, fitted.
    pub compiled: Compiled,
    /// The packets.
    pub traffic: Prepared,
    /// The number of cycles of which a timeline is recorded; 0 is none.
    pub timeline: u64,
}

impl ReadyRun<'_> {
    /// How fields bind to the packets.
    pub fn binding(&self) -> &Binding {
        self.traffic.binding()
    }

    /// The share of the offered rate that no machine of parallel pipelines can exceed on these packets without
    /// changing what the program means: a register value takes one access a cycle of one pipeline, and what lies in
    /// one pipeline takes one in all (MP5 section 3.5.2).
    pub fn cap(&self) -> f64 {
        let pipeline = &self.compiled.pipeline;
        let period = self.plan.parameters.period();
        // When each value, or each pipeline that holds many, would be done if it alone held packets up.
        let mut done: Vec<Vec<Instant>> =
            pipeline.accesses.iter().map(|access| vec![Instant::ZERO; pipeline.indices_of(access)]).collect();
        for_each_access(pipeline, self.binding(), self.traffic.packets(), |at, access, index| {
            let pinned = pipeline.accesses[access].division == Division::Whole;
            let place = &mut done[access][if pinned { 0 } else { index }];
            *place = at.max(*place) + period;
        });
        let mut arrivals = self.traffic.packets().map(|offered| offered.at);
        let first = arrivals.next().unwrap_or_default();
        let offered = arrivals.last().unwrap_or(first).since(first);
        // The first packet is done a period after it came: that is latency.
        let needed = done.into_iter().flatten().max().unwrap_or_default().since(first + period);
        if needed > offered { offered.seconds() / needed.seconds() } else { 1.0 }
    }

    /// A fresh machine.
    pub fn machine(&self) -> Box<dyn Device> {
        let machine = self.plan.build(&self.compiled.pipeline, self.binding());
        // The same machine was built once when the run was made ready.
        machine.unwrap_or_else(|_| unreachable!("a machine that could be built can be built again"))
    }

    /// What the machine is held to: the registers and every packet; the order within flows too, if the machine is
    /// asked to keep it, which MP5 else promises only to flows whose packets access the same state (section 3.4).
    pub fn rules(&self) -> Rules {
        let program = &self.loaded.program;
        let fields: Vec<_> = self.plan.flow_order.iter().filter_map(|name| program.variable_named(name)).collect();
        if fields.is_empty() {
            return Rules::default();
        }
        Rules { flows: Flows::Fields(fields), flow_order: true, ..Rules::default() }
    }

    /// Runs it, and shows `watcher`, if there is one, what the machine puts out.
    ///
    /// # Errors
    /// If a file of the traffic changes while it is read.
    pub fn go(self, watcher: Option<&mut dyn Watcher>) -> Result<Outcome, Failure> {
        let mut both = Both { departures: Progress::new(), other: watcher };
        let mut machine = self.machine();
        if self.timeline > 0 {
            machine.record_timeline(self.timeline);
        }
        let arrivals = RefCell::new(Progress::new());
        let mut stream = self.traffic.packets();
        let packets = Noted { stream: &mut stream, arrivals: &arrivals };
        let reference = Reference::new(&self.loaded.program, self.binding());
        let comparison = compare_watched(reference, &mut *machine, packets, &self.rules(), Some(&mut both));
        let (registers, timeline) = (machine.state().into_owned().registers, machine.timeline().cloned());
        if let Some(trouble) = stream.trouble() {
            return Err(Failure::plain(trouble));
        }
        let Self { plan, compiled, .. } = self;
        let (arrivals, departures) = (arrivals.into_inner(), both.departures);
        Ok(Outcome { plan, compiled, comparison, registers, arrivals, departures, timeline })
    }
}

impl<'r> Run<'r> {
    /// Reads the traffic's files and sees that they are right for the program.
    ///
    /// # Errors
    /// Everything that is wrong with the traffic.
    pub fn prepare(&self) -> Result<Prepared, Failure> {
        let pipelines = u16::try_from(self.plan.parameters.pipelines()).unwrap_or(u16::MAX);
        let prepared = self.traffic.prepare(&self.loaded.binding, pipelines, self.plan.parameters.period());
        prepared.map_err(|(sources, diagnostics)| Failure::BadInput { sources, diagnostics })
    }

    /// Fits the program, reads the traffic's files and sees that the machine can be built.
    ///
    /// # Errors
    /// Whatever is wrong with any of them.
    pub fn ready(&self) -> Result<ReadyRun<'r>, Failure> {
        let compiled = fit(&self.loaded.program, &self.plan, &mut ())?;
        self.assemble(compiled, self.prepare()?)
    }

    /// As [`Run::ready`], on traffic that [`Run::prepare`] gave for this program, clock and number of pipelines.
    ///
    /// # Errors
    /// A program that does not fit, or a machine that cannot be built.
    pub fn ready_on(&self, traffic: Prepared) -> Result<ReadyRun<'r>, Failure> {
        self.assemble(fit(&self.loaded.program, &self.plan, &mut ())?, traffic)
    }

    fn assemble(&self, compiled: Compiled, traffic: Prepared) -> Result<ReadyRun<'r>, Failure> {
        check_machine(&compiled.pipeline.program, &self.plan)?;
        let plan = self.plan.placed_for(&compiled.pipeline, traffic.binding(), traffic.packets())?;
        plan.build(&compiled.pipeline, traffic.binding())?;
        Ok(ReadyRun { loaded: self.loaded, plan, compiled, traffic, timeline: 0 })
    }

    /// Runs it.
    ///
    /// # Errors
    /// As [`Run::ready`], and as [`ReadyRun::go`].
    pub fn go(&self) -> Result<Outcome, Failure> {
        self.ready()?.go(None)
    }
}

/// Packets on their way to a machine, with their arrivals noted.
struct Noted<'n, I> {
    stream: &'n mut I,
    arrivals: &'n RefCell<Progress>,
}

impl<I: Iterator<Item = Offered>> Iterator for Noted<'_, I> {
    type Item = Offered;

    fn next(&mut self) -> Option<Offered> {
        let offered = self.stream.next()?;
        self.arrivals.borrow_mut().add(offered.at.picoseconds());
        Some(offered)
    }
}

/// The curve of every run, and whoever watches beside.
struct Both<'b> {
    departures: Progress,
    other: Option<&'b mut dyn Watcher>,
}

impl Watcher for Both<'_> {
    fn transmitted(&mut self, transmission: &node::Transmission) {
        self.departures.transmitted(transmission);
        if let Some(other) = &mut self.other {
            other.transmitted(transmission);
        }
    }

    fn discarded(&mut self, at: Instant, discarded: &node::Discarded) {
        if let Some(other) = &mut self.other {
            other.discarded(at, discarded);
        }
    }

    fn event(&mut self, event: &measure::Event) {
        if let Some(other) = &mut self.other {
            other.event(event);
        }
    }
}
