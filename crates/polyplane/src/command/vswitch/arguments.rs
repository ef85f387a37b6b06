//! The arguments of `polyplane vswitch`.

use std::ffi::{OsStr, OsString};
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use polyplane::rooms::basis::Duration;
use polyplane::rooms::units;
use polyplane::rooms::vswitchd::ServedPlaces;
use polyplane::rooms::vswitchd::capture::CapturePoint;
use polyplane::rooms::vswitchd::topology::moment;

use crate::capture_options::CaptureOptions;

/// Examples at the end of the help.
pub const EXAMPLES: &str = "Examples:\n  \
    polyplane vswitch check host-a.toml               # every mistake, and whether the interfaces are there\n  \
    polyplane vswitch run host-a.toml                 # until Ctrl-C\n  \
    polyplane vswitch run host-a.toml --metrics 127.0.0.1:9100 --flow-logs /var/log/vswitch\n  \
    polyplane vswitch show sessions --vnic web        # of the switch that runs\n  \
    polyplane vswitch trace tcp 10.0.1.1:1000 10.0.1.2:80\n  \
    polyplane vswitch trace --next tcp 10.0.1.1:1000 10.0.1.2:80   # waits for the next packet of that flow\n  \
    polyplane vswitch capture --at matched,dropped --write - | wireshark -k -i -\n  \
    polyplane vswitch diff host-a.toml && polyplane vswitch apply host-a.toml\n  \
    polyplane vswitch events --vnic web\n  \
    polyplane vswitch topology --log /var/log/vswitch --at 2026-11-26T20:00:00Z 10.0.1.1 10.0.2.2\n  \
    polyplane vswitch upgrade                         # this program takes over from the one that runs\n  \
    polyplane vswitch stop\n\n\
    A configuration names the guests (vNICs), their virtual networks (VPCs), routes, security groups, pools of addresses and load \
    balancers; docs/vswitch/README.md goes from nothing to two guests that ping, and docs/vswitch/operation.md says what a switch \
    can be asked while it runs. The commands find the switch that runs; if there are several, --socket names one.";

/// The arguments.
#[derive(Args, Debug)]
pub struct VswitchArguments {
    #[command(subcommand)]
    pub command: VswitchCommand,
}

/// The commands of the virtual switch.
#[derive(Subcommand, Debug)]
pub enum VswitchCommand {
    /// Check a configuration, and whether its switch can start on this computer.
    Check(CheckArguments),
    /// Run the switch of a configuration, until SIGINT, SIGTERM, SIGHUP or `polyplane vswitch stop`. At SIGUSR2 the program that is
    /// installed by then takes over.
    Run(RunArguments),
    /// Show ports, sessions, flows, drops, rules, limiters or paths of the underlay of a running switch.
    Show {
        /// The part of the switch to show.
        what: Shown,
        /// Only what has this vNIC at one of its ends (sessions, flows).
        #[arg(long, value_name = "NAME")]
        vnic: Option<String>,
        /// The most sessions or flows that are shown.
        #[arg(long, value_name = "NUMBER", default_value_t = 64)]
        most: usize,
        /// How to reach the switch.
        #[command(flatten)]
        reach: Reach,
    },
    /// Say what happens to a packet: every decision, and the rule that made it.
    Trace {
        /// The protocol: tcp, udp, icmp, icmpv6, sctp, or a number.
        protocol: String,
        /// The source: an address with its port, such as 10.0.1.1:1000 or [fd00::1]:1000, or an address alone.
        #[arg(value_parser = end)]
        source: End,
        /// The destination, in the same form.
        #[arg(value_parser = end)]
        destination: End,
        /// The VPC [default: the one that has one of the addresses].
        #[arg(long, value_name = "NAME")]
        vpc: Option<String>,
        /// Wait for the next packet of the flow or of its replies, and say what became of it too. Without ports, for one between
        /// the two addresses.
        #[arg(long)]
        next: bool,
        /// How to reach the switch.
        #[command(flatten)]
        reach: Reach,
    },
    /// Capture packets of a running switch as pcapng; dropped ones have their reason as a comment, matched ones what was found.
    Capture(CaptureOptions<CapturePoint>),
    /// Print events of vNICs as they happen, each a line of JSON.
    Events {
        /// Only those of this vNIC.
        #[arg(long, value_name = "NAME")]
        vnic: Option<String>,
        /// The control socket of the switch, or its name [default: that of the only switch that runs].
        #[arg(long, value_name = "PATH|NAME")]
        socket: Option<PathBuf>,
    },
    /// Say what another configuration would change of a running switch, and how many sessions it would end.
    Diff {
        /// The configuration, in TOML; `-` for standard input.
        configuration: PathBuf,
        /// How to reach the switch.
        #[command(flatten)]
        reach: Reach,
    },
    /// Put another configuration in place, as a whole: sessions that it allows stay, all others end.
    Apply {
        /// The configuration, in TOML; `-` for standard input.
        configuration: PathBuf,
        /// How to reach the switch.
        #[command(flatten)]
        reach: Reach,
    },
    /// Show the cores, or go on with another number of them, while packets pass.
    ///
    /// Sessions move to the cores that their flows go to from then on. The number stays until a file with another one is
    /// applied.
    Cores {
        /// The number of cores, from 1 to 64.
        number: Option<u16>,
        /// How to reach the switch.
        #[command(flatten)]
        reach: Reach,
    },
    /// Take over from a switch that runs, with its configuration and its sessions, while packets pass.
    ///
    /// The old process ends. If this one fails before it has taken over, the old one goes on.
    Upgrade(UpgradeArguments),
    /// Say from flow logs which vNICs, switches, tunnels and translations were between two ends at a past moment.
    ///
    /// The flow log says all of that if `[flow_log]` names the fields for it; docs/vswitch/operation.md has the entry.
    Topology(TopologyArguments),
    /// Be a plugin of the Container Network Interface, as which a link `polyplane-cni` to this program is called too.
    Cni,
    /// Send what the switch holds, and end it.
    Stop {
        /// How to reach the switch.
        #[command(flatten)]
        reach: Reach,
    },
}

/// The parts of a running switch that can be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Shown {
    /// The switch that runs, the time that it has run, and how packets find their sessions.
    Switch,
    /// The interfaces with their counters.
    Ports,
    /// The sessions.
    Sessions,
    /// Both directions of sessions, with what is done with their packets.
    Flows,
    /// The dropped packets by reason and interface.
    Drops,
    /// The rules of security groups.
    Rules,
    /// The limiters with what they have counted.
    Limiters,
    /// The paths of the underlay, and which of them are alive.
    Underlay,
}

/// How to reach a running switch.
#[derive(Args, Clone, Debug)]
pub struct Reach {
    /// The control socket of the switch, or its name [default: that of the only switch that runs].
    #[arg(long, value_name = "PATH|NAME")]
    pub socket: Option<PathBuf>,
    /// Print the answer as JSON.
    #[arg(long)]
    pub json: bool,
}

/// An end of a flow: an address, and a port, which is 0 for protocols without ports.
pub type End = (IpAddr, u16);

fn end(text: &str) -> Result<End, String> {
    let with_port = text.parse::<SocketAddr>().map(|end| (end.ip(), end.port()));
    let alone = text.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>().map(|address| (address, 0));
    with_port.or(alone).map_err(|_| "such as 10.0.1.1:1000, [fd00::1]:1000 or 10.0.1.1".to_owned())
}

/// Reads the socket of a tenant.
fn tenant(text: &str) -> Result<(String, PathBuf), String> {
    let parts = text.rsplit_once('=').filter(|(vnic, path)| !vnic.is_empty() && !path.is_empty());
    let (vnic, path) = parts.ok_or_else(|| "such as web=/run/tenants/web.sock".to_owned())?;
    Ok((vnic.to_owned(), path.into()))
}

/// A configuration to check.
#[derive(Args, Debug)]
pub struct CheckArguments {
    /// The configuration, in TOML; `-` for standard input.
    pub configuration: PathBuf,
    /// Check the file alone, and not whether its interfaces are there.
    #[arg(long)]
    pub file_only: bool,
    /// Print the configuration with all its defaults.
    #[arg(long)]
    pub print: bool,
}

/// Two ends and a moment.
#[derive(Args, Debug)]
pub struct TopologyArguments {
    /// The folder with the flow logs of a switch (`run --flow-logs`). May be given several times, for several switches.
    #[arg(long = "log", value_name = "FOLDER", required = true)]
    pub logs: Vec<PathBuf>,
    /// The moment: seconds since 1970, or a date and time in UTC such as 2026-11-26T20:00:00Z.
    #[arg(long, value_name = "TIME", value_parser = moment)]
    pub at: u64,
    /// How far from the moment the packets of a record may be.
    #[arg(long, value_name = "TIME", value_parser = units::duration, default_value = "60s")]
    pub within: Duration,
    /// An end: an address, or the name of a vNIC.
    #[arg(value_name = "END")]
    pub one: String,
    /// The other end, in the same form.
    #[arg(value_name = "OTHER END")]
    pub other: String,
    /// Print the answer as JSON.
    #[arg(long)]
    pub json: bool,
}

/// A switch to take over from.
#[derive(Args, Debug)]
pub struct UpgradeArguments {
    /// The control socket of the switch, or its name [default: that of the only switch that runs].
    #[arg(long, value_name = "PATH|NAME")]
    pub socket: Option<PathBuf>,
    /// Stop after this time, such as 10s.
    #[arg(long = "for", value_name = "TIME", value_parser = units::duration)]
    pub time: Option<Duration>,
    #[command(flatten)]
    pub served: ServedArguments,
}

/// Everything that a switch serves and writes while it runs, beside its control socket.
#[derive(Args, Clone, Debug)]
pub struct ServedArguments {
    /// Serve metrics for Prometheus at this address, such as 127.0.0.1:9100.
    #[arg(long, value_name = "ADDRESS")]
    pub metrics: Option<SocketAddr>,
    /// Serve the tenant of a vNIC at a socket of its own, which answers what concerns that vNIC and nothing else. May be given
    /// several times.
    #[arg(long = "tenant", value_name = "VNIC=PATH", value_parser = tenant)]
    pub tenants: Vec<(String, PathBuf)>,
    /// Write the flow log into this folder, in a file for each vNIC.
    #[arg(long, value_name = "FOLDER")]
    pub flow_logs: Option<PathBuf>,
    /// Keep the bindings of pools in this file, and go on with those that are there, so that translated connections outlive a switch that
    /// was killed. A folder in memory, such as /run, is the place for it.
    #[arg(long, value_name = "FILE")]
    pub bindings: Option<PathBuf>,
    /// Print the counts at the end as JSON.
    #[arg(long)]
    pub json: bool,
}

impl ServedArguments {
    /// Returns the places at which a switch with a control socket is served.
    pub fn places(&self, socket: PathBuf) -> ServedPlaces {
        ServedPlaces { socket, tenants: self.tenants.clone(), metrics: self.metrics }
    }

    /// Returns the options by which another process is given the same.
    pub fn to_options(&self) -> Vec<OsString> {
        let mut options = Vec::new();
        let mut add = |name: &str, value: &OsStr| options.extend([name.into(), value.to_owned()]);
        if let Some(address) = self.metrics {
            add("--metrics", address.to_string().as_ref());
        }
        for (vnic, path) in &self.tenants {
            let mut text = OsString::from(format!("{vnic}="));
            text.push(path);
            add("--tenant", &text);
        }
        for (name, path) in [("--flow-logs", &self.flow_logs), ("--bindings", &self.bindings)] {
            path.iter().for_each(|path| add(name, path.as_ref()));
        }
        options.extend(self.json.then(|| "--json".into()));
        options
    }
}

/// A configuration to run.
#[derive(Args, Debug)]
pub struct RunArguments {
    /// The configuration, in TOML; `-` for standard input.
    pub configuration: PathBuf,
    /// Stop after this time, such as 10s.
    #[arg(long = "for", value_name = "TIME", value_parser = units::duration)]
    pub time: Option<Duration>,
    /// The control socket [default: a file with the switch's name in $XDG_RUNTIME_DIR/polyplane, /run/polyplane or a folder
    /// for temporary files].
    #[arg(long, value_name = "PATH")]
    pub socket: Option<PathBuf>,
    #[command(flatten)]
    pub served: ServedArguments,
}
