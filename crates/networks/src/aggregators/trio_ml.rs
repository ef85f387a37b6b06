//! `trio-ml`: the switch of Trio-ML.

use std::sync::Arc;

use machines::Device;
use machines::aggregator::Aggregator;
use machines::aggregator::trio_ml::{TrioMlSwitch, TrioMlSwitchParameters};
use plans::Section;

use super::{AggregatorKind, AggregatorPlan};

pub(super) struct TrioMlSwitches;

#[derive(Debug)]
struct TrioMlSwitchPlan(TrioMlSwitchParameters);

impl AggregatorKind for TrioMlSwitches {
    fn name(&self) -> &'static str {
        "trio-ml"
    }

    fn read(&self, section: &Section<'_>) -> Arc<dyn AggregatorPlan> {
        let usual = TrioMlSwitchParameters::default();
        Arc::new(TrioMlSwitchPlan(TrioMlSwitchParameters {
            timer_threads: section.count("timer_threads", 1..=4096, usual.timer_threads.into()) as u32,
            interval: section.positive("interval", usual.interval),
            judge: section.positive("judge", usual.judge),
            ..usual
        }))
    }
}

impl AggregatorPlan for TrioMlSwitchPlan {
    fn build(&self, ports: u32) -> Box<dyn Device> {
        Box::new(Aggregator::new(TrioMlSwitch::new(self.0), ports))
    }
}
