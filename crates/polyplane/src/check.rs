//! Machines held against the interpreter.

use diagnostics::Failure;
use equivalence::{Comparison, Witness};
use machines::tofino::ChipSettings;
use traffic::{LineRate, Traffic};
use workbench::run::Offer;
use workbench::{CheckPlan, Checked, MachinePlan, MadePackets};

use crate::{Machine, Program, Tables};

/// The number of packets unless another is set.
const PACKETS: usize = 10_000;

/// A check that machines do what a program means.
#[derive(Clone, Debug)]
pub struct Check {
    program: Program,
    machines: Vec<Machine>,
    tables: Tables,
    packets: usize,
    seed: u64,
    traffic: Vec<String>,
    pipes: Option<u16>,
}

/// The outcome of one machine on one stream of packets.
#[derive(Clone, Debug)]
pub struct CheckOutcome {
    /// The name of the machine.
    pub machine: String,
    /// The reason why the machine cannot hold the program, if it cannot; then nothing was compared.
    pub does_not_fit: Option<String>,
    /// The machine against the interpreter, if the machine holds the program.
    pub comparison: Option<Comparison>,
    /// The fewest packets that show a difference, if there is one.
    pub difference: Option<Difference>,
}

/// The fewest packets that show that a machine does not do what a program means.
#[derive(Clone, Debug)]
pub struct Difference {
    /// The packets, with what the program and the machine made of each.
    pub witness: Witness,
    /// Whether none of the packets can be left out; false if the search was cut short.
    pub is_minimal: bool,
}

impl Check {
    /// A check of a program on every machine that it is usually checked on, with 10,000 packets.
    pub fn new(program: &Program) -> Self {
        Self {
            program: program.clone(),
            machines: Vec::new(),
            tables: Tables::default(),
            packets: PACKETS,
            seed: 1,
            traffic: Vec::new(),
            pipes: None,
        }
    }

    /// Adds a machine. Only the machines that are added are checked.
    #[must_use]
    pub fn machine(mut self, machine: Machine) -> Self {
        self.machines.push(machine);
        self
    }

    /// Fills the tables of the program.
    #[must_use]
    pub fn tables(mut self, tables: &Tables) -> Self {
        self.tables = std::mem::take(&mut self.tables).and(tables.clone());
        self
    }

    /// Sets the number of packets, of each stream if there are several.
    #[must_use]
    pub fn packets(mut self, packets: usize) -> Self {
        self.packets = packets;
        self
    }

    /// Sets the seed of everything random.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Adds a stream of generated packets, such as `uniform:flows=4096`. Without one, a program with a parser is
    /// checked on packets that reach as much of it as can be reached, and a program of fields on `uniform:flows=4096`.
    #[must_use]
    pub fn traffic(mut self, plan: impl Into<String>) -> Self {
        self.traffic.push(plan.into());
        self
    }

    /// Asks whether the program still means the same when its ports lie in so many pipes that share nothing (1, 2, 4 or 8),
    /// on machines with pipes: each is held against itself with one state for all pipes.
    #[must_use]
    pub fn pipes(mut self, pipes: u16) -> Self {
        self.pipes = Some(pipes);
        self
    }

    /// Runs the check.
    ///
    /// # Errors
    /// A plan of traffic that cannot be read; an option that does not suit the program. That a machine cannot hold the
    /// program, or does something else than it means, is an outcome.
    pub fn run(&self) -> Result<Vec<CheckOutcome>, Failure> {
        let program = self.program.loaded();
        let machines: Vec<Machine> = match self.machines.as_slice() {
            [] => Machine::all().filter(|machine| machine.kind().is_usual(program)).collect(),
            named => named.to_vec(),
        };
        // All machines see the same packets, which come at the line rate of the first that has one.
        let plans = machines.iter().map(|machine| machine.kind().pipelines(program, &machine.settings()));
        let plans = plans.collect::<Result<Vec<_>, Failure>>()?;
        let plan = plans.into_iter().flatten().next();
        let chips = machines.iter().map(|machine| machine.kind().chip(program, &machine.settings()));
        let chip = chips.collect::<Result<Vec<_>, Failure>>()?.into_iter().flatten().next();
        let check = self.plan(MachinePlan::line_rate_of(plan.as_ref()), chip)?;
        let mut outcomes = Vec::new();
        for machine in &machines {
            let ready = check.ready(machine.kind(), &machine.settings())?;
            outcomes.extend(check.check(&ready).into_iter().map(CheckOutcome::from));
        }
        Ok(outcomes)
    }

    fn plan(&self, rate: LineRate, chip: Option<ChipSettings>) -> Result<CheckPlan<'_>, Failure> {
        let (program, entries) = (self.program.loaded(), self.tables.entries());
        if self.pipes.is_some() && !(program.has_parser() && self.traffic.is_empty()) {
            return Err(Failure::plain("a check across pipes generates the packets of a program with a parser itself"));
        }
        if program.has_parser() && self.traffic.is_empty() {
            let made = MadePackets { pipes: self.pipes, chip, ..MadePackets::new(self.packets, rate, self.seed) };
            return CheckPlan::everywhere(program, entries, made);
        }
        let named = if self.traffic.is_empty() { &["uniform:flows=4096".to_owned()][..] } else { &self.traffic };
        let offer = |text: &String| {
            let parsed = Traffic::parse(text);
            let mut traffic = parsed.map_err(|(sources, diagnostics)| Failure::BadInput { sources, diagnostics })?;
            traffic.packets = Some(self.packets as u64);
            traffic.seed = self.seed;
            Offer::planned(traffic, program, rate)
        };
        let offers = named.iter().map(offer).collect::<Result<Vec<_>, Failure>>()?;
        CheckPlan::on_traffic(program, entries, offers, Some(self.packets as u64), self.seed)
    }
}

impl CheckOutcome {
    /// Returns true if the machine holds the program and did what it means.
    pub fn is_same(&self) -> bool {
        self.comparison.as_ref().is_some_and(|comparison| !comparison.verdict.shows_difference())
    }
}

impl From<Checked> for CheckOutcome {
    fn from(checked: Checked) -> Self {
        let Checked { machine, does_not_fit, comparison, witness, one_minimal, .. } = checked;
        let difference = witness.map(|witness| Difference { witness, is_minimal: one_minimal });
        Self { machine, does_not_fit, comparison, difference }
    }
}
