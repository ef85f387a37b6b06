//! The method `applications` of plans: the real programs on real traffic.

use super::application::Application;
use super::load::Load;
use super::run::ApplicationPlan;
use crate::mp5::streams::Rules;
use experiments::plan::{Axis, Method};
use experiments::sweep::{Job, REPEATED_OVER};
use plans::Record;

/// Runs one application on MP5.
#[derive(Clone, Copy, Debug, Default)]
pub struct ApplicationsMethod;

const MEASURES: [&str; 7] = ["throughput", "cap", "share_of_cap", "offered", "largest_queue", "wasted_cycles", "equal"];

impl Method for ApplicationsMethod {
    fn name(&self) -> &str {
        "applications"
    }

    fn axes(&self) -> Vec<Axis> {
        vec![
            Axis::words("application", Application::ALL.map(Application::name)),
            Axis::integers("pipelines", 1..=64),
            Axis::words("load", Load::ALL.map(Load::name)),
            Axis::checked("rules", |text| text.parse::<Rules>().map(drop)),
            Axis::integers("packets_per_port", 1..=1_000_000),
        ]
    }

    fn measures(&self) -> &[&str] {
        &MEASURES
    }

    fn job<'j>(&'j self, point: &Record) -> Result<Job<'j>, String> {
        let word = |name: &str| point.word(name).unwrap_or_default();
        let number = |name: &str| point.integer(name).unwrap_or_default();
        let pipelines = number("pipelines").max(1) as usize;
        let seed = point.integer(REPEATED_OVER).unwrap_or(1);
        let plan = ApplicationPlan {
            application: Application::from_name(word("application")).ok_or("there is no such application")?,
            pipelines,
            rules: word("rules").parse::<Rules>()?,
            load: Load::from_name(word("load")).ok_or("there is no such load")?,
            packets: number("packets_per_port") * u64::from(super::ports(pipelines)),
            seed,
            // Only one of the repetitions is compared with the interpreter, to save time.
            checked: seed == 1,
        };
        Ok(Job::new(point.clone(), plan.packets, move || {
            let outcome = plan.run()?;
            Ok(Record::new()
                .with("throughput", outcome.throughput)
                .with("cap", outcome.cap)
                .with("share_of_cap", outcome.throughput / outcome.cap)
                .with("offered", outcome.load)
                .with("largest_queue", outcome.largest_queue)
                .with("wasted_cycles", outcome.wasted_cycles)
                // 1 or 0, so that a plan can claim 1 for every run that was compared.
                .with("equal", outcome.equal.map(u64::from))
                .with("limited_by", outcome.limited_by))
        }))
    }
}
