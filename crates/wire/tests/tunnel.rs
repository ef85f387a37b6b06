//! Frames in VXLAN tunnels: where their headers are found, and what is no tunnel.

use proptest::prelude::*;
use wire::{Ethernet, Ipv4, Ipv6, Layers, LinkLayer, Network, Tunnel, Udp, Vxlan, ether_type, protocol, vxlan};

/// Returns an Ethernet frame with so many bytes of payload in UDP over IPv4 or IPv6.
fn frame(is_ipv6: bool, port: u16, payload: &[u8]) -> Vec<u8> {
    let ip = if is_ipv6 { 40 } else { 20 };
    let mut bytes = [vec![0; 14 + ip + 8], payload.to_vec()].concat();
    let mut ethernet = Ethernet::new(&mut bytes[..]).unwrap();
    ethernet.set_ether_type(if is_ipv6 { ether_type::IPV6 } else { ether_type::IPV4 });
    let length = (8 + payload.len()) as u16;
    if is_ipv6 {
        let mut header = Ipv6::new(&mut bytes[14..]).unwrap();
        header.bytes_mut()[0] = 0x60;
        header.set_payload_length(length);
        header.set_next_header(protocol::UDP);
    } else {
        let mut header = Ipv4::new(&mut bytes[14..]).unwrap();
        header.set_version_and_length(0x45);
        header.set_total_length(20 + length);
        header.set_protocol(protocol::UDP);
    }
    let mut udp = Udp::new(&mut bytes[14 + ip..]).unwrap();
    udp.set_destination_port(port);
    udp.set_length(length);
    bytes
}

fn encapsulated(is_ipv6: bool, flags: u8, vni: u32, inner: &[u8]) -> Vec<u8> {
    let mut header = [0; 8];
    let mut vxlan = Vxlan::new(&mut header[..]).unwrap();
    vxlan.set_flags(flags);
    vxlan.set_vni(vni);
    frame(is_ipv6, vxlan::PORT, &[&header, inner].concat())
}

fn tunnel(bytes: &[u8], length: usize) -> Option<Tunnel> {
    Tunnel::of(&Layers::parse(LinkLayer::Ethernet, bytes, length), bytes, length)
}

#[test]
fn inner_headers_are_those_of_the_frame_behind_the_outer_ones() {
    for (outer_is_ipv6, inner_is_ipv6) in [(false, false), (false, true), (true, false), (true, true)] {
        let inner = frame(inner_is_ipv6, 53, b"payload");
        let bytes = encapsulated(outer_is_ipv6, vxlan::VNI_IS_VALID, 0x12_3456, &inner);
        let found = tunnel(&bytes, bytes.len()).expect("a tunnel");
        let start = if outer_is_ipv6 { 70 } else { 50 };
        assert_eq!((found.vni, found.start), (0x12_3456, start));
        let alone = Layers::parse(LinkLayer::Ethernet, &inner, inner.len());
        assert_ne!(alone.network, Network::None);
        let shifted = Layers {
            network_start: alone.network_start + start,
            network_end: alone.network_end + start,
            transport: alone.transport.map(|at| at + start),
            payload: alone.payload.map(|at| at + start),
            ..alone
        };
        assert_eq!(found.inner, shifted);
    }
}

#[test]
fn other_packets_are_no_tunnels() {
    let inner = frame(false, 53, b"payload");
    let whole = encapsulated(false, vxlan::VNI_IS_VALID, 1, &inner);
    // Reserved bits are ignored (RFC 7348, section 5), but a VNI must be there.
    assert!(tunnel(&encapsulated(false, 0xFF, 1, &inner), whole.len()).is_some());
    assert_eq!(tunnel(&encapsulated(false, 0xF7, 1, &inner), whole.len()), None);
    assert_eq!(tunnel(&frame(false, 4790, &inner), whole.len()), None);
    let mut fragment = whole.clone();
    Ipv4::new(&mut fragment[14..]).unwrap().set_fragmentation(0x2000);
    assert_eq!(tunnel(&fragment, fragment.len()), None);
    // The header must be there; the frame behind it need not.
    assert_eq!(tunnel(&whole[..49], whole.len()), None);
    assert_eq!(tunnel(&whole[..50], whole.len()).unwrap().inner.network, Network::None);
}

proptest! {
    /// Whatever is damaged, offsets stay within the packet and nothing panics.
    #[test]
    fn damaged_tunnels_are_read_without_panic(
        is_ipv6 in any::<[bool; 2]>(),
        changes in prop::collection::vec((0..130usize, any::<u8>()), 0..12),
        cut in 0..160usize,
    ) {
        let mut bytes = encapsulated(is_ipv6[0], vxlan::VNI_IS_VALID, 7, &frame(is_ipv6[1], vxlan::PORT, b"inside"));
        for (at, value) in changes {
            if let Some(byte) = bytes.get_mut(at) {
                *byte = value;
            }
        }
        let length = bytes.len();
        bytes.truncate(cut);
        if let Some(found) = tunnel(&bytes, length) {
            prop_assert!(found.start <= bytes.len());
            prop_assert!(found.inner.transport.is_none_or(|at| at < bytes.len()));
            prop_assert!(found.inner.network == Network::None || found.inner.network_start >= found.start);
        }
    }
}
