//! Packets to and from addresses that no router forwards, or that are this switch's own.

use node::Reason;
use vswitch::configuration::Subnet;
use vswitch::reasons;
use wire::{Ethernet, Packet, ether_type};

use crate::frames::{described, udp};
use crate::site::{Guest, Site, Told, address, prefix};
use crate::translation::outside;

/// A guest of another host who claims to have an address.
fn claims(site: &Site, own: &str) -> Guest {
    Guest { addresses: vec![address(own)], ..site.guest(3) }
}

/// Puts a frame into a tunnel to the first switch, as the second one would.
fn through_tunnel(site: &mut Site, frame: &Packet) -> Packet {
    let three = site.guest(3);
    site.between.clear();
    site.passes(3, 1, udp(&three, "10.0.1.1", [9, 9], b""));
    let mut packet = site.between.pop().expect("it goes through the tunnel");
    let inside = frame.head.bytes();
    let mut bytes = packet.head.bytes()[..50].to_vec();
    bytes[16..18].copy_from_slice(&(36 + inside.len() as u16).to_be_bytes());
    let of_ip = {
        bytes[24..26].fill(0);
        wire::checksum::of(&bytes[14..34])
    };
    bytes[24..26].copy_from_slice(&of_ip.to_be_bytes());
    bytes[38..40].copy_from_slice(&(16 + inside.len() as u16).to_be_bytes());
    bytes[40..42].fill(0);
    bytes.extend_from_slice(inside);
    packet = Packet::of_bytes(&bytes);
    packet
}

#[test]
fn what_no_router_forwards_does_not_leave_through_a_pool() {
    let mut configuration = outside(1024..=65_535);
    // The other switch of this network, by its routes, and this one.
    assert_eq!(configuration.underlay.as_ref().expect("an underlay").addresses, [address("192.0.2.1")]);
    configuration.vpcs[0].subnets.push(Subnet { prefix: prefix("172.16.0.0/24"), gateway: address("172.16.0.254") });
    let mut site = Site::new(vec![configuration]);
    let one = site.guest(1);
    for to in [
        "127.0.0.1",
        "0.0.0.0",
        "0.1.2.3",
        "240.0.0.1",
        "169.254.169.254",
        "10.0.1.77",
        "10.0.1.255",
        "172.16.0.3",
        "192.0.2.1",
        "192.0.2.2",
        "::1",
        "fe80::1",
        "fd00::77",
    ] {
        assert_eq!(site.is_dropped(1, udp(&one, to, [1000, 4789], b"")), reasons::NO_ROUTE, "{to}");
    }
    assert_eq!(site.leave(1, udp(&one, "192.0.2.3", [1000, 4789], b"")), [], "somebody else");
}

#[test]
fn nobody_elsewhere_speaks_for_a_guest_of_this_switch() {
    let mut site = Site::pair();
    let [one, two] = [1, 2].map(|number| site.guest(number));
    let spoofed = |site: &mut Site, own: &str, to: &str| -> Vec<Told> {
        let frame = udp(&claims(site, own), to, [4444, 5000], b"");
        let packet = through_tunnel(site, &frame);
        site.arrive(0, packet)
    };
    let dropped: Reason = reasons::SPOOFED;
    for own in ["10.0.2.2", "10.0.1.254", "127.0.0.1", "0.0.0.0", "240.0.0.1"] {
        assert_eq!(spoofed(&mut site, own, "10.0.1.1"), [Told::Dropped(0, dropped)], "{own}");
    }
    for own in ["fd00::2", "fd00::fe", "::1", "fe80::1"] {
        assert_eq!(spoofed(&mut site, own, "fd00::1"), [Told::Dropped(0, dropped)], "{own}");
    }
    // Nor in a session that is there, in either direction.
    let given = site.passes(1, 2, udp(&one, "10.0.2.2", [4444, 5000], b""));
    assert!(described(&given).ends_with("ok"));
    assert_eq!(spoofed(&mut site, "10.0.1.1", "10.0.2.2"), [Told::Dropped(0, dropped)]);
    let frame = udp(&claims(&site, "10.0.2.2"), "10.0.1.1", [5000, 4444], b"");
    let packet = through_tunnel(&mut site, &frame);
    assert_eq!(site.arrive(0, packet), [Told::Dropped(0, dropped)]);
    site.passes(2, 1, udp(&two, "10.0.1.1", [5000, 4444], b""));
    // A guest of the other switch is heard.
    assert!(matches!(spoofed(&mut site, "10.0.1.3", "10.0.1.1")[..], [Told::Given(1, _)]));
}

#[test]
fn tagged_frames_are_of_other_networks() {
    let mut site = Site::pair();
    let tagged = |frame: &Packet| {
        let bytes = frame.head.bytes();
        let mut tagged = bytes[..12].to_vec();
        tagged.extend([0x81, 0, 0, 3]);
        tagged.extend(&bytes[12..]);
        Packet::of_bytes(&tagged)
    };
    let frame = udp(&site.guest(3), "10.0.1.1", [1, 2], b"");
    // RFC 7348, section 6.1.
    let inside = through_tunnel(&mut site, &tagged(&frame));
    assert_eq!(Ethernet::new(&inside.head.bytes()[50..]).map(|it| it.ether_type()), Some(ether_type::VLAN));
    assert_eq!(site.arrive(0, inside), [Told::Dropped(0, reasons::NOT_UNICAST_IP)]);
    let packet = through_tunnel(&mut site, &frame);
    assert_eq!(site.arrive(0, tagged(&packet)), [Told::Dropped(0, reasons::NOT_OURS)]);
    assert!(matches!(site.arrive(0, packet)[..], [Told::Given(1, _)]));
}
