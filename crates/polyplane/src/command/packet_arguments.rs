//! The arguments of commands for programs with tables, and those that describe how packets arrive.

use std::path::PathBuf;

use clap::Args;
use polyplane::rooms::workbench::LoadOptions;

use crate::arguments::ProgramArguments;
use crate::machine_options::MachineArguments;

/// The heading of options about packets.
const PACKETS: &str = "Packets";

/// The options of the preprocessor.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args)]
#[command(next_help_heading = "P4 programs")]
pub struct PreprocessorArguments {
    /// Also look for included files in this folder. May be given several times.
    #[arg(short = 'I', long = "include", value_name = "FOLDER")]
    pub include: Vec<PathBuf>,
    /// Define a macro, as 1 if no text is given. May be given several times.
    #[arg(short = 'D', long = "define", value_name = "NAME[=TEXT]")]
    pub define: Vec<String>,
}

impl PreprocessorArguments {
    pub fn options(&self) -> LoadOptions {
        let definition = |text: &String| match text.split_once('=') {
            Some((name, text)) => (name.to_owned(), text.to_owned()),
            None => (text.clone(), "1".to_owned()),
        };
        LoadOptions {
            search_paths: self.include.clone(),
            definitions: self.define.iter().map(definition).collect(),
            binding: None,
        }
    }
}

/// The files with table entries.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args)]
#[command(next_help_heading = "Tables")]
pub struct TablesArguments {
    /// A file with table entries: STF (.stf; lines about packets are ignored), the JSON of the P4 tutorials (.json), or
    /// commands of simple_switch_CLI. May be given several times.
    #[arg(long, value_name = "FILE")]
    pub tables: Vec<PathBuf>,
}

/// The table entries of a program, and how the packets of captures arrive.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args)]
#[command(next_help_heading = PACKETS)]
pub struct CaptureArguments {
    /// The table entries.
    #[command(flatten)]
    pub tables: TablesArguments,
    /// The ingress port of captures without one of their own (`--traffic PORT=FILE`) [default: 0].
    #[arg(long, value_name = "PORT")]
    pub port: Option<u16>,
    /// Offer this many packets per second on each port, instead of following the timestamps of captures.
    #[arg(long, value_name = "PACKETS", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000_000))]
    pub rate: Option<u64>,
}

/// The arguments of `polyplane trace`.
#[derive(Debug, Args)]
pub struct TraceArguments {
    /// The program.
    #[command(flatten)]
    pub program: ProgramArguments,
    /// The machine.
    #[command(flatten)]
    pub on: MachineArguments,
    /// The packet to trace, in hexadecimal digits. --traffic names a capture that contains it instead.
    #[arg(long, value_name = "HEX", help_heading = PACKETS, conflicts_with_all = ["traffic", "nth", "rate"])]
    pub packet: Option<String>,
    /// A capture that contains the packet, with its ingress port if written as `PORT=FILE`, or any other traffic that
    /// `run` takes.
    #[arg(long, value_name = "FILE|KIND", help_heading = PACKETS)]
    pub traffic: Option<String>,
    /// The number of the packet in the traffic, from 1. The machine processes those before it first.
    #[arg(long, value_name = "K", help_heading = PACKETS, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    pub nth: u64,
    /// The table entries, and how packets arrive.
    #[command(flatten)]
    pub capture: CaptureArguments,
    /// The seed of every random choice: the same seed gives the same bytes.
    #[arg(long, value_name = "SEED", help_heading = PACKETS, default_value_t = 1)]
    pub seed: u64,
    /// Print JSON.
    #[arg(long, help_heading = "Output")]
    pub json: bool,
}

/// The arguments of `polyplane stf`.
#[derive(Debug, Args)]
pub struct StfArguments {
    /// The program.
    #[command(flatten)]
    pub program: ProgramArguments,
    /// The machine.
    #[command(flatten)]
    pub on: MachineArguments,
    /// The packet tests.
    #[arg(required = true, value_name = "TEST")]
    pub tests: Vec<PathBuf>,
    /// The table entries that are made before each test.
    #[command(flatten)]
    pub tables: TablesArguments,
    /// The seed of every random choice: the same seed gives the same bytes.
    #[arg(long, value_name = "SEED", help_heading = PACKETS, default_value_t = 1)]
    pub seed: u64,
    /// Print JSON.
    #[arg(long, help_heading = "Output")]
    pub json: bool,
}

/// The arguments of `polyplane conformance`.
#[derive(Debug, Args)]
pub struct ConformanceArguments {
    /// A checkout of p4lang/p4c, of which the folders `testdata` and `p4include` are read.
    #[arg(long, value_name = "FOLDER")]
    pub compiler: Option<PathBuf>,
    /// A checkout of p4lang/tutorials.
    #[arg(long, value_name = "FOLDER", requires = "tutorial_tests")]
    pub tutorials: Option<PathBuf>,
    /// Packet tests for the tutorials; Polyplane's sources have them in crates/conformance/tests/tutorials.
    #[arg(long, value_name = "FOLDER")]
    pub tutorial_tests: Option<PathBuf>,
    /// The commit of the compiler's checkout, for the report.
    #[arg(long, value_name = "COMMIT")]
    pub commit: Option<String>,
    /// The commit of the tutorials' checkout, for the report.
    #[arg(long, value_name = "COMMIT")]
    pub tutorials_commit: Option<String>,
    /// A checkout of sonic-net/sonic-pins, whose instantiations of SAI P4 must compile.
    #[arg(long, value_name = "FOLDER")]
    pub sonic_pins: Option<PathBuf>,
    /// The commit of the checkout of sonic-pins, for the report.
    #[arg(long, value_name = "COMMIT")]
    pub sonic_pins_commit: Option<String>,
    /// A checkout of sonic-net/DASH, whose pipeline must compile.
    #[arg(long, value_name = "FOLDER")]
    pub dash: Option<PathBuf>,
    /// The commit of the checkout of DASH, for the report.
    #[arg(long, value_name = "COMMIT")]
    pub dash_commit: Option<String>,
    /// A checkout of jafingerhut/p4-guide, whose programs for v1model must compile.
    #[arg(long = "p4-guide", value_name = "FOLDER")]
    pub guide: Option<PathBuf>,
    /// The commit of the checkout of p4-guide, for the report.
    #[arg(long = "p4-guide-commit", value_name = "COMMIT")]
    pub guide_commit: Option<String>,
    /// Run only these suites: samples, translated, tutorials, errors, sonic-pins, dash, p4-guide.
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    pub suites: Vec<String>,
    /// Run only programs whose names contain this text.
    #[arg(long, value_name = "TEXT")]
    pub only: Option<String>,
    /// The machine.
    #[command(flatten)]
    pub on: MachineArguments,
    /// The number of programs to run at once [default: one per core].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub threads: Option<u32>,
    /// Write the tables as Markdown to this file.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub report: Option<PathBuf>,
    /// Print JSON.
    #[arg(long, help_heading = "Output")]
    pub json: bool,
}

/// The arguments of `polyplane conformance-p4info`.
#[derive(Debug, Args)]
pub struct P4InfoArguments {
    /// A checkout of p4lang/p4c, of which the folders `testdata` and `p4include` are read.
    #[arg(long, value_name = "FOLDER")]
    pub compiler: Option<PathBuf>,
    /// A checkout of sonic-net/sonic-pins, of which the folder `sai_p4` is read.
    #[arg(long, value_name = "FOLDER")]
    pub sai: Option<PathBuf>,
    /// The commit of the compiler's checkout, for the report.
    #[arg(long, value_name = "COMMIT")]
    pub commit: Option<String>,
    /// The commit of the checkout of SAI P4, for the report.
    #[arg(long, value_name = "COMMIT")]
    pub sai_commit: Option<String>,
    /// Compare only programs whose names contain this text.
    #[arg(long, value_name = "TEXT")]
    pub only: Option<String>,
    /// Read programs with the compiler's own `core.p4` and `v1model.p4`.
    #[arg(long, requires = "compiler")]
    pub their_headers: bool,
    /// Write the tables as Markdown to this file.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub report: Option<PathBuf>,
    /// Print JSON.
    #[arg(long, help_heading = "Output")]
    pub json: bool,
}
