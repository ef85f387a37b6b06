//! The arguments of `polyplane bench`.

use clap::{Args, ValueEnum};

/// The arguments of `polyplane bench`.
#[derive(Debug, Args)]
pub struct BenchArguments {
    /// The number of packets for each machine. A published trace is repeated until it reaches this number, at least
    /// thrice.
    #[arg(long, value_name = "N", default_value_t = 200_000)]
    pub packets: u64,
    /// Measure only these parts, separated by commas.
    #[arg(long, value_name = "PART,...", value_delimiter = ',')]
    pub only: Vec<BenchPart>,
    /// Measure only the smallest router and the smallest network, once each: a check within seconds, not figures to
    /// quote.
    #[arg(long)]
    pub quick: bool,
    /// Instead of the benchmark, run generated streams of this many packets one after the other and report their
    /// memory.
    #[arg(long, value_name = "N", conflicts_with_all = ["packets", "only", "quick"], value_parser = clap::value_parser!(u64).range(1..=100_000_000_000))]
    pub stream_packets: Option<u64>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// The parts of the benchmark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum BenchPart {
    /// An IPv4 router in P4, as machine code and in the interpreter.
    Routers,
    /// The time from the text of each shipped P4 program to machine code.
    Compiling,
    /// Domino programs on each machine and in the interpreter.
    Programs,
    /// The published traces of MP5's artifact.
    Traces,
    /// Networks of hosts and switches.
    Networks,
}
