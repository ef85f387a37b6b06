//! The sums that come out, compared with sums made apart from the network.

use transports::aggregation::atp::Arithmetic;
use transports::aggregation::{Outcome, Sum};

use super::gradients::Values;
use super::plan::{Job, Plan};

/// What has come out at one worker.
#[derive(Clone, Debug, Default)]
struct Seen {
    /// For each tensor, which of its positions were reported.
    positions: Vec<Vec<bool>>,
    finished: usize,
    has_restarted: bool,
}

/// What has come out at all workers. A wrong sum is remembered and not asserted, for tests that expect one.
#[derive(Debug)]
pub struct Check {
    jobs: Vec<Job>,
    seen: Vec<Vec<Seen>>,
    pub wrong: Vec<String>,
    pub missed: u64,
}

impl Check {
    pub fn new(plan: &Plan) -> Self {
        let seen = |job: &Job| vec![Self::nothing(job); job.workers.len()];
        Self { seen: plan.jobs.iter().map(seen).collect(), jobs: plan.jobs.clone(), wrong: Vec::new(), missed: 0 }
    }

    fn nothing(job: &Job) -> Seen {
        let positions = job.tensors.iter().map(|&length| vec![false; length as usize]).collect();
        Seen { positions, ..Seen::default() }
    }

    pub fn restarted(&mut self, job: usize, rank: usize) {
        self.seen[job][rank] = Seen { has_restarted: true, ..Self::nothing(&self.jobs[job]) };
    }

    pub fn is_done(&self) -> bool {
        (0..self.jobs.len()).all(|job| self.is_job_done(job))
    }

    pub fn is_job_done(&self, job: usize) -> bool {
        self.seen[job].iter().all(|seen| seen.finished == self.jobs[job].tensors.len())
    }

    pub fn outcome(&mut self, job: usize, rank: usize, outcome: Outcome<'_>) {
        let about = &self.jobs[job];
        let workers = about.workers.len();
        let values = |rank: usize| Values { job: about.number, rank: rank as u16, bits: about.bits };
        let seen = &mut self.seen[job][rank];
        match outcome {
            Outcome::Part { tensor, first, sources, sum } => {
                let is_integer = about.parameters.arithmetic == Arithmetic::Integers;
                assert_eq!((usize::from(sources), is_integer), (workers, matches!(sum, Sum::Integers(_))));
                let length = match sum {
                    Sum::Integers(sums) => {
                        for (position, &sum) in (first..).zip(sums) {
                            let all = (0..workers).map(|rank| i64::from(values(rank).integer(tensor, position)));
                            let expected = all.sum::<i64>().clamp(i32::MIN.into(), i32::MAX.into());
                            if expected != i64::from(sum) {
                                self.wrong.push(format!("tensor {tensor} position {position}: {sum}, not {expected}"));
                            }
                        }
                        sums.len()
                    }
                    Sum::Floats(sums) => {
                        for (position, &sum) in (first..).zip(sums) {
                            let all = (0..workers).map(|rank| f64::from(values(rank).float(tensor, position)));
                            let expected: f64 = all.sum();
                            // Section B: n / s for the scale 1e8, 2^-3 of it for smaller ones, and the rounding of the result.
                            let tolerance = workers as f64 * 1e-6 + expected.abs() * 1e-6;
                            if (expected - f64::from(sum)).abs() > tolerance {
                                self.wrong.push(format!("tensor {tensor} position {position}: {sum}, not {expected}"));
                            }
                        }
                        sums.len()
                    }
                };
                mark(seen, tensor, first, length as u64);
            }
            Outcome::Missed { tensor, first, length } => {
                assert!(seen.has_restarted, "only a worker that has restarted can miss sums");
                mark(seen, tensor, first, length);
                self.missed += length;
            }
            Outcome::Finished { tensor } => {
                assert!(seen.positions[tensor as usize].iter().all(|&reported| reported), "all was reported before");
                seen.finished += 1;
            }
            Outcome::Straggler { .. } => panic!("ATP knows no stragglers"),
        }
    }
}

fn mark(seen: &mut Seen, tensor: u32, first: u64, length: u64) {
    for position in &mut seen.positions[tensor as usize][first as usize..(first + length) as usize] {
        assert!(!std::mem::replace(position, true), "each position is reported once");
    }
}
