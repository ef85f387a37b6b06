//! What a stranger says was left undone in a packet changes nothing but checksums and lengths.

use proptest::prelude::*;
use wire::checksum::Sum;
use wire::{ChecksumState, Layers, Packet, Segmentation, SegmentationKind, Tail, protocol};

/// An IP packet in an Ethernet frame, in a VXLAN tunnel if `is_tunnelled`: TCP or UDP with a payload, whose checksum is partial.
fn frame(is_ipv6: bool, number: u8, is_tunnelled: bool, payload: usize) -> Vec<u8> {
    let header = if number == protocol::TCP { 20 } else { 8 };
    let length = header + payload;
    let mut bytes = ethernet(is_ipv6);
    network(&mut bytes, is_ipv6, number, length);
    let (transport, field) = (bytes.len(), if number == protocol::TCP { 16 } else { 6 });
    bytes.extend([0x10, 0, 0, 80]);
    match number {
        protocol::TCP => bytes.extend([0, 0, 0, 1, 0, 0, 0, 2, 0x50, 0x10, 1, 0, 0, 0, 0, 0]),
        _ => bytes.extend([(length >> 8) as u8, length as u8, 0, 0]),
    }
    let mut sum = Sum::default();
    sum.add(&bytes[if is_ipv6 { 22..54 } else { 26..34 }]);
    sum.add_word(u16::from(number));
    sum.add_word(length as u16);
    bytes[transport + field..transport + field + 2].copy_from_slice(&sum.folded().to_be_bytes());
    bytes.extend((0..payload).map(|at| (at * 7) as u8));
    if is_tunnelled {
        let within = std::mem::replace(&mut bytes, ethernet(false));
        let length = 16 + within.len();
        network(&mut bytes, false, protocol::UDP, length);
        bytes.extend([0xC0, 0, 0x12, 0xB5, (length >> 8) as u8, length as u8, 0, 0]);
        bytes.extend([8, 0, 0, 0, 0, 0x1B, 0x59, 0]);
        bytes.extend(within);
    }
    bytes
}

fn ethernet(is_ipv6: bool) -> Vec<u8> {
    [&[2; 12][..], if is_ipv6 { &[0x86, 0xDD] } else { &[8, 0] }].concat()
}

fn network(bytes: &mut Vec<u8>, is_ipv6: bool, number: u8, length: usize) {
    if is_ipv6 {
        bytes.extend([0x60, 0, 0, 0, (length >> 8) as u8, length as u8, number, 64]);
        bytes.extend([[0xFD; 15].as_slice(), &[1], &[0xFD; 15], &[2]].concat());
    } else {
        let (start, total) = (bytes.len(), 20 + length);
        bytes.extend([
            0x45,
            0,
            (total >> 8) as u8,
            total as u8,
            0,
            0,
            0x40,
            0,
            64,
            number,
            0,
            0,
            10,
            0,
            0,
            1,
            10,
            0,
            0,
            2,
        ]);
        let sum = wire::checksum::of(&bytes[start..]);
        bytes[start + 10..start + 12].copy_from_slice(&sum.to_be_bytes());
    }
}

/// Returns a packet of which so many bytes are in the head.
fn packet(bytes: &[u8], head: usize) -> Packet {
    let (head, tail) = bytes.split_at(head.min(bytes.len()));
    let mut packet = Packet::of_bytes(head).with_tail(Tail::Bytes(tail.into()));
    packet.sidecar.original_length = bytes.len() as u32;
    packet
}

fn bytes(packet: &Packet) -> Vec<u8> {
    let mut bytes = Vec::new();
    packet.append_to(&mut bytes);
    bytes
}

/// The place of the innermost transport header.
fn transport(bytes: &[u8], is_tunnelled: bool) -> usize {
    let front = if is_tunnelled { 14 + 20 + 16 } else { 0 };
    let layers = Layers::of(&Packet::of_bytes(&bytes[front..]));
    front + layers.transport.expect("a transport header")
}

/// A guest that was allowed to send to one port could send to any: the checksum that it "left" was written over the port behind the
/// decision.
#[test]
fn a_checksum_of_another_place_is_computed_before_anybody_looks() {
    for is_ipv6 in [false, true] {
        for number in [protocol::TCP, protocol::UDP] {
            let whole = frame(is_ipv6, number, false, 64);
            let (own, field) = (transport(&whole, false), if number == protocol::TCP { 16 } else { 6 });
            for start in 0..whole.len() {
                for offset in (0..=32u8).filter(|offset| start + usize::from(*offset) + 2 <= whole.len()) {
                    let mut packet = packet(&whole, 60);
                    packet.sidecar.checksum = ChecksumState::Partial { start: start as u16, offset };
                    let mut expected = packet.clone();
                    assert!(packet.check_offload());
                    if (start, usize::from(offset)) != (own, field) {
                        assert!(expected.complete_checksum());
                        assert_eq!(packet.sidecar.checksum, ChecksumState::Verified, "{start} {offset}");
                    }
                    assert_eq!(
                        (bytes(&packet), packet.sidecar),
                        (bytes(&expected), expected.sidecar),
                        "{start} {offset}"
                    );
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn what_stays_undone_is_the_checksum_of_a_transport_header(
        (is_ipv6, is_tunnelled, is_damaged) in any::<(bool, bool, bool)>(),
        number in prop::sample::select(vec![protocol::TCP, protocol::UDP]),
        payload in 0usize..3000,
        head in prop::sample::select(vec![14usize, 40, 64, 128, 200, 4000]),
        segmentation in prop::option::of((0usize..3, 1u16..2000, any::<bool>())),
        place in prop::option::weighted(0.5, (0u16..200, 0u8..32)),
        changes in prop::collection::vec((0usize..120, any::<u8>()), 1..4),
    ) {
        let mut whole = frame(is_ipv6, number, is_tunnelled, payload);
        let own = (transport(&whole, is_tunnelled), if number == protocol::TCP { 16 } else { 6 });
        for (at, value) in changes.into_iter().filter(|_| is_damaged) {
            if let Some(byte) = whole.get_mut(at) {
                *byte = value;
            }
        }
        let mut before = packet(&whole, head);
        let kinds = [SegmentationKind::TcpIpv4, SegmentationKind::TcpIpv6, SegmentationKind::Udp];
        before.sidecar.segmentation = segmentation.map(|(kind, size, has_cwr)| Segmentation { kind: kinds[kind], size, has_cwr });
        let (start, offset) = place.unwrap_or((own.0 as u16, own.1));
        before.sidecar.checksum = ChecksumState::Partial { start, offset };
        let mut after = before.clone();
        let makes_sense = after.check_offload();
        let is_right = !is_damaged && place.is_none();
        match before.sidecar.segmentation {
            None => {
                prop_assert!(makes_sense || usize::from(start) + usize::from(offset) + 2 > whole.len());
                prop_assert!(!is_right || after.sidecar == before.sidecar, "what is right stays");
            }
            Some(asked) => {
                let fits = asked.kind == match (number, is_ipv6) {
                    (protocol::UDP, _) => SegmentationKind::Udp,
                    (_, false) => SegmentationKind::TcpIpv4,
                    (_, true) => SegmentationKind::TcpIpv6,
                };
                prop_assert!(!is_right || makes_sense == fits, "{asked:?}");
                if makes_sense {
                    prop_assert!(after.is_ready_to_cut());
                    prop_assert_eq!(bytes(&after).len(), whole.len());
                    prop_assert!(after.clone().segment(|_| ()).is_ok());
                }
            }
        }
        if makes_sense && let ChecksumState::Partial { start, offset } = after.sidecar.checksum {
            let (decided, mut completed) = (bytes(&after), after.clone());
            prop_assert!(completed.complete_checksum());
            let changed: Vec<usize> = bytes(&completed).iter().zip(&decided).enumerate().filter(|(_, (a, b))| a != b).map(|(at, _)| at).collect();
            let field = usize::from(start) + usize::from(offset);
            prop_assert!(changed.iter().all(|at| (field..field + 2).contains(at)));
            // Of a packet that is as it should be, that is the one place.
            prop_assert!(is_damaged || (usize::from(start), offset) == own || is_tunnelled, "{start} {offset}");
        }
    }
}
