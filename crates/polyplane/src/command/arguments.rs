//! The command line of `polyplane`: its commands, their arguments, and the help with examples.

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, CommandFactory, Parser, Subcommand};
use polyplane::rooms::papers::{self, Paper};

use crate::demo::DemoArguments;
use crate::lab::{self, LabArguments};
use crate::live::{self, LiveArguments};
use crate::machine_options::{MACHINE, MachineArguments, MachineOptions};
use crate::machines::MachinesArguments;
use crate::manual::{CompletionsArguments, ManArguments};
use crate::packet_arguments::{
    CaptureArguments, ConformanceArguments, P4InfoArguments, PreprocessorArguments, StfArguments, TablesArguments,
    TraceArguments,
};
use crate::serve::{self, ServeArguments};
use crate::sim_arguments::{self, SimArguments, SweepArguments};
use crate::vswitch::{self, VswitchArguments};

/// Write a packet-processing program once, compile it for several switch architectures, and see on each whether it
/// keeps its meaning, how fast it runs and what it costs.
#[derive(Debug, Parser)]
#[command(
    name = "polyplane",
    version,
    after_help = "Exit status: 0 success; 1 a comparison found a difference; 2 the input is invalid: a program, \
                  binding, table, capture or plan (diagnostics say where); 3 the program does not fit the machine (a \
                  resource report says why); 4 a simulation ended with unfinished flows, or packets are stuck in a \
                  machine (a report says which, and why)."
)]
pub struct Arguments {
    /// The command to run.
    #[command(subcommand)]
    pub command: Command,
}

/// Returns the command line as clap describes it.
pub fn command() -> clap::Command {
    Arguments::command()
}

/// The heading of options about output. Options that follow a flattened group would otherwise appear under that group's
/// heading.
const OUTPUT: &str = "Output";

/// The commands of `polyplane`.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Compile a program for a machine and show how it fits: stages, atoms, shards, words; or check a P4 program.
    #[command(after_help = "Examples:\n  \
        polyplane compile programs/domino/flowlet/flowlet.c --machine mp5 --pipelines 4\n  \
        polyplane compile flowlet.c --emit single_assignment    # the program after a pass, as text\n  \
        polyplane compile flowlet.c --emit dependencies-dot | dot -Tsvg > dependencies.svg\n  \
        polyplane compile flowlet.c --emit smt                  # proof obligations of atoms, for SMT solvers\n  \
        polyplane compile router.p4                             # checks a P4 program and summarizes it\n  \
        polyplane compile router.p4 --emit typed                # types; or preprocessed, parsed, ir\n  \
        polyplane compile router.p4 --p4info > router.p4info.txtpb\n  \
        polyplane compile filter.mc                             # what each instruction uses of its word\n  \
        polyplane compile filter.mc --image filter.img          # the image that Trio loads\n  \
        polyplane compile filter.img --emit disassembly         # an image as instructions")]
    Compile(CompileArguments),
    /// Run a program on a machine with the packets of a capture or a generator.
    #[command(after_help = "Examples:\n  \
        polyplane run flowlet.c --machine mp5 --pipelines 4 --traffic capture.pcap\n  \
        polyplane run flowlet.c --machine banzai --traffic capture.pcap --out-dir out/\n  \
        polyplane run sequencer.c --machine mp5 --traffic uniform --packets 100000 --json\n  \
        polyplane run router.p4 --tables entries.stf --traffic capture.pcap --out-dir out/\n  \
        polyplane run router.p4 --tables commands.txt --traffic 1=a.pcap --traffic 2=b.pcap --rate 1000000\n  \
        polyplane run router.p4 --tables commands.txt --machine mp5 --traffic uniform:flows=1024\n\n\
        A run of a program without a parser is also compared with the interpreter; the last line of the output gives \
        the verdict. A difference does not change the exit status (`polyplane check` is the command that fails on \
        one), but the status is 4 if packets are stuck in the machine.")]
    Run(RunArguments),
    /// Compare machines with the interpreter: registers, packets and order; show the fewest packets that make a
    /// difference.
    #[command(after_help = "Examples:\n  \
        polyplane check flowlet.c --machines banzai,mp5,recirculating\n  \
        polyplane check heavy_hitters.c --machines mp5 --ordering none    # what goes wrong without phantoms\n  \
        polyplane check router.p4 --tables entries.stf                    # packets that cover the program\n\n\
        The exit status is 1 if a machine differs from the interpreter, and 3 if the program does not fit a machine \
        that --machines names. Without --machines, the usual machines are checked, and the status is 3 if the program \
        fits none of those that have stages.")]
    Check(CheckArguments),
    /// Test a program on any machine with STF files, which list the packets that go in and those that must come out.
    #[command(after_help = "Examples:\n  \
        polyplane stf router.p4 router.stf\n  \
        polyplane stf router.p4 packets.stf --tables commands.txt --machine mp5\n  \
        polyplane stf router.p4 tests/*.stf --undefined random:7    # does a test depend on what P4 leaves open?\n\n\
        A line of a test: `packet 1 0800 4500`, `expect 2 0800 45**$`, `add ipv4_lpm hdr.ipv4.dstAddr:0x0a000000/8 \
        forward(port:2)`, `no_packet`, `check_counter hits(0) packets == 1`. Packets arrive one microsecond apart. \
        The exit status is 1 if a test fails.")]
    Stf(StfArguments),
    /// Show everything that happens to one packet: parser states, headers, tables, keys, actions, changes; stage by
    /// stage.
    #[command(after_help = "Examples:\n  \
        polyplane trace router.p4 --tables entries.stf --port 1 --packet 0000000000020000000000010800450000...\n  \
        polyplane trace router.p4 --tables s1-runtime.json --traffic capture.pcap --nth 17 --json\n  \
        polyplane trace router.p4 --machine mp5 --packet 0000...         # stage by stage, with state\n  \
        polyplane trace flowlet.c --machine mp5 --traffic capture.pcap --nth 5\n\n\
        Where one packet becomes several (clones, multicast copies, resubmitted and recirculated packets), the trace \
        is a tree. With --nth, the machine first processes the packets before the chosen one, which update registers, \
        counters and meters as usual.")]
    Trace(TraceArguments),
    /// Run a program as a switch of live packets: its ports are network interfaces of Linux.
    #[command(after_help = live::EXAMPLES, args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
    Live(LiveArguments),
    /// Make a lab: hosts of Linux around live switches, from a topology of the P4 tutorials or a TOML.
    #[command(after_help = lab::EXAMPLES)]
    Lab(LabArguments),
    /// Run a cloud virtual switch: guests of virtual networks on interfaces of Linux, and tunnels between hosts.
    #[command(after_help = vswitch::EXAMPLES)]
    Vswitch(VswitchArguments),
    /// Serve P4Runtime controllers with a switch that has no interfaces: its packets are packet-outs and packet-ins.
    #[command(after_help = serve::EXAMPLES)]
    Serve(ServeArguments),
    /// Run the public programs of the P4 compiler, the P4 tutorials and others, and report which of them pass.
    #[command(after_help = "Examples:\n  \
        polyplane conformance --compiler p4c/ --report table.md\n  \
        polyplane conformance --tutorials tutorials/ --tutorial-tests crates/conformance/tests/tutorials\n  \
        polyplane conformance --compiler p4c/ --suites samples --only checksum\n\n\
        `make conformance P4C=p4c TUTORIALS=tutorials` runs both and records the commits of the checkouts; \
        SONIC_PINS=, DASH= and P4_GUIDE= name the other checkouts. The exit status is 1 if a program fails.")]
    Conformance(ConformanceArguments),
    /// Compare our P4Info with that published by the P4 compiler and SAI P4 beside their programs.
    #[command(
        name = "conformance-p4info",
        after_help = "Examples:\n  \
        polyplane conformance-p4info --compiler p4c/ --sai sonic-pins/ --report table.md\n  \
        polyplane conformance-p4info --compiler p4c/ --only digest\n\n\
        `make conformance-p4info P4C=p4c SAI=sonic-pins` compares both and records the commits of the checkouts. The \
        exit status is 1 if a P4Info differs and the difference is not one of the known, listed ones."
    )]
    ConformanceP4Info(P4InfoArguments),
    /// Run flowlet switching on a real capture on one pipeline, on MP5 and on a recirculating switch, and write a
    /// report.
    Demo(DemoArguments),
    /// Reproduce a paper's experiments and compare our numbers with the published ones: tables, figures and a report.
    #[command(after_help = "Examples:\n  \
        polyplane reproduce mp5                               # out/reproduce/mp5/index.html\n  \
        polyplane reproduce mp5 --quick --only figure-7a,figure-7b\n  \
        polyplane reproduce mp5 --traces simulator/           # the artifact's other streams, if you have them\n  \
        polyplane reproduce mp5 --plan mine.toml              # a plan of your own\n\n\
        A command that was interrupted (Ctrl-C) resumes where it stopped when it is run again. A number that differs \
        from the published one is a result, not a failure: the exit status is still 0. It is 1 if a statement that our \
        own model must satisfy does not hold.")]
    Reproduce(ReproduceArguments),
    /// List the machines: what each is, its options, and the page that describes it.
    #[command(after_help = "Examples:\n  \
        polyplane machines\n  \
        polyplane machines mp5                                # with its options")]
    Machines(MachinesArguments),
    /// Simulate a network of hosts and switches: flow completion times, goodput, queues, trimmed and dropped packets.
    #[command(after_help = sim_arguments::EXAMPLES)]
    Sim(SimArguments),
    /// Simulate a network for each combination of values of its plan's fields: means with confidence intervals, a
    /// figure.
    #[command(after_help = "Examples:\n  \
        polyplane sweep plan.toml --over transport.kind=ndp,eqds --over seed=1..20\n  \
        polyplane sweep plan.toml --over workload.0.senders=8..64:8 --over switch.limit=8pkt,100pkt --measure completion_time_us.max\n\n\
        A field is a path from the plan's root: `seed`, `topology.k`, `workload.0.bytes` (the first [[workload]]), \
        `workload.bytes` (all of them). `1..20` is 1 to 20, `8..64:8` goes in steps of 8. Means are taken over `seed`. \
        Finished points are kept in the folder `points` of the results, by the contents of their plans: a sweep that \
        was interrupted resumes where it stopped, and one with more values runs only the new points.")]
    Sweep(SweepArguments),
    /// Print a script that completes `polyplane` on the command line of a shell.
    #[command(after_help = "Examples:\n  \
        polyplane completions bash > ~/.local/share/bash-completion/completions/polyplane\n  \
        polyplane completions zsh > ~/.zfunc/_polyplane       # a folder of $fpath\n  \
        polyplane completions fish > ~/.config/fish/completions/polyplane.fish")]
    Completions(CompletionsArguments),
    /// Print or write manual pages for `man`, with the text of --help, for `polyplane` and each of its commands.
    #[command(after_help = "Examples:\n  \
        polyplane man | man -l -                              # reads it\n  \
        polyplane man sim > polyplane-sim.1\n  \
        polyplane man --out-dir ~/.local/share/man/man1       # `man polyplane`, `man polyplane-sim`")]
    Man(ManArguments),
}

/// The program and how it is read.
#[derive(Clone, Debug, Args)]
pub struct ProgramArguments {
    /// The program's file (Domino: .c; P4: .p4; Microcode: .mc; the text of the IR: .ir; an image: .img), or `-` for
    /// standard input, whose language is recognized by its text.
    pub program: PathBuf,
    /// The binding of the program's fields to packets (TOML). Without it, the file beside the program with the
    /// extension .toml is read if there is one, and the names of the fields decide otherwise.
    #[arg(long, value_name = "FILE")]
    pub binding: Option<PathBuf>,
    /// The options of the preprocessor.
    #[command(flatten)]
    pub preprocessor: PreprocessorArguments,
}

/// The packets that are offered.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Traffic")]
pub struct TrafficArguments {
    /// The packets to offer: a capture (.pcap, .pcapng), a table of field values (.csv), a generator (uniform, skewed,
    /// websearch, hadoop), or published:FILE for one of MP5's published traces; docs/traffic.md describes the options
    /// after the colon. A capture may name its ingress port (`1=a.pcap`), and there may be several captures. With a
    /// port, with several captures, and for programs with a parser, packets arrive at their timestamps. A single
    /// capture for a program without a parser is spread over all ports at line rate.
    #[arg(long, value_name = "FILE|KIND")]
    pub traffic: Vec<String>,
    /// The greatest number of packets to offer.
    #[arg(long, value_name = "N")]
    pub packets: Option<u64>,
    /// Replay a capture by its timestamps instead of at line rate.
    #[arg(long)]
    pub timestamps: bool,
    /// Play a capture this many times in a row.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub repeat: Option<u32>,
    /// The seed of every random choice: the same seed gives the same bytes.
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    pub seed: u64,
}

/// The arguments of `polyplane compile`.
#[derive(Debug, Args)]
pub struct CompileArguments {
    /// The program.
    #[command(flatten)]
    pub program: ProgramArguments,
    /// The machine.
    #[command(flatten)]
    pub on: MachineArguments,
    /// Print the program after this pass, or `dependencies-dot`, `stages-dot`, `stages-svg`, `smt`; `--emit list` names
    /// everything that can be printed for the program and machine. For a P4 program on v1model: preprocessed, parsed,
    /// typed or ir. For a program of threads: source or disassembly.
    #[arg(long, value_name = "PASS", help_heading = OUTPUT)]
    pub emit: Option<String>,
    /// Print the P4Info for P4Runtime controllers: as protobuf text, or as JSON with --json.
    #[arg(long, help_heading = OUTPUT, conflicts_with = "emit")]
    pub p4info: bool,
    /// Write what P4Runtime controllers load into this folder, under the names that they expect: the P4Info as
    /// NAME.p4.p4info.txtpb and NAME.p4info.txt, and the device's configuration as NAME.json.
    #[arg(long, value_name = "DIR", help_heading = OUTPUT, conflicts_with_all = ["emit", "p4info"])]
    pub controller_files: Option<PathBuf>,
    /// Write the image of a program of threads, which Trio loads, into this file (.img).
    #[arg(long, value_name = "FILE", help_heading = OUTPUT, conflicts_with_all = ["p4info", "controller_files"])]
    pub image: Option<PathBuf>,
    /// Print JSON.
    #[arg(long, help_heading = OUTPUT, conflicts_with = "emit")]
    pub json: bool,
}

/// The arguments of `polyplane run`.
#[derive(Debug, Args)]
pub struct RunArguments {
    /// The program.
    #[command(flatten)]
    pub program: ProgramArguments,
    /// The machine.
    #[command(flatten)]
    pub on: MachineArguments,
    /// What packets come.
    #[command(flatten)]
    pub traffic: TrafficArguments,
    /// The table entries, and how the packets of captures arrive.
    #[command(flatten)]
    pub capture: CaptureArguments,
    /// Show where each packet is in the first CYCLES cycles (100 by default), not counting cycles in which the machine
    /// is empty. `[A]` is being processed, `B` waits, `(C)` is a place reserved for C, `(-D)` a reservation that was
    /// given up, and `E>` was served and waits to leave. A is the first packet to arrive. For trio, trace.json in the
    /// folder of the results, which `--out-dir` gives, shows threads, engines and timers, for ui.perfetto.dev; the cycles
    /// are those from the first one in which anything happens, idle ones among them.
    #[arg(long, value_name = "CYCLES", help_heading = OUTPUT, num_args = 0..=1, require_equals = true,
          default_missing_value = "100", value_parser = clap::value_parser!(u64).range(1..=100_000))]
    pub timeline: Option<u64>,
    /// Write the results into this folder: packets.csv (every packet's fields), registers.csv, out.pcapng (unless the
    /// packets are records), result.json, manifest.txt. For a program with a parser: port-N.pcapng for each port,
    /// counters.csv, registers.csv, drops.csv (with reasons), digests.jsonl, result.json, manifest.txt. For a program of
    /// threads also parts.csv, with what each part of the chip has done, memory.csv and records.csv, with what shared
    /// memory and records hold at the end.
    #[arg(long, value_name = "DIR", help_heading = OUTPUT)]
    pub out_dir: Option<PathBuf>,
    /// Print JSON.
    #[arg(long, help_heading = OUTPUT)]
    pub json: bool,
}

/// The arguments of `polyplane check`.
#[derive(Debug, Args)]
pub struct CheckArguments {
    /// The program.
    #[command(flatten)]
    pub program: ProgramArguments,
    /// The machines to compare with the interpreter. By default, all but v1model (which is the interpreter), and banzai
    /// and mp5 for programs without a parser. `polyplane machines` describes them.
    #[arg(long, value_name = "NAME,…", value_delimiter = ',', help_heading = MACHINE)]
    pub machines: Vec<String>,
    /// The options of the machines.
    #[command(flatten)]
    pub options: MachineOptions,
    /// What packets come.
    #[command(flatten)]
    pub traffic: TrafficArguments,
    /// The table entries. Packets in STF files are offered before all others.
    #[command(flatten)]
    pub tables: TablesArguments,
    /// Check instead whether the program still means the same when its ports lie in so many pipes that share nothing: 1, 2,
    /// 4 or 8. The machine (tofino) is held against itself with one state for all pipes.
    #[arg(long, value_name = "NUMBER", value_parser = pipes(), help_heading = MACHINE)]
    pub pipes: Option<u16>,
    /// Print JSON.
    #[arg(long, help_heading = OUTPUT)]
    pub json: bool,
}

/// Reads the number of pipes of a chip.
fn pipes() -> impl TypedValueParser<Value = u16> {
    PossibleValuesParser::new(["1", "2", "4", "8"]).map(|number| number.parse().unwrap_or(1))
}

/// Reads the name of a paper whose results are reproduced.
fn paper() -> impl TypedValueParser<Value = &'static Paper> {
    let value = |paper: &Paper| PossibleValue::new(paper.name).help(paper.title);
    let find = |name: String| papers::ALL.iter().find(|paper| paper.name == name).ok_or("no such paper");
    PossibleValuesParser::new(papers::ALL.iter().map(value)).try_map(find)
}

/// The arguments of `polyplane reproduce`.
#[derive(Debug, Args)]
pub struct ReproduceArguments {
    /// The paper.
    #[arg(value_parser = paper())]
    pub paper: &'static Paper,
    /// Run fewer seeds and points, for an impression within a minute.
    #[arg(long)]
    pub quick: bool,
    /// Run only these experiments.
    #[arg(long, value_name = "NAME,…", value_delimiter = ',', num_args = 1..)]
    pub only: Vec<String>,
    /// Also run every trace in the published format below this folder, and compare with the results stored there (mp5).
    #[arg(long, value_name = "DIR")]
    pub traces: Option<PathBuf>,
    /// Run these plans (TOML) instead of the paper's.
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with = "only")]
    pub plan: Vec<PathBuf>,
    /// The folder for results [default: out/reproduce/PAPER].
    #[arg(long, value_name = "DIR", help_heading = OUTPUT)]
    pub out_dir: Option<PathBuf>,
    /// The number of threads [default: one per core]. It does not affect the results.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub threads: Option<u32>,
    /// Start over, ignoring what an earlier, interrupted command has finished.
    #[arg(long)]
    pub fresh: bool,
    /// Print JSON.
    #[arg(long, help_heading = OUTPUT)]
    pub json: bool,
}
