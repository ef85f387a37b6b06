//! The arguments of the commands that are about programs with tables, and the arguments that say which packets come.

use std::path::PathBuf;

use clap::Args;
use polyplane::rooms::workbench::LoadOptions;

use crate::arguments::ProgramArguments;
use crate::machine_options::MachineArguments;

/// The heading of what comes in.
const PACKETS: &str = "Packets";

/// How a P4 program is read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args)]
#[command(next_help_heading = "P4 programs")]
pub struct PreprocessorArguments {
    /// Look for included files in this folder, too; may be given several times.
    #[arg(short = 'I', long = "include", value_name = "FOLDER")]
    pub include: Vec<PathBuf>,
    /// Define a macro, whose text is 1 unless it is given; may be given several times.
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

/// What fills the tables of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args)]
#[command(next_help_heading = "Tables")]
pub struct TablesArguments {
    /// What fills the tables: STF (.stf; lines about packets are passed over), the tutorials' JSON (.json), or commands
    /// of simple_switch_CLI; may be given several times.
    #[arg(long, value_name = "FILE")]
    pub tables: Vec<PathBuf>,
}

/// What fills the tables of a program, and how captures come in.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args)]
#[command(next_help_heading = PACKETS)]
pub struct CaptureArguments {
    /// What fills the tables.
    #[command(flatten)]
    pub tables: TablesArguments,
    /// The port that captures come in on, unless `--traffic PORT=FILE` says it; 0 unless told otherwise.
    #[arg(long, value_name = "PORT")]
    pub port: Option<u16>,
    /// Packets come so many a second on each port, instead of by the timestamps of their capture.
    #[arg(long, value_name = "PACKETS", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000_000))]
    pub rate: Option<u64>,
}

/// `polyplane trace`
#[derive(Debug, Args)]
pub struct TraceArguments {
    /// Which program.
    #[command(flatten)]
    pub program: ProgramArguments,
    /// The machine.
    #[command(flatten)]
    pub on: MachineArguments,
    /// The packet, in hexadecimal digits; or --traffic names a capture that it is in.
    #[arg(long, value_name = "HEX", help_heading = PACKETS, conflicts_with_all = ["traffic", "nth", "rate"])]
    pub packet: Option<String>,
    /// A capture that the packet is in, for which `PORT=FILE` says where it comes in; or a plan of traffic, as `run` takes
    /// it.
    #[arg(long, value_name = "FILE|KIND", help_heading = PACKETS)]
    pub traffic: Option<String>,
    /// Which packet of the capture, from 1; those before it come first.
    #[arg(long, value_name = "K", help_heading = PACKETS, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    pub nth: u64,
    /// What fills the tables, and where packets come in.
    #[command(flatten)]
    pub capture: CaptureArguments,
    /// Where every random choice comes from: the same seed gives the same bytes.
    #[arg(long, value_name = "SEED", help_heading = PACKETS, default_value_t = 1)]
    pub seed: u64,
    /// Print JSON.
    #[arg(long, help_heading = "Output")]
    pub json: bool,
}

/// `polyplane live`
#[derive(Debug, Args)]
pub struct LiveArguments {
    /// Which program.
    #[command(flatten)]
    pub program: ProgramArguments,
    /// The machine. `native` is the fastest for a program with a parser.
    #[command(flatten)]
    pub on: MachineArguments,
    /// A TAP interface and the port that is bound to it; several times for several ports.
    #[arg(long = "interface", value_name = "PORT=NAME", required = true, help_heading = PACKETS)]
    pub interfaces: Vec<String>,
    /// What fills the tables.
    #[command(flatten)]
    pub tables: TablesArguments,
    /// How long to run, such as 60s; until Ctrl-C without it.
    #[arg(long = "for", value_name = "TIME", help_heading = PACKETS, value_parser = polyplane::rooms::units::duration)]
    pub time: Option<polyplane::rooms::basis::Duration>,
    /// Where every random choice comes from.
    #[arg(long, value_name = "SEED", help_heading = PACKETS, default_value_t = 1)]
    pub seed: u64,
    /// Print JSON.
    #[arg(long, help_heading = "Output")]
    pub json: bool,
}

/// `polyplane stf`
#[derive(Debug, Args)]
pub struct StfArguments {
    /// Which program.
    #[command(flatten)]
    pub program: ProgramArguments,
    /// The machine.
    #[command(flatten)]
    pub on: MachineArguments,
    /// The packet tests.
    #[arg(required = true, value_name = "TEST")]
    pub tests: Vec<PathBuf>,
    /// What fills the tables before each test.
    #[command(flatten)]
    pub tables: TablesArguments,
    /// Where every random choice comes from: the same seed gives the same bytes.
    #[arg(long, value_name = "SEED", help_heading = PACKETS, default_value_t = 1)]
    pub seed: u64,
    /// Print JSON.
    #[arg(long, help_heading = "Output")]
    pub json: bool,
}

/// `polyplane conformance`
#[derive(Debug, Args)]
pub struct ConformanceArguments {
    /// A checkout of p4lang/p4c: its folders `testdata` and `p4include`.
    #[arg(long, value_name = "FOLDER")]
    pub compiler: Option<PathBuf>,
    /// A checkout of p4lang/tutorials.
    #[arg(long, value_name = "FOLDER", requires = "tutorial_tests")]
    pub tutorials: Option<PathBuf>,
    /// Our packet tests of the tutorials, which Polyplane's sources have in crates/conformance/tests/tutorials.
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
    /// The commit of that checkout, for the report.
    #[arg(long, value_name = "COMMIT")]
    pub sonic_pins_commit: Option<String>,
    /// A checkout of sonic-net/DASH, whose pipeline must compile.
    #[arg(long, value_name = "FOLDER")]
    pub dash: Option<PathBuf>,
    /// The commit of that checkout, for the report.
    #[arg(long, value_name = "COMMIT")]
    pub dash_commit: Option<String>,
    /// A checkout of jafingerhut/p4-guide, whose programs for v1model must compile.
    #[arg(long = "p4-guide", value_name = "FOLDER")]
    pub guide: Option<PathBuf>,
    /// The commit of that checkout, for the report.
    #[arg(long = "p4-guide-commit", value_name = "COMMIT")]
    pub guide_commit: Option<String>,
    /// Only these: samples, translated, tutorials, errors, sonic-pins, dash, p4-guide.
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    pub suites: Vec<String>,
    /// Only programs whose names contain this.
    #[arg(long, value_name = "TEXT")]
    pub only: Option<String>,
    /// The machine.
    #[command(flatten)]
    pub on: MachineArguments,
    /// How many programs at a time; without it, as many as this computer does at once.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub threads: Option<u32>,
    /// Write the tables as Markdown.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub report: Option<PathBuf>,
    /// Print JSON.
    #[arg(long, help_heading = "Output")]
    pub json: bool,
}

/// `polyplane conformance-p4info`
#[derive(Debug, Args)]
pub struct P4InfoArguments {
    /// A checkout of p4lang/p4c: its folders `testdata` and `p4include`.
    #[arg(long, value_name = "FOLDER")]
    pub compiler: Option<PathBuf>,
    /// A checkout of sonic-net/sonic-pins: its folder `sai_p4`.
    #[arg(long, value_name = "FOLDER")]
    pub sai: Option<PathBuf>,
    /// The commit of the compiler's checkout, for the report.
    #[arg(long, value_name = "COMMIT")]
    pub commit: Option<String>,
    /// The commit of the checkout of SAI P4, for the report.
    #[arg(long, value_name = "COMMIT")]
    pub sai_commit: Option<String>,
    /// Only programs whose names contain this.
    #[arg(long, value_name = "TEXT")]
    pub only: Option<String>,
    /// Read programs with the compiler's own `core.p4` and `v1model.p4`.
    #[arg(long, requires = "compiler")]
    pub their_headers: bool,
    /// Write the tables as Markdown.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub report: Option<PathBuf>,
    /// Print JSON.
    #[arg(long, help_heading = "Output")]
    pub json: bool,
}
