//! Reliable tunnels between two switches on a cable of Linux that loses packets.

use std::collections::BTreeSet;
use std::net::UdpSocket;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::guest::Guest;
use crate::namespace::within;
use crate::{Started, cable, host, route, underlay};

/// The number of datagrams that must arrive.
const COUNT: u32 = 500;

fn socket(guest: &Guest, address: &str) -> UdpSocket {
    let socket = live::namespace::within(Some(&guest.path()), || UdpSocket::bind(address)).expect("a port");
    socket.set_read_timeout(Some(Duration::from_secs(2))).expect("a timeout can be set");
    socket
}

#[test]
fn every_datagram_arrives_over_a_cable_that_loses_some() {
    within("reliable::every_datagram_arrives_over_a_cable_that_loses_some", || {
        cable();
        let [one, three] = [1, 3].map(Guest::new);
        let with = |text: String, other: u8| format!("{text}[reliable]\nendpoints = [\"192.0.2.{other}\"]\n");
        let near = Started::new(&host("near", &[1], &with(underlay(1) + &route(3, 2), 2)));
        let far = Started::new(&host("far", &[3], &with(underlay(2) + &route(1, 1), 1)));
        // The switches find out about each other.
        assert!(one.pings("10.0.1.3"));
        for end in ["underlay1", "underlay2"] {
            let mut tc = Command::new("tc");
            tc.args(["qdisc", "add", "dev", end, "root", "netem", "loss", "10%"]);
            if !tc.stderr(Stdio::null()).status().is_ok_and(|status| status.success()) {
                eprintln!("SKIPPED: no packet was lost, for this computer has no netem");
            }
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
        drop((near.end(), far.end()));
    });
}
