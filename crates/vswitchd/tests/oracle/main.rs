//! The switch held against the kernel with nftables as its oracle: the same packets pass, the same are dropped, and the same
//! addresses come out. Where rights or tools are missing, a test says so.

#![cfg(target_os = "linux")]

mod kernel;
#[path = "../../../live/tests/linux/namespace.rs"]
mod namespace;
mod rules;

#[allow(dead_code, reason = "the frames of other tests")]
#[path = "../../../vswitch/tests/path/frames.rs"]
mod frames;
#[allow(dead_code, reason = "the sites of other tests")]
#[path = "../../../vswitch/tests/path/site.rs"]
mod site;

mod connections;
mod errors;
mod security;
mod translation;

use frames::described;
use kernel::Kernel;
use node::Port;
use site::{Guest, Site, Told, address, configuration, prefix};
use vswitch::configuration::{Configuration, Subnet};
use wire::Packet;

/// The switch and the kernel, side by side.
struct Pair {
    site: Site,
    kernel: Kernel,
    guests: [Guest; 2],
}

/// Host 0 of two, whose guests 1 and 2 are in different subnets of both versions, so that the switch is a router as the kernel is.
fn host() -> Configuration {
    let mut own = configuration(0);
    own.vpcs[0].routes.clear();
    own.vpcs[0].subnets.retain(|subnet| subnet.gateway.is_ipv4());
    for (number, vnic) in own.vnics.iter_mut().enumerate() {
        let subnet = format!("fd00:{}::", number + 1);
        vnic.addresses[1] = address(&format!("{subnet}{}", number + 1));
        let subnet = Subnet { prefix: prefix(&format!("{subnet}/64")), gateway: address(&format!("{subnet}fe")) };
        own.vpcs[0].subnets.push(subnet);
    }
    own
}

/// Somebody in the world outside.
fn stranger() -> Guest {
    let addresses = ["203.0.113.9", "2001:db8::9"].map(address).to_vec();
    Guest { host: 0, port: Port(100), mac: [2, 0, 0, 1, 0, 1], addresses }
}

/// Returns where a frame came out, what can be read in it, and all its bytes.
fn shown(side: usize, packet: &Packet) -> String {
    let mut bytes = Vec::new();
    packet.append_to(&mut bytes);
    let bytes: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{side}: {}\n{}", described(packet), bytes.concat())
}

impl Pair {
    fn new(own: Configuration) -> Self {
        let site = Site::new(vec![own]);
        let guests = [1, 2].map(|number| site.guest(number));
        Self { kernel: Kernel::new(guests.clone()), site, guests }
    }

    /// Begins again with another configuration, and the rules that say the same.
    fn restart(&mut self, own: Configuration, filter: &str, translate: &str) {
        self.site = Site::new(vec![own]);
        self.kernel.rules(filter, translate);
    }

    /// Sends a frame from a side, 0 or 1 for guests and 2 for the world, through the switch, and returns what comes out.
    fn through_switch(&mut self, side: usize, packet: Packet) -> Vec<String> {
        let told = match side {
            2 => self.site.arrive(0, packet),
            guest => self.site.leave(guest + 1, packet),
        };
        let given = told.iter().filter_map(|told| match told {
            Told::Given(guest, packet) => Some((guest - 1, packet)),
            Told::Dropped(..) => None,
        });
        let left = self.site.between.iter().map(|packet| (2, packet));
        let came = given.chain(left).map(|(side, packet)| shown(side, packet)).collect();
        self.site.between.clear();
        came
    }

    /// Sends a frame through both, and returns what comes out of the switch and of the kernel.
    fn sends(&mut self, side: usize, packet: &Packet) -> [Vec<String>; 2] {
        let came = self.kernel.send(side, packet.clone());
        let of_kernel = came.iter().map(|(side, packet)| shown(*side, packet)).collect();
        [self.through_switch(side, packet.clone()), of_kernel]
    }
}
