//! Tests of jobs in plans of networks, from plan to results.

use std::num::NonZeroUsize;
use std::path::Path;

use netsim::Threading;
use networks::plan::{NetworkPlan, read};
use networks::{Next, Outcome, Running, run};

#[path = "jobs/atp.rs"]
mod atp;
#[path = "jobs/atp_levels.rs"]
mod atp_levels;
#[path = "jobs/atp_program.rs"]
mod atp_program;
#[path = "jobs/experiments.rs"]
mod experiments;
#[path = "jobs/messages.rs"]
mod messages;
#[path = "jobs/mistakes.rs"]
mod mistakes;
#[path = "../../basis/tests/common/on_all_cores.rs"]
mod on_all_cores;
#[path = "jobs/switchml.rs"]
mod switchml;
#[path = "jobs/trio_ml.rs"]
mod trio_ml;

fn try_plan(text: &str) -> Result<NetworkPlan, String> {
    read("test", "test.toml", text, Path::new(""), None).map_err(|failure| failure.render(false))
}

fn plan(text: &str) -> NetworkPlan {
    try_plan(text).unwrap_or_else(|failure| panic!("{failure}"))
}

/// Runs a plan with so many threads.
fn ran_by(text: &str, threads: usize) -> Outcome {
    let threads = NonZeroUsize::new(threads).expect("one at least");
    let running = Running { threading: Threading::Always, ..Running::through(Path::new(""), threads) };
    let outcome = run(plan(text), &running, &mut |_| Next::GoOn);
    let outcome = outcome.unwrap_or_else(|failure| panic!("{}", failure.render(false))).outcome().expect("the end");
    assert_eq!(outcome.defect, None, "packets are conserved");
    outcome
}

/// Runs a plan and requires that all of its sums are right.
fn ran(text: &str) -> Outcome {
    let outcome = ran_by(text, 1);
    assert_eq!(outcome.jobs.wrong(), "");
    outcome
}

/// Runs a plan and requires that all tensors finish with the right sums.
fn finished(text: &str) -> Outcome {
    let outcome = ran(text);
    assert_eq!(outcome.unfinished_tensors.text(), "");
    for job in &outcome.summary.jobs {
        assert_eq!(job.finished, job.tensors * job.workers as u64, "{}", job.name);
    }
    assert_eq!(outcome.exit_status(), 0, "{}", outcome.unfinished.text());
    outcome
}

/// Returns the bytes, with headers and framing, that a host has put on its link and got from it.
fn bytes_of(outcome: &Outcome, host: &str) -> (u64, u64) {
    let station = outcome.plan.topology.stations.iter().position(|station| station.name == host).expect("a host");
    let mut bytes = (0, 0);
    for link in &outcome.links {
        if link.ends.station as usize == station {
            bytes.0 += link.bytes;
        } else if link.ends.other as usize == station {
            bytes.1 += link.bytes;
        }
    }
    bytes
}
