//! The virtual switch between both hosts, as guests of one virtual network, with security groups and sessions.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use diagnostics::Failure;

use super::router::{FOLDER, cannot_write, host_mac};
use super::switch_process::SwitchProcess;
use super::workloads::{CLIENT, NOBODY, SERVER};

/// The interface that leads to the underlay, where there is one, and that of a second switch.
pub const UNDERLAYS: [&str; 2] = ["under0", "under1"];

/// The number of routes of a large network.
const MANY_ROUTES: u32 = 10_000;

/// A configuration of the virtual switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guests {
    /// The name in results.
    pub name: &'static str,
    /// The interfaces of guests, without their numbers: `port` for veth pairs and packet sockets, `xdp:port` for AF_XDP, `tap` for
    /// TAP interfaces that are made.
    pub interfaces: &'static str,
    /// The number of routes to vNICs of other hosts, which need an underlay.
    pub routes: u32,
    /// The lines of the section `[path]`.
    pub path: &'static str,
    /// The lines of the section `[limits]`, and others behind it.
    pub limits: &'static str,
}

impl Guests {
    /// Two guests behind veth pairs.
    pub const USUAL: Self = Self { name: "vswitch", interfaces: "port", routes: 0, path: "", limits: "" };
    /// Two guests behind TAP interfaces.
    pub const TAPS: Self = Self { name: "vswitch on TAP", interfaces: "tap", ..Self::USUAL };
    /// Two guests in a network of 10,000 others.
    pub const MORE_ROUTES: Self = Self { name: "vswitch, 10,000 routes", routes: MANY_ROUTES, ..Self::USUAL };
    /// All configurations that are measured with two guests of one switch.
    pub const ALL: [Self; 12] = [
        Self::USUAL,
        Self::MORE_ROUTES,
        Self { name: "vswitch, flow index", path: "flow_index = 65536", ..Self::USUAL },
        Self { name: "vswitch, vectors", path: "vectors = true", ..Self::USUAL },
        Self { name: "vswitch, slicing", path: "slicing = true", ..Self::USUAL },
        Self { name: "vswitch, each packet decided", path: "decide_each_packet = true", ..Self::USUAL },
        Self { name: "vswitch, 2 cores", path: "cores = 2", ..Self::USUAL },
        Self { name: "vswitch, spinning", path: "spin = \"100 us\"", ..Self::USUAL },
        Self::TAPS,
        Self { name: "vswitch, AF_XDP", interfaces: "xdp:port", ..Self::USUAL },
        Self { name: "vswitch, AF_XDP, spinning", interfaces: "xdp:port", path: "spin = \"100 us\"", ..Self::USUAL },
        Self { name: "vswitch, AF_XDP, program", interfaces: "xdp:port", path: "xdp = true", ..Self::USUAL },
    ];

    /// Returns true if the switch makes the interfaces of guests itself.
    pub fn makes_interfaces(&self) -> bool {
        self.interfaces == Self::TAPS.interfaces
    }

    /// Returns true if the switch reads frames without virtio headers, so that hosts have to complete them.
    pub fn reads_whole_frames(&self) -> bool {
        self.interfaces.starts_with("xdp:")
    }
}

/// Returns true if a binary of the command was built with AF_XDP sockets: another one says so as it refuses the interfaces.
pub fn takes_xdp(binary: &Path) -> bool {
    let guests = Guests { interfaces: "xdp:port", ..Guests::USUAL };
    let Ok(file) = write("xdp", &configuration(&guests)) else { return false };
    let refused = command(binary).arg("check").arg(file).output();
    refused.is_ok_and(|output| !String::from_utf8_lossy(&output.stderr).contains("--features af_xdp"))
}

/// The name of the switch that has both guests.
pub const NAME: &str = "guests";

/// Starts `polyplane vswitch run` with two guests.
///
/// # Errors
/// If the configuration cannot be written, or the command cannot be started.
pub fn start(binary: &Path, guests: &Guests) -> Result<SwitchProcess, Failure> {
    run(binary, &write(NAME, &configuration(guests))?)
}

/// Starts two switches with a guest each, and a tunnel between both.
///
/// # Errors
/// If a configuration cannot be written, or the command cannot be started.
pub fn start_with_tunnel(binary: &Path) -> Result<[SwitchProcess; 2], Failure> {
    let start = |side: usize| run(binary, &write(["near", "far"][side], &configuration_of_side(side))?);
    Ok([start(0)?, start(1)?])
}

/// Writes a configuration. Its name is that of the switch.
///
/// # Errors
/// If it cannot be written.
pub fn write(name: &str, text: &str) -> Result<PathBuf, Failure> {
    let path = Path::new(FOLDER).join(format!("{name}.toml"));
    let written = fs::create_dir_all(FOLDER).and_then(|()| fs::write(&path, text));
    written.map_err(|error| cannot_write(&path, &error))?;
    Ok(path)
}

/// Returns the start of `polyplane vswitch`, whose control socket lies beside the configurations.
pub fn command(binary: &Path) -> Command {
    let mut command = Command::new(binary);
    command.arg("vswitch").env("XDG_RUNTIME_DIR", FOLDER);
    command
}

/// Starts the switch of a configuration.
pub fn run(binary: &Path, configuration: &Path) -> Result<SwitchProcess, Failure> {
    SwitchProcess::start(command(binary).arg("run").arg(configuration))
}

/// Returns the configuration of both guests on one switch.
pub fn configuration(Guests { interfaces, routes, path, limits, .. }: &Guests) -> String {
    let underlay = if *routes > 0 { underlay(0, "next_hop = \"02:00:00:00:02:02\"\n") } else { String::new() };
    let mut text = format!("[path]\n{path}\n[limits]\n{limits}\n{underlay}{}", network());
    for route in 0..*routes {
        let [_, _, third, fourth] = route.to_be_bytes();
        text += &route_to(&format!("10.64.{third}.{fourth}"), 2 + route % 200);
    }
    text + GROUPS + &guest(0, interfaces) + &guest(1, interfaces)
}

/// Returns the configuration of one of two switches, each with a guest. The other guest is behind the tunnel.
fn configuration_of_side(side: usize) -> String {
    let other = 1 - side;
    let far = route_to(&[CLIENT, SERVER][other].to_string(), 1 + other as u32);
    underlay(side, "") + &network() + &far + GROUPS + &guest(side, "port")
}

/// Returns the section of the underlay of one of two switches.
fn underlay(side: usize, next_hop: &str) -> String {
    let (interface, number) = (UNDERLAYS[side], side + 1);
    format!(
        "[underlay]\ninterface = \"{interface}\"\nmac = \"02:00:00:00:02:0{number}\"\naddresses = [\"192.0.2.{number}\"]\n{next_hop}"
    )
}

fn network() -> String {
    "[[vpc]]\nname = \"net\"\nvni = 7001\n[[vpc.subnet]]\nprefix = \"10.0.0.0/16\"\ngateway = \"10.0.255.254\"\n\
     [[vpc.subnet]]\nprefix = \"10.64.0.0/10\"\ngateway = \"10.127.255.254\"\n"
        .to_owned()
}

/// Returns the route to a vNIC behind the tunnel endpoint of a number.
fn route_to(address: &str, endpoint: u32) -> String {
    format!("[[vpc.route]]\nprefix = \"{address}/32\"\nendpoint = \"192.0.2.{endpoint}\"\n")
}

/// The server's group lets in what the workloads need, and nothing goes out of it by itself.
const GROUPS: &str = "[[security_group]]\nname = \"clients\"\nrule = [{ direction = \"out\", protocol = \"tcp\" }, \
    { direction = \"out\", protocol = \"udp\" }]\n\
    [[security_group]]\nname = \"servers\"\nrule = [\n\
    { direction = \"in\", protocol = \"tcp\", ports = \"1001-1003\", peer = \"10.0.1.0/24\" },\n\
    { direction = \"in\", protocol = \"udp\", ports = \"1-32768\", peer = \"10.0.1.0/24\" },\n\
    { direction = \"in\", action = \"deny\", peer = \"10.99.0.0/16\", priority = 10 },\n]\n";

/// Returns the section of the client (0) or the server (1).
fn guest(side: usize, interfaces: &str) -> String {
    let (addresses, group) =
        [(format!("\"{CLIENT}\""), "clients"), (format!("\"{SERVER}\", \"{NOBODY}\""), "servers")][side].clone();
    let number = side as u16 + 1;
    let mac = host_mac(number);
    format!(
        "[[vnic]]\nname = \"guest{number}\"\ninterface = \"{interfaces}{number}\"\nvpc = \"net\"\nmac = \"{mac}\"\n\
         addresses = [{addresses}]\nsecurity_groups = [\"{group}\"]\n"
    )
}

#[cfg(test)]
mod tests {
    use files::PlanText;
    use vswitch::configuration::Configuration;

    use super::*;

    impl Guests {
        /// Reads the configuration, which must be right.
        pub fn read(&self) -> Configuration {
            read(configuration(self))
        }
    }

    fn read(text: String) -> Configuration {
        let file = PlanText { name: "guests".into(), path: "guests".into(), text, folder: Default::default() };
        vswitch::configuration::read(&file).unwrap_or_else(|failure| panic!("{}", failure.render(false))).configuration
    }

    #[test]
    fn configurations_can_be_read() {
        for guests in &Guests::ALL {
            let configuration = guests.read();
            assert_eq!(configuration.vpcs[0].routes.len(), guests.routes as usize);
            assert_eq!(configuration.path == Default::default(), guests.path.is_empty(), "{}", guests.name);
        }
        assert_eq!([0, 1].map(|side| read(configuration_of_side(side)).vnics.len()), [1, 1]);
    }
}
