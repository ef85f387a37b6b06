//! The machines, transports, topologies, queue disciplines, workloads and schemes of jobs that plans can name.

use workbench::kinds::{self, MachineKind};

use crate::aggregators::{self, AggregatorKind};
use crate::disciplines::{self, DisciplineKind};
use crate::jobs::{self, SchemeKind};
use crate::topologies::{self, TopologyKind};
use crate::transports::{self, TransportKind};
use crate::workloads::{self, WorkloadKind};

/// The machines, transports, topologies, queue disciplines, workloads and schemes of jobs that plans can name.
///
/// The default contains everything that is part of Polyplane. Kinds from outside are added to the lists, and plans name
/// them like the others.
#[derive(Clone)]
pub struct Registry {
    /// The machines that switches can be.
    pub machines: Vec<&'static dyn MachineKind>,
    /// The plain aggregators that switches can be.
    pub aggregators: Vec<&'static dyn AggregatorKind>,
    /// The transports that hosts can use. The first is the default.
    pub transports: Vec<&'static dyn TransportKind>,
    /// The topologies that networks can have.
    pub topologies: Vec<&'static dyn TopologyKind>,
    /// The disciplines that queues can have.
    pub disciplines: Vec<&'static dyn DisciplineKind>,
    /// The workloads that hosts can have.
    pub workloads: Vec<&'static dyn WorkloadKind>,
    /// The schemes by which jobs can sum their tensors. The first is the default.
    pub schemes: Vec<&'static dyn SchemeKind>,
}

impl Default for Registry {
    fn default() -> Self {
        Self {
            machines: kinds::ALL.to_vec(),
            aggregators: aggregators::ALL.to_vec(),
            transports: transports::ALL.to_vec(),
            topologies: topologies::ALL.to_vec(),
            disciplines: disciplines::ALL.to_vec(),
            workloads: workloads::ALL.to_vec(),
            schemes: jobs::ALL.to_vec(),
        }
    }
}

impl Registry {
    /// Adds a machine, which plans can then name in `[switch]`.
    #[must_use]
    pub fn machine(mut self, kind: &'static dyn MachineKind) -> Self {
        self.machines.push(kind);
        self
    }

    /// Adds a plain aggregator, which plans can then name as the `aggregator` of `[switch]`.
    #[must_use]
    pub fn aggregator(mut self, kind: &'static dyn AggregatorKind) -> Self {
        self.aggregators.push(kind);
        self
    }

    /// Adds a transport, which plans can then name in `[transport]`.
    #[must_use]
    pub fn transport(mut self, kind: &'static dyn TransportKind) -> Self {
        self.transports.push(kind);
        self
    }

    /// Adds a topology, which plans can then name in `[topology]`.
    #[must_use]
    pub fn topology(mut self, kind: &'static dyn TopologyKind) -> Self {
        self.topologies.push(kind);
        self
    }

    /// Adds a queue discipline, which plans can then name as the `queue` of `[switch]`.
    #[must_use]
    pub fn discipline(mut self, kind: &'static dyn DisciplineKind) -> Self {
        self.disciplines.push(kind);
        self
    }

    /// Adds a workload, which plans can then name in `[[workload]]`.
    #[must_use]
    pub fn workload(mut self, kind: &'static dyn WorkloadKind) -> Self {
        self.workloads.push(kind);
        self
    }

    /// Adds a scheme, which plans can then name in `[[job]]`.
    #[must_use]
    pub fn scheme(mut self, kind: &'static dyn SchemeKind) -> Self {
        self.schemes.push(kind);
        self
    }
}
