//! What can be set of a machine with pipelines: each has parameters of its own, and some are said of all.

use std::fmt;

use basis::Duration;
use machines::mp5::Sharding;
use machines::{banzai, mp5, recirculating};

use crate::machine::Architecture;

/// A machine with pipelines, by its parameters.
#[derive(Clone, PartialEq, Eq)]
pub enum MachineParameters {
    /// One pipeline, k times as fast.
    Banzai {
        /// The machine's.
        parameters: banzai::Parameters,
        /// How many ports it has: it takes packets of any, and they are made for so many.
        ports: u16,
    },
    /// k functionally equal pipelines.
    Mp5(mp5::Parameters),
    /// k pipelines that reach each other's state by recirculation.
    Recirculating(recirculating::Parameters),
}

impl MachineParameters {
    /// Those of an architecture as the papers' evaluations have them.
    pub fn new(architecture: Architecture) -> Self {
        match architecture {
            Architecture::Banzai => {
                Self::Banzai { parameters: banzai::Parameters::default(), ports: mp5::Parameters::default().ports }
            }
            Architecture::Mp5 => Self::Mp5(mp5::Parameters::default()),
            Architecture::Recirculating => Self::Recirculating(recirculating::Parameters::default()),
        }
    }

    /// Which machine they are of.
    pub fn architecture(&self) -> Architecture {
        match self {
            Self::Banzai { .. } => Architecture::Banzai,
            Self::Mp5(_) => Architecture::Mp5,
            Self::Recirculating(_) => Architecture::Recirculating,
        }
    }

    /// How many pipelines there are; of banzai, as how many its one is as fast.
    pub fn pipelines(&self) -> usize {
        match self {
            Self::Banzai { parameters, .. } => parameters.speedup as usize,
            Self::Mp5(parameters) => parameters.pipelines,
            Self::Recirculating(parameters) => parameters.pipelines,
        }
    }

    /// Changes how many pipelines there are.
    pub fn set_pipelines(&mut self, pipelines: usize) {
        match self {
            Self::Banzai { parameters, .. } => parameters.speedup = pipelines as u64,
            Self::Mp5(parameters) => parameters.pipelines = pipelines,
            Self::Recirculating(parameters) => parameters.pipelines = pipelines,
        }
    }

    /// How many ports there are.
    pub fn ports(&self) -> u16 {
        match self {
            Self::Banzai { ports, .. } => *ports,
            Self::Mp5(parameters) => parameters.ports,
            Self::Recirculating(parameters) => parameters.ports,
        }
    }

    /// Changes how many ports there are.
    pub fn set_ports(&mut self, number: u16) {
        match self {
            Self::Banzai { ports, .. } => *ports = number,
            Self::Mp5(parameters) => parameters.ports = number,
            Self::Recirculating(parameters) => parameters.ports = number,
        }
    }

    /// The clock period of one of the pipelines.
    pub fn period(&self) -> Duration {
        match self {
            Self::Banzai { parameters, .. } => parameters.period,
            Self::Mp5(parameters) => parameters.period,
            Self::Recirculating(parameters) => parameters.period,
        }
    }

    /// Changes the clock period.
    pub fn set_period(&mut self, period: Duration) {
        match self {
            Self::Banzai { parameters, .. } => parameters.period = period,
            Self::Mp5(parameters) => parameters.period = period,
            Self::Recirculating(parameters) => parameters.period = period,
        }
    }

    /// Changes what everything random is drawn from, which there is where registers lie in several places.
    pub fn set_seed(&mut self, seed: u64) {
        match self {
            Self::Banzai { .. } => {}
            Self::Mp5(parameters) => parameters.seed = seed,
            Self::Recirculating(parameters) => parameters.seed = seed,
        }
    }

    /// Where registers lie, to change it; `None` for a machine in which they lie in one place.
    pub fn sharding(&mut self) -> Option<&mut Sharding> {
        match self {
            Self::Banzai { .. } => None,
            Self::Mp5(parameters) => Some(&mut parameters.sharding),
            Self::Recirculating(parameters) => Some(&mut parameters.sharding),
        }
    }

    /// Those of an MP5, to change them.
    pub fn mp5(&mut self) -> Option<&mut mp5::Parameters> {
        if let Self::Mp5(parameters) = self { Some(parameters) } else { None }
    }

    /// The stages on which registers are spread, as an MP5 has them; `None` for a machine in which they lie in one place.
    pub(crate) fn spread(&self) -> Option<mp5::Parameters> {
        match self {
            Self::Banzai { .. } => None,
            Self::Mp5(parameters) => Some(parameters.clone()),
            Self::Recirculating(parameters) => Some(parameters.clone().into()),
        }
    }
}

impl Default for MachineParameters {
    /// Those of the machine of programs that nobody names one for.
    fn default() -> Self {
        Self::new(Architecture::Banzai)
    }
}

impl fmt::Debug for MachineParameters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Banzai { parameters, .. } => parameters.fmt(f),
            Self::Mp5(parameters) => parameters.fmt(f),
            Self::Recirculating(parameters) => parameters.fmt(f),
        }
    }
}
