//! `polyplane reproduce`: compares a paper's published numbers with ours.

use std::fs;
use std::path::Path;

use polyplane::Failure;
use polyplane::rooms::experiments::plan::Experiment;
use polyplane::rooms::experiments::reproduce::{
    Reproduced, Settings, Suite, broken, claim_table, comparison_table, counts, overview_table, reproduce,
};
use polyplane::rooms::files::{Earlier, OutputFolder, PlanText};
use polyplane::rooms::report::to_text;
use serde::Serialize;

use crate::arguments::ReproduceArguments;
use crate::run_progress::RunProgress;
use crate::threads::threads;
use crate::{output, program};

/// The outcome of an experiment in JSON.
#[derive(Serialize)]
struct Result<'r> {
    experiment: &'r str,
    title: &'r str,
    place: &'r str,
    runs: usize,
    reproduced: usize,
    different: usize,
    comparisons: &'r [polyplane::rooms::experiments::comparison::Comparison],
    claims: &'r [polyplane::rooms::experiments::comparison::ClaimResult],
}

pub fn run(arguments: &ReproduceArguments) -> std::result::Result<u8, Failure> {
    let (suite, found) = arguments.paper.suite(arguments.traces.as_deref())?;
    let experiments = chosen(arguments, &suite, found)?;
    let folder = arguments.out_dir.clone().unwrap_or_else(|| Path::new("out/reproduce").join(suite.name));
    let out = OutputFolder::take(&folder, is_result)?;
    let settings = Settings {
        journals: Some(folder.join("journals")),
        threads: threads(arguments.threads),
        is_quick: arguments.quick,
        begin_again: arguments.fresh,
        version: program::version(),
    };
    let mut progress = RunProgress::new();
    let reproduction = reproduce(&suite, experiments, &settings, &mut progress)?;
    progress.end();
    // Tables of earlier runs stay: each is independent of the others and may have taken hours.
    output::tell_kept(&out.finish_texts(&reproduction.files(), Earlier::Stays)?);
    if arguments.json {
        output::print_json(&reproduction.experiments.iter().map(as_json).collect::<Vec<_>>())?;
    } else {
        let page = folder.join("index.html");
        output::print(&format!("{}report: {}\n", as_text(&reproduction.experiments), page.display()))?;
    }
    // A number that differs from a published one is a result; a claim that must hold and does not is a defect.
    let broken: Vec<String> = broken(&reproduction.experiments).iter().map(|claim| claim.says.clone()).collect();
    reproduction.finish()?;
    // Removed only if empty: journals of interrupted experiments that this command did not run remain.
    let _ = fs::remove_dir(folder.join("journals"));
    broken.iter().for_each(|says| eprintln!("error: a claim that must hold does not: {says}"));
    Ok(u8::from(!broken.is_empty()))
}

/// Returns whether a reproduction may write a file of this name.
fn is_result(name: &str) -> bool {
    name == "index.html" || name.ends_with(".csv") || name.starts_with("figures/")
}

/// Returns the experiments to run: those of `--plan`, or the suite's own, restricted by `--only`.
fn chosen(
    arguments: &ReproduceArguments,
    suite: &Suite,
    found: Option<Experiment>,
) -> std::result::Result<Vec<Experiment>, Failure> {
    if !arguments.plan.is_empty() {
        let read = |path: &std::path::PathBuf| {
            let plan = PlanText::read(path)?;
            suite.read(&plan.name, &plan.path, &plan.text, arguments.quick)
        };
        let plans: Vec<Experiment> = arguments.plan.iter().map(read).collect::<std::result::Result<_, _>>()?;
        let twice =
            plans.iter().enumerate().find(|(at, plan)| plans[..*at].iter().any(|other| other.name == plan.name));
        return match twice {
            Some((_, plan)) => Err(Failure::plain(format!("two plans are called `{}`: rename one", plan.name))),
            None => Ok(plans),
        };
    }
    let mut experiments = suite.experiments(arguments.quick)?;
    experiments.extend(found);
    let names: Vec<String> = experiments.iter().map(|experiment| experiment.name.clone()).collect();
    if let Some(unknown) = arguments.only.iter().find(|only| !names.contains(only)) {
        return Err(Failure::plain(format!("there is no experiment `{unknown}`; known are {}", names.join(", "))));
    }
    if !arguments.only.is_empty() {
        experiments.retain(|experiment| arguments.only.contains(&experiment.name));
    }
    Ok(experiments)
}

fn as_json(reproduced: &Reproduced) -> Result<'_> {
    let counts = counts(reproduced);
    Result {
        experiment: &reproduced.experiment.name,
        title: &reproduced.experiment.title,
        place: &reproduced.experiment.source.place,
        runs: reproduced.rows.len(),
        reproduced: counts.reproduced,
        different: counts.different,
        comparisons: &reproduced.comparisons,
        claims: &reproduced.claims,
    }
}

/// The greatest number of comparisons of one experiment that are printed.
const MOST_ROWS: usize = 60;

fn as_text(experiments: &[Reproduced]) -> String {
    let mut text = String::new();
    for reproduced in experiments {
        let experiment = &reproduced.experiment;
        text.push_str(&format!("{} ({})\n\n", experiment.title, experiment.source.place));
        if reproduced.comparisons.len() > MOST_ROWS {
            text.push_str(&format!("{} numbers: see summary.csv\n\n", reproduced.comparisons.len()));
        } else if !reproduced.comparisons.is_empty() {
            text.push_str(&format!("{}\n", to_text(&comparison_table(&reproduced.comparisons))));
        }
        if !reproduced.claims.is_empty() {
            text.push_str(&format!("{}\n", to_text(&claim_table(&reproduced.claims))));
        }
    }
    text.push_str(&format!("{}\n", to_text(&overview_table(experiments))));
    text
}
