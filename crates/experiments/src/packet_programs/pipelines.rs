//! P4 programs on machines with pipelines: fitted, and held against the interpreter.

use control::Request;
use equivalence::coverage::{self, Coverage, Generated};
use equivalence::{Comparison, Effort, Reference, Rules, Subject, Witness};
use ir::interpret::PacketInterpreter;
use machines::Device;
use machines::edge::ProgramEdge;
use machines::v1model::{Executor, Parameters, Switch};
use native::Native;
use node::Port;
use passes::flatten::{Flattened, Options, flatten};
use passes::{Compiled, Observer, ResourceReport};
use serde::Serialize;

use super::{Entries, PacketProgram, native_check};
use crate::check::{Held, hold};
use crate::failure::Failure;
use crate::fit::fit;
use crate::machine::MachinePlan;
use crate::memory_need::{check_machine, check_switches};

/// A P4 program as a machine with pipelines runs it.
#[derive(Clone, Debug)]
pub struct FittedPacketProgram {
    /// Its parser, its match-action part and its deparser.
    pub flattened: Flattened,
    /// The match-action part, in stages.
    pub compiled: Compiled,
}

impl PacketProgram {
    /// The program without calls, tables that run actions, stacks and exits: what pipelines take.
    ///
    /// # Errors
    /// Everything that no pipeline can do.
    pub fn flatten(&self) -> Result<Flattened, Failure> {
        flatten(&self.program, &Options::default()).map_err(|findings| {
            let report = ResourceReport { program: self.program.name.clone(), findings, smallest: None };
            Failure::DoesNotFit(report.to_string())
        })
    }

    /// Fits the program to a machine, and tells `observer` of each step.
    ///
    /// # Errors
    /// Everything that no pipeline can do, or that this machine has not room for.
    pub fn fit(&self, plan: &MachinePlan, observer: &mut dyn Observer) -> Result<FittedPacketProgram, Failure> {
        observer.begins("flatten");
        let flattened = self.flatten()?;
        let compiled = fit(&flattened.flat, plan, observer)?;
        Ok(FittedPacketProgram { flattened, compiled })
    }
}

/// Packets for a program that go everywhere in it, with what the control plane writes before the first one.
pub struct CheckPlan<'p> {
    program: &'p PacketProgram,
    requests: Vec<Request>,
    generated: Generated,
    /// What pipelines run; or why none can.
    flattened: Result<Flattened, String>,
}

/// A machine with pipelines that can be held against the interpreter, or why it cannot hold the program.
pub struct ReadyMachine<'c> {
    plan: MachinePlan,
    fitted: Result<(&'c Flattened, Compiled), String>,
}

impl ReadyMachine<'_> {
    /// What it is called.
    pub fn name(&self) -> &'static str {
        self.plan.architecture.name()
    }
}

/// Machine code that can be held against the interpreter.
pub struct ReadyNative(Native);

/// What came of holding a machine against the interpreter on packets that go everywhere.
#[derive(Clone, Debug, Serialize)]
pub struct CheckedPackets {
    /// The machine.
    pub machine: String,
    /// Why it cannot hold the program, if it cannot; then nothing was compared.
    pub does_not_fit: Option<String>,
    /// What came of it, if it is a machine with pipelines.
    pub comparison: Option<Comparison>,
    /// What machine code makes otherwise, in words, if the machine is `native` and it does.
    pub difference: Option<String>,
    /// The fewest packets that show the difference, if there is one.
    pub witness: Option<Witness>,
    /// Whether none of those packets can be left out.
    pub one_minimal: bool,
}

/// The name of machine code among the machines.
pub const NATIVE: &str = "native";

impl CheckedPackets {
    fn of(machine: &str) -> Self {
        Self {
            machine: machine.to_owned(),
            does_not_fit: None,
            comparison: None,
            difference: None,
            witness: None,
            one_minimal: false,
        }
    }

    /// True if the machine did not do what the program means.
    pub fn shows_difference(&self) -> bool {
        self.difference.is_some()
            || self.comparison.as_ref().is_some_and(|comparison| comparison.verdict.shows_difference())
    }
}

/// How many packets may be run in all to make a difference small: seconds, not minutes.
const EFFORT: u64 = 300_000;

impl<'p> CheckPlan<'p> {
    /// Makes packets. Those of packet tests among the entries come first.
    ///
    /// # Errors
    /// What v1model needs and the program lacks.
    pub fn new(program: &'p PacketProgram, entries: &Entries, options: &coverage::Options) -> Result<Self, Failure> {
        // The two that make the packets and the one that is the reference.
        check_switches(&program.program, 3)?;
        let requests: Vec<Request> = entries.requests().cloned().collect();
        let seed = |(port, bytes): (u32, &[u8])| u16::try_from(port).ok().map(|port| (Port(port), bytes.to_vec()));
        let seeds: Vec<(Port, Vec<u8>)> = entries.packets().filter_map(seed).collect();
        let generated = coverage::generate(&program.program, &program.info, &requests, &seeds, options)?;
        Ok(Self { program, requests, generated, flattened: refused(program.flatten())? })
    }

    /// What the packets reach.
    pub fn coverage(&self) -> &Coverage {
        &self.generated.coverage
    }

    /// How many packets there are.
    pub fn packets(&self) -> usize {
        self.generated.packets.len()
    }

    /// Fits the program to a machine. That the machine cannot hold the program is an outcome, too.
    ///
    /// # Errors
    /// A machine that cannot be built.
    pub fn ready(&self, plan: &MachinePlan) -> Result<ReadyMachine<'_>, Failure> {
        let fitted = self.fitted(plan)?;
        let mut plan = plan.clone();
        if let Ok((_, compiled)) = &fitted {
            check_machine(&compiled.pipeline.program, &plan)?;
            plan = plan.placed_by_name(&compiled.pipeline)?;
        }
        Ok(ReadyMachine { plan, fitted })
    }

    /// Holds a machine against the interpreter.
    ///
    /// # Errors
    /// A machine that cannot be built.
    pub fn check(&self, ready: &ReadyMachine<'_>) -> Result<CheckedPackets, Failure> {
        let ReadyMachine { plan, fitted } = ready;
        let mut checked = CheckedPackets::of(plan.architecture.name());
        let (flattened, compiled) = match fitted {
            Ok((flattened, compiled)) => (*flattened, compiled),
            Err(report) => {
                checked.does_not_fit = Some(report.clone());
                return Ok(checked);
            }
        };
        let build = || -> Result<Box<dyn Device>, Failure> {
            let edge = ProgramEdge::new(flattened)?;
            let mut machine = plan.build_on(&compiled.pipeline, edge, Some((self.program, flattened)))?;
            self.write_to(&mut *machine);
            Ok(machine)
        };
        build()?;
        let make_machine =
            || build().unwrap_or_else(|_| unreachable!("a machine that could be built can be built again"));
        let reference = || Ok::<_, Failure>(Reference::of_packets(flattened, self.switch()?)?);
        reference()?;
        let make_reference =
            || reference().unwrap_or_else(|_| unreachable!("a reference that could be made can be made again"));
        let rules = Rules::default();
        let subject = Subject { make_reference: &make_reference, make_machine: &make_machine, rules: &rules };
        let packets = || self.generated.offered();
        let Held { comparison, witness, one_minimal } =
            hold(&subject, &checked.machine, &compiled.pipeline, packets, Effort::items(EFFORT));
        Ok(CheckedPackets { comparison: Some(comparison), witness, one_minimal, ..checked })
    }

    /// The program fitted to a machine, or the report of why that cannot hold it.
    fn fitted(&self, plan: &MachinePlan) -> Result<Result<(&Flattened, Compiled), String>, Failure> {
        let flattened = match &self.flattened {
            Ok(flattened) => flattened,
            Err(report) => return Ok(Err(report.clone())),
        };
        Ok(refused(fit(&flattened.flat, plan, &mut ()))?.map(|compiled| (flattened, compiled)))
    }

    /// Makes the program's machine code.
    ///
    /// # Errors
    /// A processor that no code can be made for.
    pub fn ready_native(&self) -> Result<ReadyNative, Failure> {
        let compiled = Native::compile(self.program.program.clone());
        compiled.map(ReadyNative).map_err(|reason| Failure::plain(reason.to_string()))
    }

    /// Holds machine code against the interpreter: everything that leaves, and all state at the end.
    ///
    /// # Errors
    /// What v1model needs and the program lacks.
    pub fn check_native(&self, ready: ReadyNative) -> Result<CheckedPackets, Failure> {
        let mut machine = self.switch_of(ready.0)?;
        let difference = native_check::difference(&mut self.switch()?, &mut machine, self.generated.offered());
        Ok(CheckedPackets { difference, ..CheckedPackets::of(NATIVE) })
    }

    /// The switch that says what the program means, with everything written that it takes.
    fn switch(&self) -> Result<Switch<PacketInterpreter>, Failure> {
        self.switch_of(PacketInterpreter::new(self.program.program.clone()))
    }

    fn switch_of<E: Executor>(&self, executor: E) -> Result<Switch<E>, Failure> {
        let mut switch = Switch::new(executor, self.program.info.clone(), Parameters::default())?;
        self.write_to(&mut switch);
        Ok(switch)
    }

    /// Asks a device for everything that the control plane writes.
    fn write_to(&self, device: &mut dyn Device) {
        for request in &self.requests {
            // As `coverage::generate` has it: what is refused changes nothing.
            let _ = device.execute(request);
        }
    }
}

/// That a machine cannot hold a program is an outcome, and no failure.
fn refused<T>(outcome: Result<T, Failure>) -> Result<Result<T, String>, Failure> {
    match outcome {
        Err(Failure::DoesNotFit(report)) => Ok(Err(report)),
        other => other.map(Ok),
    }
}
