//! `polyplane sim`: simulates a network of hosts and switches.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use polyplane::Diagnostic;
use polyplane::Failure;
use polyplane::rooms::files::{Earlier, OutputFolder, PlanText};
use polyplane::rooms::networks::plan::read;
use polyplane::rooms::networks::results::checkpoint_file;
use polyplane::rooms::networks::{
    NetworkPlan, Next, Outcome, Ran, Running, Short, Stage, files as results, is_result, run as simulate,
};
use serde::Serialize;

use crate::sim_arguments::SimArguments;
use crate::{output, program};

/// The result in JSON.
#[derive(Serialize)]
struct Result<'r> {
    #[serde(flatten)]
    summary: &'r polyplane::rooms::networks::results::Summary,
    unfinished: &'r polyplane::rooms::networks::results::Unfinished,
    #[serde(skip_serializing_if = "has_none")]
    unfinished_tensors: &'r polyplane::rooms::networks::results::UnfinishedTensors,
    /// A line for each of the first sums that are wrong.
    #[serde(skip_serializing_if = "str::is_empty")]
    wrong_sums: String,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    deadlock: &'r [String],
    /// The elapsed time of the run in seconds. It depends on the computer, so no file contains it.
    wall_seconds: f64,
    events_per_second: f64,
    packet_hops_per_second: f64,
}

fn has_none(unfinished: &polyplane::rooms::networks::results::UnfinishedTensors) -> bool {
    unfinished.count == 0
}

/// The result of a paused run in JSON.
#[derive(Serialize)]
struct Paused {
    paused_at_ps: u64,
    checkpoint: String,
}

pub fn run(arguments: &SimArguments) -> std::result::Result<u8, Failure> {
    let plan = plan(arguments)?;
    if arguments.print_plan {
        output::print(&plan.text)?;
        return Ok(0);
    }
    if arguments.parquet && !cfg!(feature = "parquet") {
        let error = Diagnostic::without_place("this `polyplane` was built without Parquet");
        return Err(error.hint("cargo build --release --package polyplane --features parquet").into());
    }
    let folder = arguments.out_dir.clone().unwrap_or_else(|| plan.folder());
    let take = if arguments.resume { OutputFolder::take_again } else { OutputFolder::take };
    let mut out = take(&folder, is_result)?;
    out.refuse_inputs(plan.files().iter().map(PathBuf::as_path))?;
    let keeps_states = arguments.checkpoint_every.is_some() || arguments.pause_at.is_some() || arguments.resume;
    if keeps_states {
        // A run that resumes needs the captures written so far.
        out.keep_partial();
    }
    if !arguments.resume && std::fs::remove_file(checkpoint_file(&folder)).is_ok() {
        let notice = format!(
            "note: removed {} of an earlier run; `--resume` would have resumed from it\n",
            checkpoint_file(&folder).display()
        );
        output::tell(&notice);
    }
    let version = if keeps_states { program::version() } else { String::new() };
    let running = Running {
        pause_at: arguments.pause_at.map(|after| polyplane::rooms::basis::Instant::ZERO + after),
        resumes: arguments.resume,
        version: &version,
        ..Running::through(&folder, arguments.parallel)
    };
    let mut progress = SimulationProgress::new(arguments.checkpoint_every);
    let ran = simulate(plan, &running, &mut |stage| progress.report(stage))?;
    let seconds = progress.end();
    let outcome = match ran {
        Ran::ToTheEnd(outcome) => outcome,
        Ran::Paused(at) => {
            if arguments.json {
                let checkpoint = checkpoint_file(&folder).display().to_string();
                output::print_json(&Paused { paused_at_ps: at.picoseconds(), checkpoint })?;
                return Ok(0);
            }
            let at = format!("{:.3} us simulated", at.picoseconds() as f64 * 1e-6);
            let file = checkpoint_file(&folder);
            output::print(&format!("paused at {at}; `--resume` resumes from {}\n", file.display()))?;
            return Ok(0);
        }
    };
    #[cfg(feature = "parquet")]
    if arguments.parquet {
        for (name, bytes) in polyplane::rooms::networks::parquet_files(&outcome)? {
            out.write(&name, &bytes)?;
        }
    }
    for capture in &outcome.captures {
        out.adopt(capture)?;
    }
    output::tell_kept(&out.finish_texts(&results(&outcome), Earlier::Goes)?);
    report(arguments, &outcome, seconds, &folder)?;
    if let Some(defect) = &outcome.defect {
        output::tell(&format!("error: packets were not conserved, which is a bug in Polyplane: {defect}\n"));
    }
    if !outcome.deadlock.is_empty() {
        let circle: String = outcome.deadlock.iter().map(|hold| format!("  {hold}\n")).collect();
        output::tell(&format!("error: flow control has deadlocked: these wait for each other forever:\n{circle}"));
    }
    let wrong = outcome.jobs.wrong();
    if !wrong.is_empty() {
        output::tell(&format!("error: {wrong}"));
    }
    if !outcome.plan.end.accepts_unfinished {
        output::tell(&outcome.unfinished.text());
        output::tell(&outcome.unfinished_tensors.text());
    }
    Ok(outcome.exit_status())
}

/// Reads the plan from its file, or makes it from the short forms of the command line.
fn plan(arguments: &SimArguments) -> std::result::Result<NetworkPlan, Failure> {
    let Some(path) = &arguments.plan else {
        let short = Short {
            topology: arguments.topology.clone().unwrap_or_default(),
            link: arguments.link.clone(),
            queue: arguments.queue.clone(),
            transport: arguments.transport.clone(),
            host: arguments.host.clone(),
            faults: arguments.fault.clone(),
            workloads: arguments.workload.clone(),
            probes: arguments.probes.clone(),
            end: arguments.end.clone(),
            seed: arguments.seed,
        };
        return read("command-line", "the plan of the command line", &short.to_toml(), Path::new(""), None);
    };
    let plan = PlanText::read(path)?;
    read(&plan.name, &plan.path, &plan.text, &plan.folder, arguments.seed)
}

fn report(
    arguments: &SimArguments,
    outcome: &Outcome,
    seconds: f64,
    folder: &Path,
) -> std::result::Result<(), Failure> {
    let per_second = |count: u64| if seconds > 0.0 { count as f64 / seconds } else { 0.0 };
    let summary = &outcome.summary;
    let (events, hops) = (per_second(summary.events), per_second(summary.packet_hops));
    if arguments.json {
        return output::print_json(&Result {
            summary,
            unfinished: &outcome.unfinished,
            unfinished_tensors: &outcome.unfinished_tensors,
            wrong_sums: outcome.jobs.wrong(),
            deadlock: &outcome.deadlock,
            wall_seconds: seconds,
            events_per_second: events,
            packet_hops_per_second: hops,
        });
    }
    let mut text = format!("{}\n\n", outcome.plan.title);
    for (name, value) in summary.rows() {
        text.push_str(&format!("{name:<15} {value}\n"));
    }
    text.push_str(&format!("{:<15} {}\n", "report", folder.join("index.html").display()));
    output::print(&text)?;
    // The speed is not a result, so it is shown only on a terminal.
    if std::io::stderr().is_terminal() {
        let millions = |rate: f64| format!("{:.2} M", rate / 1e6);
        let speed = format!("{} events/s, {} packet-hops/s", millions(events), millions(hops));
        output::tell(&format!("{seconds:.2} s, {speed}\n"));
    }
    Ok(())
}

/// Reports the progress of a run: on a terminal in one line that is overwritten, elsewhere in a line every ten seconds.
struct SimulationProgress {
    is_terminal: bool,
    started: Instant,
    reported: Instant,
    has_reported: bool,
    /// The time between two checkpoints, if there are any.
    checkpoint_every: Option<Duration>,
    /// The time at which the last checkpoint was taken.
    written: Instant,
}

impl SimulationProgress {
    fn new(checkpoint_every: Option<u64>) -> Self {
        let now = Instant::now();
        let checkpoint_every = checkpoint_every.map(Duration::from_secs);
        let is_terminal = std::io::stderr().is_terminal();
        Self { is_terminal, started: now, reported: now, has_reported: false, checkpoint_every, written: now }
    }

    /// Reports how far the run is, and returns whether to write a checkpoint.
    fn report(&mut self, stage: Stage) -> Next {
        let between = if self.is_terminal { Duration::from_millis(200) } else { Duration::from_secs(10) };
        if self.reported.elapsed() >= between {
            let clear = if self.is_terminal { "\r\x1b[K" } else { "" };
            let end = if self.is_terminal { "" } else { "\n" };
            let Stage { now, events, flows, delivered } = stage;
            let events = events as f64 / 1e6;
            let seconds = self.started.elapsed().as_secs_f64();
            output::tell(&format!(
                "{clear}{} us simulated, {delivered} of {flows} flows finished, {events:.1} M events, {seconds:.0} s{end}",
                now.microseconds()
            ));
            self.reported = Instant::now();
            self.has_reported = true;
        }
        if self.checkpoint_every.is_some_and(|every| self.written.elapsed() >= every) {
            self.written = Instant::now();
            return Next::Checkpoint;
        }
        Next::GoOn
    }

    /// Clears the line of progress, and returns the elapsed time in seconds.
    fn end(&self) -> f64 {
        if self.has_reported && self.is_terminal {
            output::tell("\r\x1b[K");
        }
        self.started.elapsed().as_secs_f64()
    }
}
