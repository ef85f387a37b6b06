//! The arguments of `polyplane`: what a person can ask for, and help that teaches it.

use std::path::PathBuf;

use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};

use crate::bench_arguments::BenchArguments;
use crate::demo::DemoArguments;
use crate::machines::MachinesArguments;
use crate::manual::{CompletionsArguments, ManArguments};
use crate::packet_arguments::{
    CaptureArguments, ConformanceArguments, P4InfoArguments, PreprocessorArguments, StfArguments, SwitchArguments,
    TablesArguments, TraceArguments,
};
use crate::scope;
use crate::sim_arguments::{self, SimArguments};

/// Write a packet-processing program once; compile it for several switch architectures, see on each whether it still
/// means the same, how fast it goes and what it costs.
#[derive(Debug, Parser)]
#[command(
    name = "polyplane",
    version,
    after_help = "Exit status: 0 done; 1 a comparison found a difference; 2 a bad program, binding, table or capture \
                  (diagnostics say where); 3 a program that the machine cannot hold (a resource report says why); 4 a simulation \
                  ended with unfinished flows, or packets stand still in a machine (a report says which, and why)."
)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The command line, in whose help each option says what it is for.
pub fn command() -> clap::Command {
    scope::labelled(Arguments::command())
}

/// Options that follow a flattened group would otherwise stand under that group's heading.
const OUTPUT: &str = "Output";

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Fit a program to a machine: stage map, atoms, shards, what could not be resolved in advance; or check a P4 program.
    #[command(after_help = "Examples:\n  \
        polyplane compile programs/domino/flowlet/flowlet.c --machine mp5 --pipelines 4\n  \
        polyplane compile flowlet.c --emit single_assignment    # the program after a pass, as text\n  \
        polyplane compile flowlet.c --emit dependencies-dot | dot -Tsvg > dependencies.svg\n  \
        polyplane compile flowlet.c --emit smt                  # each atom's claim, for any SMT solver\n  \
        polyplane compile router.p4                             # checks a P4 program, and says what it has\n  \
        polyplane compile router.p4 --emit typed                # the type of every value; or preprocessed, parsed, ir\n  \
        polyplane compile router.p4 --p4info > router.p4info.txtpb")]
    Compile(CompileArguments),
    /// Run a program on a machine, on a capture or on generated packets.
    #[command(after_help = "Examples:\n  \
        polyplane run flowlet.c --machine mp5 --pipelines 4 --traffic capture.pcap\n  \
        polyplane run flowlet.c --machine banzai --traffic capture.pcap --out-dir out/\n  \
        polyplane run sequencer.c --machine mp5 --traffic uniform --packets 100000 --json\n  \
        polyplane run router.p4 --tables entries.stf --traffic capture.pcap --out-dir out/\n  \
        polyplane run router.p4 --tables commands.txt --traffic 1=a.pcap --traffic 2=b.pcap --rate 1000000\n  \
        polyplane run router.p4 --tables commands.txt --machine mp5 --traffic uniform:flows=1024\n\n\
        A run of a Domino program is also held against the interpreter, and its last line tells; the exit status is 0 all the same, \
        but 4 if packets stand still in the machine. \
        `polyplane check` is the command that fails on a difference.")]
    Run(RunArguments),
    /// Hold machines against the interpreter: the same registers, packets and order, or the fewest packets that differ.
    #[command(after_help = "Examples:\n  \
        polyplane check flowlet.c --machines banzai,mp5,recirculating\n  \
        polyplane check heavy_hitters.c --machines mp5 --ordering none    # what goes wrong without phantoms\n  \
        polyplane check router.p4 --tables entries.stf                    # on every machine, with packets that go everywhere\n\n\
        The exit status is 1 if a machine differs, and 3 if one cannot hold the program. Where --machines names none, a P4 \
        program is checked on all, and the status is 3 if neither banzai nor mp5 nor recirculating can hold it.")]
    Check(CheckArguments),
    /// Test a P4 program with packets: STF files say what comes in and what must come out.
    #[command(after_help = "Examples:\n  \
        polyplane stf router.p4 router.stf\n  \
        polyplane stf router.p4 packets.stf --tables commands.txt\n  \
        polyplane stf router.p4 tests/*.stf --undefined random:7    # does a test depend on what P4 leaves open?\n\n\
        A line of a test: `packet 1 0800 4500`, `expect 2 0800 45**$`, `add ipv4_lpm hdr.ipv4.dstAddr:0x0a000000/8 \
        forward(port:2)`, `no_packet`, `check_counter hits(0) packets == 1`. Packets arrive one microsecond apart. \
        The exit status is 1 if anything is not as it must be.")]
    Stf(StfArguments),
    /// Everything that happens to one packet in a P4 program: parser states, headers, tables, keys, actions, changes.
    #[command(after_help = "Examples:\n  \
        polyplane trace router.p4 --tables entries.stf --port 1 --packet 0000000000020000000000010800450000...\n  \
        polyplane trace router.p4 --tables s1-runtime.json --traffic capture.pcap --nth 17 --json\n\n\
        The trace is a tree where the packet becomes several: clones, copies of a multicast group, resubmitted and \
        recirculated packets. With --nth, the packets before come first and leave behind in registers, counters and \
        meters what they do.")]
    Trace(TraceArguments),
    /// The public programs of the P4 compiler, the P4 tutorials and others: which do here what they must.
    #[command(after_help = "Examples:\n  \
        polyplane conformance --compiler p4c/ --report table.md\n  \
        polyplane conformance --tutorials tutorials/ --tutorial-tests crates/experiments/tests/tutorials\n  \
        polyplane conformance --compiler p4c/ --suites samples --only checksum\n\n\
        `make conformance P4C=p4c TUTORIALS=tutorials` does it for both and names the commits; SONIC_PINS=, DASH= and \
        P4_GUIDE= name the others. The exit status is 1 if a program fails.")]
    Conformance(ConformanceArguments),
    /// The P4Info that the P4 compiler and SAI P4 publish beside their programs: which ours is equal to.
    #[command(
        name = "conformance-p4info",
        after_help = "Examples:\n  \
        polyplane conformance-p4info --compiler p4c/ --sai sonic-pins/ --report table.md\n  \
        polyplane conformance-p4info --compiler p4c/ --only digest\n\n\
        `make conformance-p4info P4C=p4c SAI=sonic-pins` does it for both and names the commits. The exit status is 1 \
        if one differs without a reason that is listed."
    )]
    ConformanceP4Info(P4InfoArguments),
    /// The main job: flowlet switching on a real capture, on one pipeline, on MP5, on a switch that recirculates.
    Demo(DemoArguments),
    /// Packets per second and stage-cycles per second of each machine on this computer.
    #[command(after_help = "Examples:\n  \
        polyplane bench                               # programs, and MP5's published traces\n  \
        polyplane bench --quick                       # the smallest of each, once: is everything there and right?\n  \
        polyplane bench --only networks               # one part of it\n  \
        polyplane bench --stream-packets 100000000    # minutes: does memory stay flat?\n\n\
        The best of several runs counts. The exit status is 1 if a machine came out in another state than the \
        interpreter and must not. docs/benchmarks.md says what is measured.")]
    Bench(BenchArguments),
    /// A paper's published numbers beside ours: tables, figures and a report.
    #[command(after_help = "Examples:\n  \
        polyplane reproduce mp5                               # out/reproduce/mp5/index.html\n  \
        polyplane reproduce mp5 --quick --only figure-7a,figure-7b\n  \
        polyplane reproduce mp5 --traces simulator/           # the artifact's other streams, if you have them\n  \
        polyplane reproduce mp5 --plan mine.toml              # a plan of your own\n\n\
        A command that was cut (Ctrl-C) goes on where it was when it is given again. That a number differs from a \
        published one is a result and no failure: the exit status is 0. It is 1 if a law of our own is broken.")]
    Reproduce(ReproduceArguments),
    /// Every machine: what it is, what can be set, and the page that describes it.
    #[command(after_help = "Examples:\n  \
        polyplane machines\n  \
        polyplane machines mp5                                # with its options")]
    Machines(MachinesArguments),
    /// A network of hosts and switches in simulated time: completion times, goodput, queues, trims, drops.
    #[command(after_help = sim_arguments::EXAMPLES)]
    Sim(SimArguments),
    /// A script that completes `polyplane` on the command line of a shell.
    #[command(after_help = "Examples:\n  \
        polyplane completions bash > ~/.local/share/bash-completion/completions/polyplane\n  \
        polyplane completions zsh > ~/.zfunc/_polyplane       # a folder of $fpath\n  \
        polyplane completions fish > ~/.config/fish/completions/polyplane.fish")]
    Completions(CompletionsArguments),
    /// Pages for `man`: what --help says, for `polyplane` and each of its commands.
    #[command(after_help = "Examples:\n  \
        polyplane man | man -l -                              # reads it\n  \
        polyplane man sim > polyplane-sim.1\n  \
        polyplane man --out-dir ~/.local/share/man/man1       # `man polyplane`, `man polyplane-sim`")]
    Man(ManArguments),
}

/// Which program.
#[derive(Clone, Debug, Args)]
pub struct ProgramArguments {
    /// The program's file (Domino: .c; P4: .p4; the IR's text: .ir), or `-` for standard input, whose text says which it
    /// is.
    pub program: PathBuf,
    /// How fields bind to packets (TOML); without it the file beside the program with the ending .toml, if there is
    /// one, and the fields' names.
    #[arg(long, value_name = "FILE")]
    pub binding: Option<PathBuf>,
}

/// The limits of the machine's stages.
#[derive(Clone, Debug, PartialEq, Eq, Args)]
#[command(next_help_heading = "Stages of machines with pipelines")]
pub struct TargetArguments {
    /// How many stages a pipeline has.
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub depth: u32,
    /// What its stages are like: `banzai`, one operation deep, which Domino programs are fitted to unless told
    /// otherwise; or `match-action`, in which a packet passes gateways and hashes, tables, one operation or stateful atom
    /// and a choice (RMT), which P4 programs are fitted to.
    #[arg(long, value_name = "KIND", value_parser = ["banzai", "match-action"])]
    pub stages: Option<String>,
    /// How many stateful atoms a stage has; 10 of banzai's stages, 4 of match-action's.
    #[arg(long, value_name = "N")]
    pub stateful: Option<u32>,
    /// How many stateless atoms a stage has; 100 of banzai's stages, 224 ALUs of match-action's.
    #[arg(long, value_name = "N")]
    pub stateless: Option<u32>,
    /// How many tables a stage matches; 16.
    #[arg(long, value_name = "N")]
    pub tables_per_stage: Option<u32>,
    /// How many blocks of SRAM a stage has, for exact matches, action data and registers: each of 1,024
    /// words of 112 bits; 106.
    #[arg(long, value_name = "N")]
    pub sram_blocks: Option<u32>,
    /// How many blocks of TCAM a stage has, for ternary, lpm and range keys: each of 2,048 words of 40
    /// bits; 16.
    #[arg(long, value_name = "N")]
    pub tcam_blocks: Option<u32>,
    /// How many hashes and checksums a stage computes; 8.
    #[arg(long, value_name = "N")]
    pub hash_units: Option<u32>,
    /// The stateful atom of every stage: rw, raw, pred_raw, if_else_raw, sub, nested_ifs, pair, mul_acc, or any (one
    /// without limits, for studying what no circuit holds).
    #[arg(long, value_name = "NAME", default_value = "pair")]
    pub atom: String,
    /// Operations that stateless atoms have beside their usual ones: multiply, divide-by-constant, divide (by a
    /// variable).
    #[arg(long, value_name = "NAME,…", value_delimiter = ',', value_parser = ["multiply", "divide-by-constant", "divide"])]
    pub operations: Vec<String>,
    /// Prove atoms under the premise that the program's own additions and subtractions do not overflow, as the
    /// published results do; without it a claim holds for all 32-bit inputs.
    #[arg(long)]
    pub assume_no_overflow: bool,
    /// Keep packets in order that agree in these fields, by a last access that does nothing else.
    #[arg(long, value_name = "FIELD,…", value_delimiter = ',')]
    pub flow_order: Vec<String>,
}

/// How the machine is built.
#[derive(Clone, Debug, PartialEq, Eq, Args)]
#[command(next_help_heading = "Machines with pipelines")]
pub struct MachineArguments {
    /// How many parallel pipelines; `banzai` is one pipeline that is so many times as fast.
    #[arg(long, value_name = "K", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=64))]
    pub pipelines: u32,
    /// How many ports the switch has.
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub ports: u32,
    /// Places in each FIFO in front of a stateful stage, one FIFO for each pipeline; without it they grow.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub fifo_depth: Option<u32>,
    /// Cycles between two runs of the remapping heuristic.
    #[arg(long, value_name = "CYCLES", default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..))]
    pub remap_period: u64,
    /// By which rules: `paper`, or `artifact` (those of the paper's published simulator), then departures to add or
    /// take away, such as `paper,+retry` or `artifact,-one-list` (all are named in docs/machines/mp5.md).
    #[arg(long, value_name = "RULES", default_value = "paper")]
    pub rules: String,
    /// What a queued packet waits for: head-of-line (everything before it) or per-index (only what needs the same
    /// index, the paper's "ideal").
    #[arg(long, value_name = "HOW", default_value = "head-of-line")]
    pub blocking: String,
    /// Where registers lie: dynamic, random, modulo, one-pipeline; and for Domino programs sorted (the worst case for
    /// these packets) and packed (dynamic, from the best map for these packets on).
    #[arg(long, value_name = "HOW", default_value = "dynamic")]
    pub sharding: String,
    /// Where indices of sharded registers lie, by name: `reg[2]=0,reg[4-7]=1,other=1`, or a file of such entries. Others
    /// lie where `--sharding` puts them at first, and nothing moves.
    #[arg(long, value_name = "ENTRY,…|FILE")]
    pub placement: Option<String>,
    /// How the order of state accesses is kept: phantoms or none.
    #[arg(long, value_name = "HOW", default_value = "phantoms")]
    pub ordering: String,
    /// How packets change pipelines: crossbar or recirculation.
    #[arg(long, value_name = "HOW", default_value = "crossbar")]
    pub steering: String,
    /// Cycles from the end of a pipeline back to a pipeline's entry, where packets recirculate.
    #[arg(long, value_name = "CYCLES", default_value_t = 0, value_parser = clap::value_parser!(u64).range(..=1_000_000_000))]
    pub recirculation_latency: u64,
    /// Mark packets (ECN) that are queued behind more than so many.
    #[arg(long, value_name = "PACKETS")]
    pub ecn_threshold: Option<u32>,
    /// Drop stateless packets in favour of a stateful one that has waited longer than this.
    #[arg(long, value_name = "CYCLES")]
    pub starvation_limit: Option<u64>,
    /// The clock period of one of the pipelines, in picoseconds.
    #[arg(long, value_name = "PS", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    pub clock_period: u64,
    /// A fault to put into MP5, to see it caught: no-phantoms, swapped-timestamps, move-while-in-flight, lost-packet or
    /// update-order.
    #[arg(long, value_name = "NAME", hide = true)]
    pub mutate: Option<String>,
}

/// What packets come.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Traffic")]
pub struct TrafficArguments {
    /// A capture (.pcap, .pcapng), a table of field values (.csv), a generator (uniform, skewed, websearch, hadoop), or
    /// published:FILE for a trace of MP5's; with options after a colon, as docs/traffic.md describes them. Captures for a P4
    /// program may say the port that they come in on: `1=a.pcap`.
    #[arg(long, value_name = "FILE|KIND")]
    pub traffic: Vec<String>,
    /// How many packets at the most.
    #[arg(long, value_name = "N")]
    pub packets: Option<u64>,
    /// Replay a capture by its timestamps instead of at line rate.
    #[arg(long)]
    pub timestamps: bool,
    /// Play a capture so many times, one after the other.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub repeat: Option<u32>,
    /// Where every random choice comes from: the same seed gives the same bytes.
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    pub seed: u64,
}

/// `polyplane compile`
#[derive(Debug, Args)]
pub struct CompileArguments {
    /// Which program.
    #[command(flatten)]
    pub program: ProgramArguments,
    /// The machine: banzai, mp5 or recirculating, and v1model for P4 programs. Without it banzai, for P4 programs v1model.
    #[arg(long, value_name = "NAME")]
    pub machine: Option<String>,
    /// How the machine is built.
    #[command(flatten)]
    pub build: MachineArguments,
    /// The limits of its stages.
    #[command(flatten)]
    pub target: TargetArguments,
    /// How a P4 program is read.
    #[command(flatten)]
    pub preprocessor: PreprocessorArguments,
    /// Print the program after a pass instead, or `dependencies-dot`, `stages-dot`, `stages-svg`, `smt`; `--emit list`
    /// names what there is of the program on the machine. Of a P4 program on v1model: preprocessed, parsed, typed or ir.
    #[arg(long, value_name = "PASS", help_heading = OUTPUT)]
    pub emit: Option<String>,
    /// Print the P4Info, which P4Runtime controllers read: as protobuf text, with --json as JSON.
    #[arg(long, help_heading = OUTPUT, conflicts_with = "emit")]
    pub p4info: bool,
    /// Print JSON.
    #[arg(long, help_heading = OUTPUT, conflicts_with = "emit")]
    pub json: bool,
}

/// `polyplane run`
#[derive(Debug, Args)]
pub struct RunArguments {
    /// Which program.
    #[command(flatten)]
    pub program: ProgramArguments,
    /// The machine: banzai, mp5 or recirculating, and for P4 programs also v1model and native; without it banzai, for P4
    /// programs v1model. `polyplane machines` describes them.
    #[arg(long, value_name = "NAME")]
    pub machine: Option<String>,
    /// How the machine is built.
    #[command(flatten)]
    pub build: MachineArguments,
    /// The limits of its stages.
    #[command(flatten)]
    pub target: TargetArguments,
    /// What packets come.
    #[command(flatten)]
    pub traffic: TrafficArguments,
    /// How a P4 program is read.
    #[command(flatten)]
    pub preprocessor: PreprocessorArguments,
    /// What fills the tables of a P4 program, and where captures come in.
    #[command(flatten)]
    pub capture: CaptureArguments,
    /// How the switch is built.
    #[command(flatten)]
    pub switch: SwitchArguments,
    /// Show what is where in each of the first cycles in which anything is anywhere, so many or 100 of them: `[A]` is
    /// processed, `B` waits, `(C)` is the place that is kept for C, `(-D)` one that is given up, `E>` was served and waits
    /// to leave. A is the first packet to arrive.
    #[arg(long, value_name = "CYCLES", help_heading = OUTPUT, num_args = 0..=1, require_equals = true,
          default_missing_value = "100", value_parser = clap::value_parser!(u64).range(1..=100_000))]
    pub timeline: Option<u64>,
    /// Write what came out: packets.csv (every packet's fields), registers.csv, out.pcapng (unless the packets are
    /// records), result.json, manifest.txt. Of a P4 program: port-N.pcapng for each port, counters.csv, registers.csv,
    /// drops.csv (reasons), digests.jsonl, result.json, manifest.txt.
    #[arg(long, value_name = "DIR", help_heading = OUTPUT)]
    pub out_dir: Option<PathBuf>,
    /// Print JSON.
    #[arg(long, help_heading = OUTPUT)]
    pub json: bool,
}

/// `polyplane check`
#[derive(Debug, Args)]
pub struct CheckArguments {
    /// Which program.
    #[command(flatten)]
    pub program: ProgramArguments,
    /// The machines to hold against the interpreter: banzai, mp5 and recirculating, and native for P4 programs. Without
    /// it banzai and mp5; for P4 programs all.
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    pub machines: Vec<String>,
    /// How the machines are built.
    #[command(flatten)]
    pub build: MachineArguments,
    /// The limits of their stages.
    #[command(flatten)]
    pub target: TargetArguments,
    /// What packets come.
    #[command(flatten)]
    pub traffic: TrafficArguments,
    /// How a P4 program is read.
    #[command(flatten)]
    pub preprocessor: PreprocessorArguments,
    /// What fills the tables; the packets of packet tests come first.
    #[command(flatten)]
    pub tables: TablesArguments,
    /// Print JSON.
    #[arg(long, help_heading = OUTPUT)]
    pub json: bool,
}

/// The papers whose results are reproduced.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Paper {
    /// Stateful Multi-Pipelined Programmable Switches (SIGCOMM 2022).
    Mp5,
}

/// `polyplane reproduce`
#[derive(Debug, Args)]
pub struct ReproduceArguments {
    /// The paper.
    pub paper: Paper,
    /// Fewer seeds and only the published length: an impression within a minute.
    #[arg(long)]
    pub quick: bool,
    /// Only these experiments.
    #[arg(long, value_name = "NAME,…", value_delimiter = ',', num_args = 1..)]
    pub only: Vec<String>,
    /// Also every trace of the published format below this folder, beside the results that lie there.
    #[arg(long, value_name = "DIR")]
    pub traces: Option<PathBuf>,
    /// Plans (TOML) instead of the paper's.
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with = "only")]
    pub plan: Vec<PathBuf>,
    /// Where results go; out/reproduce/PAPER unless told otherwise.
    #[arg(long, value_name = "DIR", help_heading = OUTPUT)]
    pub out_dir: Option<PathBuf>,
    /// On how many threads; on every core unless told otherwise. The results are the same.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub threads: Option<u32>,
    /// Begin again, whatever an earlier command that was cut had finished.
    #[arg(long)]
    pub fresh: bool,
    /// Print JSON.
    #[arg(long, help_heading = OUTPUT)]
    pub json: bool,
}
