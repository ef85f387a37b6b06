//! The method `application-predicates` of plans: how the conditions of each application are compiled.

use super::application::Application;
use super::predicates::Predicates;
use super::switch::switch;
use crate::mp5::streams::Rules;
use experiments::plan::{Axis, Method};
use experiments::sweep::Job;
use plans::Record;
use workbench::fit;

/// Compiles one application.
#[derive(Clone, Copy, Debug, Default)]
pub struct ApplicationPredicatesMethod;

const MEASURES: [&str; 3] = ["state_behind_state", "late_accesses", "accesses"];

impl Method for ApplicationPredicatesMethod {
    fn name(&self) -> &str {
        "application-predicates"
    }

    fn axes(&self) -> Vec<Axis> {
        vec![Axis::words("application", Application::PUBLISHED.map(Application::name))]
    }

    fn measures(&self) -> &[&str] {
        &MEASURES
    }

    fn job<'j>(&'j self, point: &Record) -> Result<Job<'j>, String> {
        let name = point.word("application").unwrap_or_default();
        let application = Application::from_name(name).ok_or("there is no such application")?;
        Ok(Job::new(point.clone(), 1, move || {
            let loaded = application.load()?;
            let compiled = fit(&loaded.program, &switch(4, super::ports(4), Rules::paper(), 1), &mut ())?;
            let Predicates { depends_on_state, late_accesses, accesses } = Predicates::of(&loaded.program, &compiled);
            Ok(Record::new()
                .with("state_behind_state", u64::from(depends_on_state))
                .with("late_accesses", late_accesses)
                .with("accesses", accesses))
        }))
    }
}
