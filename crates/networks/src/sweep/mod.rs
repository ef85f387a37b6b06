//! Sweeps over the fields of a network's plan: each field is an axis, and each combination of values a point. A point
//! is the plan with the values of the axes put into its text, read like any other plan. Its measures depend only on
//! that text and on the files that the plan names, by which points are stored.

mod axis;
mod document;
mod edit;
mod means;
mod measures;

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;

use diagnostics::Failure;
use experiments::sweep::{Finished, Job, Kept, Row, sweep};
use files::PlanText;
use plans::Record;

pub use axis::Axis;
pub use document::{Document, document, is_sweep_result};
pub(crate) use edit::with_value;
pub use means::{Mean, Means};
pub use measures::{MEASURES, USUAL_MEASURES, measures};

use crate::build::inputs_of_programs;
use crate::plan::{NetworkPlan, ProbesPlan, read_with};
use crate::results::{Outcome, run_to_the_end};
use crate::{Registry, need};

/// A plan, and its fields that take several values.
#[derive(Clone, Debug)]
pub struct Sweep {
    /// The plan.
    pub plan: PlanText,
    /// The fields, the outermost first.
    pub axes: Vec<Axis>,
}

/// A point: the values of the axes, and the plan with them.
struct PlannedPoint {
    key: Record,
    plan: Arc<NetworkPlan>,
    /// The text of everything that a run depends on.
    contents: String,
}

impl Sweep {
    /// Returns the number of points.
    pub fn points(&self) -> usize {
        self.axes.iter().map(|axis| axis.values.len()).product()
    }

    /// Runs every point on `threads` threads and returns the rows in the order of the axes; the results are the same
    /// for any number of threads. Points in `kept` are not run again. `finished` is called for each point.
    ///
    /// # Errors
    /// Fails before anything runs if the plan of a point is invalid, with diagnostics in the text with its values;
    /// later if a point cannot be run.
    pub fn run(
        &self,
        registry: &Registry,
        threads: NonZeroUsize,
        kept: Option<&mut dyn Kept>,
        finished: &mut dyn FnMut(Finished<'_>),
    ) -> Result<Vec<Row>, Failure> {
        let points = self.planned(registry)?;
        let jobs: Vec<Job<'_>> = points.iter().map(job).collect();
        sweep(&jobs, threads, kept, finished)
    }

    /// Returns the plans of all points.
    fn planned(&self, registry: &Registry) -> Result<Vec<PlannedPoint>, Failure> {
        let mut points = vec![(Record::new(), self.plan.text.clone(), Vec::new())];
        for axis in &self.axes {
            let mut next = Vec::with_capacity(points.len() * axis.values.len());
            for (key, text, said) in points {
                for value in &axis.values {
                    let key: Record = key.clone();
                    let mut said: Vec<String> = said.clone();
                    said.push(format!("{} = {value}", axis.field));
                    let text = with_value(&self.plan, &text, &axis.field, value)?;
                    next.push((key.with(axis.field.clone(), value.clone()), text, said));
                }
            }
            points = next;
        }
        let plan = |(key, text, said): (Record, String, Vec<String>)| {
            let path = match said.as_slice() {
                [] => self.plan.path.clone(),
                said => format!("{} with {}", self.plan.path, said.join(", ")),
            };
            let mut plan = read_with(&PlanText { path, text, ..self.plan.clone() }, None, registry)?;
            // Only the measures of a run count, so probes are not needed.
            plan.probes = ProbesPlan::default();
            need::check(&plan)?;
            Ok(PlannedPoint { key, contents: contents(&plan)?, plan: Arc::new(plan) })
        };
        points.into_iter().map(plan).collect()
    }
}

fn job(point: &PlannedPoint) -> Job<'static> {
    let plan = Arc::clone(&point.plan);
    let task = move || Ok(measures(&run_alone(&plan)?));
    Job::new(point.key.clone(), 1, task).with_contents(point.contents.clone())
}

/// Runs a plan in one thread. Nothing is written to a disk, because the plan asks for no captures.
///
/// # Errors
/// Fails if the plan cannot be run.
pub(crate) fn run_alone(plan: &NetworkPlan) -> Result<Outcome, Failure> {
    run_to_the_end(plan.clone(), Path::new(""), NonZeroUsize::MIN)
}

/// Returns the text of everything that a run depends on: the plan with all defaults, the files that it names, and the
/// files that the programs of its switches include.
///
/// # Errors
/// Fails if a program or its table entries cannot be read.
pub(crate) fn contents(plan: &NetworkPlan) -> Result<String, Failure> {
    let mut contents = plan.text.clone();
    // The first is the plan's own text, whose comments and order change nothing.
    let named = plan.inputs.iter().skip(1).cloned();
    for (_, text) in named.chain(inputs_of_programs(plan)?) {
        contents.push_str(&format!("\nfile of {} bytes\n{text}", text.len()));
    }
    Ok(contents)
}
