//! The virtual switch between both hosts, as guests of one virtual network, with security groups and sessions.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use diagnostics::Failure;

use super::router::{FOLDER, cannot_write, host_mac};
use super::switch_process::SwitchProcess;
use super::workloads::{CLIENT, SERVER};

/// The interface that leads to the underlay, where there is one.
pub const UNDERLAY: &str = "under0";

/// A configuration of the virtual switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guests {
    /// The kind of interfaces: `port` for veth pairs and packet sockets, `tap` for TAP interfaces that are made.
    pub interfaces: &'static str,
    /// The number of routes to vNICs of other hosts, which need an underlay.
    pub routes: u32,
}

impl Guests {
    /// Two guests behind veth pairs.
    pub const USUAL: Self = Self { interfaces: "port", routes: 0 };
    /// Two guests behind TAP interfaces.
    pub const TAPS: Self = Self { interfaces: "tap", ..Self::USUAL };
    /// Two guests in a network of 10,000 others.
    pub const MORE_ROUTES: Self = Self { routes: 10_000, ..Self::USUAL };
}

/// Starts `polyplane vswitch run` with two guests.
///
/// # Errors
/// If the configuration cannot be written, or the command cannot be started.
pub fn start(binary: &Path, guests: Guests) -> Result<SwitchProcess, Failure> {
    let path = Path::new(FOLDER).join(format!("guests-{}-{}.toml", guests.interfaces, guests.routes));
    let written = fs::create_dir_all(FOLDER).and_then(|()| fs::write(&path, configuration(guests)));
    written.map_err(|error| cannot_write(&path, &error))?;
    let mut command = Command::new(binary);
    command.args(["vswitch", "run"]).arg(path).env("XDG_RUNTIME_DIR", FOLDER);
    SwitchProcess::start(&mut command)
}

/// Returns the configuration. The server's group lets in what the workloads need, and nothing goes out of it by itself.
fn configuration(Guests { interfaces, routes }: Guests) -> String {
    let (client, server) = (host_mac(1), host_mac(2));
    let mut text = String::new();
    if routes > 0 {
        // Writing into a string cannot fail.
        let _ = write!(
            text,
            "[underlay]\ninterface = \"{UNDERLAY}\"\nmac = \"02:00:00:00:02:01\"\naddresses = [\"192.0.2.1\"]\n\
             next_hop = \"02:00:00:00:02:02\"\n"
        );
    }
    text.push_str(
        "[[vpc]]\nname = \"net\"\nvni = 7001\n[[vpc.subnet]]\nprefix = \"10.0.0.0/16\"\ngateway = \"10.0.255.254\"\n\
         [[vpc.subnet]]\nprefix = \"10.64.0.0/10\"\ngateway = \"10.127.255.254\"\n",
    );
    for route in 0..routes {
        let [_, _, third, fourth] = route.to_be_bytes();
        let prefix = format!("10.64.{third}.{fourth}/32");
        let _ = write!(text, "[[vpc.route]]\nprefix = \"{prefix}\"\nendpoint = \"192.0.2.{}\"\n", 2 + route % 200);
    }
    text.push_str(
        "[[security_group]]\nname = \"clients\"\nrule = [{ direction = \"out\", protocol = \"tcp\" }, { direction = \"out\", \
         protocol = \"udp\" }]\n\
         [[security_group]]\nname = \"servers\"\nrule = [\n\
         { direction = \"in\", protocol = \"tcp\", ports = \"1001-1003\", peer = \"group:clients\" },\n\
         { direction = \"in\", protocol = \"udp\", ports = 1004, peer = \"group:clients\" },\n\
         { direction = \"in\", action = \"deny\", peer = \"10.99.0.0/16\", priority = 10 },\n]\n",
    );
    for (number, mac, address, group) in [(1, client, CLIENT, "clients"), (2, server, SERVER, "servers")] {
        let _ = write!(
            text,
            "[[vnic]]\nname = \"guest{number}\"\ninterface = \"{interfaces}{number}\"\nvpc = \"net\"\nmac = \"{mac}\"\n\
             addresses = [\"{address}\"]\nsecurity_groups = [\"{group}\"]\n"
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use files::PlanText;

    use super::*;

    #[test]
    fn configurations_can_be_read() {
        for guests in [Guests::USUAL, Guests::TAPS, Guests::MORE_ROUTES] {
            let text = configuration(guests);
            let file = PlanText { name: "guests".into(), path: "guests".into(), text, folder: Default::default() };
            let reading =
                vswitch::configuration::read(&file).unwrap_or_else(|failure| panic!("{}", failure.render(false)));
            assert_eq!(reading.configuration.vpcs[0].routes.len(), guests.routes as usize);
        }
    }
}
