//! What flow logs of switches that have run say of two of their guests.

use std::net::UdpSocket;
use std::time::{SystemTime, UNIX_EPOCH};

use vswitchd::topology::{Question, topology, wanted_entry};

use crate::host::{Guest, Started, VPC};

#[test]
fn two_switches_tell_what_was_between_their_guests() {
    let [one, two] = [1, 2].map(Guest::new);
    // The underlay is a pair of UDP sockets, whose ports are free.
    let ends = [0; 2].map(|_| UdpSocket::bind("127.0.0.1:0").expect("there are ports"));
    let ends = ends.map(|socket| socket.local_addr().expect("an address"));
    let text = |number: usize, guest: &Guest| {
        let other = 1 - number;
        format!(
            "{}[[vpc.route]]\nprefix = \"10.0.1.{}/32\"\nendpoint = \"192.0.2.{}\"\n[underlay]\ninterface = \"udp:{},{}\"\n\
             mac = \"02:00:00:01:00:0{number}\"\naddresses = [\"192.0.2.{}\"]\nnext_hop = \"02:00:00:01:00:0{other}\"\n{}\
             [flow_log]\n{}\n",
            VPC.replace("\"host\"", &format!("\"host-{number}\"")),
            other + 1,
            other + 1,
            ends[number],
            ends[other],
            number + 1,
            guest.section(""),
            wanted_entry(),
        )
    };
    let folder = tempfile::tempdir().expect("a folder");
    let folders = [0, 1].map(|number| folder.path().join(format!("host-{number}")));
    let switches = [(0, &one), (1, &two)].map(|(number, guest)| {
        let into = folders[number].clone();
        Started::with(&text(number, guest), move |switch| switch.log_flows(into).expect("the folder can be made"))
    });
    for _ in 0..3 {
        one.send(2, [5000, 53]);
        assert_eq!(two.receive(), [5000, 53]);
    }
    two.send(1, [53, 5000]);
    assert_eq!(one.receive(), [53, 5000]);
    for switch in switches {
        assert_eq!(switch.end().missing(), 0);
    }
    let at = SystemTime::now().duration_since(UNIX_EPOCH).expect("a date").as_secs();
    let asked = |ends: [&str; 2]| {
        let question = Question { folders: folders.to_vec(), at, within: 60, ends: ends.map(str::to_owned) };
        topology(&question).unwrap_or_else(|failure| panic!("{}", failure.render(false)))
    };
    let told = asked(["10.0.1.1", "10.0.1.2"]);
    assert!(!told.is_partial && told.lost.is_empty(), "{told:?}");
    let hosts = told.ends.each_ref().map(|end| end.hosts.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(hosts, [["192.0.2.1", "host-0"], ["192.0.2.2", "host-1"]], "{told}");
    let seen: Vec<_> = told
        .seen
        .iter()
        .map(|seen| {
            let direction = seen.direction.as_deref().unwrap_or("-");
            let tunnel = seen.tunnel.as_ref().map_or(String::new(), |ends| ends.join(" "));
            (seen.vnic.as_deref().unwrap_or("-"), direction, seen.packets, tunnel)
        })
        .collect();
    let [there, back] = ["192.0.2.1 192.0.2.2", "192.0.2.2 192.0.2.1"].map(str::to_owned);
    for expected in [
        ("guest-1", "egress", 3, there.clone()),
        ("guest-1", "ingress", 1, there),
        ("guest-2", "egress", 1, back.clone()),
        ("guest-2", "ingress", 3, back),
    ] {
        assert!(seen.contains(&expected), "{expected:?}: {told}");
    }
    assert_eq!(seen.len(), 4, "{told}");
    // Only its own switch knows a guest by its name.
    let told = asked(["guest-1", "10.0.1.2"]);
    assert!(told.seen.len() == 2 && told.seen.iter().all(|seen| seen.host.as_deref() == Some("host-0")), "{told}");
}
