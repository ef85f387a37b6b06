//! The arguments of `polyplane sim`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;
use polyplane::rooms::basis::Duration;

/// Help that teaches by examples.
pub const EXAMPLES: &str = "Examples:\n  \
    polyplane sim experiments/trimming/incast.toml          # a table, and out/sim/incast/index.html with figures\n  \
    polyplane sim --topology fat-tree:k=8 --workload incast:64x450kB --queue trimming:8pkt --seed 1\n  \
    polyplane sim --topology single-switch --workload permutation:2MB --probes 1us,queues=switch*,captures=host-3\n  \
    polyplane sim --topology leaf-spine --workload poisson:websearch:0.5:10ms --print-plan > mine.toml\n\n\
    The same plan and seed give the same bytes in every file. The exit status is 4 if flows have not finished; it \
    then says which, and for what they wait. docs/simulator/README.md describes plans and results.";

/// `polyplane sim`
#[derive(Debug, Args)]
pub struct SimArguments {
    /// The plan (TOML), or `-` for standard input; docs/simulator/README.md describes every field. Or else --topology and
    /// --workload.
    #[arg(conflicts_with_all = ["topology", "link", "queue", "transport", "host", "fault", "workload", "probes", "end"])]
    pub plan: Option<PathBuf>,
    /// What is connected: fat-tree:k=8, leaf-spine, single-switch:hosts=16, dumbbell, parking-lot, graph:FILE.
    #[arg(long, value_name = "KIND[:…]", help_heading = SHORT, required_unless_present = "plan")]
    pub topology: Option<String>,
    /// What lines are like: 100Gb/s,delay=1us,framing=24B,mtu=9216B.
    #[arg(long, value_name = "RATE[,…]", help_heading = SHORT)]
    pub link: Option<String>,
    /// How packets wait at switches: trimming:8pkt, drop-tail:100kB, ecn:100pkt,threshold=20pkt, red, cut-payload,
    /// source-flow-control; and spread=host, random, round-robin or flow.
    #[arg(long, value_name = "KIND[:…]", help_heading = SHORT)]
    pub queue: Option<String>,
    /// What carries messages: ndp:packet=9000B,first_window=30.
    #[arg(long, value_name = "KIND[:…]", help_heading = SHORT)]
    pub transport: Option<String>,
    /// What hosts cost: per_packet=500ns,cores=2,pcie=64Gb/s,interrupt=5us.
    #[arg(long, value_name = "TIME[,…]", help_heading = SHORT)]
    pub host: Option<String>,
    /// What goes wrong, several times if need be, in this order: loss:0.01,where=host-0-0-3, jitter:10us,lines=to-hosts,
    /// corruption, duplication, reordering, delay, burst-loss, link-down, slow-host.
    #[arg(long, value_name = "KIND:…", help_heading = SHORT)]
    pub fault: Vec<String>,
    /// What hosts want carried, several times if need be: incast:64x450kB, permutation:2MB, all-to-all:10kB,
    /// poisson:websearch:0.5:10ms.
    #[arg(long, value_name = "KIND:…", help_heading = SHORT, required_unless_present = "plan")]
    pub workload: Vec<String>,
    /// What is looked at, by the names that the topology gives its stations: 1us,queues=edge-*,captures=host-0-0-3 and
    /// perfetto=true in a fat-tree. A name that fits nothing is refused, with those that there are.
    #[arg(long, value_name = "EVERY[,…]", help_heading = SHORT)]
    pub probes: Option<String>,
    /// When it ends at the latest, and whether flows may be unfinished then: 10ms,unfinished=accepted.
    #[arg(long, value_name = "TIME[,…]", help_heading = SHORT)]
    pub end: Option<String>,
    /// Where every random choice comes from: the same seed gives the same bytes. Without it the plan's, or 1.
    #[arg(long, value_name = "SEED")]
    pub seed: Option<u64>,
    /// In how many threads it may run: as long as these are faster than one, as in networks of some hundred hosts. The
    /// results are the same bytes for any number.
    #[arg(long, value_name = "THREADS", default_value = "1")]
    pub parallel: NonZeroUsize,
    /// Write the state of the run down every so many seconds, into checkpoint.bin of the folder for results.
    #[arg(long, value_name = "SECONDS", help_heading = LONG, value_parser = clap::value_parser!(u64).range(1..))]
    pub checkpoint_every: Option<u64>,
    /// Write the state down at this simulated time, and end: 5ms.
    #[arg(long, value_name = "TIME", help_heading = LONG, value_parser = polyplane::rooms::units::duration)]
    pub pause_at: Option<Duration>,
    /// Go on from checkpoint.bin, with the same plan and the same program. The results are those of a run that was never
    /// cut off.
    #[arg(long, help_heading = LONG)]
    pub resume: bool,
    /// Print the plan with all defaults, as TOML, and run nothing.
    #[arg(long, help_heading = OUTPUT)]
    pub print_plan: bool,
    /// Where results go; out/sim/PLAN unless told otherwise.
    #[arg(long, value_name = "DIR", help_heading = OUTPUT)]
    pub out_dir: Option<PathBuf>,
    /// Write the tables as Parquet, too. Only a `polyplane` that was built with the feature `parquet` can.
    #[arg(long, help_heading = OUTPUT, hide = !cfg!(feature = "parquet"))]
    pub parquet: bool,
    /// Print JSON.
    #[arg(long, help_heading = OUTPUT)]
    pub json: bool,
}

const SHORT: &str = "Instead of a plan";
const OUTPUT: &str = "Output";
const LONG: &str = "Long runs";

/// `polyplane sweep`
#[derive(Debug, Args)]
pub struct SweepArguments {
    /// The plan of a network, in TOML; `-` is standard input.
    #[arg(value_name = "PLAN")]
    pub plan: PathBuf,
    /// A field of the plan and its values; several times for several fields, all of whose combinations are run.
    #[arg(long, value_name = "FIELD=VALUES", required = true)]
    pub over: Vec<String>,
    /// The measures that are shown and drawn; all are in the tables.
    #[arg(long = "measure", value_name = "NAME,…", value_delimiter = ',')]
    pub measures: Vec<String>,
    /// How many points at a time; without it, as many as this computer does at once.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub threads: Option<u32>,
    /// Run every point again, whatever earlier sweeps have kept.
    #[arg(long)]
    pub fresh: bool,
    /// Where the results go; out/sweep/NAME without it.
    #[arg(long, value_name = "FOLDER", help_heading = "Output")]
    pub out_dir: Option<PathBuf>,
    /// Print JSON: each point with its measures.
    #[arg(long, help_heading = "Output")]
    pub json: bool,
}
