//! The arguments of `polyplane lab`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use polyplane::rooms::basis::{Duration, Rate};
use polyplane::rooms::lab::plan::LONGEST_DELAY;
use polyplane::rooms::units;

/// The examples in the help.
pub const EXAMPLES: &str = "Examples:\n  \
    polyplane lab up pod-topo/topology.json --program solution/basic.p4\n  \
    polyplane lab status\n  \
    polyplane lab exec h1 -- ping -c 3 10.0.2.2\n  \
    polyplane lab shell h1\n  \
    polyplane lab tables s1                             # every table of a switch\n  \
    polyplane lab pcap h1-s1 --write - | wireshark -k -i -\n  \
    polyplane lab link down s1-s2\n  \
    polyplane lab restart s1\n  \
    polyplane lab down\n\n\
    A plan is a topology of the P4 tutorials (JSON) or a TOML of ours; docs/lab.md describes both. Hosts are network \
    namespaces, and each switch is a `polyplane live` of its own. This needs CAP_SYS_ADMIN, CAP_NET_ADMIN and CAP_NET_RAW: \
    run it with sudo, or in namespaces of your own. The commands find the only lab that is there; if there are several, \
    --lab names one.";

/// The arguments of `polyplane lab`.
#[derive(Debug, Args)]
pub struct LabArguments {
    /// What to do.
    #[command(subcommand)]
    pub command: LabCommand,
}

/// The lab that is meant.
#[derive(Clone, Debug, Args)]
pub struct Which {
    /// The name of the lab [default: the only one].
    #[arg(long, value_name = "NAME")]
    pub lab: Option<String>,
}

/// The arguments of `polyplane lab up`.
#[derive(Debug, Args)]
pub struct UpArguments {
    /// The plan: a topology of the P4 tutorials (.json), or a TOML.
    pub plan: PathBuf,
    /// A program that replaces the one of the same name, or that of all switches if they run only one. May be given
    /// several times.
    #[arg(long = "program", value_name = "FILE")]
    pub programs: Vec<PathBuf>,
    /// The name of the lab [default: that of the plan].
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// The port at which controllers reach the first switch by P4Runtime, those of the others following [default: 50051, or
    /// 50151, … if that is in use].
    #[arg(long, value_name = "PORT")]
    pub p4runtime: Option<u16>,
    /// The rate of links for which the plan gives none, such as 10Mb/s [default: as fast as the computer is].
    #[arg(long, value_name = "RATE", value_parser = units::rate)]
    pub rate: Option<Rate>,
    /// The delay of links for which the plan gives none, at most 10 s, such as 5ms [default: none].
    #[arg(long, value_name = "TIME", value_parser = delay)]
    pub delay: Option<Duration>,
    /// Only say what is wrong with the plan, its programs and tables, without making anything.
    #[arg(long)]
    pub check: bool,
    /// Print the status as JSON.
    #[arg(long)]
    pub json: bool,
}

/// Reads the delay of links.
fn delay(text: &str) -> Result<Duration, String> {
    let delay = units::duration(text)?;
    if delay <= LONGEST_DELAY { Ok(delay) } else { Err(format!("at most {}", units::duration_text(LONGEST_DELAY))) }
}

/// The states of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LinkState {
    /// It carries packets.
    Up,
    /// It carries none.
    Down,
}

/// What to do with a lab.
#[derive(Debug, Subcommand)]
pub enum LabCommand {
    /// Make the hosts, links and switches of a plan.
    Up(UpArguments),
    /// Remove a lab: its switches, the processes in its hosts, its links and namespaces.
    Down {
        /// The name of the lab [default: the only one].
        #[arg(conflicts_with = "lab")]
        name: Option<String>,
        /// Which lab.
        #[command(flatten)]
        which: Which,
        /// Remove all labs.
        #[arg(long, conflicts_with_all = ["name", "lab"])]
        all: bool,
    },
    /// Show hosts, switches, links, addresses and controllers.
    Status {
        /// Which lab.
        #[command(flatten)]
        which: Which,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Run a command in a host, or beside the interfaces of a switch.
    Exec {
        /// Which lab.
        #[command(flatten)]
        which: Which,
        /// The name of the host or switch.
        node: String,
        /// The command and its arguments.
        #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
        command: Vec<String>,
    },
    /// Start a shell in a host.
    Shell {
        /// Which lab.
        #[command(flatten)]
        which: Which,
        /// The name of the host or switch.
        node: String,
    },
    /// Capture the packets of a link as pcapng, until Ctrl-C.
    Pcap {
        /// Which lab.
        #[command(flatten)]
        which: Which,
        /// The link, such as h1-s1, or the port at one of its ends, such as s1-p1.
        link: String,
        /// The filter in words of pcap-filter [default: any packet].
        #[arg(long, default_value = "")]
        filter: String,
        /// The file, or `-` for standard output [default: the link's name with .pcapng].
        #[arg(long, value_name = "FILE")]
        write: Option<PathBuf>,
    },
    /// Show what a switch has said.
    Log {
        /// Which lab.
        #[command(flatten)]
        which: Which,
        /// The name of the switch.
        switch: String,
    },
    /// Take a link down or up.
    Link {
        /// Which lab.
        #[command(flatten)]
        which: Which,
        /// The state that the link is to have.
        state: LinkState,
        /// The link, such as s1-s2, or the port at one of its ends, such as s1-p2.
        link: String,
    },
    /// End a switch and start it again, with its tables as the plan has them.
    Restart {
        /// Which lab.
        #[command(flatten)]
        which: Which,
        /// The name of the switch.
        switch: String,
    },
    /// Show the entries of every table of a switch, as lines of an STF file.
    Tables {
        /// Which lab.
        #[command(flatten)]
        which: Which,
        /// The name of the switch.
        switch: String,
        /// The names of tables; all if there is none.
        names: Vec<String>,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
}
