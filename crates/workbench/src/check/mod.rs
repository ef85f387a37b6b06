//! Machines held against the interpreter, and the fewest packets that show a difference.

mod changes;
mod held;

use equivalence::coverage::{self, Coverage, Generated};
use equivalence::{Comparison, Effort, Rules, Subject, Witness};
use machines::Device;
use node::{Offered, Port};
use serde::Serialize;
use traffic::Prepared;

pub(crate) use held::{Held, hold};

use crate::Entries;
use crate::kinds::{Fitted, Kind, Settings};
use crate::memory_need::check_switches;
use crate::program::LoadedProgram;
use crate::run::Offer;
use diagnostics::Failure;

/// Packets for a program, with what the control plane writes before and between them.
pub struct CheckPlan<'p> {
    program: &'p LoadedProgram,
    streams: Vec<Stream>,
    requests: Vec<control::Request>,
    changes: Vec<(basis::Instant, control::Request)>,
    coverage: Option<Coverage>,
    seed: u64,
}

/// Packets, the same each time.
struct Stream {
    name: String,
    packets: Packets,
    effort: u64,
}

enum Packets {
    /// Made to go everywhere in the program.
    Made(Vec<Offered>),
    /// Of a plan of traffic.
    Planned(Box<Prepared>),
    /// Of captures.
    Captured(Vec<Offered>),
}

/// A program fitted to a machine, ready to be held against the interpreter; or why the machine cannot hold it.
pub struct ReadyMachine {
    kind: &'static dyn Kind,
    /// For each stream of the plan.
    fitted: Result<Vec<Box<dyn Fitted>>, String>,
}

/// What came of holding one machine against the interpreter on one stream of packets.
#[derive(Clone, Debug, Serialize)]
pub struct Checked {
    /// The machine.
    pub machine: String,
    /// The packets, if a plan of traffic says which they are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub traffic: Option<String>,
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

impl Checked {
    /// True if the machine did not do what the program means.
    pub fn shows_difference(&self) -> bool {
        self.comparison.as_ref().is_some_and(|comparison| comparison.verdict.shows_difference())
    }
}

/// How many packets of a plan of traffic may be run in all to make a difference small: seconds, not minutes.
const EFFORT: u64 = 3_000_000;
/// The same of packets that go everywhere, for which both ends of a program are run.
const EFFORT_EVERYWHERE: u64 = 300_000;

impl<'p> CheckPlan<'p> {
    /// Makes packets that go everywhere in a program with a parser. Those of packet tests among the entries come first.
    ///
    /// # Errors
    /// What v1model needs and the program lacks.
    pub fn everywhere(
        program: &'p LoadedProgram,
        entries: &Entries,
        options: &coverage::Options,
    ) -> Result<Self, Failure> {
        // The two that make the packets and the one that is the reference.
        check_switches(&program.program, 3)?;
        let requests: Vec<control::Request> = entries.requests().cloned().collect();
        let seed = |(port, bytes): (u32, &[u8])| u16::try_from(port).ok().map(|port| (Port(port), bytes.to_vec()));
        let seeds: Vec<(Port, Vec<u8>)> = entries.packets().filter_map(seed).collect();
        let generated = coverage::generate(&program.program, &program.info, &requests, &seeds, options)?;
        let offered: Vec<Offered> = generated.offered().collect();
        let Generated { coverage, .. } = generated;
        Ok(Self {
            program,
            changes: changes::changes(program, &requests, &offered)?,
            streams: vec![Stream {
                name: "made to go everywhere".to_owned(),
                packets: Packets::Made(offered),
                effort: EFFORT_EVERYWHERE,
            }],
            requests,
            coverage: Some(coverage),
            seed: options.seed,
        })
    }

    /// Takes packets that are named, one stream after the other. Those of captures are read at once: `packets` of each at the
    /// most.
    ///
    /// # Errors
    /// Captures that cannot be read.
    pub fn on_traffic(
        program: &'p LoadedProgram,
        entries: &Entries,
        offers: impl IntoIterator<Item = Offer>,
        packets: Option<u64>,
        seed: u64,
    ) -> Result<Self, Failure> {
        let stream = |offer: Offer| {
            let (name, effort) = (offer.name(), EFFORT);
            Ok(match offer {
                Offer::Traffic(planned) => Stream { name, packets: Packets::Planned(Box::new(planned.1)), effort },
                captures => Stream { name, packets: Packets::Captured(captures.read(packets)?), effort },
            })
        };
        let streams = offers.into_iter().map(stream).collect::<Result<Vec<_>, Failure>>()?;
        let requests = entries.requests().cloned().collect();
        Ok(Self { program, streams, requests, changes: Vec::new(), coverage: None, seed })
    }

    /// What the packets reach, if they were made to go everywhere.
    pub fn coverage(&self) -> Option<&Coverage> {
        self.coverage.as_ref()
    }

    /// How many packets there are, if they were made to go everywhere.
    pub fn packets(&self) -> Option<usize> {
        self.streams.iter().find_map(|stream| match &stream.packets {
            Packets::Made(packets) => Some(packets.len()),
            Packets::Planned(_) | Packets::Captured(_) => None,
        })
    }

    /// Fits the program to a machine. That the machine cannot hold the program is an outcome, too.
    ///
    /// # Errors
    /// A machine that cannot be built.
    pub fn ready(&self, kind: &'static dyn Kind, settings: &Settings) -> Result<ReadyMachine, Failure> {
        let fit = |stream: &Stream| {
            let packets = match &stream.packets {
                Packets::Made(_) | Packets::Captured(_) => None,
                Packets::Planned(prepared) => Some((**prepared).clone()),
            };
            let fitted = kind.fit(self.program, &Settings { packets, ..settings.clone() })?;
            self.machine(&*fitted)?;
            fitted.reference(self.seed, &|device| self.write_to(device))?;
            Ok(fitted)
        };
        match self.streams.iter().map(fit).collect() {
            Err(Failure::DoesNotFit(report)) => Ok(ReadyMachine { kind, fitted: Err(report) }),
            fitted => Ok(ReadyMachine { kind, fitted: Ok(fitted?) }),
        }
    }

    /// Holds a machine against the interpreter: an outcome for each stream, or one if it cannot hold the program.
    pub fn check(&self, ready: &ReadyMachine) -> Vec<Checked> {
        match &ready.fitted {
            Ok(fitted) => {
                let each = self.streams.iter().zip(fitted);
                each.map(|(stream, fitted)| self.check_on(stream, ready.name(), &**fitted)).collect()
            }
            Err(report) => vec![Checked {
                machine: ready.name().to_owned(),
                traffic: None,
                does_not_fit: Some(report.clone()),
                comparison: None,
                witness: None,
                one_minimal: false,
                has_stages: false,
            }],
        }
    }

    fn check_on(&self, stream: &Stream, machine: &str, fitted: &dyn Fitted) -> Checked {
        // Each was made once when the machine was made ready.
        let make_machine = || {
            let machine = self.machine(fitted);
            machine.unwrap_or_else(|_| unreachable!("a machine that could be built can be built again"))
        };
        let make_reference = || {
            let reference = fitted.reference(self.seed, &|device| self.write_to(device));
            reference.unwrap_or_else(|_| unreachable!("a reference that could be made can be made again"))
        };
        let rules = Rules { requests: self.changes.clone(), ..fitted.rules() };
        let subject = Subject { make_reference: &make_reference, make_machine: &make_machine, rules: &rules };
        let pipeline = fitted.compiled().map(|compiled| &compiled.pipeline);
        let effort = Effort::items(stream.effort);
        let Held { comparison, witness, one_minimal } = match &stream.packets {
            Packets::Made(packets) | Packets::Captured(packets) => {
                hold(&subject, machine, pipeline, || packets.iter().cloned(), effort)
            }
            Packets::Planned(prepared) => hold(&subject, machine, pipeline, || prepared.packets(), effort),
        };
        Checked {
            machine: machine.to_owned(),
            traffic: (!matches!(stream.packets, Packets::Made(_))).then(|| stream.name.clone()),
            does_not_fit: None,
            comparison: Some(comparison),
            witness,
            one_minimal,
            has_stages: pipeline.is_some(),
        }
    }

    /// A fresh machine, with everything written that it takes.
    fn machine(&self, fitted: &dyn Fitted) -> Result<Box<dyn Device>, Failure> {
        let mut machine = fitted.build(self.seed)?;
        self.write_to(&mut *machine);
        Ok(machine)
    }

    /// Asks a device for everything that the control plane writes before the first packet.
    fn write_to(&self, device: &mut dyn Device) {
        for request in &self.requests {
            // As `coverage::generate` has it: what is refused changes nothing.
            let _ = device.execute(request);
        }
    }
}

impl ReadyMachine {
    /// What it is called.
    pub fn name(&self) -> &'static str {
        self.kind.name()
    }
}
