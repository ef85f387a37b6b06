//! Measures how fast networks are simulated, and optionally htsim on the same flows.
//!
//! Both simulators run as separate processes, one after the other, so that the time and memory of both are measured in
//! the same way. Our time lasts from the start of the process until all results are written.

mod child;
mod htsim;
mod run;

use std::fs;
use std::path::Path;
use std::process::Command;

use serde::Serialize;
use serde_json::Value;

use diagnostics::Failure;
pub use htsim::Htsim;
pub use run::run;

/// The folder of the plans, from the project's folder on.
pub const PLANS: &str = "experiments/htsim";

/// The number of runs, of which the fastest counts, because disturbances only ever make a run slower.
const RUNS: u32 = 3;

/// A plan, and the arguments with which htsim simulates the same network.
pub(super) struct Work {
    plan: &'static str,
    /// The parameter k of its fat-tree, which has k³/4 hosts.
    k: u32,
    /// The binary of htsim.
    binary: &'static str,
    /// The arguments of the binary beside the flows: queues, windows and packet sizes.
    arguments: &'static str,
}

const WORKS: [Work; 4] = [
    Work { plan: "permutation_128", k: 8, binary: NDP, arguments: "-strat perm -q 8 -cwnd 140 -mtu 1436" },
    Work { plan: "permutation_1024", k: 16, binary: NDP, arguments: "-strat perm -q 8 -cwnd 15 -mtu 9000" },
    Work { plan: "incast_128", k: 8, binary: NDP, arguments: "-strat perm -q 8 -cwnd 15 -mtu 9000" },
    Work { plan: "eqds_permutation_1024", k: 16, binary: "htsim_eqds", arguments: "-q 12 -cwnd 50 -mtu 4150" },
];

/// The index in [`WORKS`] of the work that takes the least time.
const SMALLEST: usize = 2;

const NDP: &str = "htsim_ndp";

/// The speed at which a network was simulated.
#[derive(Clone, Debug, Serialize)]
pub struct MeasuredNetwork {
    /// The name of the plan's file, without its extension.
    pub plan: String,
    /// The number of events of the simulation.
    pub events: u64,
    /// The number of packets transmitted on links, by kind.
    pub hops: Value,
    /// The number of packets transmitted on links.
    pub packet_hops: u64,
    /// The number of flows that finished.
    pub finished: u64,
    /// The simulated time at which the last flow finished, in microseconds.
    pub last_completion_us: f64,
    /// The wall-clock time of the simulation alone, in seconds, of the best run.
    pub run_seconds: f64,
    /// The wall-clock time of the whole process, in seconds, of the best run.
    pub seconds: f64,
    /// The peak resident set size of the process in bytes.
    pub peak_bytes: Option<u64>,
    /// The speed of htsim on the same flows, if its binary was found.
    pub htsim: Option<MeasuredHtsim>,
}

/// The speed of htsim.
#[derive(Clone, Debug, Serialize)]
pub struct MeasuredHtsim {
    /// The counts of the run.
    #[serde(flatten)]
    pub did: Htsim,
    /// The wall-clock time of the whole process, in seconds, of the best run.
    pub seconds: f64,
    /// The peak resident set size of the process in bytes.
    pub peak_bytes: Option<u64>,
}

/// Runs the plans in [`PLANS`] with the binary of this program, `this`, and with the binaries of htsim in the folder
/// `htsim`, if one is given. A quick measurement runs only the smallest plan, once.
///
/// # Errors
/// If a binary cannot be run, or its output cannot be read.
pub fn networks(this: &Path, htsim: Option<&Path>, quick: bool) -> Result<Vec<MeasuredNetwork>, Failure> {
    let htsim = htsim.map(fs::canonicalize).transpose();
    let htsim =
        htsim.map_err(|error| Failure::plain(format!("cannot find the folder of htsim's binaries: {error}")))?;
    let (works, runs) = if quick { (&WORKS[SMALLEST..=SMALLEST], 1) } else { (&WORKS[..], RUNS) };
    works.iter().map(|work| measure(work, runs, this, htsim.as_deref())).collect()
}

fn measure(work: &Work, runs: u32, this: &Path, htsim: Option<&Path>) -> Result<MeasuredNetwork, Failure> {
    let folder = Path::new("out/bench").join(work.plan);
    let plan = format!("{PLANS}/{}.toml", work.plan);
    let (mut ours, mut theirs): (Option<MeasuredNetwork>, Option<MeasuredHtsim>) = (None, None);
    for _ in 0..runs {
        let finished = child::finish(Command::new(this).args(["--network-run", &plan]).arg(&folder))?;
        let measured = read(work, &finished).ok_or_else(|| {
            Failure::plain(format!("cannot read the output of `polyplane-bench --network-run {plan}`"))
        })?;
        if ours.as_ref().is_none_or(|best| measured.seconds < best.seconds) {
            ours = Some(measured);
        }
        if let Some(binaries) = htsim.filter(|binaries| binaries.join(work.binary).exists()) {
            let (did, finished) = htsim::run(binaries, work, &folder)?;
            let measured = MeasuredHtsim { did, seconds: finished.seconds, peak_bytes: finished.peak };
            if theirs.as_ref().is_none_or(|best| measured.seconds < best.seconds) {
                theirs = Some(measured);
            }
        }
    }
    let ours = ours.expect("there is at least one run");
    Ok(MeasuredNetwork { htsim: theirs, ..ours })
}

/// Reads what [`run()`] prints. Returns `None` if a field is missing.
fn read(work: &Work, finished: &child::Finished) -> Option<MeasuredNetwork> {
    let json: Value = serde_json::from_str(&finished.output).ok()?;
    Some(MeasuredNetwork {
        plan: work.plan.to_owned(),
        events: json["events"].as_u64()?,
        hops: json["hops"].clone(),
        packet_hops: json["packet_hops"].as_u64()?,
        finished: json["delivered"].as_u64()?,
        last_completion_us: json["completion_time_us"]["maximum"].as_f64()?,
        run_seconds: json["run_seconds"].as_f64()?,
        seconds: finished.seconds,
        peak_bytes: finished.peak,
        htsim: None,
    })
}
