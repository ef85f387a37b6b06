//! Running jobs on several threads.
//!
//! Threads take the next job from a counter until none is left. The jobs take milliseconds to seconds and share
//! nothing, so stealing work (rayon) would gain nothing; and a counter begins the longest first, which keeps the last
//! thread from starting a long job when all others are done.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

use plans::Record;

use super::{Job, Kept, Measured, Row};
use diagnostics::Failure;

/// A finished job, as a sweep reports it.
#[derive(Clone, Copy, Debug)]
pub struct Finished<'f> {
    /// The key of the job.
    pub key: &'f Record,
    /// The weight of the job.
    pub weight: u64,
    /// Whether its measures were stored by an earlier run.
    pub is_resumed: bool,
}

/// Runs jobs on `threads` threads and returns their rows in the order of the jobs; the result is the same for any
/// number of threads. Jobs whose measures are in `kept` are not run again; the measures of others are stored there at
/// once. `finished` is called for each job.
///
/// # Errors
/// Fails if a job fails, or if its measures cannot be stored. No further job begins then; if several have failed, the
/// failure is that of the earliest job.
pub fn sweep(
    jobs: &[Job<'_>],
    threads: NonZeroUsize,
    mut kept: Option<&mut dyn Kept>,
    finished: &mut dyn FnMut(Finished<'_>),
) -> Result<Vec<Row>, Failure> {
    let mut found: Vec<Option<Measured>> = vec![None; jobs.len()];
    for (job, found) in jobs.iter().zip(&mut found) {
        *found = kept.as_ref().and_then(|kept| kept.find(job));
        if found.is_some() {
            finished(Finished { key: job.key(), weight: job.weight(), is_resumed: true });
        }
    }
    let mut left: Vec<usize> = (0..jobs.len()).filter(|&number| found[number].is_none()).collect();
    left.sort_by_key(|&number| std::cmp::Reverse(jobs[number].weight())); // stable

    let next = AtomicUsize::new(0);
    let is_ended = AtomicBool::new(false);
    let mut failures: Vec<(usize, Failure)> = Vec::new();
    thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        for _ in 0..threads.get().min(left.len()) {
            let sender = sender.clone();
            let (next, left, is_ended) = (&next, &left, &is_ended);
            scope.spawn(move || {
                while !is_ended.load(Ordering::Relaxed) {
                    let Some(&number) = left.get(next.fetch_add(1, Ordering::Relaxed)) else { break };
                    let outcome = jobs[number].run();
                    if outcome.is_err() {
                        is_ended.store(true, Ordering::Relaxed);
                    }
                    if sender.send((number, outcome)).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        // Only the calling thread stores measures and reports progress, so neither needs a lock.
        for (number, outcome) in receiver {
            let job = &jobs[number];
            let outcome = outcome.and_then(|measured| match &mut kept {
                Some(kept) => kept.keep(job, &measured).map(|()| measured),
                None => Ok(measured),
            });
            match outcome {
                Ok(measured) => {
                    found[number] = Some(measured);
                    finished(Finished { key: job.key(), weight: job.weight(), is_resumed: false });
                }
                Err(failure) => {
                    is_ended.store(true, Ordering::Relaxed);
                    failures.push((number, failure));
                }
            }
        }
    });
    if let Some((_, failure)) = failures.into_iter().min_by_key(|(number, _)| *number) {
        return Err(failure);
    }
    let row = |(job, measured): (&Job<'_>, Option<Measured>)| {
        let Measured { measures, timeline } = measured.expect("without a failure every job was run or found");
        Row { key: job.key().clone(), measures, timeline }
    };
    Ok(jobs.iter().zip(found).map(row).collect())
}
