//! Reliable tunnels between two switches on a cable of Linux that loses packets.

use std::collections::BTreeSet;
use std::io::Write;
use std::net::UdpSocket;
use std::process::{Command, Stdio};
use std::time::Duration;

use vswitchd::metrics;

use crate::guest::Guest;
use crate::namespace::{ip, set, within};
use crate::{Started, host, route, underlay};

/// The number of datagrams that must arrive.
const COUNT: u32 = 500;

fn socket(guest: &Guest, address: &str) -> UdpSocket {
    let socket = live::namespace::within(Some(&guest.path()), || UdpSocket::bind(address)).expect("a port");
    socket.set_read_timeout(Some(Duration::from_secs(2))).expect("a timeout can be set");
    socket
}

/// Makes a cable between the underlays of two hosts with a bridge in its middle.
fn bridged_cable() {
    set("ipv6/conf/default/disable_ipv6", "1");
    ip("link add middle type bridge");
    ip("link set middle mtu 1600 up");
    for end in [1, 2] {
        ip(&format!("link add underlay{end} address 02:00:00:01:00:0{end} type veth peer name middle{end}"));
        ip(&format!("link set middle{end} master middle"));
        ip(&format!("link set underlay{end} mtu 1600 up"));
        ip(&format!("link set middle{end} mtu 1600 up"));
    }
}

/// Lets a port of the bridge lose a tenth of what comes in. Returns false if this computer cannot. It is lost there and not where it is
/// sent, since a sender is told then (`ENOBUFS`), and a switch sends again what its own interface has refused.
fn loses(port: &str) -> bool {
    let rules = format!(
        "table netdev {port} {{\n chain lose {{\n  type filter hook ingress device \"{port}\" priority 0;\n  \
         numgen random mod 10 0 drop\n }}\n}}\n"
    );
    let mut nft = Command::new("nft");
    let Ok(mut child) = nft.args(["-f", "-"]).stdin(Stdio::piped()).stderr(Stdio::null()).spawn() else { return false };
    let written = child.stdin.take().is_some_and(|mut input| input.write_all(rules.as_bytes()).is_ok());
    child.wait().is_ok_and(|status| status.success()) && written
}

#[test]
fn every_datagram_arrives_over_a_cable_that_loses_some() {
    within("reliable::every_datagram_arrives_over_a_cable_that_loses_some", || {
        bridged_cable();
        let [one, three] = [1, 3].map(Guest::new);
        let with = |text: String, other: u8| format!("{text}[reliable]\nendpoints = [\"192.0.2.{other}\"]\n");
        let near = Started::new(&host("near", &[1], &with(underlay(1) + &route(3, 2), 2)));
        let far = Started::new(&host("far", &[3], &with(underlay(2) + &route(1, 1), 1)));
        // The switches find out about each other.
        assert!(one.pings("10.0.1.3"));
        let is_lossy = ["middle1", "middle2"].map(loses);
        if is_lossy != [true; 2] {
            eprintln!("SKIPPED: no packet was lost, for this computer has no nftables");
        }
        let (sends, hears) = (socket(&one, "10.0.1.1:7000"), socket(&three, "10.0.1.3:7000"));
        let hearing = std::thread::spawn(move || {
            let (mut arrived, mut copies, mut bytes) = (BTreeSet::new(), 0, [0; 4]);
            while hears.recv(&mut bytes).is_ok_and(|length| length == 4) {
                copies += u32::from(!arrived.insert(u32::from_be_bytes(bytes)));
            }
            (arrived.len() as u32, copies)
        });
        for number in 0..COUNT {
            sends.send_to(&number.to_be_bytes(), "10.0.1.3:7000").expect("there is a way");
            std::thread::sleep(Duration::from_millis(1));
        }
        assert_eq!(hearing.join().expect("it counts"), (COUNT, 0));
        let text = metrics::of(&near.handle).expect("it runs");
        let count = |outcome: &str| -> f64 {
            let name = format!("polyplane_vswitch_reliable_packets_total{{outcome=\"{outcome}\"}} ");
            let value = text.lines().find_map(|line| line.strip_prefix(&name));
            value.and_then(|value| value.parse().ok()).unwrap_or_else(|| panic!("no {outcome} in {text}"))
        };
        assert!(count("sent") >= f64::from(COUNT), "{text}");
        assert!(is_lossy != [true; 2] || count("sent again") >= f64::from(COUNT) / 50.0, "{text}");
        drop((near.end(), far.end()));
    });
}
