//! Network namespaces, and the links and addresses in them.

use std::net::IpAddr;
use std::time::{Duration, Instant};

use diagnostics::Failure;

use super::HOST_INTERFACE;
use crate::ip::Batch;
use crate::namespace::marked_loopback;
use crate::plan::{End, HostPlan, LabPlan};
use crate::state::{Lab, Namespace};
use crate::status::carry_packets;

/// How long the kernel may take to find out that interfaces carry packets. It looks at most once a second.
const LONGEST_FOR_CARRIERS: Duration = Duration::from_millis(1500);
/// The time between looks at interfaces.
const BETWEEN_LOOKS: Duration = Duration::from_millis(50);

/// Makes the namespaces and links of a lab, and gives hosts their addresses.
pub fn make(plan: &LabPlan, lab: &mut Lab) -> Result<(), Failure> {
    let mut batch = Batch::new(None);
    lab.namespaces().for_each(|namespace| batch.add(format!("netns add {}", namespace.name)));
    batch.run()?;
    lab.namespaces_mut().for_each(|namespace| namespace.identity = namespace.present());
    lab.write()?;
    be_silent(plan, lab)?;
    let namespace = |end: End| match end {
        End::Host(host) => &lab.hosts[host].namespace.name,
        End::Switch(switch, _) => &lab.switches[switch].namespace.name,
    };
    let mut batch = Batch::new(None);
    for link in &plan.links {
        let [one, other] = link.ends.map(|end| {
            let (interface, mac) = match end {
                End::Host(host) => (HOST_INTERFACE.to_owned(), plan.hosts[host].mac),
                End::Switch(..) => (plan.end_name(end), None),
            };
            let mac = mac.map(|mac| format!(" address {mac}")).unwrap_or_default();
            format!("name {interface} netns {}{mac}", namespace(end))
        });
        batch.add(format!("link add {one} type veth peer {other}"));
    }
    batch.run()?;
    let mut running = Vec::new();
    for (host, made) in plan.hosts.iter().zip(&lab.hosts) {
        running.push(host_batch(&lab.name, host, &made.namespace).start()?);
    }
    for (number, switch) in lab.switches.iter().enumerate() {
        let mut batch = Batch::new(Some(&switch.namespace.name));
        batch.add(marked_loopback(&lab.name));
        for (port, ..) in plan.ports(number) {
            batch.add(format!("link set {} up", plan.end_name(End::Switch(number, port))));
        }
        running.push(batch.start()?);
    }
    running.into_iter().try_for_each(|running| running.end())
}

/// Waits until the kernel knows that all interfaces carry packets: before, what is sent there is dropped.
/// An interface that a command of a host took down is not waited for longer than a while.
pub fn wait_for_carriers(lab: &Lab) {
    let latest = Instant::now() + LONGEST_FOR_CARRIERS;
    let mut waiting: Vec<_> = lab.namespaces().collect();
    while !waiting.is_empty() && Instant::now() < latest {
        waiting.retain(|namespace| !carry_packets(namespace));
        if !waiting.is_empty() {
            std::thread::sleep(BETWEEN_LOOKS);
        }
    }
}

/// Keeps the kernel from sending packets of its own, such as router solicitations, on interfaces that nobody has given an
/// address of IPv6.
fn be_silent(plan: &LabPlan, lab: &Lab) -> Result<(), Failure> {
    let needs_ipv6 = |host: &HostPlan| host.address.is_some_and(|address| address.address.is_ipv6());
    let hosts =
        plan.hosts.iter().zip(&lab.hosts).filter(|(host, _)| !needs_ipv6(host)).map(|(_, made)| &made.namespace);
    for namespace in hosts.chain(lab.switches.iter().map(|switch| &switch.namespace)) {
        for of in ["all", "default"] {
            let setting = format!("ipv6/conf/{of}/disable_ipv6");
            match namespace.set(&setting, "1") {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    let name = &namespace.name;
                    return Err(Failure::plain(format!("cannot set {setting} in namespace {name}: {error}")));
                }
                // A kernel without IPv6 sends nothing by it.
                _ => {}
            }
        }
    }
    Ok(())
}

fn host_batch(lab: &str, host: &HostPlan, namespace: &Namespace) -> Batch {
    let mut batch = Batch::new(Some(&namespace.name));
    batch.add(marked_loopback(lab));
    if let Some(address) = host.address {
        // Nobody else has the address: it is used at once.
        let at_once = if address.address.is_ipv6() { " nodad" } else { "" };
        batch.add(format!("address add {address} dev {HOST_INTERFACE}{at_once}"));
    }
    batch.add(format!("link set {HOST_INTERFACE} up"));
    if let Some(gateway) = host.gateway {
        let family = if matches!(gateway, IpAddr::V6(_)) { "-6 " } else { "" };
        batch.add(format!("{family}route add default via {gateway} dev {HOST_INTERFACE} onlink"));
        if let Some(mac) = host.gateway_mac {
            batch.add(format!("neighbour add {gateway} lladdr {mac} dev {HOST_INTERFACE} nud permanent"));
        }
    }
    batch
}
