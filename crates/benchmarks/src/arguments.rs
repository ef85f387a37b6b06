//! The command line of `polyplane-bench`.

use std::path::PathBuf;

use clap::{Parser, ValueEnum};

/// Measure the speed of each machine on this computer, in packets and stage-cycles per second.
#[derive(Debug, Parser)]
#[command(
    name = "polyplane-bench",
    version,
    after_help = "Examples:\n  \
        polyplane-bench                               # programs, and MP5's published traces\n  \
        polyplane-bench --quick                       # the smallest of each, once: a quick check\n  \
        polyplane-bench --only networks               # one part of the benchmark\n  \
        polyplane-bench --only live                   # live switches between network namespaces; takes minutes\n  \
        polyplane-bench --only routers --against ../old --rounds 12   # is this build faster than the one there?\n  \
        polyplane-bench --stream-packets 100000000    # takes minutes; shows whether memory stays flat\n\n\
        Each figure is the best of several runs. The exit status is 1 if a machine ends in a state that differs from \
        the interpreter's where the two must be equal. Run it in the folder of Polyplane's sources, where its programs \
        and plans of networks are. docs/benchmarks.md describes what is measured."
)]
pub struct Arguments {
    /// The number of packets for each machine. A published trace is repeated until it reaches this number, at least
    /// thrice.
    #[arg(long, value_name = "N", default_value_t = 200_000)]
    pub packets: u64,
    /// Measure only these parts, separated by commas. Without this, all but `live` and `refresh` are measured.
    #[arg(long, value_name = "PART,...", value_delimiter = ',')]
    pub only: Vec<Part>,
    /// Measure only the smallest router and the smallest network, once each: a check within seconds, not figures to
    /// quote.
    #[arg(long)]
    pub quick: bool,
    /// Instead of the benchmark, run generated streams of this many packets one after the other and report their
    /// memory.
    #[arg(long, value_name = "N", conflicts_with_all = ["packets", "only", "quick"], value_parser = clap::value_parser!(u64).range(1..=100_000_000_000))]
    pub stream_packets: Option<u64>,
    /// Compare this build with another one: run both in turn, as often as `--rounds` says, and print how many times as fast
    /// this one is, by the median of the pairs. The folder has the other build's `polyplane-bench`, or its sources with
    /// `target/release/polyplane-bench`.
    #[arg(long, value_name = "FOLDER", conflicts_with = "stream_packets")]
    pub against: Option<PathBuf>,
    /// The number of times that live switches are measured, one after the other, and of pairs with `--against`. The median
    /// counts.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub rounds: u32,
    /// Write a figure of the packets that chips of threads take by the instructions of a packet (SVG). Needs `--only trio`.
    #[arg(long, value_name = "FILE", requires = "only")]
    pub trio_figure: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
    /// Instead of the benchmark, run the network of a plan once and write its results into a folder. The benchmark
    /// starts itself with this option, so that time and memory are those of a process of its own.
    #[arg(long, value_names = ["PLAN", "DIR"], num_args = 2, exclusive = true, hide = true)]
    pub network_run: Vec<PathBuf>,
    /// Instead of the benchmark, run one of the processes with which live switches are measured.
    #[arg(long, value_name = "WORD", num_args = 1.., exclusive = true, hide = true)]
    pub live_process: Vec<String>,
}

impl Arguments {
    /// Returns whether a part is to be measured: one that is named, or, if none is, any but live switches, which need rights
    /// and take minutes.
    pub fn wants(&self, part: Part) -> bool {
        if self.only.is_empty() { !matches!(part, Part::Live | Part::Refresh) } else { self.only.contains(&part) }
    }
}

/// The parts of the benchmark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Part {
    /// An IPv4 router in P4, as machine code and in the interpreter.
    Routers,
    /// The same router on the chip for the Tofino Native Architecture and on the v1model switch, through their queues.
    Chips,
    /// The run-to-completion chip, beside the bare interpreter of threads, and chips of all generations.
    Trio,
    /// The plain aggregator, which adds up the values of packets.
    Aggregation,
    /// What options of the virtual switch bring, and what connections cost it.
    VirtualSwitch,
    /// Attacks of a guest on the virtual switch.
    Attacks,
    /// The time from the text of each shipped P4 program to machine code.
    Compiling,
    /// Domino programs on each machine and in the interpreter.
    Programs,
    /// The published traces of MP5's artifact.
    Traces,
    /// Networks of hosts and switches.
    Networks,
    /// Controllers that load a switch by P4Runtime: large batches, single writes, and a flood, while packets pass.
    Controllers,
    /// Live switches between two network namespaces: needs Linux and the right to make them.
    Live,
    /// Another route in a live virtual switch with two million sessions, while packets of all of them pass; needs the same, and 2 GB
    /// of memory.
    Refresh,
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use clap::CommandFactory;

    use super::*;

    #[test]
    fn clap_finds_no_error_in_the_command_line() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn all_parts_but_live_switches_are_measured_unless_some_are_named() {
        let wanted = |words: &[&str]| -> Vec<Part> {
            let arguments = Arguments::try_parse_from(words).expect("a command line");
            Part::value_variants().iter().copied().filter(|part| arguments.wants(*part)).collect()
        };
        let all = wanted(&["polyplane-bench"]);
        assert_eq!(all.len(), Part::value_variants().len() - 2, "{all:?}");
        assert!(!all.contains(&Part::Live) && !all.contains(&Part::Refresh));
        assert_eq!(wanted(&["polyplane-bench", "--only", "live,traces"]), [Part::Traces, Part::Live]);
    }

    /// The command line accepts every command that its help and the manual show.
    #[test]
    fn accepts_every_example() {
        let help = Arguments::command().get_after_help().expect("examples").to_string();
        let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/benchmarks.md");
        let page = std::fs::read_to_string(page).expect("a page of the manual");
        for text in [help, page] {
            let examples: Vec<&str> =
                text.lines().filter(|line| line.trim_start().starts_with("polyplane-bench ")).collect();
            assert!(examples.len() >= 4, "{examples:?}");
            for example in examples {
                let words = example.split_whitespace().take_while(|word| *word != "#");
                let taken = Arguments::try_parse_from(words);
                assert!(taken.is_ok(), "{example}: {taken:?}");
            }
        }
    }
}
