//! Two guests, and the switches between them.

use crate::guest::Guest;
use crate::namespace::{ip, set};
use crate::process::SwitchProcess;

/// What lies between the two guests.
pub struct Site {
    pub client: Guest,
    pub server: Guest,
    /// The addresses at which the client reaches the services of the server, of IPv4 and IPv6.
    pub services: [&'static str; 2],
    /// The addresses at which the client pings the server.
    pub pinged: [&'static str; 2],
    pub switches: Vec<SwitchProcess>,
}

/// A VPC with a subnet of each version.
pub const VPC: &str = "[[vpc]]\nname = \"red\"\nvni = 7001\n\
    [[vpc.subnet]]\nprefix = \"10.0.1.0/24\"\ngateway = \"10.0.1.254\"\n\
    [[vpc.subnet]]\nprefix = \"fd00::/64\"\ngateway = \"fd00::fe\"\n";

/// Returns the section of a guest's vNIC, with further entries.
pub fn vnic(number: u8, more: &str) -> String {
    format!(
        "[[vnic]]\nname = \"{number}\"\ninterface = \"guest{number}\"\nvpc = \"red\"\nmac = \"02:00:00:00:00:{number:02x}\"\n\
         addresses = [\"10.0.1.{number}\", \"fd00::{number}\"]\n{more}\n"
    )
}

/// Returns the configuration of one of two hosts, 1 or 2, with a guest of its own and a route to that of the other, by number.
pub fn host(own: u8, guests: [u8; 2], more: &str) -> String {
    let other = 3 - own;
    let [near, far] = guests;
    format!(
        "name = \"host-{own}\"\n[underlay]\ninterface = \"underlay{own}\"\nmac = \"02:00:00:01:00:0{own}\"\n\
         addresses = [\"192.0.2.{own}\"]\nmtu = 1600\nnext_hop = \"02:00:00:01:00:0{other}\"\n{VPC}\
         [[vpc.route]]\nprefix = \"10.0.1.{far}\"\nendpoint = \"192.0.2.{other}\"\n\
         [[vpc.route]]\nprefix = \"fd00::{far}\"\nendpoint = \"192.0.2.{other}\"\n{}{more}\n",
        vnic(near, "")
    )
}

impl Site {
    /// Two guests of one switch.
    pub fn of_one(configuration: &str) -> Self {
        set("ipv6/conf/default/disable_ipv6", "1");
        let [client, server] = [1, 2].map(Guest::new);
        let switches = vec![SwitchProcess::start(configuration)];
        let addresses = ["10.0.1.2", "fd00::2"];
        Self { client, server, services: addresses, pinged: addresses, switches }
    }

    /// Guests of two switches, which a cable connects.
    pub fn of_two(more: [&str; 2]) -> Self {
        set("ipv6/conf/default/disable_ipv6", "1");
        ip("link add underlay1 address 02:00:00:01:00:01 type veth peer name underlay2 address 02:00:00:01:00:02");
        for end in ["underlay1", "underlay2"] {
            ip(&format!("link set {end} mtu 1600 up"));
        }
        let [client, server] = [1, 3].map(Guest::new);
        let texts = [host(1, [1, 3], more[0]), host(2, [3, 1], more[1])];
        let switches = texts.iter().map(|text| SwitchProcess::start(text)).collect();
        let addresses = ["10.0.1.3", "fd00::3"];
        Self { client, server, services: addresses, pinged: addresses, switches }
    }

    /// A guest of a switch, and a host of the world outside, which sees an address of a pool.
    pub fn of_the_world(more: &str) -> Self {
        set("ipv6/conf/default/disable_ipv6", "1");
        let [client, server] = [1, 9].map(Guest::new);
        client.ip("-6 route add default via fd00::fe");
        server.ip("address flush dev eth0");
        server.ip("address add 198.51.100.9/24 dev eth0");
        server.ip("-6 address add 2001:db8:100::9/64 dev eth0 nodad");
        let text = format!(
            "name = \"host\"\n[underlay]\ninterface = \"guest9\"\nmac = \"02:00:00:01:00:01\"\n\
             addresses = [\"198.51.100.2\", \"2001:db8:100::2\"]\n{VPC}{more}{}",
            vnic(1, "")
        );
        let switches = vec![SwitchProcess::start(&text)];
        let addresses = ["198.51.100.9", "2001:db8:100::9"];
        Self { client, server, services: addresses, pinged: addresses, switches }
    }

    /// Ends the switches, in each of which every frame has a verdict, and returns the numbers of packets that were discarded.
    pub fn end(self) -> Vec<serde_json::Value> {
        self.switches.into_iter().map(SwitchProcess::end).collect()
    }
}
