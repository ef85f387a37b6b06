//! `programs/p4/ipv6_router` between two hosts, which find it by neighbour discovery.

use std::io::ErrorKind;
use std::net::SocketAddr;

use crate::exchanges::{connection, datagrams, ping, refused, unreachable};
use crate::host::Host;
use crate::live::Live;
use crate::namespace::{set, within};

#[test]
fn hosts_on_two_links_reach_each_other() {
    within("ipv6_router::hosts_on_two_links_reach_each_other", || {
        let left = Host::new(
            1,
            &["address add 2001:db8:1::2/64 dev eth0 nodad", "link set eth0 up", "route add default via 2001:db8:1::1"],
        );
        let right = Host::new(
            2,
            &["address add 2001:db8:2::2/64 dev eth0 nodad", "link set eth0 up", "route add default via 2001:db8:2::1"],
        );
        let at = |text: &str| -> SocketAddr { text.parse().expect("an address") };
        let live = Live::start("ipv6_router");
        live.once_ready(|| ping(&left, at("[2001:db8:1::1]:0")));
        assert!(ping(&left, at("[2001:db8:2::2]:0")), "a ping goes from link to link");
        assert!(ping(&right, at("[2001:db8:1::2]:0")), "and back");
        let client = at("[2001:db8:1::2]:5000");
        assert_eq!(connection(&left, &right, at("[2001:db8:2::2]:4000")).ip(), client.ip());
        assert_eq!(datagrams(&left, &right, client, at("[2001:db8:2::2]:4001")), client);
        assert_eq!(refused(&left, at("[2001:db8:2::2]:4002")), Some(ErrorKind::ConnectionRefused));
        // The router's own errors: the kernel takes them for an answer to its SYN.
        assert_eq!(unreachable(&left, at("[2001:db8:3::1]:80")), Some(ErrorKind::NetworkUnreachable));
        left.run(|| assert!(set("ipv6/conf/eth0/hop_limit", "1"), "the hop limit can be set"));
        assert_eq!(unreachable(&left, at("[2001:db8:2::2]:4000")), Some(ErrorKind::HostUnreachable));
    });
}
