//! The tensors of jobs: when each worker began and finished them, and what was wrong with their sums.

use std::collections::BTreeMap;

use basis::Instant;
use netsim::Simulation;
use report::{Column, Columns};
use serde::{Deserialize, Serialize};
use transports::jobs::{TensorEvent, TensorHappening, Wrong};

use super::links::LinkUse;
use super::summary::short;
use crate::plan::NetworkPlan;

/// The most lines that say what is wrong or unfinished.
const MOST_LISTED: usize = 20;

/// A tensor at one worker.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TensorAtWorker {
    /// The number of the job.
    pub job: u8,
    /// The number of the tensor.
    pub tensor: u32,
    /// The rank of the worker.
    pub worker: u16,
    /// The number of values.
    pub values: u64,
    /// The time at which the worker began to contribute to it.
    pub begun: Instant,
    /// The time at which the worker had all sums.
    pub finished: Option<Instant>,
    /// The number of values whose sums the worker missed, because they were complete before it was started.
    pub missed: u64,
    /// The number of values whose sums contain fewer workers than the job has.
    pub partial: u64,
}

impl TensorAtWorker {
    /// Returns the goodput in bits per second: the sums over the time; `None` if the tensor is not finished.
    pub fn goodput(&self) -> Option<f64> {
        let time = self.finished?.since(self.begun).seconds();
        Some((self.values - self.missed) as f64 * 32.0 / time).filter(|goodput| goodput.is_finite())
    }
}

/// The tensors of all jobs of a run.
#[derive(Clone, Debug, Default)]
pub struct JobResults {
    /// The tensors by job, tensor and worker.
    tensors: BTreeMap<(u8, u32, u16), TensorAtWorker>,
    /// A sentence for the first sums that are wrong.
    wrong: Vec<String>,
    /// The number of tensors at workers whose sums are wrong.
    wrong_count: u64,
    /// Slow workers that the network told of: the time, the job, who was told, who is slow, and whether it is for long.
    stragglers: Vec<(Instant, u8, u16, u16, bool)>,
}

impl JobResults {
    /// Records an event.
    pub(super) fn happened(&mut self, at: Instant, event: TensorEvent) {
        let TensorEvent { job, worker, tensor, happened } = event;
        let key = (job, tensor, worker);
        match happened {
            TensorHappening::Begun { values } => {
                let (begun, finished, missed, partial) = (at, None, 0, 0);
                let new = TensorAtWorker { job, tensor, worker, values, begun, finished, missed, partial };
                // A worker that was started again begins tensors a second time.
                self.tensors.entry(key).or_insert(new);
            }
            TensorHappening::Finished { missed, partial } => {
                if let Some(row) = self.tensors.get_mut(&key).filter(|row| row.finished.is_none()) {
                    (row.finished, row.missed, row.partial) = (Some(at), missed, partial);
                }
            }
            TensorHappening::Wrong(Wrong { position, expected, found }) => self.is_wrong(
                event,
                &format!("position {position} is {found}, and the sum of all workers' values is {expected}"),
            ),
            TensorHappening::Uncovered { values } => {
                self.is_wrong(event, &format!("sums for {values} positions came out, not one for each position"));
            }
            TensorHappening::Straggler { straggler, is_permanent } => {
                self.stragglers.push((at, job, worker, straggler, is_permanent));
            }
        }
    }

    fn is_wrong(&mut self, event: TensorEvent, why: &str) {
        self.wrong_count += 1;
        if self.wrong.len() < MOST_LISTED {
            let TensorEvent { job, worker, tensor, .. } = event;
            self.wrong.push(format!("job {job}, tensor {tensor} at the worker of rank {worker}: {why}"));
        }
    }

    /// Returns all tensors, by job, tensor and worker.
    pub fn tensors(&self) -> impl Iterator<Item = &TensorAtWorker> {
        self.tensors.values()
    }

    /// Returns a text with a line for each of the first wrong sums; empty if all sums are right.
    pub fn wrong(&self) -> String {
        if self.wrong_count == 0 {
            return String::new();
        }
        let mut text =
            format!("sums differ from those formed apart from the network in {} tensors:\n", self.wrong_count);
        self.wrong.iter().for_each(|line| text.push_str(&format!("  {line}\n")));
        text
    }

    /// Returns a summary of each job.
    pub(super) fn summary(&self, plan: &NetworkPlan, links: &[LinkUse]) -> Vec<JobSummary> {
        let link_bytes = |hosts: &[usize]| {
            let mean = |end: fn(&LinkUse) -> u32| {
                let theirs = links.iter().filter(|link| hosts.contains(&(end(link) as usize)));
                theirs.map(|link| link.bytes).sum::<u64>() as f64 / hosts.len() as f64
            };
            (!hosts.is_empty())
                .then(|| LinkBytes { sent: mean(|link| link.ends.station), received: mean(|link| link.ends.other) })
        };
        let summary = |job: &crate::jobs::JobPlan| {
            let rows = || self.tensors().filter(|row| row.job == job.number);
            let finished = || rows().filter(|row| row.finished.is_some());
            let span = rows()
                .map(|row| row.begun)
                .min()
                .zip(finished().filter_map(|row| row.finished).max())
                .map(|(first, last)| last.since(first).seconds());
            let workers = job.workers.len();
            let values: u64 = finished().map(|row| row.values - row.missed).sum();
            let goodput = span.map(|span| values as f64 * 32.0 / span / workers as f64);
            JobSummary {
                name: job.name.clone(),
                scheme: job.scheme.0,
                workers,
                tensors: u64::from(job.schedule.count),
                finished: finished().count() as u64,
                time_us: span.map(|span| span * 1e6),
                goodput_bits_per_second: goodput.filter(|goodput| goodput.is_finite()),
                worker_link: link_bytes(&job.workers),
                server_link: link_bytes(&job.servers),
                partial_values: rows().map(|row| row.partial).sum(),
                missed_values: rows().map(|row| row.missed).sum(),
            }
        };
        plan.jobs.iter().map(summary).collect()
    }

    /// Returns what has not finished at the end of a run, and what each participant waits for; empty if nothing is left.
    /// Jobs that were taken away before are left out.
    pub(super) fn unfinished(&self, plan: &NetworkPlan, simulation: &Simulation, now: Instant) -> UnfinishedTensors {
        let mut unfinished = UnfinishedTensors::default();
        let names = &plan.topology.stations;
        for job in plan.jobs.iter().filter(|job| job.schedule.end.is_none_or(|end| end > now)) {
            let open: Vec<&TensorAtWorker> =
                self.tensors().filter(|row| row.job == job.number && row.finished.is_none()).collect();
            if open.is_empty() {
                continue;
            }
            unfinished.count += open.len() as u64;
            for row in open.iter().take(MOST_LISTED) {
                let host = job.workers.get(usize::from(row.worker)).map_or("", |&host| names[host].name.as_str());
                unfinished.lines.push(format!(
                    "job `{}`, tensor {} at {host}, the worker of rank {}, begun at {}",
                    job.name, row.tensor, row.worker, row.begun
                ));
            }
            let mut hosts: Vec<usize> =
                job.epochs().into_iter().flat_map(|epoch| epoch.workers.into_iter().chain(epoch.servers)).collect();
            hosts.sort_unstable();
            hosts.dedup();
            let waits = hosts.iter().flat_map(|&host| {
                let waiting = simulation.station(host).waiting(now);
                waiting.into_iter().map(move |work| format!("{}, {}: {}", names[host].name, work.what, work.why))
            });
            unfinished.lines.extend(waits.take(MOST_LISTED));
        }
        unfinished
    }

    /// Returns `jobs.csv`: a row for each tensor at each worker; `None` if the plan has no jobs.
    pub(super) fn table(&self, plan: &NetworkPlan) -> Option<Columns> {
        if plan.jobs.is_empty() {
            return None;
        }
        let rows: Vec<&TensorAtWorker> = self.tensors().collect();
        let counts = |of: fn(&TensorAtWorker) -> u64| Column::Counts(rows.iter().map(|row| of(row)).collect());
        let name = |row: &&TensorAtWorker| {
            plan.jobs.iter().find(|job| job.number == row.job).map_or(String::new(), |job| job.name.clone())
        };
        let finished = |row: &&TensorAtWorker| row.finished.map(Instant::picoseconds);
        let goodput = |row: &&TensorAtWorker| row.goodput().unwrap_or(f64::NAN);
        Some(Columns {
            name: "jobs",
            columns: vec![
                ("job", Column::of_names(rows.iter().map(name))),
                ("tensor", counts(|row| row.tensor.into())),
                ("worker", counts(|row| row.worker.into())),
                ("values", counts(|row| row.values)),
                ("begun_ps", counts(|row| row.begun.picoseconds())),
                ("finished_ps", Column::Optional(rows.iter().map(finished).collect())),
                ("goodput_bits_per_second", Column::Numbers(rows.iter().map(goodput).collect())),
                ("missed_values", counts(|row| row.missed)),
                ("partial_values", counts(|row| row.partial)),
            ],
        })
    }

    /// Returns `stragglers.csv`: a row for each time that the network told a worker of a slow one; `None` if it never did.
    pub(super) fn stragglers_table(&self, plan: &NetworkPlan) -> Option<Columns> {
        let rows = &self.stragglers;
        let name = |number: u8| {
            plan.jobs.iter().find(|job| job.number == number).map_or(String::new(), |job| job.name.clone())
        };
        let columns = vec![
            ("time_ps", Column::Counts(rows.iter().map(|row| row.0.picoseconds()).collect())),
            ("job", Column::of_names(rows.iter().map(|row| name(row.1)))),
            ("worker", Column::Counts(rows.iter().map(|row| row.2.into()).collect())),
            ("straggler", Column::Counts(rows.iter().map(|row| row.3.into()).collect())),
            ("permanent", Column::Counts(rows.iter().map(|row| row.4.into()).collect())),
        ];
        (!rows.is_empty()).then_some(Columns { name: "stragglers", columns })
    }

    /// Returns the number of tensors at workers that have begun, and that have finished.
    pub fn counts(&self) -> (usize, usize) {
        (self.tensors.len(), self.tensors().filter(|row| row.finished.is_some()).count())
    }
}

/// What the link of a host carried, in bytes with headers and framing.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct LinkBytes {
    /// From the host.
    pub sent: f64,
    /// To the host.
    pub received: f64,
}

/// The summary of a job.
#[derive(Clone, Debug, Serialize)]
pub struct JobSummary {
    /// The name of the job.
    pub name: String,
    /// The name of the scheme.
    pub scheme: &'static str,
    /// The number of workers.
    pub workers: usize,
    /// The number of tensors of the job.
    pub tensors: u64,
    /// The number of tensors that workers have finished, summed over all workers.
    pub finished: u64,
    /// The time from the first beginning of a tensor to the last end, in microseconds.
    pub time_us: Option<f64>,
    /// The sums that came out at each worker over this time, in bits per second.
    pub goodput_bits_per_second: Option<f64>,
    /// What a worker's link carried, in the mean over the workers; also for whatever else the host does.
    pub worker_link: Option<LinkBytes>,
    /// The same for the servers, if there are any.
    pub server_link: Option<LinkBytes>,
    /// The number of values whose sums contain fewer workers than the job has, summed over all workers.
    pub partial_values: u64,
    /// The number of values whose sums a worker missed, because they were complete before it was started.
    pub missed_values: u64,
}

impl JobSummary {
    /// Returns the summary in words.
    pub(super) fn text(&self) -> String {
        let Self { name, scheme, workers, tensors, finished, .. } = self;
        let all = tensors * *workers as u64;
        let mut text = format!("{name}: {finished} of {all} tensors finished at {workers} workers by {scheme}");
        if let (Some(time), Some(goodput)) = (self.time_us, self.goodput_bits_per_second) {
            text.push_str(&format!(" in {} us, {} Gb/s each", short(time), short(goodput / 1e9)));
        }
        for (link, what) in [(self.worker_link, "worker"), (self.server_link, "server")] {
            if let Some(LinkBytes { sent, received }) = link {
                text.push_str(&format!(
                    ", {} MB from a {what} and {} MB to it",
                    short(sent / 1e6),
                    short(received / 1e6)
                ));
            }
        }
        for (count, what) in [(self.partial_values, "without some worker"), (self.missed_values, "missed")] {
            if count > 0 {
                text.push_str(&format!(", {count} values {what}"));
            }
        }
        text
    }
}

/// The tensors that have not finished, and what each participant waits for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct UnfinishedTensors {
    /// The number of tensors that workers have begun and not finished.
    pub count: u64,
    /// A line for each of the first of them, and for what each participant of their jobs waits for.
    pub lines: Vec<String>,
}

impl UnfinishedTensors {
    /// Returns a text with a line for each; empty if every tensor has finished.
    pub fn text(&self) -> String {
        if self.count == 0 {
            return String::new();
        }
        let count = if self.count == 1 { "1 tensor has".to_owned() } else { format!("{} tensors have", self.count) };
        let mut text = format!("{count} not finished:\n");
        self.lines.iter().for_each(|line| text.push_str(&format!("  {line}\n")));
        text
    }
}

basis::snapshot!(JobResults { values tensors, wrong, wrong_count, stragglers; });
