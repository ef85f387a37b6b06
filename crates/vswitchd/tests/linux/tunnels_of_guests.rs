//! Tunnels that guests have themselves: the kernel of a guest leaves cutting what is in them to the switch.

use std::net::{TcpListener, TcpStream};

use crate::guest::Guest;
use crate::kernel_tunnel::{LONGEST, arrived, byte};
use crate::namespace::within;
use crate::{Started, cable, host, route, underlay};

/// The kinds of tunnels, with an MTU that leaves room for their headers within 1,500 bytes.
const KINDS: [(&str, u32); 9] = [
    ("vxlan id 5 local 10.0.1.OWN remote 10.0.1.PEER dstport 8472", 1440),
    ("vxlan id 5 local fd00::OWN remote fd00::PEER dstport 4789 udp6zerocsumtx udp6zerocsumrx", 1420),
    ("geneve id 5 remote 10.0.1.PEER", 1440),
    ("gre local 10.0.1.OWN remote 10.0.1.PEER", 1440),
    ("gretap local 10.0.1.OWN remote 10.0.1.PEER csum key 7", 1440),
    ("ip6gre local fd00::OWN remote fd00::PEER", 1420),
    ("ipip local 10.0.1.OWN remote 10.0.1.PEER", 1440),
    ("sit local 10.0.1.OWN remote 10.0.1.PEER", 1440),
    ("ip6tnl mode any local fd00::OWN remote fd00::PEER", 1420),
];

/// Makes a tunnel of a kind in a guest. Returns false if the kernel has no such tunnels.
fn make(guest: &Guest, kind: &str, mtu: u32, [own, peer]: [u8; 2]) -> bool {
    let kind = kind.replace("OWN", &own.to_string()).replace("PEER", &peer.to_string());
    let line = format!("link add inner0 mtu {mtu} type {kind}");
    let made = guest.command("ip").args(line.split(' ')).output().expect("nsenter is there");
    if !made.status.success() {
        let why = String::from_utf8_lossy(&made.stderr).into_owned();
        assert!(why.contains("Unknown device type") || why.contains("not supported"), "{line}: {why}");
        return false;
    }
    guest.ip(&format!("address add 172.16.1.{own}/24 dev inner0"));
    guest.ip("link set inner0 up");
    true
}

/// Carries a connection between two guests through their tunnel, in both directions.
fn exchanges(one: &Guest, other: &Guest, own: &str) -> std::io::Result<()> {
    let listener = live::namespace::within(Some(&one.path()), || TcpListener::bind((own, 0)))?;
    let to = listener.local_addr()?;
    let ours = live::namespace::within(Some(&other.path()), || TcpStream::connect_timeout(&to, LONGEST))?;
    let (theirs, _) = listener.accept()?;
    for (from, to) in [(&ours, &theirs), (&theirs, &ours)] {
        let bytes = arrived(from.try_clone()?, to.try_clone()?)?;
        assert!(bytes.iter().enumerate().all(|(at, it)| *it == byte(at)));
    }
    Ok(())
}

/// Each superframe in the tunnel of a guest was dropped as malformed, so that connections in it stood still.
#[test]
fn connections_pass_through_tunnels_of_guests() {
    within("tunnels_of_guests::connections_pass_through_tunnels_of_guests", || {
        cable();
        let [one, two, three] = [1, 2, 3].map(Guest::new);
        let near = Started::new(&host("near", &[1, 2], &(underlay(1) + &route(3, 2))));
        let far = Started::new(&host("far", &[3], &(underlay(2) + &route(1, 1))));
        for (kind, mtu) in KINDS {
            // To a guest of the same switch, and to one of another through its tunnel.
            for (peer, guest) in [(2, &two), (3, &three)] {
                if !make(&one, kind, mtu, [1, peer]) {
                    eprintln!("this kernel has no tunnels of {kind}");
                    break;
                }
                make(guest, kind, mtu, [peer, 1]);
                exchanges(&one, guest, "172.16.1.1").unwrap_or_else(|error| panic!("{kind}, guest {peer}: {error}"));
                one.ip("link del inner0");
                guest.ip("link del inner0");
            }
        }
        for switch in [near, far] {
            let totals = switch.end();
            let drops = format!("{totals:?}");
            assert!(!drops.contains("malformed"), "{drops}");
        }
    });
}
