//! Compares machines with the interpreter, and finds small sets of packets that show differences.

mod changes;
mod held;
mod ports;

use basis::Duration;
use equivalence::coverage::{self, Coverage, Generated};
use equivalence::{Comparison, Effort, Rules, Subject, Witness};
use machines::Device;
use machines::tofino::{ChipSettings, TofinoParameters};
use node::{Offered, Port};
use serde::Serialize;
use traffic::{LineRate, Prepared};

pub(crate) use held::{Held, hold};

use crate::Entries;
use crate::kinds::{Fitted, MachineKind, Settings};
use crate::memory_need::check_switches;
use crate::program::LoadedProgram;
use crate::run::Offer;
use diagnostics::Failure;

/// The packets on which machines are compared with the interpreter, with the requests of the control plane before and
/// between them.
pub struct CheckPlan<'p> {
    program: &'p LoadedProgram,
    streams: Vec<Stream>,
    requests: Vec<control::Request>,
    changes: Vec<(basis::Instant, control::Request)>,
    coverage: Option<Coverage>,
    /// The number of pipes in which the ports lie, if it is checked whether that makes a difference.
    pipes: Option<u16>,
    seed: u64,
}

/// A stream of packets that can be repeated.
struct Stream {
    name: String,
    packets: Packets,
    effort: u64,
}

enum Packets {
    /// Packets generated to cover the program.
    Made(Vec<Offered>),
    /// Packets of a plan of traffic.
    Planned(Box<Prepared>),
    /// Packets of captures.
    Captured(Vec<Offered>),
}

/// The packets that a check makes to cover a program with a parser.
#[derive(Clone, Debug)]
pub struct MadePackets {
    /// How many packets are made.
    pub count: usize,
    /// The line rate: the packets come as close together as it allows, to expose effects of timing.
    pub rate: LineRate,
    /// The seed of all random choices.
    pub seed: u64,
    /// The number of pipes in which the ports lie, if the check is whether that makes a difference: machines are then compared
    /// with themselves, with so many pipes that share nothing, and with one state for all.
    pub pipes: Option<u16>,
    /// The chip on whose ports the packets arrive; `None` if nothing is said of it ([`MachineKind::chip`]).
    pub chip: Option<ChipSettings>,
}

impl MadePackets {
    /// So many packets at a line rate, for machines of which nothing else is said.
    pub fn new(count: usize, rate: LineRate, seed: u64) -> Self {
        Self { count, rate, seed, pipes: None, chip: None }
    }
}

/// A program fitted to a machine and ready to be compared with the interpreter, or the reason why it does not fit.
pub struct ReadyMachine {
    name: String,
    /// The fitted program for each stream of the plan, or a resource report.
    fitted: Result<Vec<Box<dyn Fitted>>, String>,
}

/// The result of comparing one machine with the interpreter on one stream of packets.
#[derive(Clone, Debug, Serialize)]
pub struct Checked {
    /// The name of the machine.
    pub machine: String,
    /// The name of the packets; `None` if they were generated to cover the program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub traffic: Option<String>,
    /// The resource report, if the program does not fit the machine; then nothing was compared.
    pub does_not_fit: Option<String>,
    /// The comparison; `None` if the program does not fit.
    pub comparison: Option<Comparison>,
    /// A small set of packets that shows the difference, if there is one.
    pub witness: Option<Witness>,
    /// Whether none of the witness's packets can be left out.
    pub one_minimal: bool,
    /// Whether the machine has stages, so that packets take time in it.
    #[serde(skip)]
    pub has_stages: bool,
}

impl Checked {
    /// Returns true if the machine behaved differently from the interpreter.
    pub fn shows_difference(&self) -> bool {
        self.comparison.as_ref().is_some_and(|comparison| comparison.verdict.shows_difference())
    }
}

/// The total number of packets that are run to shrink a difference found with traffic or captures: seconds of work, not
/// minutes.
const EFFORT: u64 = 3_000_000;
/// The total number of packets that are run to shrink a difference found with generated packets, for which parser and
/// deparser run, too.
const EFFORT_EVERYWHERE: u64 = 300_000;

impl<'p> CheckPlan<'p> {
    /// Generates packets that cover a program with a parser. The generation starts from the packets of packet tests among the
    /// entries.
    ///
    /// # Errors
    /// If the program lacks something that its switch needs, or there is too little memory; with `pipes`, if an entry is
    /// for a single pipe.
    pub fn everywhere(program: &'p LoadedProgram, entries: &Entries, made: MadePackets) -> Result<Self, Failure> {
        let MadePackets { count: packets, rate, seed, pipes, chip } = made;
        let spacing = Duration::from_picoseconds(rate.period.picoseconds() / u64::from(rate.pipelines.max(1)));
        let parameters = TofinoParameters { told: Some(seed), ..TofinoParameters::default() };
        let mut options =
            coverage::Options { packets, seed, spacing, chip: parameters, ..coverage::Options::default() };
        if pipes.is_some() {
            ports::refuse_entries_by_pipe(entries)?;
        }
        if let Some(chip) = chip.or_else(|| pipes.map(ChipSettings::of_pipes)) {
            ports::spread(chip, pipes.is_some(), &mut options);
        }
        // Two switches generate the packets, and one is the reference.
        check_switches(&program.program, 3)?;
        let requests: Vec<control::Request> = entries.requests().cloned().collect();
        let of_test = |(port, bytes): (u32, &[u8])| u16::try_from(port).ok().map(|port| (Port(port), bytes.to_vec()));
        let seeds: Vec<(Port, Vec<u8>)> = entries.packets().filter_map(of_test).collect();
        let generated = coverage::generate(&program.program, &program.info, &requests, &seeds, &options)?;
        let offered: Vec<Offered> = generated.offered().collect();
        let Generated { coverage, .. } = generated;
        Ok(Self {
            program,
            changes: changes::changes(program, &requests, &offered, &options.chip)?,
            streams: vec![Stream {
                name: "made to go everywhere".to_owned(),
                packets: Packets::Made(offered),
                effort: EFFORT_EVERYWHERE,
            }],
            requests,
            coverage: Some(coverage),
            pipes,
            seed,
        })
    }

    /// Uses the packets of offers, each as a stream of its own. Captures are read at once, at most `packets` packets of
    /// each offer.
    ///
    /// # Errors
    /// If a capture cannot be read.
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
        Ok(Self { program, streams, requests, changes: Vec::new(), coverage: None, pipes: None, seed })
    }

    /// Returns the coverage of the packets, if they were generated.
    pub fn coverage(&self) -> Option<&Coverage> {
        self.coverage.as_ref()
    }

    /// Returns the number of packets, if they were generated.
    pub fn packets(&self) -> Option<usize> {
        self.streams.iter().find_map(|stream| match &stream.packets {
            Packets::Made(packets) => Some(packets.len()),
            Packets::Planned(_) | Packets::Captured(_) => None,
        })
    }

    /// Fits the program to a machine. If the program does not fit, this is not an error: [`CheckPlan::check`] reports
    /// it.
    ///
    /// # Errors
    /// If the machine or its reference cannot be built, or if its ports cannot lie in the pipes of the plan.
    pub fn ready(&self, kind: &'static dyn MachineKind, settings: &Settings) -> Result<ReadyMachine, Failure> {
        let fit = |stream: &Stream| {
            let packets = match &stream.packets {
                Packets::Made(_) | Packets::Captured(_) => None,
                Packets::Planned(prepared) => Some((**prepared).clone()),
            };
            let mut fitted = kind.fit(self.program, &Settings { packets, ..settings.clone() })?;
            if let Some(pipes) = self.pipes {
                fitted = fitted.across_pipes(pipes)?.ok_or_else(|| ports::without_pipes(kind.name()))?;
            }
            fitted.draw(self.seed);
            self.machine(&*fitted)?;
            fitted.reference(self.seed, &|execute| self.write_to(execute))?;
            Ok(fitted)
        };
        let name =
            self.pipes.map_or_else(|| kind.name().to_owned(), |pipes| format!("{} in {pipes} pipes", kind.name()));
        match self.streams.iter().map(fit).collect() {
            Err(Failure::DoesNotFit(report)) => Ok(ReadyMachine { name, fitted: Err(report) }),
            fitted => Ok(ReadyMachine { name, fitted: Ok(fitted?) }),
        }
    }

    /// Compares a machine with the interpreter. Returns a result for each stream, or a single one if the program does
    /// not fit.
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
        // Both have been built once by `ready`.
        let make_machine = || {
            let machine = self.machine(fitted);
            machine.unwrap_or_else(|_| unreachable!("a machine that could be built can be built again"))
        };
        let make_reference = || {
            let reference = fitted.reference(self.seed, &|execute| self.write_to(execute));
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

    /// Builds a new machine, and sends it the requests of the control plane.
    fn machine(&self, fitted: &dyn Fitted) -> Result<Box<dyn Device>, Failure> {
        let mut machine = fitted.build(self.seed)?;
        self.write_to(&mut |request| _ = machine.execute(request));
        Ok(machine)
    }

    /// Gives all requests of the control plane before the first packet to whoever carries them out. As in
    /// `coverage::generate`, one that is refused changes nothing and is ignored.
    fn write_to(&self, execute: &mut dyn FnMut(&control::Request)) {
        self.requests.iter().for_each(execute);
    }
}

impl ReadyMachine {
    /// Returns the name of the machine.
    pub fn name(&self) -> &str {
        &self.name
    }
}
