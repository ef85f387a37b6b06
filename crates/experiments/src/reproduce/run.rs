//! Running a suite's experiments.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use super::{Reproduced, Suite, document, figures, summary};
use crate::comparison::{claims, comparisons};
use crate::plan::Experiment;
use crate::results::{rows_to_csv, timelines_to_csv};
use crate::sweep::{Finished, Job, Journal, Kept, sweep};
use diagnostics::Failure;
use files::{Manifest, fingerprint};
use plans::Record;
use report::{Page, to_csv};

/// The settings of a run of a suite.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The folder for the journals of unfinished experiments; without one, nothing can be resumed.
    pub journals: Option<PathBuf>,
    /// The number of threads.
    pub threads: NonZeroUsize,
    /// Whether to run only the values that the plans keep for a quick run.
    pub is_quick: bool,
    /// Whether to discard what an earlier, interrupted run has finished.
    pub begin_again: bool,
    /// The version and build of the program; journals of others are not used.
    pub version: String,
}

/// A receiver of reports on the progress of a reproduction.
pub trait Watcher {
    /// Called when an experiment of `jobs` jobs begins; `left` jobs of this and all later experiments are not done.
    fn begins(&mut self, experiment: &Experiment, jobs: usize, left: usize);

    /// Called when a job is done.
    fn finished(&mut self, job: Finished<'_>);
}

/// The results of a reproduction.
pub struct Reproduction {
    /// The results of each experiment.
    pub experiments: Vec<Reproduced>,
    page: Page,
    manifest: Manifest,
    journals: Vec<Journal>,
}

/// Runs experiments one after the other, each on all threads.
///
/// # Errors
/// Fails before anything runs if a plan is invalid, and later if a job fails.
pub fn reproduce(
    suite: &Suite,
    experiments: Vec<Experiment>,
    settings: &Settings,
    watcher: &mut dyn Watcher,
) -> Result<Reproduction, Failure> {
    let mut planned = Vec::new();
    for experiment in experiments {
        let jobs = jobs(suite, &experiment)?;
        if !settings.is_quick {
            every_published_number_is_run(&experiment, &jobs)?;
        }
        planned.push((experiment, jobs));
    }
    let mut left: usize = planned.iter().map(|(_, jobs)| jobs.len()).sum();
    let mut reproduced = Vec::new();
    let mut journals = Vec::new();
    let mut manifest = Manifest::of_inputs(&format!("reproduce {}", suite.name), &[]);
    if settings.is_quick {
        manifest.parameter("quick", "only what the plans keep under [quick]");
    }
    for (name, text) in suite.files {
        manifest.input(name, text.as_bytes());
    }
    for (experiment, jobs) in planned {
        let inputs = suite.method(&experiment)?.inputs();
        let mut journal = match &settings.journals {
            None => None,
            Some(folder) => {
                let points: String = jobs.iter().map(|job| format!("{}\n", job.key())).collect();
                let inputs: String = inputs.iter().map(|(name, hash)| format!("{name} {hash}\n")).collect();
                let all = format!("{}\n{}\n{points}{inputs}", settings.version, experiment.text);
                let of = format!("{} fnv1a64:{:016x}", experiment.name, fingerprint(all.as_bytes()));
                let path = folder.join(format!("{}.journal", experiment.name));
                Some(Journal::open(&path, &of, settings.begin_again)?)
            }
        };
        watcher.begins(&experiment, jobs.len(), left);
        let kept = journal.as_mut().map(|journal| journal as &mut dyn Kept);
        let rows = sweep(&jobs, settings.threads, kept, &mut |job| watcher.finished(job))?;
        left -= jobs.len();
        drop(jobs);
        journals.extend(journal);
        manifest.input(&format!("{}.toml", experiment.name), experiment.text.as_bytes());
        for (name, hash) in &inputs {
            manifest.parameter("input", &format!("{name} {hash}"));
        }
        manifest.output(&format!("{}.csv", experiment.name), rows_to_csv(&rows).as_bytes());
        if let Some(csv) = timelines_to_csv(&rows) {
            manifest.output(&format!("{}-timeline.csv", experiment.name), csv.as_bytes());
        }
        let (comparisons, claims) = (comparisons(&experiment, &rows), claims(&experiment, &rows));
        reproduced.push(Reproduced { experiment, rows, comparisons, claims });
    }
    let page = document::of(suite, &reproduced, manifest.to_text(), settings.is_quick);
    Ok(Reproduction { experiments: reproduced, page, manifest, journals })
}

/// Checks that there is a job for every published number, which would otherwise be missing from the comparison.
fn every_published_number_is_run(experiment: &Experiment, jobs: &[Job<'_>]) -> Result<(), Failure> {
    for published in &experiment.published {
        let selected: Vec<_> = jobs.iter().filter(|job| published.selection.selects(job.key())).collect();
        let missing = published.points.iter().find(|(value, _)| {
            let is_run = |job: &&Job<'_>| job.key().get(&published.axis) == Some(value);
            !selected.iter().any(is_run)
        });
        if let Some((value, number)) = missing {
            let (name, axis, measure) = (&experiment.name, &published.axis, &published.measure);
            let text = format!("{name}: no point is run for the published {measure} = {number} at {axis} = {value}");
            return Err(Failure::plain(text));
        }
    }
    Ok(())
}

/// Makes the jobs of an experiment, in the order of its points. Only those that figures draw tell what was so over time.
fn jobs<'s>(suite: &'s Suite, experiment: &Experiment) -> Result<Vec<Job<'s>>, Failure> {
    let method = suite.method(experiment)?;
    let is_drawn = |point: &Record| {
        let mut figures = experiment.figures.iter();
        figures.any(|figure| figure.drawn.is_of_one_run() && figure.selection.selects(point))
    };
    let job = |point: &Record| {
        let job =
            method.job(point).map_err(|wrong| Failure::plain(format!("{}: {point}: {wrong}", experiment.name)))?;
        Ok(if is_drawn(job.key()) { job } else { job.without_timeline() })
    };
    experiment.points().iter().map(job).collect()
}

impl Reproduction {
    /// Returns the files of the results: their names within the folder, and their contents.
    pub fn files(&self) -> Vec<(String, String)> {
        let mut files = vec![
            ("index.html".to_owned(), self.page.to_html()),
            ("summary.csv".to_owned(), to_csv(&summary::all(&self.experiments))),
            ("manifest.txt".to_owned(), self.manifest.to_text()),
        ];
        for reproduced in &self.experiments {
            let name = &reproduced.experiment.name;
            files.push((format!("{name}.csv"), rows_to_csv(&reproduced.rows)));
            for figure in figures::of(reproduced) {
                files.push((format!("figures/{}.svg", figure.name), figure.svg));
            }
            if let Some(csv) = timelines_to_csv(&reproduced.rows) {
                files.push((format!("{name}-timeline.csv"), csv));
            }
        }
        files
    }

    /// Removes the journals, which are no longer needed once the results are written.
    ///
    /// # Errors
    /// Fails if a journal cannot be removed.
    pub fn finish(self) -> Result<(), Failure> {
        self.journals.into_iter().try_for_each(Journal::remove)
    }
}
