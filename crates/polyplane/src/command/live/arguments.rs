//! The arguments of `polyplane live`.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use polyplane::rooms::basis::Duration;
use polyplane::rooms::plans::LONGEST_SPIN;
use polyplane::rooms::switchd::capture::CapturePoint;
use polyplane::rooms::units;

use crate::capture_options::CaptureOptions;
use crate::controllers::ControllersArguments;
use crate::machine_options::MachineArguments;
use crate::packet_arguments::{PreprocessorArguments, TablesArguments};

/// The examples in the help.
pub const EXAMPLES: &str = "Examples:\n  \
    polyplane live router.p4 --machine native --tables entries.txt --port 1=veth1 --port 2=veth2\n  \
    polyplane live switch.toml --check                  # what is wrong with a plan, without touching anything\n  \
    polyplane live switch.toml\n  \
    polyplane live switch.toml --p4runtime 127.0.0.1:9559\n  \
    polyplane live show ports                           # of the switch that runs\n  \
    polyplane live trace host 10.0.0.1 and icmp         # everything that happens to the next such packet\n  \
    polyplane live capture --at dropped --write - | wireshark -k -i -\n  \
    polyplane live entries 'table_add ipv4_lpm forward 10.0.3.0/24 => 3'\n  \
    polyplane live reload --dry-run && polyplane live reload\n  \
    polyplane live stop\n\n\
    An interface that exists, such as one end of a veth pair, is used as it is, with all of its offloads on; this needs \
    CAP_NET_RAW. One that does not exist is made as a TAP interface and removed again when the command ends; this needs \
    CAP_NET_ADMIN. A network namespace of your own gives you both. The switch runs until Ctrl-C, SIGTERM, `polyplane live \
    stop` or for the time given by --for; it then sends what it holds and prints how many packets were received, transmitted \
    and dropped. The other commands find the switch that runs; if there are several, --socket names one.";

/// The heading of options about packets.
const PACKETS: &str = "Packets";
/// The heading of options about a switch while it runs.
const RUNNING: &str = "The running switch";
/// The heading of options about output.
const OUTPUT: &str = "Output";

/// The arguments of `polyplane live`.
#[derive(Debug, Args)]
pub struct LiveArguments {
    /// A question to a running switch, in place of a start.
    #[command(subcommand)]
    pub command: Option<LiveCommand>,
    /// The switch to start.
    #[command(flatten)]
    pub start: StartArguments,
}

/// The arguments that start a switch.
#[derive(Debug, Args)]
pub struct StartArguments {
    /// The plan of a switch (.toml), or a program's file (Domino: .c; P4: .p4; Microcode: .mc; the text of
    /// the IR: .ir).
    #[arg(value_name = "PLAN|PROGRAM", required_unless_present = "p4runtime")]
    pub program: Option<PathBuf>,
    /// The binding of the program's fields to packets (TOML). Without it, the file beside the program with the extension
    /// .toml is read if there is one, and the names of the fields decide otherwise.
    #[arg(long, value_name = "FILE")]
    pub binding: Option<PathBuf>,
    /// The options of the preprocessor.
    #[command(flatten)]
    pub preprocessor: PreprocessorArguments,
    /// The machine. `native` is the fastest for a program with a parser.
    #[command(flatten)]
    pub on: MachineArguments,
    /// A port and the interface that is bound to it. May be given several times. An interface that does not exist is made as
    /// a TAP interface. `packet:NAME`, `tap:NAME`, `udp:LOCAL,REMOTE` and `pcapng:IN,OUT` name other kinds.
    #[arg(long = "port", value_name = "PORT=INTERFACE", help_heading = PACKETS)]
    pub bindings: Vec<String>,
    /// The table entries.
    #[command(flatten)]
    pub tables: TablesArguments,
    /// How long to run, such as 60s [default: until Ctrl-C].
    #[arg(long = "for", value_name = "TIME", help_heading = PACKETS, value_parser = units::duration)]
    pub time: Option<Duration>,
    /// The seed of every random choice [default: 1].
    #[arg(long, value_name = "SEED", help_heading = PACKETS)]
    pub seed: Option<u64>,
    /// Only check everything, without touching an interface.
    #[arg(long, help_heading = RUNNING)]
    pub check: bool,
    /// The control socket [default: a file with the switch's name in $XDG_RUNTIME_DIR/polyplane, /run/polyplane or a folder
    /// for temporary files].
    #[arg(long, value_name = "PATH", help_heading = RUNNING)]
    pub socket: Option<PathBuf>,
    /// Serve metrics for Prometheus at this address, such as 127.0.0.1:9100.
    #[arg(long, value_name = "ADDRESS", help_heading = RUNNING)]
    pub metrics: Option<SocketAddr>,
    /// The server for controllers.
    #[command(flatten)]
    pub controllers: ControllersArguments,
    /// Wait actively for so long before sleeping, where that helps; at most 10ms [default: not at all].
    #[arg(long, value_name = "TIME", help_heading = RUNNING, value_parser = spin)]
    pub spin: Option<Duration>,
    /// Keep the switch's thread on this processor core.
    #[arg(long, value_name = "NUMBER", help_heading = RUNNING)]
    pub core: Option<usize>,
    /// Print JSON.
    #[arg(long, help_heading = OUTPUT)]
    pub json: bool,
}

/// How to reach a running switch.
#[derive(Clone, Debug, Args)]
pub struct Reach {
    /// The control socket of the switch, or its name [default: that of the only switch that runs].
    #[arg(long, value_name = "PATH|NAME")]
    pub socket: Option<PathBuf>,
    /// Print the answer as JSON.
    #[arg(long)]
    pub json: bool,
}

/// The parts of a running switch that can be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Shown {
    /// The program that runs, and the time that it has run.
    Switch,
    /// The ports with their counters.
    Ports,
    /// The entries of tables, as lines of an STF file.
    Tables,
    /// The counters, meters and registers of the program.
    Counters,
    /// The dropped packets by reason, port and block.
    Drops,
}

/// The questions to a running switch.
#[derive(Debug, Subcommand)]
pub enum LiveCommand {
    /// Show ports, tables, counters or drops of a running switch.
    Show {
        /// The part of the switch to show.
        what: Shown,
        /// The names of tables, counters, meters and registers; all if there is none.
        names: Vec<String>,
        /// How to reach the switch.
        #[command(flatten)]
        reach: Reach,
    },
    /// Carry out lines of the control plane on a running switch, all or none.
    Entries {
        /// The lines: commands of `simple_switch_CLI`, or with --stf lines of an STF file.
        #[arg(required_unless_present = "file")]
        lines: Vec<String>,
        /// A file with lines, instead.
        #[arg(long, value_name = "FILE", conflicts_with = "lines")]
        file: Option<PathBuf>,
        /// The lines are those of an STF file, as `show tables` prints them.
        #[arg(long)]
        stf: bool,
        /// How to reach the switch.
        #[command(flatten)]
        reach: Reach,
    },
    /// Wait for a packet, and show everything that happens to it.
    Trace {
        /// The filter in words of pcap-filter, such as `udp port 53` [default: any packet].
        filter: Vec<String>,
        /// The port on which the packet comes [default: any].
        #[arg(long)]
        port: Option<u16>,
        /// How to reach the switch.
        #[command(flatten)]
        reach: Reach,
    },
    /// Capture packets of a running switch as pcapng; dropped ones have their reason as a comment.
    Capture(CaptureOptions<CapturePoint>),
    /// Read the program and the tables again: tables change as one, between two packets.
    Reload {
        /// Only say what would change.
        #[arg(long)]
        dry_run: bool,
        /// How to reach the switch.
        #[command(flatten)]
        reach: Reach,
    },
    /// Send what the switch holds, and end it.
    Stop {
        /// How to reach the switch.
        #[command(flatten)]
        reach: Reach,
    },
}

fn spin(text: &str) -> Result<Duration, String> {
    let spin = units::duration(text)?;
    let most = LONGEST_SPIN;
    if spin <= most { Ok(spin) } else { Err(format!("at most {}", units::duration_text(most))) }
}
