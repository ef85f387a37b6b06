//! Open vSwitch in user space (its `netdev` datapath) as a plain bridge between both hosts.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::Duration;

use diagnostics::Failure;

use super::router::{FOLDER, cannot_write};
use super::switch_process::SwitchProcess;

/// The schema of its data base, where Debian's package has it.
const SCHEMA: &str = "/usr/share/openvswitch/vswitch.ovsschema";

/// The way in which it takes frames from interfaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ports {
    /// Packet sockets, with checksums and segments left undone (`userspace-tso-enable`).
    PacketSockets,
    /// AF_XDP in the interfaces' drivers.
    XdpNative,
    /// AF_XDP in the network stack.
    XdpGeneric,
}

/// Returns true if it is installed.
pub fn is_installed() -> bool {
    let runs = |name: &str| Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success());
    Path::new(SCHEMA).is_file() && ["ovsdb-tool", "ovsdb-server", "ovs-vswitchd", "ovs-vsctl"].into_iter().all(runs)
}

/// Starts its data base and its switch with a bridge of `port1` and `port2`. Returns the switch and the data base.
///
/// # Errors
/// If one of them cannot be started, or does not answer.
pub fn start(ports: Ports) -> Result<[SwitchProcess; 2], Failure> {
    let folder = Path::new(FOLDER).join("ovs");
    // What an earlier one has left does not matter, and there may be nothing.
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).map_err(|error| cannot_write(&folder, &error))?;
    // Its programs want paths from the root on.
    let folder = folder.canonicalize().map_err(|error| cannot_write(&folder, &error))?;
    let file = |name: &str| folder.join(name).display().to_string();
    let with_folders = |name: &str| {
        let mut command = Command::new(name);
        command.env("OVS_RUNDIR", &folder).env("OVS_LOGDIR", &folder).env("OVS_DBDIR", &folder);
        command
    };
    super::succeed(with_folders("ovsdb-tool").args(["create", &file("conf.db"), SCHEMA]))?;
    let socket = format!("unix:{}", file("db.sock"));
    let mut command = with_folders("ovsdb-server");
    command.arg(file("conf.db")).arg(format!("--remote=p{socket}")).arg(format!("--unixctl={}", file("db.ctl")));
    let data_base = SwitchProcess::start(&mut command)?;
    let configure = |words: &[&str]| {
        let mut command = with_folders("ovs-vsctl");
        super::succeed(command.arg(format!("--db={socket}")).args(["--timeout=10"]).args(words))
    };
    // It answers a little later than it was started.
    let initialised = (0..100)
        .find_map(|_| configure(&["--no-wait", "init"]).map_err(|_| thread::sleep(Duration::from_millis(50))).ok());
    initialised.ok_or_else(|| Failure::plain("the data base of Open vSwitch does not answer"))?;
    if ports == Ports::PacketSockets {
        configure(&["--no-wait", "set", "Open_vSwitch", ".", "other_config:userspace-tso-enable=true"])?;
    }
    let mut command = with_folders("ovs-vswitchd");
    command.arg(&socket).arg(format!("--unixctl={}", file("switch.ctl"))).arg(format!("--log-file={}", file("log")));
    let switch = SwitchProcess::start(&mut command)?;
    configure(&["add-br", "ovs0", "--", "set", "bridge", "ovs0", "datapath_type=netdev"])?;
    for port in ["port1", "port2"] {
        match ports {
            Ports::PacketSockets => configure(&["add-port", "ovs0", port])?,
            Ports::XdpNative | Ports::XdpGeneric => {
                let mode = if ports == Ports::XdpNative { "native" } else { "generic" };
                let mode = format!("options:xdp-mode={mode}");
                configure(&["add-port", "ovs0", port, "--", "set", "interface", port, "type=afxdp", &mode])?;
            }
        }
    }
    Ok([switch, data_base])
}
