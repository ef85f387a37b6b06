//! `switchml`: the switch of SwitchML.

use std::sync::Arc;

use machines::Device;
use machines::aggregator::Aggregator;
use machines::aggregator::switchml::{SwitchMlParameters, SwitchMlSwitch};
use plans::Section;

use super::{AggregatorKind, AggregatorPlan};

/// The memory of a slot in bytes: two sets of 256 values, and what says whose they are.
const SLOT: u64 = 2 * 1036;

pub(super) struct SwitchMlSwitches;

#[derive(Debug)]
struct SwitchMlSwitchPlan {
    slots: u32,
}

impl AggregatorKind for SwitchMlSwitches {
    fn name(&self) -> &'static str {
        "switchml"
    }

    fn read(&self, section: &Section<'_>) -> Arc<dyn AggregatorPlan> {
        Arc::new(SwitchMlSwitchPlan { slots: section.count("slots", 1..=16_384, 512) as u32 })
    }
}

impl AggregatorPlan for SwitchMlSwitchPlan {
    fn aggregators(&self) -> Option<u32> {
        Some(self.slots)
    }

    fn memory(&self) -> u64 {
        SLOT * u64::from(self.slots)
    }

    fn build(&self, ports: u32) -> Box<dyn Device> {
        let parameters = SwitchMlParameters { slots: self.slots, defect: None };
        Box::new(Aggregator::new(SwitchMlSwitch::new(parameters), ports))
    }
}
