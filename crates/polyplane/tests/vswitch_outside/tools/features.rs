//! The features of the switch, one test each.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::namespace::within;
use crate::process::is_there;
use crate::tools::report::Report;
use crate::tools::servers::Servers;
use crate::tools::site::{Site, VPC, vnic};
use crate::tools::{memcached, stream, workloads};

const TOOLS: [&str; 7] = ["ping", "iperf3", "nginx", "wrk", "redis-server", "redis-benchmark", "memcached"];

/// Runs all tools through a feature, over IPv4 and IPv6.
fn everything_crosses(name: &str, feature: &str, make: impl FnOnce() -> Site) {
    if let Some(missing) = TOOLS.iter().find(|tool| !is_there(tool)) {
        eprintln!("SKIPPED {name}: there is no {missing}");
        return;
    }
    within(name, || {
        let site = make();
        let servers = Servers::start(&site.server);
        let mut report = Report::new(feature);
        for (version, (service, pinged)) in site.services.into_iter().zip(site.pinged).enumerate() {
            report.version(["IPv4", "IPv6"][version]);
            report.add(workloads::pings(&site.client, pinged));
            servers.wait(&site, service);
            stream::crosses(&site, service);
            workloads::transfers(&site, service).into_iter().for_each(|rate| report.add(rate));
            workloads::pages(&site.client, service).into_iter().for_each(|rate| report.add(rate));
            report.add(workloads::values(&site.client, service));
            report.add(memcached::requests(&site.client, service));
        }
        drop(servers);
        for counts in site.end() {
            report.note(&counts["discarded"]);
        }
        report.write();
    });
}

/// Returns the configuration of a switch with both guests.
fn both(more: &str, [client, server]: [&str; 2]) -> String {
    format!("name = \"host\"\n{VPC}{more}{}{}", vnic(1, client), vnic(2, server))
}

const PATH: &str = "[path]\nflow_index = 4096\nvectors = true\nslicing = true\ncongestion = true\n";

const GROUPS: &str = "[[security_group]]\nname = \"clients\"\nrule = [{ direction = \"out\" }]\n\
    [[security_group]]\nname = \"servers\"\nrule = [\n\
    { direction = \"in\", protocol = \"tcp\", ports = \"5201-11211\", peer = \"group:clients\" },\n\
    { direction = \"in\", protocol = \"tcp\", ports = 80, peer = \"group:clients\" },\n\
    { direction = \"in\", protocol = \"icmp\", peer = \"10.0.1.0/24\" },\n\
    { direction = \"in\", protocol = \"icmpv6\", peer = \"fd00::/64\" },\n]\n";
const IN_GROUPS: [&str; 2] = ["security_groups = [\"clients\"]", "security_groups = [\"servers\"]"];

#[test]
fn through_a_plain_switch() {
    let name = "tools::features::through_a_plain_switch";
    everything_crosses(name, "plain", || Site::of_one(&both("", ["", ""])));
}

#[test]
fn through_security_groups() {
    let name = "tools::features::through_security_groups";
    everything_crosses(name, "security groups", || Site::of_one(&both(GROUPS, IN_GROUPS)));
}

#[test]
fn through_vectors_slicing_and_flow_index() {
    let name = "tools::features::through_vectors_slicing_and_flow_index";
    let feature = "flow index, vectors, slicing, congestion";
    everything_crosses(name, feature, || Site::of_one(&both(&format!("{PATH}{GROUPS}"), IN_GROUPS)));
}

#[test]
fn through_translated_addresses() {
    let name = "tools::features::through_translated_addresses";
    everything_crosses(name, "translated addresses", || {
        Site::of_the_world(
            "[[vpc.route]]\nprefix = \"0.0.0.0/0\"\nnat = \"world\"\n[[vpc.route]]\nprefix = \"::/0\"\nnat = \"world\"\n\
             [[nat]]\nname = \"world\"\naddresses = [\"198.51.100.1\", \"2001:db8:100::1\"]\n",
        )
    });
}

#[test]
fn through_a_load_balancer() {
    let name = "tools::features::through_a_load_balancer";
    everything_crosses(name, "load balancer", || {
        let mut text = String::new();
        for (address, back_end) in [("10.0.1.100", "10.0.1.2"), ("fd00::100", "fd00::2")] {
            for port in [80, 5201, 6379, 7000, 11211] {
                text.push_str(&format!(
                    "[[load_balancer]]\nname = \"{address} {port}\"\nvpc = \"red\"\naddress = \"{address}\"\nport = {port}\n\
                     [[load_balancer.back_end]]\naddress = \"{back_end}\"\n"
                ));
            }
        }
        let site = Site::of_one(&both(&text, ["", ""]));
        Site { services: ["10.0.1.100", "fd00::100"], ..site }
    });
}

#[test]
fn through_a_tunnel() {
    everything_crosses("tools::features::through_a_tunnel", "VXLAN", || Site::of_two(["", ""]));
}

/// Writes the keys of one of two hosts, 1 or 2, and returns the section that names them.
fn keys(folder: &Path, own: usize) -> String {
    let path = folder.join(format!("{own}.keys"));
    let key = |number: usize| format!("index = {}\nkey = \"{}\"\n", 4096 + number, format!("{number:02x}").repeat(20));
    let other = 3 - own;
    let text = format!("[out]\n{}[[in]]\npeer = \"192.0.2.{other}\"\n{}", key(own), key(other));
    std::fs::write(&path, text).expect("a file can be written");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).expect("it is ours");
    format!("[[encryption]]\nvpc = \"red\"\nkeys = \"{}\"\n", path.display())
}

#[test]
fn through_an_encrypted_tunnel() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let name = "tools::features::through_an_encrypted_tunnel";
    everything_crosses(name, "VXLAN, encrypted", || Site::of_two([&keys(folder.path(), 1), &keys(folder.path(), 2)]));
}

#[test]
fn through_a_reliable_tunnel() {
    everything_crosses("tools::features::through_a_reliable_tunnel", "VXLAN, reliable", || {
        Site::of_two(["[reliable]\nendpoints = [\"192.0.2.2\"]\n", "[reliable]\nendpoints = [\"192.0.2.1\"]\n"])
    });
}

#[test]
fn through_an_encrypted_tunnel_with_everything_that_hardware_does() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let name = "tools::features::through_an_encrypted_tunnel_with_everything_that_hardware_does";
    everything_crosses(name, "VXLAN, encrypted, flow index, vectors, slicing, congestion", || {
        Site::of_two([1, 2].map(|own| format!("{}{PATH}", keys(folder.path(), own))).each_ref().map(String::as_str))
    });
}
