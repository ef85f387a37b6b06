//! The arguments of `polyplane bench`.

use clap::{Args, ValueEnum};

/// `polyplane bench`
#[derive(Debug, Args)]
pub struct BenchArguments {
    /// How many packets each machine gets; a published trace is run again until it comes to so many, three times at least.
    #[arg(long, value_name = "N", default_value_t = 200_000)]
    pub packets: u64,
    /// Measure only these parts, separated by commas.
    #[arg(long, value_name = "PART,...", value_delimiter = ',')]
    pub only: Vec<BenchPart>,
    /// Measure the smallest router and the smallest network, each once: a check that takes seconds, not a figure to quote.
    #[arg(long)]
    pub quick: bool,
    /// Instead of all that: generated streams of so many packets, one by one, and what memory they take.
    #[arg(long, value_name = "N", conflicts_with_all = ["packets", "only", "quick"], value_parser = clap::value_parser!(u64).range(1..=100_000_000_000))]
    pub stream_packets: Option<u64>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// The parts of the benchmark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum BenchPart {
    /// An IPv4 router in P4, by machine code and by the interpreter.
    Routers,
    /// The time from the text of each shipped P4 program to machine code.
    Compiling,
    /// Domino programs on each machine, beside the interpreter.
    Programs,
    /// The traces that MP5's artifact was measured with.
    Traces,
    /// Networks of hosts and switches.
    Networks,
}
