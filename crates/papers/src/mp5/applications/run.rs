//! One run of an application on MP5.

use basis::Instant;
use equivalence::{Reference, Rules, Verdict, compare};
use machines::drive;
use machines::mp5::counters::{MOVES, WASTED_CYCLES};
use machines::pipelines::events::Access;
use measure::{Event, Interest};
use node::{Discarded, Offered, Sink, Transmission};
use passes::Compiled;
use serde::Serialize;
use traffic::Prepared;

use super::application::{Application, ports};
use super::cap::AccessCounts;
use super::load::Load;
use super::switch::switch;
use diagnostics::Failure;
use workbench::LoadedProgram;
use workbench::MachinePlan;
use workbench::fit;

/// The parameters of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ApplicationPlan {
    /// The program.
    pub application: Application,
    /// The number of pipelines of the switch, 1 to 64.
    pub pipelines: usize,
    /// The rules that the machine follows.
    pub rules: machines::mp5::Rules,
    /// The rate at which packets arrive.
    pub load: Load,
    /// The number of packets.
    pub packets: u64,
    /// The seed from which packets and the first placement of register indices are drawn.
    pub seed: u64,
    /// Whether to compare with the interpreter, which takes a second run.
    pub checked: bool,
}

/// The outcome of a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ApplicationOutcome {
    /// The number of packets that arrived.
    pub packets: u64,
    /// The mean number of packets per cycle that arrived at each pipeline; 1 is its capacity.
    pub load: f64,
    /// The throughput by the published definition: the time of the last arrival divided by that of the last departure,
    /// including the time to fill and drain the pipeline.
    pub throughput: f64,
    /// The cap on the throughput with these packets for any number of pipelines; 1 if nothing limits it.
    pub cap: f64,
    /// The registers whose busiest value determines the cap; empty if nothing limits the throughput.
    pub limited_by: String,
    /// The greatest number of packets, including phantoms, in the queue of one stage.
    pub largest_queue: u64,
    /// The number of cycles that stages spent on phantoms whose packets took the other branch.
    pub wasted_cycles: u64,
    /// The number of register indices that were moved between pipelines.
    pub moves: u64,
    /// Whether registers and packets equal those of the interpreter; `None` if they were not compared.
    pub equal: Option<bool>,
}

impl ApplicationPlan {
    /// Runs the application.
    ///
    /// # Errors
    /// Fails if the machine cannot be built, or if packets get stuck in it.
    pub fn run(&self) -> Result<ApplicationOutcome, Failure> {
        let loaded = self.application.load()?;
        let plan = switch(self.pipelines, ports(self.pipelines), self.rules, self.seed);
        let compiled = fit(&loaded.program, &plan, &mut ())?;
        let traffic = self.application.traffic(ports(self.pipelines), self.packets, self.seed);
        let prepared = traffic.prepare(&loaded.binding, self.pipelines as u16, plan.parameters.period());
        let prepared = prepared.map_err(|(sources, diagnostics)| Failure::BadInput { sources, diagnostics })?;
        let mut outcome = self.measure(&plan, &compiled, &prepared)?;
        if self.checked {
            outcome.equal = Some(self.equals_the_interpreter(&loaded, &plan, &compiled, &prepared)?);
        }
        Ok(outcome)
    }

    fn offered(&self, plan: &MachinePlan, prepared: &Prepared) -> impl Iterator<Item = Offered> {
        self.load.pace(prepared.packets(), self.pipelines, plan.parameters.period())
    }

    fn measure(
        &self,
        plan: &MachinePlan,
        compiled: &Compiled,
        prepared: &Prepared,
    ) -> Result<ApplicationOutcome, Failure> {
        let mut machine = plan.build(&compiled.pipeline, prepared.binding())?;
        let mut observed = Observed { counts: AccessCounts::new(&compiled.pipeline), last_departure: Instant::ZERO };
        let (mut packets, mut last_arrival) = (0, Instant::ZERO);
        let offered = self.offered(plan, prepared).inspect(|offered| {
            packets += 1;
            last_arrival = offered.at;
        });
        drive(&mut *machine, offered, Interest::of::<Access>(), &mut observed)?;
        let cycles = |at: Instant| at.picoseconds() as f64 / plan.parameters.period().picoseconds() as f64;
        let rate = packets as f64 / cycles(last_arrival).max(1.0);
        let cap = observed.counts.cap(packets, rate);
        let statistics = machine.statistics();
        Ok(ApplicationOutcome {
            packets,
            load: rate / self.pipelines as f64,
            throughput: cycles(last_arrival) / cycles(observed.last_departure).max(1.0),
            cap: cap.share,
            limited_by: cap.registers,
            largest_queue: statistics.largest_queue,
            wasted_cycles: statistics.own(WASTED_CYCLES),
            moves: statistics.own(MOVES),
            equal: None,
        })
    }

    fn equals_the_interpreter(
        &self,
        loaded: &LoadedProgram,
        plan: &MachinePlan,
        compiled: &Compiled,
        prepared: &Prepared,
    ) -> Result<bool, Failure> {
        let mut machine = plan.build(&compiled.pipeline, prepared.binding())?;
        let (packets, rules) = (self.offered(plan, prepared), Rules { access_order: true, ..Rules::default() });
        let comparison = compare(Reference::new(&loaded.program, prepared.binding()), &mut *machine, packets, &rules);
        Ok(comparison.verdict == Verdict::Equal)
    }
}

struct Observed {
    counts: AccessCounts,
    last_departure: Instant,
}

impl Sink for Observed {
    fn transmitted(&mut self, transmission: Transmission) {
        self.last_departure = self.last_departure.max(transmission.at);
    }

    /// Counts a dropped packet as done.
    fn discarded(&mut self, at: Instant, _: Discarded) {
        self.last_departure = self.last_departure.max(at);
    }

    fn event(&mut self, _: Instant, event: Event) {
        if let Ok(Access { unit, index, .. }) = event.read() {
            self.counts.add(unit, index);
        }
    }
}
