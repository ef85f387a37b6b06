//! Packets that are longer than their way carries (Triton, section 5.2).

use vswitch::reasons;
use wire::{Ipv4, Layers, Packet, Tunnel};

use crate::frames::{described, superframe, tcp, udp};
use crate::site::{Site, Told, configuration};

/// The longest inner IP packet between the two hosts with an underlay of 1500 bytes: less IPv4, UDP, VXLAN and Ethernet.
const TUNNEL: usize = 1500 - 50;

fn short_underlay() -> Site {
    let mut configurations = [0, 1].map(configuration);
    for configuration in &mut configurations {
        configuration.underlay.as_mut().expect("an underlay").mtu = 1500;
    }
    Site::new(configurations.to_vec())
}

/// Clears the flag that a packet must not be cut.
fn may_be_cut(mut packet: Packet) -> Packet {
    let mut ip = Ipv4::new(&mut packet.head.bytes_mut()[14..]).expect("an IPv4 header");
    ip.set_fragmentation(0);
    ip.fill_checksum();
    packet
}

/// What an ICMP error says: the type, the code, the MTU in it, and the addresses of the packet that it is about.
fn error_of(packet: &Packet) -> (u8, u8, u32, String) {
    let head = packet.head.bytes();
    let layers = Layers::of(packet);
    let message = &head[layers.transport.expect("a transport layer")..];
    let mtu = u32::from_be_bytes([message[4], message[5], message[6], message[7]]);
    let about = Layers::parse_from(wire::LinkLayer::Ip, message, 8, message.len());
    let addresses = match about.network {
        wire::Network::Ipv4 => {
            let ip = Ipv4::new(&message[8..]).expect("an IPv4 header");
            format!("{}>{}", ip.source(), ip.destination())
        }
        _ => {
            let ip = wire::Ipv6::new(&message[8..]).expect("an IPv6 header");
            format!("{}>{}", ip.source(), ip.destination())
        }
    };
    (message[0], message[1], mtu, addresses)
}

#[test]
fn a_packet_that_must_not_be_cut_is_answered_with_the_exact_mtu() {
    let mut site = short_underlay();
    let one = site.guest(1);
    site.passes(1, 3, udp(&one, "10.0.1.3", [1, 2], &vec![7; TUNNEL - 28]));
    let told = site.send(1, udp(&one, "10.0.1.3", [1, 2], &vec![7; TUNNEL - 27]));
    let [Told::Given(1, error), Told::Dropped(0, reason)] = &told[..] else { panic!("{told:?}") };
    assert_eq!(*reason, reasons::TOO_LONG);
    assert_eq!(described(error), "fe>01 10.0.1.254>10.0.1.1 1 ttl 64 ok");
    assert_eq!(error_of(error), (3, 4, TUNNEL as u32, "10.0.1.1>10.0.1.3".to_owned()));
    assert_eq!(error.len(), 14 + 576, "as much of the packet as fits");
    // IPv6 packets are never cut.
    let told = site.send(1, udp(&one, "fd00::3", [1, 2], &vec![7; TUNNEL - 47]));
    let [Told::Given(1, error), Told::Dropped(0, _)] = &told[..] else { panic!("{told:?}") };
    assert_eq!(described(error), "fe>01 fd00::fe>fd00::1 58 ttl 64 ok");
    assert_eq!(error_of(error), (2, 0, TUNNEL as u32, "fd00::1>fd00::3".to_owned()));
}

#[test]
fn a_packet_that_may_be_cut_arrives_in_fragments() {
    let mut site = short_underlay();
    let one = site.guest(1);
    let payload: Vec<u8> = (0..4000).map(|at| (at % 251) as u8).collect();
    let told = site.send(1, may_be_cut(udp(&one, "10.0.1.3", [1, 2], &payload)));
    let mut together = vec![0; 8 + payload.len()];
    for told in &told {
        let Told::Given(3, packet) = told else { panic!("{told:?}") };
        let head = packet.head.bytes();
        let ip = Ipv4::new(&head[14..]).expect("an IPv4 header");
        assert!(usize::from(ip.total_length()) <= TUNNEL && ip.is_checksum_right() == Some(true));
        let mut bytes = Vec::new();
        packet.append_to(&mut bytes);
        together[ip.fragment_offset()..][..bytes.len() - 34].copy_from_slice(&bytes[34..]);
    }
    assert_eq!((told.len(), &together[8..]), (3, &payload[..]));
    assert!(site.between.iter().all(|packet| packet.len() <= 1514));
}

#[test]
fn a_guest_is_not_given_more_than_it_takes() {
    let mut small = configuration(0);
    small.vnics[1].mtu = 1500;
    let mut site = Site::new(vec![small]);
    let one = site.guest(1);
    let told = site.send(1, udp(&one, "10.0.2.2", [1, 2], &[0; 8000]));
    let [Told::Given(1, error), Told::Dropped(0, _)] = &told[..] else { panic!("{told:?}") };
    assert_eq!(error_of(error).2, 1500);
    let told = site.send(1, may_be_cut(udp(&one, "10.0.2.2", [1, 2], &[0; 8000])));
    assert_eq!(told.len(), 6);
}

#[test]
fn the_sender_behind_a_tunnel_is_told_as_well() {
    let mut small = configuration(1);
    small.vnics[0].mtu = 1500;
    let mut site = Site::new(vec![configuration(0), small]);
    let one = site.guest(1);
    let told = site.send(1, udp(&one, "10.0.1.3", [1, 2], &[0; 8000]));
    let given = told.iter().find_map(|told| match told {
        Told::Given(1, packet) => Some(packet),
        _ => None,
    });
    // The error passes the first switch because the packet did.
    assert_eq!(error_of(given.expect("an error")), (3, 4, 1500, "10.0.1.1>10.0.1.3".to_owned()));
    assert!(told.contains(&Told::Dropped(1, reasons::TOO_LONG)));
}

#[test]
fn superframes_stay_whole_until_they_go_into_a_tunnel() {
    let mut site = short_underlay();
    let one = site.guest(1);
    let data = |to: &str| tcp(&one, to, [1000, 80], wire::tcp::flag::ACK, [1, 1]);
    let told = site.send(1, superframe(data("10.0.2.2"), 40_000, 1400));
    let [Told::Given(2, packet)] = &told[..] else { panic!("{told:?}") };
    assert_eq!(packet.sidecar.segmentation.map(|cut| cut.size), Some(1400));
    assert_eq!(site.switches[0].slow_path_packets(), 1, "one match");

    let told = site.send(1, superframe(data("10.0.1.3"), 40_000, 1400));
    assert_eq!(told.len(), 40_000_usize.div_ceil(1400));
    let mut bytes = 0;
    for (told, outer) in told.iter().zip(&site.between) {
        let Told::Given(3, packet) = told else { panic!("{told:?}") };
        assert!(described(packet).ends_with("6 1000>80 ttl 64 ok"), "{}", described(packet));
        bytes += packet.len() - 54;
        assert!(Tunnel::of(&Layers::of(outer), outer.head.bytes(), outer.len()).is_some());
    }
    assert_eq!(bytes, 40_000);
    // A superframe is judged by the frames that it will be cut into.
    let told = site.send(1, superframe(data("10.0.1.3"), 40_000, 1411));
    let [Told::Given(1, error), Told::Dropped(0, _)] = &told[..] else { panic!("{told:?}") };
    assert_eq!(error_of(error).2, TUNNEL as u32);
    let told = site.send(1, may_be_cut(superframe(data("10.0.1.3"), 5_000, 2000)));
    assert!(told.iter().all(|told| matches!(told, Told::Given(3, _))), "{told:?}");
    assert_eq!(told.len(), 5);
}
