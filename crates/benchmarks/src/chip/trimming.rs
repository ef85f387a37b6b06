//! Measures a whole network around the chip: 64 hosts that send to 16 through the program that trims.

use std::num::NonZeroUsize;
use std::path::Path;
use std::time::Instant as WallClock;

use diagnostics::Failure;
use files::PlanText;
use networks::results::Outcome;
use serde::Serialize;

/// The plan, from the project's folder on.
pub const PLAN: &str = "experiments/trimming/tofino.toml";

/// The number of runs, of which the fastest counts.
const RUNS: usize = 3;

/// What the plan's workload carries, and what it carries in a quick measurement.
const BYTES: [&str; 2] = ["bytes = \"28.72 MB\"", "bytes = \"2 MB\""];

/// The speed at which the network was simulated, in one thread.
#[derive(Clone, Debug, Serialize)]
pub struct MeasuredTrimming {
    /// The wall-clock time of the run in seconds, with reading and compiling the program and without writing results.
    pub seconds: f64,
    /// The simulated time in microseconds.
    pub simulated_us: f64,
    /// The passes of packets through ingress and egress, of packets that recirculate in each round.
    pub passes: u64,
    /// These passes per second of wall-clock time.
    pub passes_per_second: f64,
    /// The number of packets transmitted on links.
    pub packet_hops: u64,
}

/// Runs the network a few times, and returns the fastest run. A quick measurement runs it once, with fewer bytes.
///
/// # Errors
/// If the plan cannot be read or run.
pub fn trimming(quick: bool) -> Result<MeasuredTrimming, Failure> {
    let mut best: Option<MeasuredTrimming> = None;
    for _ in 0..if quick { 1 } else { RUNS } {
        let start = WallClock::now();
        let text = PlanText::read(Path::new(PLAN))?;
        let [all, few] = BYTES;
        let of_plan = if quick { text.text.replace(all, few) } else { text.text };
        let plan = networks::plan::read(&text.name, &text.path, &of_plan, &text.folder, None)?;
        let outcome = networks::run_to_the_end(plan, Path::new(""), NonZeroUsize::MIN)?;
        let seconds = start.elapsed().as_secs_f64();
        if best.as_ref().is_none_or(|best| seconds < best.seconds) {
            let passes = passes(&outcome);
            best = Some(MeasuredTrimming {
                seconds,
                simulated_us: outcome.summary.end_us,
                passes,
                passes_per_second: passes as f64 / seconds,
                packet_hops: outcome.summary.packet_hops,
            });
        }
    }
    Ok(best.expect("there is at least one run"))
}

/// The passes through a gress: ingress for each packet from a link and from a recirculation port, egress for each packet
/// that left a queue.
fn passes(outcome: &Outcome) -> u64 {
    let hosts = outcome.plan.topology.hosts().len() as u32;
    let from_links: u64 = outcome.links.iter().filter(|link| link.ends.station < hosts).map(|link| link.packets).sum();
    let counter = |name: &str| outcome.summary.counters.get(name).copied().unwrap_or_default();
    from_links + counter("recirculations") + counter("SAI_QUEUE_STAT_PACKETS")
}
