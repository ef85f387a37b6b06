//! Runs a network in this process, which the benchmark has started for it.

use std::num::NonZeroUsize;
use std::path::Path;
use std::time::Instant;

use diagnostics::Failure;
use files::{Earlier, OutputFolder, PlanText, console};
use networks::results::Summary;
use networks::{Next, Running};
use serde::Serialize;

/// What a run prints in JSON.
#[derive(Serialize)]
struct Ran<'r> {
    #[serde(flatten)]
    summary: &'r Summary,
    /// The wall-clock time of the simulation alone, in seconds.
    run_seconds: f64,
}

/// Runs the network of a plan in one thread, writes all results into a folder as `polyplane sim` does, and prints the
/// summary and the time as JSON.
///
/// # Errors
/// If the plan cannot be read or built, or the folder cannot be written.
pub fn run(plan: &Path, folder: &Path) -> Result<(), Failure> {
    let text = PlanText::read(plan)?;
    let plan = networks::plan::read(&text.name, &text.path, &text.text, &text.folder, None)?;
    let out = OutputFolder::take(folder, networks::is_result)?;
    let start = Instant::now();
    let ran = networks::run(plan, &Running::through(folder, NonZeroUsize::MIN), &mut |_| Next::GoOn)?;
    let run_seconds = start.elapsed().as_secs_f64();
    let outcome = ran.outcome().expect("nobody asked the run to pause");
    out.finish_texts(&networks::files(&outcome), Earlier::Goes)?;
    console::print_json(&Ran { summary: &outcome.summary, run_seconds })
}
