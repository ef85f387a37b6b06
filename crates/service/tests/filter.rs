//! Filters: which packets match, and where an error is.

use service::Filter;
use wire::{Packet, Tail};

/// An Ethernet frame of UDP over IPv4 from 10.1.2.3:1000 to 10.1.9.9:53, in VLAN 5 if tagged.
fn udp(is_tagged: bool) -> Packet {
    let mut bytes = vec![2, 0, 0, 0, 0, 9, 2, 0, 0, 0, 0, 3];
    if is_tagged {
        bytes.extend([0x81, 0x00, 0x00, 0x05]);
    }
    bytes.extend([0x08, 0x00, 0x45, 0, 0, 32, 0, 0, 0, 0, 64, 17, 0, 0, 10, 1, 2, 3, 10, 1, 9, 9]);
    bytes.extend([0x03, 0xE8, 0, 53, 0, 12, 0, 0, 1, 2, 3, 4]);
    Packet::of_bytes(&bytes)
}

fn arp() -> Packet {
    let mut bytes = vec![0xFF; 6];
    bytes.extend([2, 0, 0, 0, 0, 3, 0x08, 0x06, 0, 1, 8, 0, 6, 4, 0, 1, 2, 0, 0, 0, 0, 3, 10, 1, 2, 3]);
    bytes.extend([0, 0, 0, 0, 0, 0, 10, 1, 9, 9]);
    Packet::of_bytes(&bytes)
}

fn tcp_ipv6() -> Packet {
    let mut bytes = vec![2, 0, 0, 0, 0, 9, 2, 0, 0, 0, 0, 3, 0x86, 0xDD, 0x60, 0, 0, 0, 0, 20, 6, 64];
    bytes.extend([0x20, 0x01, 0x0D, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
    bytes.extend([0x20, 0x01, 0x0D, 0xB9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2]);
    bytes.extend([0x1F, 0x90, 0, 80, 0, 0, 0, 0, 0, 0, 0, 0, 0x50, 2, 0, 0, 0, 0, 0, 0]);
    Packet::of_bytes(&bytes)
}

/// Which of the four packets match: UDP, tagged UDP, ARP, TCP over IPv6. How much of the headers of IP and behind it are in the
/// head makes no difference; what is in front of them, or an ARP message, always is.
fn matched(filter: &str) -> [bool; 4] {
    let filter = Filter::read(filter).unwrap_or_else(|failure| panic!("{failure}"));
    [udp(false), udp(true), arp(), tcp_ipv6()].map(|packet| {
        let (matches, bytes) = (filter.matches(&packet), packet.head.bytes());
        for (head, tail) in (46..bytes.len()).map(|length| bytes.split_at(length)) {
            let split = Packet::new(head, Tail::Bytes(tail.into()), packet.sidecar);
            assert_eq!(filter.matches(&split), matches, "with a head of {} bytes", head.len());
        }
        matches
    })
}

#[test]
fn filters_match_by_header_and_way() {
    let all = [true; 4];
    let (t, f) = (true, false);
    for (filter, expected) in [
        ("", all),
        ("ip", [t, t, f, f]),
        ("arp", [f, f, t, f]),
        ("ip6", [f, f, f, t]),
        ("udp", [t, t, f, f]),
        ("tcp", [f, f, f, t]),
        ("proto 17", [t, t, f, f]),
        ("vlan", [f, t, f, f]),
        ("vlan 5 and udp", [f, t, f, f]),
        ("vlan 6", [f; 4]),
        ("host 10.1.2.3", [t, t, t, f]),
        ("src host 10.1.2.3", [t, t, t, f]),
        ("dst host 10.1.2.3", [f; 4]),
        ("net 10.1.0.0/16", [t, t, t, f]),
        ("dst net 10.1.9.0/24", [t, t, t, f]),
        ("src net 10.1.9.0/24", [f; 4]),
        ("net 0.0.0.0/0", [t, t, t, f]),
        ("net 2001:db8::/32", [f, f, f, t]),
        ("dst net 2001:db8::/32", [f; 4]),
        ("host 2001:db9::2", [f, f, f, t]),
        ("port 53", [t, t, f, f]),
        ("src port 53", [f; 4]),
        ("udp dst port 53", [t, t, f, f]),
        ("tcp port 53", [f; 4]),
        ("tcp portrange 8000-8100", [f, f, f, t]),
        ("ether src 2:0:0:0:0:3", all),
        ("ether host 02:00:00:00:00:09", [t, t, f, t]),
        ("greater 50", [f, t, f, t]),
        ("less 45", [f, f, t, f]),
        ("not udp", [f, f, t, t]),
        ("! (udp or arp)", [f, f, f, t]),
        ("udp && not vlan", [t, f, f, f]),
        ("(udp and vlan) || arp", [f, t, t, f]),
    ] {
        assert_eq!(matched(filter), expected, "{filter}");
    }
}

#[test]
fn errors_are_at_their_place() {
    for (filter, place, message) in [
        ("udp and hosst 10.0.0.1", "1:9", "did you mean `host`?"),
        ("host 10.0.0", "1:6", "not an IP address"),
        ("net 10.1.0.0/8", "1:5", "beyond its length"),
        ("port 70000", "1:6", "from 0 to 65535"),
        ("udp or tcp and arp", "1:12", "parentheses"),
        ("(udp", "1:5", "the filter ends"),
        ("udp tcp", "1:5", "cannot stand here"),
        ("udp)", "1:4", "cannot stand here"),
        ("ether host 1:2:3", "1:12", "not a MAC address"),
        ("src udp", "1:5", "not `host`"),
        ("not", "1:4", "the filter ends"),
        ("\u{e4} udp", "1:1", "not a word"),
    ] {
        let failure = Filter::read(filter).err().unwrap_or_else(|| panic!("{filter} is no filter"));
        let text = failure.render(false);
        assert!(text.contains(&format!("filter:{place}")) && text.contains(message), "{filter}: {text}");
    }
    for (depth, message) in [(100, "nested"), (100_000, "more than 512 words")] {
        let deep = "(".repeat(depth) + "udp" + &")".repeat(depth);
        assert!(Filter::read(&deep).is_err_and(|failure| failure.to_string().contains(message)));
    }
    let long = vec!["port 1"; 400].join(" or ");
    assert!(Filter::read(&long).is_err_and(|failure| failure.to_string().contains("more than 512 words")));
}

#[test]
fn packets_that_are_cut_short_match_nothing_that_is_cut_off() {
    for packet in [udp(true), arp(), tcp_ipv6()] {
        let mut bytes = Vec::new();
        packet.append_to(&mut bytes);
        for length in 0..bytes.len() {
            let cut = Packet::of_bytes(&bytes[..length]);
            for filter in ["host 10.9.9.9", "port 7", "ether host 1:1:1:1:1:1", "vlan 9", "net 2001:dead::/32", "icmp"]
            {
                assert!(!Filter::read(filter).expect("a filter").matches(&cut), "{filter} at {length}");
            }
        }
    }
}
