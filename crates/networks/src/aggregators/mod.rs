//! The plain aggregators that plans can name: `aggregator` of `[switch]`.
//!
//! An aggregator is an [`AggregatorKind`]: it has a name, and turns its entries into an [`AggregatorPlan`], which makes a
//! switch that adds up the values of packets by the rules of one protocol. [`ALL`] lists those of Polyplane; a
//! [`Registry`](crate::Registry) may have others.

mod atp;
mod switchml;
mod trio_ml;

use std::fmt;
use std::sync::Arc;

use machines::Device;
use plans::Section;

use crate::jobs::SwitchEntry;

/// Every plain aggregator of Polyplane.
pub static ALL: [&dyn AggregatorKind; 3] = [&atp::AtpSwitches, &switchml::SwitchMlSwitches, &trio_ml::TrioMlSwitches];

/// A plain aggregator that plans can name.
pub trait AggregatorKind: Sync {
    /// Returns its name in plans.
    fn name(&self) -> &'static str;

    /// Reads its entries in the section of a switch, and reports errors to it, each at the place of its entry.
    fn read(&self, section: &Section<'_>) -> Arc<dyn AggregatorPlan>;
}

/// A plain aggregator with its parameters.
pub trait AggregatorPlan: fmt::Debug + Send + Sync {
    /// Returns the number of its aggregators, if jobs share them by number.
    fn aggregators(&self) -> Option<u32> {
        None
    }

    /// Returns the memory that a switch takes from the beginning for what it adds up, in bytes.
    fn memory(&self) -> u64 {
        0
    }

    /// Returns what its control plane writes at the beginning, whatever the jobs.
    fn entries(&self) -> Vec<SwitchEntry> {
        Vec::new()
    }

    /// Makes a switch with so many ports.
    fn build(&self, ports: u32) -> Box<dyn Device>;
}
