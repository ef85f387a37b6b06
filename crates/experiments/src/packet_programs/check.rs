//! P4 programs on machines, held against the interpreter with packets that go everywhere in them.

use basis::Instant;
use control::{EntrySelection, Request, TableRequest};
use equivalence::coverage::{self, Coverage, Generated};
use equivalence::{Comparison, Effort, Rules, Subject, Witness};
use ir::interpret::PacketInterpreter;
use machines::Device;
use machines::v1model::{Parameters, Switch};
use node::Port;
use serde::Serialize;

use super::{Entries, PacketProgram};
use crate::check::{Held, hold};
use crate::failure::Failure;
use crate::kinds::{Fitted, Kind, Settings};
use crate::memory_need::check_switches;

/// Packets for a program that go everywhere in it, with what the control plane writes before and between them.
pub struct CheckPlan<'p> {
    program: &'p PacketProgram,
    requests: Vec<Request>,
    generated: Generated,
    rules: Rules,
    seed: u64,
}

/// A machine that can be held against the interpreter, or why it cannot hold the program.
pub struct ReadyMachine {
    kind: &'static dyn Kind,
    fitted: Result<Box<dyn Fitted>, String>,
}

impl ReadyMachine {
    /// What it is called.
    pub fn name(&self) -> &'static str {
        self.kind.name()
    }
}

/// What came of holding a machine against the interpreter on packets that go everywhere.
#[derive(Clone, Debug, Serialize)]
pub struct CheckedPackets {
    /// The machine.
    pub machine: String,
    /// Why it cannot hold the program, if it cannot; then nothing was compared.
    pub does_not_fit: Option<String>,
    /// What came of it.
    pub comparison: Option<Comparison>,
    /// The fewest packets that show the difference, if there is one.
    pub witness: Option<Witness>,
    /// Whether none of those packets can be left out.
    pub one_minimal: bool,
    /// True if the machine has stages, through which packets take time.
    #[serde(skip)]
    pub has_stages: bool,
}

impl CheckedPackets {
    /// True if the machine did not do what the program means.
    pub fn shows_difference(&self) -> bool {
        self.comparison.as_ref().is_some_and(|comparison| comparison.verdict.shows_difference())
    }
}

/// How many packets may be run in all to make a difference small: seconds, not minutes.
const EFFORT: u64 = 300_000;
/// How many entries at the most are taken out of their tables, and put in again, while packets come.
const CHANGES: usize = 16;

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
        let mut plan = Self { program, requests, generated, rules: Rules::default(), seed: options.seed };
        plan.rules.requests = plan.changes()?;
        Ok(plan)
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
    pub fn ready(&self, kind: &'static dyn Kind, settings: &Settings) -> Result<ReadyMachine, Failure> {
        match kind.fit(self.program, settings) {
            Err(Failure::DoesNotFit(report)) => Ok(ReadyMachine { kind, fitted: Err(report) }),
            fitted => {
                let fitted = fitted?;
                self.machine(&*fitted)?;
                Ok(ReadyMachine { kind, fitted: Ok(fitted) })
            }
        }
    }

    /// Holds a machine against the interpreter.
    ///
    /// # Errors
    /// Why the program has no meaning to hold it against.
    pub fn check(&self, ready: &ReadyMachine) -> Result<CheckedPackets, Failure> {
        let mut checked = CheckedPackets {
            machine: ready.name().to_owned(),
            does_not_fit: None,
            comparison: None,
            witness: None,
            one_minimal: false,
            has_stages: false,
        };
        let fitted = match &ready.fitted {
            Ok(fitted) => &**fitted,
            Err(report) => {
                checked.does_not_fit = Some(report.clone());
                return Ok(checked);
            }
        };
        let reference = || fitted.reference(self.switch()?);
        reference()?;
        let make_machine = || {
            let machine = self.machine(fitted);
            machine.unwrap_or_else(|_| unreachable!("a machine that could be built can be built again"))
        };
        let make_reference =
            || reference().unwrap_or_else(|_| unreachable!("a reference that could be made can be made again"));
        let subject = Subject { make_reference: &make_reference, make_machine: &make_machine, rules: &self.rules };
        let packets = || self.generated.offered();
        let pipeline = fitted.compiled().map(|compiled| &compiled.pipeline);
        let Held { comparison, witness, one_minimal } =
            hold(&subject, &checked.machine, pipeline, packets, Effort::items(EFFORT));
        let comparison = Some(comparison);
        Ok(CheckedPackets { comparison, witness, one_minimal, has_stages: pipeline.is_some(), ..checked })
    }

    /// Entries of tables that are taken out after a third of the packets, and put in again after two thirds.
    fn changes(&self) -> Result<Vec<(Instant, Request)>, Failure> {
        let packets = &self.generated.packets;
        let [Some(early), Some(late)] = [1, 2].map(|third| packets.get(third * packets.len() / 3)) else {
            return Ok(Vec::new());
        };
        let mut switch = Switch::new(
            PacketInterpreter::new(self.program.program.clone()),
            self.program.info.clone(),
            Parameters::default(),
        )?;
        let accepted = self.requests.iter().filter(|request| switch.execute(request).is_ok());
        let deletes = accepted.filter_map(|request| match request {
            Request::Table(table, TableRequest::Insert { key, priority, .. }) => {
                let entry = EntrySelection::Key { key: key.clone(), priority: *priority };
                Some((Request::Table(*table, TableRequest::Delete(entry)), request.clone()))
            }
            _ => None,
        });
        let pairs: Vec<(Request, Request)> = deletes.collect();
        let step = pairs.len().div_ceil(CHANGES).max(1);
        let (mut out, mut again) = (Vec::new(), Vec::new());
        for (delete, insert) in pairs.into_iter().step_by(step) {
            // What a later request has changed or taken out already stays as it is.
            if switch.execute(&delete).is_ok() {
                out.push((early.at, delete));
                again.push((late.at, insert));
            }
        }
        Ok(out.into_iter().chain(again).collect())
    }

    /// A fresh machine, with everything written that it takes.
    fn machine(&self, fitted: &dyn Fitted) -> Result<Box<dyn Device>, Failure> {
        let mut machine = fitted.build(self.seed)?;
        self.write_to(&mut *machine);
        Ok(machine)
    }

    /// The switch that says what the program means, with everything written that it takes.
    fn switch(&self) -> Result<Switch<PacketInterpreter>, Failure> {
        let parameters = Parameters { seed: self.seed, ..Parameters::default() };
        let executor = PacketInterpreter::new(self.program.program.clone());
        let mut switch = Switch::new(executor, self.program.info.clone(), parameters)?;
        self.write_to(&mut switch);
        Ok(switch)
    }

    /// Asks a device for everything that the control plane writes before the first packet.
    fn write_to(&self, device: &mut dyn Device) {
        for request in &self.requests {
            // As `coverage::generate` has it: what is refused changes nothing.
            let _ = device.execute(request);
        }
    }
}
