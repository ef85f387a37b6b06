//! Plans of networks: topology, links, queues, transports, workloads, faults, probes, and the end of the run.
//!
//! A plan is TOML; `docs/simulator/README.md` describes every field. Fields that are not given have defaults, and
//! [`NetworkPlan::text`] is the plan with all of them.

mod condition;
mod failure;
mod fault;
mod flow_pattern;
mod host;
pub(crate) mod names;
mod options;
mod probes;
mod read;
mod room;
mod short;
mod switch;
mod workload;

use std::ops::Range;
use std::path::PathBuf;

use basis::Instant;
use demand::Workload;
use diagnostics::{Diagnostic, Diagnostics, Failure, Sources, Span};
use netsim::faults::Rule;
use netsim::topology::{CableProperties, Topology};
use plans::Pattern;
use transports::costs::{self, Slow};

use crate::jobs::{JobNetwork, JobPlan};
use crate::transports::{TransportChoice, TransportPlan};
pub use condition::Condition;
pub use fault::{Fault, FaultPlan};
pub use flow_pattern::FlowPattern;
pub use host::HostChoice;
pub use options::machine_options;
pub use probes::{ProbesPlan, RegisterPlan, WindowPlan};
pub use read::{ReadText, read, read_from, read_with};
pub use short::Short;
pub use switch::{ProgramPlan, SwitchChoice};

/// A plan of a network. The results of a run depend on nothing else.
#[derive(Clone, Debug)]
pub struct NetworkPlan {
    /// The name of the plan's file without its extension. By default, results go into a folder of this name.
    pub name: String,
    /// The title of the plan, in one line.
    pub title: String,
    /// The seed of every random choice.
    pub seed: u64,
    /// A description of the network in words.
    pub network: String,
    /// The stations and cables of the network.
    pub topology: Topology,
    /// The choices for switches. If several name a switch, the last one applies.
    pub switches: Vec<SwitchChoice>,
    /// The choices of transports. If several name a host, the last one applies.
    pub transports: Vec<TransportChoice>,
    /// The processing costs of hosts. If several name a host, the last one applies; if none does, the host costs
    /// nothing.
    pub hosts: Vec<HostChoice>,
    /// The faults, in the order in which they apply.
    pub faults: Vec<FaultPlan>,
    /// The workloads of the hosts.
    pub workloads: Vec<Workload>,
    /// The jobs whose workers and servers run at hosts.
    pub jobs: Vec<JobPlan>,
    /// The probes, captures and traces.
    pub probes: ProbesPlan,
    /// The end of the run.
    pub end: EndPlan,
    /// The plan with all defaults, as TOML.
    pub text: String,
    /// The names and contents of the files that were read.
    pub inputs: Vec<(String, String)>,
}

/// The links of a network.
#[derive(Clone, Debug)]
pub struct LinkPlan {
    /// The properties of all links that `between` does not name.
    pub line: CableProperties,
    /// Links that differ, in both directions between any two stations that the two patterns name.
    pub between: Vec<([Pattern; 2], CableProperties)>,
}

/// The end of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EndPlan {
    /// The latest end in simulated time. Without it, the run ends when no event is left.
    pub at: Option<Instant>,
    /// Whether flows may be unfinished at the end, as in runs that measure a steady state.
    pub accepts_unfinished: bool,
}

impl LinkPlan {
    /// Returns the properties of all links.
    fn lines(&self) -> impl Iterator<Item = &CableProperties> {
        std::iter::once(&self.line).chain(self.between.iter().map(|(_, line)| line))
    }
}

impl NetworkPlan {
    /// Returns the choice that applies to the switch of a name.
    pub fn switch(&self, name: &str) -> &SwitchChoice {
        SwitchChoice::of(&self.switches, name)
    }

    /// Returns the rules for packets on links, each with its index among all faults.
    pub fn line_faults(&self) -> impl Iterator<Item = (usize, &Rule)> {
        self.faults.iter().enumerate().filter_map(|(number, fault)| match &fault.what {
            Fault::OnLines(rule) => Some((number, rule)),
            Fault::OnHosts { .. } | Fault::OfProcesses { .. } | Fault::OfMemory { .. } => None,
        })
    }

    /// Returns the processing costs of a host, including the times in which a fault slows it; `None` if it costs
    /// nothing.
    pub fn costs(&self, name: &str, index: usize) -> Option<costs::CostParameters> {
        let of_name = self.hosts.iter().rev().find(|choice| choice.is_for(name)).map(|choice| choice.costs.clone());
        let slow = |fault: &FaultPlan| match &fault.what {
            Fault::OnHosts { hosts, slow } if hosts.contains(&index) => Some(*slow),
            _ => None,
        };
        let slow: Vec<Slow> = self.faults.iter().filter_map(slow).collect();
        if of_name.is_none() && slow.is_empty() {
            return None;
        }
        Some(costs::CostParameters { slow, ..of_name.unwrap_or_default() })
    }

    /// Returns the transport of the host of a name.
    pub fn transport(&self, name: &str) -> &dyn TransportPlan {
        &*TransportChoice::of(&self.transports, name).plan
    }

    /// Calls `what` with the network in which the jobs of the plan run.
    pub(crate) fn with_job_network<R>(&self, what: impl FnOnce(&JobNetwork<'_>) -> R) -> R {
        let stations = &self.topology.stations;
        let is_programmable = |station: usize| self.switch(&stations[station].name).is_programmable();
        let longest_content = |host: usize| self.transport(&stations[host].name).longest_content();
        let aggregators = |station: usize| self.switch(&stations[station].name).aggregators();
        what(&JobNetwork {
            topology: &self.topology,
            is_programmable: &is_programmable,
            longest_content: &longest_content,
            aggregators: &aggregators,
        })
    }

    /// Returns the times between which a switch has no memory, by its index in the topology.
    pub(crate) fn times_without_memory(&self, switch: usize) -> Vec<(Instant, Instant)> {
        let time = |fault: &FaultPlan| match &fault.what {
            Fault::OfMemory { switches, at, again } if switches.contains(&switch) => Some((*at, *again)),
            _ => None,
        };
        self.faults.iter().filter_map(time).collect()
    }

    /// Returns the failure for something that turns out to be wrong with the plan when its network is built, at its place
    /// in the text.
    pub(crate) fn mistake(&self, place: &Range<usize>, message: impl Into<String>, hint: impl Into<String>) -> Failure {
        self.mistakes(place, &[(message.into(), hint.into())])
    }

    /// Returns the failure for several things that are wrong at one place, each a message and a hint.
    pub(crate) fn mistakes(&self, place: &Range<usize>, found: &[(String, String)]) -> Failure {
        let mut sources = Sources::new();
        let file = self.inputs.first().map(|(name, text)| sources.add(name, text));
        let mut diagnostics = Diagnostics::new();
        for (message, hint) in found {
            let diagnostic = match file {
                Some(file) => Diagnostic::error(Span::new(file, place.start, place.end), message),
                None => Diagnostic::without_place(message),
            };
            diagnostics.push(diagnostic.hint(hint));
        }
        Failure::BadInput { diagnostics: diagnostics.at_characters(&sources), sources }
    }

    /// Returns every file that a run reads: the plan and the files that it names.
    pub fn files(&self) -> Vec<PathBuf> {
        let programs = self.switches.iter().filter_map(|choice| choice.program.as_ref());
        let of_programs = programs.flat_map(|program| std::iter::once(&program.path).chain(&program.entries));
        self.inputs.iter().map(|(name, _)| PathBuf::from(name)).chain(of_programs.cloned()).collect()
    }

    /// Returns the default folder for results.
    pub fn folder(&self) -> PathBuf {
        PathBuf::from("out/sim").join(&self.name)
    }
}
