//! The layers of packets: where their headers are found.

use std::net::IpAddr;

use proptest::prelude::*;
use wire::{FiveTuple, Ipv4, Layers, LinkLayer, Network, Packet, protocol};

/// Returns an Ethernet frame: addresses, the given EtherTypes and tags, then `rest`.
fn frame(types: &[u8], rest: &[u8]) -> Vec<u8> {
    [&[2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2], types, rest].concat()
}

/// Returns an IPv4 header of 20 bytes plus options, from 10.0.0.1 to 10.0.0.2, with a valid checksum, then `payload`.
fn ipv4(protocol: u8, fragmentation: u16, options: &[u8], payload: &[u8]) -> Vec<u8> {
    let header_length = 20 + options.len();
    let mut bytes = [vec![0; 20], options.to_vec(), payload.to_vec()].concat();
    let total = bytes.len() as u16;
    let mut header = Ipv4::new(&mut bytes[..]).unwrap();
    header.set_version_and_length(0x40 | (header_length / 4) as u8);
    header.set_total_length(total);
    header.set_fragmentation(fragmentation);
    header.set_time_to_live(64);
    header.set_protocol(protocol);
    header.set_source_bits(0x0A00_0001);
    header.set_destination_bits(0x0A00_0002);
    header.fill_checksum();
    assert_eq!(header.is_checksum_right(), Some(true));
    bytes
}

fn ipv6(next_header: u8, payload: &[u8]) -> Vec<u8> {
    let length = (payload.len() as u16).to_be_bytes();
    let fixed = [0x60, 0, 0, 0, length[0], length[1], next_header, 64];
    [&fixed[..], &[0xFD; 16], &[0xFE; 16], payload].concat()
}

const UDP: [u8; 12] = [0x04, 0xD2, 0x00, 0x35, 0, 12, 0, 0, b'd', b'a', b't', b'a'];

fn layers(bytes: &[u8]) -> Layers {
    Layers::parse(LinkLayer::Ethernet, bytes, bytes.len())
}

fn flow(bytes: &[u8]) -> Option<FiveTuple> {
    FiveTuple::of(&Packet::of_bytes(bytes))
}

#[test]
fn finds_headers_behind_tags_and_options() {
    // QinQ: service tag 100, customer tag 7; IPv4 with 8 bytes of options; then 10 bytes of padding.
    let mut bytes = frame(&[0x88, 0xA8, 0, 100, 0x81, 0, 0x60, 7, 0x08, 0], &ipv4(protocol::UDP, 0, &[1; 8], &UDP));
    bytes.extend_from_slice(&[0xEE; 10]);
    let found = layers(&bytes);
    assert_eq!((found.outer_vlan, found.inner_vlan), (Some(14), Some(18)));
    assert_eq!((found.ether_type, found.network, found.network_start), (Some(0x0800), Network::Ipv4, 22));
    assert_eq!((found.transport, found.payload), (Some(50), Some(58)));
    assert_eq!(found.network_end, 62, "padding is not payload");
    assert_eq!(flow(&bytes).unwrap().ports, Some((1234, 53)));
}

#[test]
fn only_the_first_fragment_has_ports() {
    let first = frame(&[0x08, 0], &ipv4(protocol::UDP, 0x2000, &[], &UDP));
    let second = frame(&[0x08, 0], &ipv4(protocol::UDP, 0x0001, &[], &UDP));
    assert_eq!(flow(&first).unwrap().ports, Some((1234, 53)));
    assert!(layers(&first).is_fragment && layers(&second).is_fragment);
    assert_eq!((layers(&second).transport, layers(&second).payload), (None, None));
    let key = flow(&second).unwrap();
    assert_eq!((key.protocol, key.ports, key.source), (17, None, IpAddr::from([10, 0, 0, 1])));
}

#[test]
fn skips_ipv6_extension_headers() {
    let hop_by_hop = [protocol::DESTINATION_OPTIONS, 0, 1, 4, 0, 0, 0, 0];
    let destination = [protocol::FRAGMENT, 1, 1, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    let fragment = |offset_and_more: [u8; 2]| [protocol::UDP, 0, offset_and_more[0], offset_and_more[1], 0, 0, 0, 9];
    let packet = |fragment: &[u8]| {
        frame(&[0x86, 0xDD], &ipv6(protocol::HOP_BY_HOP, &[&hop_by_hop, &destination[..], fragment, &UDP].concat()))
    };
    let first = packet(&fragment([0, 1]));
    assert_eq!(layers(&first).transport, Some(14 + 40 + 8 + 16 + 8));
    assert_eq!((layers(&first).protocol, layers(&first).is_fragment), (protocol::UDP, true));
    assert_eq!(flow(&first).unwrap().ports, Some((1234, 53)));
    let second = packet(&fragment([0, 8]));
    assert_eq!((layers(&second).protocol, layers(&second).transport), (protocol::UDP, None));
    let atomic = packet(&fragment([0, 0]));
    assert!(!layers(&atomic).is_fragment, "RFC 6946: a fragment header on a whole datagram");
    // An authentication header counts its length in another unit.
    let authentication = [protocol::UDP, 4, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1];
    let authenticated = frame(&[0x86, 0xDD], &ipv6(protocol::AUTHENTICATION, &[&authentication[..], &UDP].concat()));
    assert_eq!(layers(&authenticated).transport, Some(14 + 40 + 24));
    // Encryption hides the ports.
    let encrypted = frame(&[0x86, 0xDD], &ipv6(protocol::ESP, &UDP));
    assert_eq!((layers(&encrypted).transport, flow(&encrypted).unwrap().ports), (None, None));
}

#[test]
fn finds_the_same_flow_for_every_link_layer() {
    let packet = ipv4(protocol::UDP, 0, &[], &UDP);
    let cooked: Vec<u8> = [&[0, 0, 0, 1, 0, 6, 2, 0, 0, 0, 0, 1, 0, 0, 8, 0], &packet[..]].concat();
    let cooked_v2 = [&[8, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 6, 2, 0, 0, 0, 0, 1, 0, 0], &packet[..]].concat();
    let cases = [
        (LinkLayer::Ethernet, frame(&[8, 0], &packet)),
        (LinkLayer::Ip, packet.clone()),
        (LinkLayer::LinuxCooked, cooked),
        (LinkLayer::LinuxCookedV2, cooked_v2),
        (LinkLayer::Null, [&[2, 0, 0, 0], &packet[..]].concat()),
        (LinkLayer::Null, [&[0, 0, 0, 2], &packet[..]].concat()),
        (LinkLayer::Loopback, [&[0, 0, 0, 2], &packet[..]].concat()),
    ];
    let mut hashes = Vec::new();
    for (link, bytes) in cases {
        let found = FiveTuple::at(&Layers::parse(link, &bytes, bytes.len()), &bytes);
        hashes.push(found.unwrap_or_else(|| panic!("{link:?}")).hash());
    }
    assert!(hashes.iter().all(|&hash| hash == hashes[0]));
    assert_eq!(Layers::parse(LinkLayer::Record, &packet, packet.len()), Layers::default());
}

#[test]
fn ignores_truncated_and_inconsistent_headers() {
    let good = frame(&[8, 0], &ipv4(protocol::UDP, 0, &[], &UDP));
    assert_eq!(layers(&good[..33]).network, Network::None, "one byte of the IPv4 header is missing");
    let mut wrong = good.clone();
    wrong[14] = 0x44;
    assert_eq!(layers(&wrong).network, Network::None, "a header of 16 bytes");
    wrong = good.clone();
    wrong[17] = 19;
    assert_eq!(layers(&wrong).network, Network::None, "a packet shorter than its header");
    // The ports are read even if the capture truncated the rest of the transport header.
    let tcp =
        frame(&[8, 0], &ipv4(protocol::TCP, 0, &[], &[0, 80, 1, 0, 9, 9, 9, 9, 9, 9, 9, 9, 0x50, 2, 0, 0, 0, 0, 0, 0]));
    let cut = layers(&tcp[..38]);
    assert_eq!((cut.transport, cut.payload), (Some(34), None));
    assert_eq!(FiveTuple::at(&cut, &tcp[..38]).unwrap().ports, Some((80, 256)));
    assert_eq!(layers(&tcp).payload, Some(54));
}

#[test]
fn hash_spreads_neighbouring_flows_evenly() {
    let mut counts = [0u32; 64];
    for flow in 0..64_000u16 {
        let [upper, lower] = flow.to_be_bytes();
        let udp = [upper, lower, 0, 53, 0, 8, 0, 0];
        let key = FiveTuple::of(&Packet::of_bytes(&frame(&[8, 0], &ipv4(protocol::UDP, 0, &[], &udp)))).unwrap();
        counts[(key.hash() % 64) as usize] += 1;
    }
    // 1000 expected, standard deviation 31.
    assert!(counts.iter().all(|&count| (860..1140).contains(&count)), "{counts:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn all_offsets_are_inside_arbitrary_packets(
        bytes in prop_oneof![
            proptest::collection::vec(any::<u8>(), 0..120),
            // Mutated packets reach deeper code than noise.
            (0..3usize, proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6), 0..120usize)
                .prop_map(|(kind, changes, length)| {
                    let mut bytes = match kind {
                        0 => frame(&[0x81, 0, 0, 1, 8, 0], &ipv4(protocol::TCP, 0, &[1; 4], &[0x50; 24])),
                        1 => frame(&[0x86, 0xDD], &ipv6(protocol::HOP_BY_HOP, &[[44, 0, 1, 4, 0, 0, 0, 0], [17, 0, 0, 0, 0, 0, 0, 0], [0; 8]].concat())),
                        _ => frame(&[8, 0], &ipv4(protocol::UDP, 0, &[], &UDP)),
                    };
                    for (place, value) in changes {
                        let place = place.index(bytes.len());
                        bytes[place] = value;
                    }
                    bytes.truncate(length.max(14));
                    bytes
                }),
        ],
        link in prop::sample::select(vec![LinkLayer::Ethernet, LinkLayer::Ip, LinkLayer::LinuxCooked, LinkLayer::LinuxCookedV2, LinkLayer::Null]),
        unseen in 0..2000usize,
    ) {
        let found = Layers::parse(link, &bytes, bytes.len() + unseen);
        if found.network != Network::None {
            prop_assert!(found.network_start + 20 <= bytes.len());
            prop_assert!(FiveTuple::at(&found, &bytes).is_some());
        }
        if let Some(transport) = found.transport {
            prop_assert!(transport > found.network_start && transport < bytes.len() && transport < found.network_end);
        }
        if let Some(payload) = found.payload {
            prop_assert!(payload > found.transport.unwrap() && payload <= found.network_end);
        }
    }
}
