//! Headers that lie in the tail of a packet: the head takes them, and no more of the payload than it must.

use proptest::prelude::*;
use wire::{Layers, LinkLayer, Packet, Tail, protocol};

/// Returns a frame of IPv6 with so many VLAN tags and these extension headers, by their numbers and the units of 8 bytes behind the first 8,
/// and behind them a TCP header with so many words of options, and payload. Also returns where the payload begins.
fn frame(tags: usize, extensions: &[(u8, u8)], options: u8, payload: usize) -> (Vec<u8>, usize) {
    let numbers = extensions.iter().map(|(number, _)| *number).chain([protocol::TCP]).collect::<Vec<_>>();
    let mut behind = Vec::new();
    for (place, (number, units)) in extensions.iter().enumerate() {
        // The length of an authentication header is in units of 4 bytes, and one less is not counted (RFC 4302, section 2.2).
        let length = if *number == protocol::AUTHENTICATION { 2 * units } else { *units };
        let start = behind.len();
        behind.extend([numbers[place + 1], length]);
        behind.resize(start + 8 + 8 * usize::from(*units), 0);
    }
    let mut segment = [0; 20];
    segment[12] = (5 + options) << 4;
    behind.extend(segment);
    behind.resize(behind.len() + 4 * usize::from(options), 1);
    let headers = behind.len();
    behind.resize(headers + payload, 0xDA);
    let mut bytes = vec![2; 12];
    bytes.extend([0x81, 0, 0, 7].repeat(tags));
    bytes.extend([0x86, 0xDD, 0x60, 0, 0, 0]);
    bytes.extend((behind.len() as u16).to_be_bytes());
    bytes.extend([numbers[0], 64]);
    bytes.extend([0xFD; 32]);
    let start = bytes.len() + headers;
    bytes.extend(behind);
    (bytes, start)
}

fn split(bytes: &[u8], head: usize) -> Packet {
    Packet::of_bytes(&bytes[..head]).with_tail(Tail::Bytes(bytes[head..].into()))
}

fn all(packet: &Packet) -> Vec<u8> {
    let mut bytes = Vec::new();
    packet.append_to(&mut bytes);
    bytes
}

fn extension() -> impl Strategy<Value = (u8, u8)> {
    use protocol::{AUTHENTICATION, DESTINATION_OPTIONS, FRAGMENT, HOP_BY_HOP, ROUTING};
    prop_oneof![
        (prop::sample::select(vec![HOP_BY_HOP, ROUTING, DESTINATION_OPTIONS, AUTHENTICATION]), 0..40u8),
        Just((FRAGMENT, 0)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// Whatever the head had, the headers are found as in the whole packet, every byte is there, and the head has all headers.
    #[test]
    fn headers_are_found_wherever_the_head_ends(
        tags in 0..3usize,
        extensions in prop::collection::vec(extension(), 0..8),
        (options, payload) in (0..11u8, 0..300usize),
        head in any::<prop::sample::Index>(),
    ) {
        let (bytes, start) = frame(tags, &extensions, options, payload);
        let head = head.index(bytes.len() + 1);
        let mut packet = split(&bytes, head);
        let found = Layers::reach(&mut packet);
        prop_assert_eq!(found, Layers::parse(LinkLayer::Ethernet, &bytes, bytes.len()));
        prop_assert_eq!(found.payload, Some(start));
        prop_assert_eq!(all(&packet), bytes);
        let most = head.max(start + 63);
        prop_assert!((start..=most).contains(&packet.head.len()), "{} bytes in the head", packet.head.len());
    }

    /// Of bytes that are no packet, nothing else is found than if all of them were in the head.
    #[test]
    fn damaged_headers_are_found_wherever_the_head_ends(
        extensions in prop::collection::vec(extension(), 0..10),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
        (head, end) in (any::<prop::sample::Index>(), any::<prop::sample::Index>()),
    ) {
        let (mut bytes, _) = frame(0, &extensions, 3, 20);
        for (place, value) in damage {
            let place = place.index(bytes.len());
            bytes[place] = value;
        }
        bytes.truncate(end.index(bytes.len() + 1));
        let mut packet = split(&bytes, head.index(bytes.len() + 1));
        let found = Layers::reach(&mut packet);
        prop_assert_eq!(found, Layers::parse(LinkLayer::Ethernet, &bytes, bytes.len()));
        prop_assert_eq!(all(&packet), bytes);
    }
}

/// The packet that an error of ICMP is about begins in the middle of another one, and may be cut off anywhere.
#[test]
fn headers_of_a_packet_within_a_packet_are_reached_as_far_as_they_go() {
    let (inner, _) = frame(0, &[(protocol::DESTINATION_OPTIONS, 12)], 0, 0);
    let bytes = [&[0xEE; 70], &inner[14..]].concat();
    let transport = 70 + 40 + 104;
    for (end, found) in [(transport + 8, true), (transport + 1, true), (transport, false), (80, false)] {
        let mut packet = split(&bytes, 128.min(end));
        let layers = Layers::reach_from(LinkLayer::Ip, &mut packet, 70, end);
        assert_eq!(layers.transport, found.then_some(transport), "up to {end}");
        assert!(packet.head.len() <= end.max(128), "what lies behind the end is not touched");
        assert_eq!(all(&packet), bytes);
    }
}

/// A chain that is longer than what is looked for does not bring a long packet into the head.
#[test]
fn chains_without_end_are_not_followed() {
    let (bytes, _) = frame(0, &[(protocol::DESTINATION_OPTIONS, 0); 200], 0, 50_000);
    let mut packet = split(&bytes, 60);
    assert_eq!(Layers::reach(&mut packet).transport, None);
    assert_eq!(packet.head.len(), 128);
    // A tail of which only the length is known has nothing to give.
    let mut packet = Packet::of_bytes(&bytes[..60]).with_tail(Tail::Length(500));
    assert_eq!(Layers::reach(&mut packet).transport, None);
    assert_eq!(packet.head.len(), 60);
}
