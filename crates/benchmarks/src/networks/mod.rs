//! How fast networks are simulated, beside htsim on the same flows if somebody has it.
//!
//! Both run as programs of their own, one after the other, so that time and memory of both are counted in the same way:
//! of ours, from its start until all results are written.

mod child;
mod htsim;

use std::fs;
use std::path::Path;
use std::process::Command;

use serde::Serialize;
use serde_json::Value;

use diagnostics::Failure;
pub use htsim::Htsim;

/// The best of so many runs counts: what disturbs a run only ever makes it slower.
const RUNS: u32 = 3;

/// A plan, and what htsim has to be told to do the same.
pub(super) struct Work {
    plan: &'static str,
    /// Of its fat-tree.
    k: u32,
    /// htsim's binary.
    binary: &'static str,
    /// Its arguments, beside the flows: queues, windows and packets.
    arguments: &'static str,
}

const WORKS: [Work; 4] = [
    Work { plan: "permutation_128", k: 8, binary: NDP, arguments: "-strat perm -q 8 -cwnd 140 -mtu 1436" },
    Work { plan: "permutation_1024", k: 16, binary: NDP, arguments: "-strat perm -q 8 -cwnd 15 -mtu 9000" },
    Work { plan: "incast_128", k: 8, binary: NDP, arguments: "-strat perm -q 8 -cwnd 15 -mtu 9000" },
    Work { plan: "eqds_permutation_1024", k: 16, binary: "htsim_eqds", arguments: "-q 12 -cwnd 50 -mtu 4150" },
];

/// The work of [`WORKS`] that takes the least time.
const SMALLEST: usize = 2;

const NDP: &str = "htsim_ndp";

/// How fast a network was simulated.
#[derive(Clone, Debug, Serialize)]
pub struct MeasuredNetwork {
    /// The plan, without its ending.
    pub plan: String,
    /// Events of the run.
    pub events: u64,
    /// Packets put on lines, by kind.
    pub hops: Value,
    /// Packets put on lines.
    pub packet_hops: u64,
    /// Flows that finished.
    pub finished: u64,
    /// When the last of them did, in simulated microseconds.
    pub last_completion_us: f64,
    /// The simulation alone, the best run.
    pub run_seconds: f64,
    /// The whole program, the best run.
    pub seconds: f64,
    /// Its peak of memory in bytes.
    pub peak_bytes: Option<u64>,
    /// htsim on the same flows.
    pub htsim: Option<MeasuredHtsim>,
}

/// How fast htsim was.
#[derive(Clone, Debug, Serialize)]
pub struct MeasuredHtsim {
    /// What it did.
    #[serde(flatten)]
    pub did: Htsim,
    /// The whole program, the best run.
    pub seconds: f64,
    /// Its peak of memory in bytes.
    pub peak_bytes: Option<u64>,
}

/// Runs the plans in `experiments/htsim` by `polyplane`, which is this program, and by the binaries of htsim in a
/// folder, if there is one. A quick measurement runs the smallest plan, once.
///
/// # Errors
/// Programs that cannot be run, or do not say what they did.
pub fn networks(polyplane: &Path, htsim: Option<&Path>, quick: bool) -> Result<Vec<MeasuredNetwork>, Failure> {
    let htsim = htsim.map(fs::canonicalize).transpose();
    let htsim = htsim.map_err(|error| Failure::plain(format!("no folder of htsim's binaries: {error}")))?;
    let (works, runs) = if quick { (&WORKS[SMALLEST..=SMALLEST], 1) } else { (&WORKS[..], RUNS) };
    works.iter().map(|work| measure(work, runs, polyplane, htsim.as_deref())).collect()
}

fn measure(work: &Work, runs: u32, polyplane: &Path, htsim: Option<&Path>) -> Result<MeasuredNetwork, Failure> {
    let folder = Path::new("out/bench").join(work.plan);
    let plan = format!("experiments/htsim/{}.toml", work.plan);
    let (mut ours, mut theirs): (Option<MeasuredNetwork>, Option<MeasuredHtsim>) = (None, None);
    for _ in 0..runs {
        let mut command = Command::new(polyplane);
        let finished = child::finish(command.args(["sim", &plan, "--json", "--out-dir"]).arg(&folder))?;
        let measured = read(work, &finished)
            .ok_or_else(|| Failure::plain(format!("`polyplane sim {plan}` did not say what it did")))?;
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
    let ours = ours.expect("one run at least");
    Ok(MeasuredNetwork { htsim: theirs, ..ours })
}

/// What `polyplane sim --json` printed.
fn read(work: &Work, finished: &child::Finished) -> Option<MeasuredNetwork> {
    let json: Value = serde_json::from_str(&finished.output).ok()?;
    Some(MeasuredNetwork {
        plan: work.plan.to_owned(),
        events: json["events"].as_u64()?,
        hops: json["hops"].clone(),
        packet_hops: json["packet_hops"].as_u64()?,
        finished: json["delivered"].as_u64()?,
        last_completion_us: json["completion_time_us"]["maximum"].as_f64()?,
        run_seconds: json["wall_seconds"].as_f64()?,
        seconds: finished.seconds,
        peak_bytes: finished.peak,
        htsim: None,
    })
}
