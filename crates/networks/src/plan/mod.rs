//! Plans of networks: what is connected, how packets wait, what hosts want, what is looked at, when it ends.
//!
//! A plan is TOML; `docs/simulator/README.md` describes every field. What a plan does not say has a default, and
//! [`NetworkPlan::text`] is the plan with all of them.

mod fault;
mod host;
pub(crate) mod names;
mod queue;
mod read;
mod room;
mod short;
mod switch;
mod workload;

use std::path::PathBuf;

use basis::{Duration, Instant};
use demand::Workload;
use netsim::faults::Rule;
use netsim::topology::{LinePlan, Topology};
use plans::Pattern;
use transports::costs::{self, Slow};

use crate::transports::{TransportChoice, TransportPlan};
pub use fault::{Fault, FaultPlan};
pub use host::HostChoice;
pub use read::{read, read_with};
pub use short::Short;
pub use switch::{ProgramPlan, SwitchChoice};

/// Everything that a run of a network is a function of.
#[derive(Clone, Debug)]
pub struct NetworkPlan {
    /// What its file is called, without the ending; results go into a folder of this name.
    pub name: String,
    /// What it is about, in a line.
    pub title: String,
    /// Where every random choice comes from.
    pub seed: u64,
    /// The network in words.
    pub network: String,
    /// The network: stations and cables.
    pub topology: Topology,
    /// What switches are; of several that name a switch, the last counts.
    pub switches: Vec<SwitchChoice>,
    /// What carries messages; of several that name a host, the last counts.
    pub transports: Vec<TransportChoice>,
    /// What hosts cost; of several that name a host, the last counts. Nothing where none does.
    pub hosts: Vec<HostChoice>,
    /// What goes wrong.
    pub faults: Vec<FaultPlan>,
    /// What hosts want to be carried.
    pub workloads: Vec<Workload>,
    /// What is looked at.
    pub probes: ProbesPlan,
    /// When it ends.
    pub end: EndPlan,
    /// The plan with all defaults, as TOML.
    pub text: String,
    /// Files that were read: what they are called, and what stood in them.
    pub inputs: Vec<(String, String)>,
}

/// What the lines of a network are like.
#[derive(Clone, Debug)]
pub struct LinkPlan {
    /// All lines.
    pub line: LinePlan,
    /// Those that differ: between two stations that these patterns name, either way.
    pub between: Vec<([Pattern; 2], LinePlan)>,
}

/// What is looked at while a network runs.
#[derive(Clone, Debug, Default)]
pub struct ProbesPlan {
    /// How often; never if there is no such time.
    pub every: Option<Duration>,
    /// Ports whose queues are looked at.
    pub queues: Vec<Pattern>,
    /// Ports whose outgoing lines are looked at.
    pub links: Vec<Pattern>,
    /// Ports whose packets are captured.
    pub captures: Vec<Pattern>,
    /// Whether a trace for Perfetto is made.
    pub perfetto: bool,
}

/// When a run ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EndPlan {
    /// At the latest; when nothing is left to happen if there is no such time.
    pub at: Option<Instant>,
    /// True if flows may be unfinished then, as in runs that measure a steady state.
    pub accepts_unfinished: bool,
}

impl LinkPlan {
    /// All of them.
    fn lines(&self) -> impl Iterator<Item = &LinePlan> {
        std::iter::once(&self.line).chain(self.between.iter().map(|(_, line)| line))
    }
}

impl NetworkPlan {
    /// The choice for the switch of a name.
    pub fn switch(&self, name: &str) -> &SwitchChoice {
        let is_for = |choice: &&SwitchChoice| {
            choice.names.is_empty() || choice.names.iter().any(|pattern| pattern.matches(name))
        };
        self.switches.iter().rev().find(is_for).expect("the first choice is for all")
    }

    /// The rules about packets on lines, each with its place among all faults.
    pub fn line_faults(&self) -> impl Iterator<Item = (usize, &Rule)> {
        self.faults.iter().enumerate().filter_map(|(number, fault)| match &fault.what {
            Fault::OnLines(rule) => Some((number, rule)),
            Fault::OnHosts { .. } => None,
        })
    }

    /// What the host of a name and index costs, slow times included; `None` if nothing.
    pub fn costs(&self, name: &str, index: usize) -> Option<costs::Parameters> {
        let of_name = self.hosts.iter().rev().find(|choice| choice.is_for(name)).map(|choice| choice.costs.clone());
        let slow = |fault: &FaultPlan| match &fault.what {
            Fault::OnHosts { hosts, slow } if hosts.contains(&index) => Some(*slow),
            _ => None,
        };
        let slow: Vec<Slow> = self.faults.iter().filter_map(slow).collect();
        if of_name.is_none() && slow.is_empty() {
            return None;
        }
        Some(costs::Parameters { slow, ..of_name.unwrap_or_default() })
    }

    /// What carries the messages of the host of a name.
    pub fn transport(&self, name: &str) -> &dyn TransportPlan {
        let is_for = |choice: &&TransportChoice| {
            choice.names.is_empty() || choice.names.iter().any(|pattern| pattern.matches(name))
        };
        &*self.transports.iter().rev().find(is_for).expect("the first choice is for all").plan
    }

    /// Every file that a run reads: the plan and what it names.
    pub fn files(&self) -> Vec<PathBuf> {
        let programs = self.switches.iter().filter_map(|choice| choice.program.as_ref());
        let of_programs = programs.flat_map(|program| std::iter::once(&program.path).chain(&program.entries));
        self.inputs.iter().map(|(name, _)| PathBuf::from(name)).chain(of_programs.cloned()).collect()
    }

    /// Where results go unless somebody says otherwise.
    pub fn folder(&self) -> PathBuf {
        PathBuf::from("out/sim").join(&self.name)
    }
}
