//! The arguments of `polyplane sim` and `polyplane sweep`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;
use polyplane::rooms::basis::Duration;

/// The examples at the end of the help of `polyplane sim`.
pub const EXAMPLES: &str = "Examples:\n  \
    polyplane sim experiments/trimming/incast.toml          # a table, and out/sim/incast/index.html with figures\n  \
    polyplane sim --topology fat-tree:k=8 --workload incast:64x450kB --queue trimming:8pkt --seed 1\n  \
    polyplane sim --topology single-switch --workload permutation:2MB --probes 1us,queues=switch*,captures=host-3\n  \
    polyplane sim --topology leaf-spine --workload poisson:websearch:0.5:10ms --print-plan > mine.toml\n\n\
    The same plan and seed give the same bytes in every file. The exit status is 4 if flows have not finished; the \
    output then lists them and what they wait for. docs/simulator/README.md describes plans and results.";

/// The arguments of `polyplane sim`.
#[derive(Debug, Args)]
pub struct SimArguments {
    /// The plan (TOML), or `-` for standard input; docs/simulator/README.md describes every field. Without a plan,
    /// --topology and --workload describe the network.
    #[arg(conflicts_with_all = ["topology", "link", "queue", "transport", "host", "fault", "workload", "probes", "end"])]
    pub plan: Option<PathBuf>,
    /// The topology: fat-tree:k=8, leaf-spine, single-switch:hosts=16, dumbbell, parking-lot, graph:FILE, lab:FILE.
    #[arg(long, value_name = "KIND[:…]", help_heading = SHORT, required_unless_present = "plan")]
    pub topology: Option<String>,
    /// The links: 100Gb/s,delay=1us,framing=24B,mtu=9216B.
    #[arg(long, value_name = "RATE[,…]", help_heading = SHORT)]
    pub link: Option<String>,
    /// The queues of switches: trimming:8pkt, drop-tail:100kB, ecn:100pkt,threshold=20pkt, red, cut-payload,
    /// source-flow-control; and how packets are spread over equal paths: spread=host, random, round-robin or flow.
    #[arg(long, value_name = "KIND[:…]", help_heading = SHORT)]
    pub queue: Option<String>,
    /// The transport that carries messages: ndp:packet=9000B,first_window=30.
    #[arg(long, value_name = "KIND[:…]", help_heading = SHORT)]
    pub transport: Option<String>,
    /// The processing costs of hosts: per_packet=500ns,cores=2,pcie=64Gb/s,interrupt=5us.
    #[arg(long, value_name = "TIME[,…]", help_heading = SHORT)]
    pub host: Option<String>,
    /// A fault: loss:0.01,where=host-0-0-3, jitter:10us,lines=to-hosts, corruption, duplication, reordering, delay,
    /// burst-loss, link-down, slow-host. May be given several times; faults apply in this order.
    #[arg(long, value_name = "KIND:…", help_heading = SHORT)]
    pub fault: Vec<String>,
    /// The messages that hosts send: incast:64x450kB, permutation:2MB, all-to-all:10kB, poisson:websearch:0.5:10ms. May
    /// be given several times.
    #[arg(long, value_name = "KIND:…", help_heading = SHORT, required_unless_present = "plan")]
    pub workload: Vec<String>,
    /// What to sample and capture, by the names that the topology gives its nodes:
    /// 1us,queues=edge-*,flows=host-*,captures=host-0-0-3, perfetto=true in a fat-tree. A name that matches nothing is
    /// refused with a list of the existing names.
    #[arg(long, value_name = "EVERY[,…]", help_heading = SHORT)]
    pub probes: Option<String>,
    /// The latest end of the simulation, and whether flows may be unfinished then: 10ms,unfinished=accepted.
    #[arg(long, value_name = "TIME[,…]", help_heading = SHORT)]
    pub end: Option<String>,
    /// The seed of every random choice [default: the plan's, or 1]. The same seed gives the same bytes.
    #[arg(long, value_name = "SEED")]
    pub seed: Option<u64>,
    /// The greatest number of threads. More than one are used only while they are faster, as in networks of some
    /// hundred hosts. The results are the same bytes for any number.
    #[arg(long, value_name = "THREADS", default_value = "1")]
    pub parallel: NonZeroUsize,
    /// Save the state of the run every SECONDS seconds to checkpoint.bin in the folder for results.
    #[arg(long, value_name = "SECONDS", help_heading = LONG, value_parser = clap::value_parser!(u64).range(1..))]
    pub checkpoint_every: Option<u64>,
    /// Save the state at this simulated time and exit: 5ms.
    #[arg(long, value_name = "TIME", help_heading = LONG, value_parser = polyplane::rooms::units::duration)]
    pub pause_at: Option<Duration>,
    /// Resume from checkpoint.bin, with the same plan and the same build of `polyplane`. The results equal those of an
    /// uninterrupted run.
    #[arg(long, help_heading = LONG)]
    pub resume: bool,
    /// Print the plan with all defaults as TOML, without running it.
    #[arg(long, help_heading = OUTPUT)]
    pub print_plan: bool,
    /// The folder for results [default: out/sim/PLAN].
    #[arg(long, value_name = "DIR", help_heading = OUTPUT)]
    pub out_dir: Option<PathBuf>,
    /// Also write the tables as Parquet. Requires a `polyplane` built with the feature `parquet`.
    #[arg(long, help_heading = OUTPUT, hide = !cfg!(feature = "parquet"))]
    pub parquet: bool,
    /// Print JSON.
    #[arg(long, help_heading = OUTPUT)]
    pub json: bool,
}

const SHORT: &str = "Instead of a plan";
const OUTPUT: &str = "Output";
const LONG: &str = "Long runs";

/// The arguments of `polyplane sweep`.
#[derive(Debug, Args)]
pub struct SweepArguments {
    /// The plan of a network, in TOML; `-` is standard input.
    #[arg(value_name = "PLAN")]
    pub plan: PathBuf,
    /// A field of the plan and its values. May be given several times; every combination of values is run.
    #[arg(long, value_name = "FIELD=VALUES", required = true)]
    pub over: Vec<String>,
    /// The measures to print and draw; the tables contain all of them.
    #[arg(long = "measure", value_name = "NAME,…", value_delimiter = ',')]
    pub measures: Vec<String>,
    /// The number of points to run at once [default: one per core].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub threads: Option<u32>,
    /// Run every point again, ignoring those kept by earlier sweeps.
    #[arg(long)]
    pub fresh: bool,
    /// The folder for results [default: out/sweep/NAME].
    #[arg(long, value_name = "FOLDER", help_heading = "Output")]
    pub out_dir: Option<PathBuf>,
    /// Print JSON: each point with its measures.
    #[arg(long, help_heading = "Output")]
    pub json: bool,
}
