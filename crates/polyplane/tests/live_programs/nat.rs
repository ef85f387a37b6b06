//! `programs/p4/nat` between a host inside and one outside.

use std::io::ErrorKind;
use std::net::SocketAddr;

use crate::exchanges::{connection, datagrams, ping, refused};
use crate::host::Host;
use crate::live::Live;
use crate::namespace::within;

#[test]
fn a_host_inside_reaches_one_outside() {
    within("nat::a_host_inside_reaches_one_outside", || {
        let inside = Host::new(
            1,
            &[
                "address add 10.0.0.5/24 dev eth0",
                "link set eth0 up",
                "neighbor add 10.0.0.1 lladdr 02:00:00:00:00:01 dev eth0",
                "route add default via 10.0.0.1",
            ],
        );
        let outside = Host::new(
            2,
            &[
                "address add 203.0.113.2/24 dev eth0",
                "link set eth0 up",
                "neighbor add 203.0.113.1 lladdr 02:00:00:00:00:02 dev eth0",
            ],
        );
        let at = |text: &str| -> SocketAddr { text.parse().expect("an address") };
        let live = Live::start("nat");
        live.once_ready(|| ping(&inside, at("203.0.113.2:0")));
        let translator = at("203.0.113.1:0").ip();
        assert_eq!(connection(&inside, &outside, at("203.0.113.2:4000")).ip(), translator);
        let seen = datagrams(&inside, &outside, at("10.0.0.5:5000"), at("203.0.113.2:4001"));
        assert_eq!(seen, SocketAddr::from((translator, 5000)));
        // The error quotes a packet of the translator, in which the kernel inside must know its own again.
        assert_eq!(refused(&inside, at("203.0.113.2:4002")), Some(ErrorKind::ConnectionRefused));
        assert!(!ping(&outside, at("203.0.113.1:0")), "nobody outside may ask");
    });
}
