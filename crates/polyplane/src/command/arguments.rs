//! The arguments of `polyplane`: what a person can ask for, and help that teaches it.

use std::path::PathBuf;

use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};

use crate::bench_arguments::BenchArguments;
use crate::demo::DemoArguments;
use crate::machine_options::{MACHINE, MachineArguments, MachineOptions};
use crate::machines::MachinesArguments;
use crate::manual::{CompletionsArguments, ManArguments};
use crate::packet_arguments::{
    CaptureArguments, ConformanceArguments, LiveArguments, P4InfoArguments, PreprocessorArguments, StfArguments,
    TablesArguments, TraceArguments,
};
use crate::sim_arguments::{self, SimArguments, SweepArguments};

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

/// The command line.
pub fn command() -> clap::Command {
    Arguments::command()
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
        A run of a program without a parser is also held against the interpreter, and its last line tells; the exit status is 0 all the same, \
        but 4 if packets stand still in the machine. \
        `polyplane check` is the command that fails on a difference.")]
    Run(RunArguments),
    /// Hold machines against the interpreter: the same registers, packets and order, or the fewest packets that differ.
    #[command(after_help = "Examples:\n  \
        polyplane check flowlet.c --machines banzai,mp5,recirculating\n  \
        polyplane check heavy_hitters.c --machines mp5 --ordering none    # what goes wrong without phantoms\n  \
        polyplane check router.p4 --tables entries.stf                    # on every machine, with packets that go everywhere\n\n\
        The exit status is 1 if a machine differs, and 3 if one that --machines names cannot hold the program. Where it \
        names none, the usual machines are taken, and the status is 3 if none of them with stages can hold it.")]
    Check(CheckArguments),
    /// Test a program with packets, on any machine: STF files say what comes in and what must come out.
    #[command(after_help = "Examples:\n  \
        polyplane stf router.p4 router.stf\n  \
        polyplane stf router.p4 packets.stf --tables commands.txt --machine mp5\n  \
        polyplane stf router.p4 tests/*.stf --undefined random:7    # does a test depend on what P4 leaves open?\n\n\
        A line of a test: `packet 1 0800 4500`, `expect 2 0800 45**$`, `add ipv4_lpm hdr.ipv4.dstAddr:0x0a000000/8 \
        forward(port:2)`, `no_packet`, `check_counter hits(0) packets == 1`. Packets arrive one microsecond apart. \
        The exit status is 1 if anything is not as it must be.")]
    Stf(StfArguments),
    /// Everything that happens to one packet: parser states, headers, tables, keys, actions, changes; stage by stage.
    #[command(after_help = "Examples:\n  \
        polyplane trace router.p4 --tables entries.stf --port 1 --packet 0000000000020000000000010800450000...\n  \
        polyplane trace router.p4 --tables s1-runtime.json --traffic capture.pcap --nth 17 --json\n  \
        polyplane trace router.p4 --machine mp5 --packet 0000...         # stage by stage, with state\n  \
        polyplane trace flowlet.c --machine mp5 --traffic capture.pcap --nth 5\n\n\
        The trace is a tree where the packet becomes several: clones, copies of a multicast group, resubmitted and \
        recirculated packets. With --nth, the packets before come first and leave behind in registers, counters and \
        meters what they do.")]
    Trace(TraceArguments),
    /// Run a program on live packets: its ports are TAP interfaces of Linux.
    #[command(after_help = "Examples:\n  \
        polyplane live router.p4 --machine native --tables entries.txt --interface 1=pp1 --interface 2=pp2 --for 60s\n  \
        ip link set pp1 up && ip link set pp1 master br0    # then give the kernel's end of a port to whom it is for\n\n\
        An interface that is not there is made, and is gone when the command ends; making one needs CAP_NET_ADMIN, in any \
        network namespace. The command runs until Ctrl-C or for the time of --for, and then says what became of packets.")]
    Live(LiveArguments),
    /// The public programs of the P4 compiler, the P4 tutorials and others: which do here what they must.
    #[command(after_help = "Examples:\n  \
        polyplane conformance --compiler p4c/ --report table.md\n  \
        polyplane conformance --tutorials tutorials/ --tutorial-tests crates/conformance/tests/tutorials\n  \
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
    /// A network over values of any field of its plan: means with confidence intervals, tables, a figure.
    #[command(after_help = "Examples:\n  \
        polyplane sweep plan.toml --over transport.kind=ndp,eqds --over seed=1..20\n  \
        polyplane sweep plan.toml --over workload.0.senders=8..64:8 --over switch.limit=8pkt,100pkt --measure completion_time_us.max\n\n\
        A field is a path from the plan's root: `seed`, `topology.k`, `workload.0.bytes` (the first [[workload]]), \
        `workload.bytes` (all of them). `1..20` is 1 to 20, `8..64:8` goes in steps of 8. Means are taken over `seed`. Points are \
        kept by their contents in the folder `points` of the results: a sweep that was cut goes on where it was, and one with more \
        values runs only the new points.")]
    Sweep(SweepArguments),
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
    /// How a P4 program is read.
    #[command(flatten)]
    pub preprocessor: PreprocessorArguments,
}

/// What packets come.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Traffic")]
pub struct TrafficArguments {
    /// A capture (.pcap, .pcapng), a table of field values (.csv), a generator (uniform, skewed, websearch, hadoop), or
    /// published:FILE for a trace of MP5's; with options after a colon, as docs/traffic.md describes them. Captures may say the
    /// port that they come in on, `1=a.pcap`, and be several: then they come by their timestamps, as they do for programs
    /// with a parser; one alone comes to other programs on all ports at line rate.
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
    /// The machine.
    #[command(flatten)]
    pub on: MachineArguments,
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
    /// The machine.
    #[command(flatten)]
    pub on: MachineArguments,
    /// What packets come.
    #[command(flatten)]
    pub traffic: TrafficArguments,
    /// What fills the tables of the program, and how captures come in.
    #[command(flatten)]
    pub capture: CaptureArguments,
    /// Show what is where in each of the first cycles in which anything is anywhere, so many or 100 of them: `[A]` is
    /// processed, `B` waits, `(C)` is the place that is kept for C, `(-D)` one that is given up, `E>` was served and waits
    /// to leave. A is the first packet to arrive.
    #[arg(long, value_name = "CYCLES", help_heading = OUTPUT, num_args = 0..=1, require_equals = true,
          default_missing_value = "100", value_parser = clap::value_parser!(u64).range(1..=100_000))]
    pub timeline: Option<u64>,
    /// Write what came out: packets.csv (every packet's fields), registers.csv, out.pcapng (unless the packets are
    /// records), result.json, manifest.txt. Of a program with a parser: port-N.pcapng for each port, counters.csv, registers.csv,
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
    /// The machines to hold against the interpreter; without it all but v1model, which is the interpreter, and for programs
    /// without a parser banzai and mp5. `polyplane machines` describes them.
    #[arg(long, value_name = "NAME,…", value_delimiter = ',', help_heading = MACHINE)]
    pub machines: Vec<String>,
    /// What is set of machines.
    #[command(flatten)]
    pub options: MachineOptions,
    /// What packets come.
    #[command(flatten)]
    pub traffic: TrafficArguments,
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
