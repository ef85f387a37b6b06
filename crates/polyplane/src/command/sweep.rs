//! `polyplane sweep`: simulates a network for each combination of values of its plan's fields.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use polyplane::rooms::experiments::sweep::{Finished, Points, Row};
use polyplane::rooms::files::{Earlier, OutputFolder, PlanText};
use polyplane::rooms::networks::Registry;
use polyplane::rooms::networks::sweep::{Axis, Means, Sweep, USUAL_MEASURES, document, is_sweep_result};
use polyplane::rooms::plans::Record;
use polyplane::rooms::report::to_text;
use polyplane::{Diagnostic, Failure};
use serde::Serialize;

use crate::sim_arguments::SweepArguments;
use crate::threads::threads;
use crate::{output, program};

/// The folder of finished points, within the folder for results.
const POINTS: &str = "points";

/// A point and its measures in JSON.
#[derive(Serialize)]
struct PointOutcome<'r> {
    point: &'r Record,
    measures: &'r Record,
}

pub fn run(arguments: &SweepArguments) -> Result<u8, Failure> {
    let plan = PlanText::read(&arguments.plan)?;
    let axes = arguments.over.iter().map(|text| Axis::parse(text)).collect::<Result<Vec<_>, Failure>>()?;
    refuse_twice(&axes)?;
    let sweep = Sweep { plan, axes };
    let folder = arguments.out_dir.clone().unwrap_or_else(|| Path::new("out/sweep").join(&sweep.plan.name));
    let mut out = OutputFolder::take(&folder, is_sweep_result)?;
    out.refuse_inputs([PathBuf::from(&sweep.plan.path)].iter().map(PathBuf::as_path))?;
    let mut points = Points::open(&folder.join(POINTS), &program::version())?;
    let mut progress = SweepProgress::new(sweep.points());
    let kept = (!arguments.fresh).then_some(&mut points as &mut dyn polyplane::rooms::experiments::sweep::Kept);
    let rows = sweep.run(&Registry::default(), threads(arguments.threads), kept, &mut |job| progress.report(job))?;
    progress.end();
    let means = Means::of(&rows);
    let measures = chosen(&arguments.measures, &means)?;
    let document = document(&sweep, &rows, &measures);
    for (name, text) in &document.files {
        out.write(name, text.as_bytes())?;
    }
    output::tell_kept(&out.finish(&document.manifest, Earlier::Goes)?);
    if arguments.json {
        let all: Vec<PointOutcome<'_>> =
            rows.iter().map(|Row { key, measures, .. }| PointOutcome { point: key, measures }).collect();
        output::print_json(&all)?;
    } else {
        let page = folder.join("index.html");
        output::print(&format!("{}\nreport: {}\n", to_text(&means.table(&measures)), page.display()))?;
    }
    Ok(0)
}

fn refuse_twice(axes: &[Axis]) -> Result<(), Failure> {
    match axes.iter().enumerate().find(|(at, axis)| axes[..*at].iter().any(|other| other.field == axis.field)) {
        Some((_, axis)) => {
            let error = Diagnostic::without_place(format!("`--over {}` is given twice", axis.field));
            Err(error.hint(format!("give all values in one: `--over {}=a,b`", axis.field)).into())
        }
        None => Ok(()),
    }
}

/// Returns the measures to show: those that are named, or the usual ones if none are.
fn chosen(named: &[String], means: &Means) -> Result<Vec<String>, Failure> {
    if named.is_empty() {
        return Ok(USUAL_MEASURES.map(str::to_owned).to_vec());
    }
    let known = means.measures();
    if let Some(unknown) = named.iter().find(|name| !known.contains(&name.as_str())) {
        let error = Diagnostic::without_place(format!("there is no measure `{unknown}`"));
        return Err(error.hint(polyplane::rooms::diagnostics::there_are(unknown, known)).into());
    }
    Ok(named.to_vec())
}

/// Reports how many points are done: on a terminal in one line that is overwritten, elsewhere in a line every ten
/// seconds.
struct SweepProgress {
    is_terminal: bool,
    started: Instant,
    reported: Instant,
    of: usize,
    run: usize,
    kept: usize,
}

impl SweepProgress {
    fn new(of: usize) -> Self {
        let now = Instant::now();
        Self { is_terminal: std::io::stderr().is_terminal(), started: now, reported: now, of, run: 0, kept: 0 }
    }

    fn report(&mut self, job: Finished<'_>) {
        *if job.is_resumed { &mut self.kept } else { &mut self.run } += 1;
        let between = if self.is_terminal { Duration::from_millis(200) } else { Duration::from_secs(10) };
        if self.reported.elapsed() < between {
            return;
        }
        self.reported = Instant::now();
        let done = self.run + self.kept;
        let left = self.started.elapsed().as_secs_f64() / self.run.max(1) as f64 * (self.of - done) as f64;
        let (clear, end) = if self.is_terminal { ("\r\x1b[K", "") } else { ("", "\n") };
        output::tell(&format!("{clear}{done} of {} points, about {left:.0} s left{end}", self.of));
    }

    fn end(&self) {
        let clear = if self.is_terminal { "\r\x1b[K" } else { "" };
        let kept = match self.kept {
            0 => String::new(),
            kept => format!(", {kept} of them kept from earlier sweeps"),
        };
        output::tell(&format!("{clear}{} points in {:.1} s{kept}\n", self.of, self.started.elapsed().as_secs_f64()));
    }
}
