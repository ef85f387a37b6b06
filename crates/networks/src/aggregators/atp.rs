//! `atp`: the switch of ATP.

use std::sync::Arc;

use basis::Duration;
use machines::Device;
use machines::aggregator::Aggregator;
use machines::aggregator::atp::{AtpSwitch, AtpSwitchParameters, MOST_AGGREGATORS};
use plans::Section;

use super::{AggregatorKind, AggregatorPlan};
use crate::jobs::{Argument, SwitchEntry};

/// The memory of an aggregator in bytes: 62 values, and what says whose they are.
const AGGREGATOR: u64 = 264;
/// The unit of ages, in nanoseconds.
const TICK: u64 = 1024;

pub(super) struct AtpSwitches;

#[derive(Debug)]
struct AtpSwitchPlan {
    aggregators: u32,
    /// The age beyond which any parameter packet frees an aggregator, in ticks; `None` for never.
    age: Option<u32>,
}

impl AggregatorKind for AtpSwitches {
    fn name(&self) -> &'static str {
        "atp"
    }

    fn read(&self, section: &Section<'_>) -> Arc<dyn AggregatorPlan> {
        let aggregators = section.count("aggregators", 1..=MOST_AGGREGATORS.into(), 4096) as u32;
        let age = section.duration("age", Duration::from_microseconds(10_000));
        let longest = Duration::from_nanoseconds(TICK * i32::MAX as u64);
        if age > longest {
            let hint = format!("use at most {}, or 0 for aggregators that never age", units::duration_text(longest));
            section.error(&section.span_of("age"), "this age is longer than the timestamps of aggregators", hint);
        }
        let ticks = (age.picoseconds() / 1000 / TICK).min(i32::MAX as u64) as u32;
        Arc::new(AtpSwitchPlan { aggregators, age: (age > Duration::ZERO).then_some(ticks) })
    }
}

impl AggregatorPlan for AtpSwitchPlan {
    fn aggregators(&self) -> Option<u32> {
        Some(self.aggregators)
    }

    fn memory(&self) -> u64 {
        AGGREGATOR * u64::from(self.aggregators)
    }

    fn entries(&self) -> Vec<SwitchEntry> {
        let age = |age: u32| SwitchEntry::Default {
            table: "ageing",
            action: "set_age",
            arguments: vec![Argument::Number(age.into())],
        };
        self.age.map(age).into_iter().collect()
    }

    fn build(&self, ports: u32) -> Box<dyn Device> {
        let parameters = AtpSwitchParameters { aggregators: self.aggregators, defect: None };
        Box::new(Aggregator::new(AtpSwitch::new(parameters), ports))
    }
}
