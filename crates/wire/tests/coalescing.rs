//! The property of putting packets together: what is cut again is what was there before.

use proptest::prelude::*;
use wire::checksum::Sum;
use wire::{ChecksumState, Coalescer, Ipv4, Layers, Network, Packet, Tail};

/// Headers of a flow, and what is done to them.
#[derive(Clone, Copy, Debug)]
struct Flow {
    is_ipv6: bool,
    is_udp: bool,
    /// Whether IPv4 packets must not be cut into fragments.
    is_atomic: bool,
    /// Whether identifications count up.
    counts: bool,
    /// Whether checksums are partial.
    is_partial: bool,
    /// The number of bytes of TCP options, a multiple of 4.
    options: usize,
}

impl Flow {
    fn transport(&self) -> usize {
        14 + if self.is_ipv6 { 40 } else { 20 }
    }

    fn payload(&self) -> usize {
        self.transport() + if self.is_udp { 8 } else { 20 + self.options }
    }

    /// Returns the packet with a number, with payload from an offset of the stream on.
    fn packet(&self, number: u16, at: usize, length: usize, flags: u8, in_head: usize) -> Packet {
        let transport = self.transport();
        let mut frame = vec![2; 12];
        let of_ip = (self.payload() - transport + length) as u16;
        let protocol = if self.is_udp { 17 } else { 6 };
        if self.is_ipv6 {
            frame.extend([0x86, 0xDD, 0x60, 0, 0, 0]);
            frame.extend(of_ip.to_be_bytes());
            frame.extend([protocol, 64]);
            frame.extend([0xFD; 32]);
        } else {
            frame.extend([8, 0, 0x45, 0]);
            frame.extend((of_ip + 20).to_be_bytes());
            frame.extend((7 + if self.counts { number } else { 0 }).to_be_bytes());
            frame.extend([if self.is_atomic { 0x40 } else { 0 }, 0, 64, protocol, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2]);
            let checksum = wire::checksum::of(&frame[14..34]);
            frame[24..26].copy_from_slice(&checksum.to_be_bytes());
        }
        frame.resize(self.payload(), 0);
        frame[transport..transport + 4].copy_from_slice(&[1, 2, 0, 80]);
        if self.is_udp {
            frame[transport + 4..transport + 6].copy_from_slice(&of_ip.to_be_bytes());
        } else {
            let sequence = 0xFFFF_FF00u32.wrapping_add(at as u32);
            frame[transport + 4..transport + 8].copy_from_slice(&sequence.to_be_bytes());
            frame[transport + 12] = (((20 + self.options) / 4) << 4) as u8;
            frame[transport + 13] = flags;
        }
        let boundary = frame.len() + in_head.min(length);
        frame.extend((at..at + length).map(|at| (at * 7) as u8));
        let offset = if self.is_udp { 6 } else { 16 };
        let mut sum = Sum::default();
        sum.add(if self.is_ipv6 { &frame[22..54] } else { &frame[26..34] });
        sum.add_word(protocol.into());
        sum.add_word(of_ip);
        frame[transport + offset..][..2].copy_from_slice(&sum.folded().to_be_bytes());
        let mut packet = Packet::of_bytes(&frame[..boundary]).with_tail(Tail::Bytes(frame[boundary..].into()));
        packet.sidecar.checksum = ChecksumState::Partial { start: transport as u16, offset: offset as u8 };
        if !self.is_partial {
            assert!(packet.complete_checksum());
            packet.sidecar.checksum = ChecksumState::Unknown;
        }
        packet
    }
}

/// Returns the bytes of a packet with a complete checksum. The identification of an atomic packet of IPv4 has no meaning, and is left out.
fn bytes(mut packet: Packet) -> Vec<u8> {
    assert!(packet.complete_checksum());
    let layers = Layers::of(&packet);
    let mut bytes = Vec::new();
    packet.append_to(&mut bytes);
    if layers.network == Network::Ipv4 && bytes[20] & 0x40 != 0 {
        [18, 19, 24, 25].into_iter().for_each(|at| bytes[at] = 0);
    }
    bytes
}

/// Puts as many packets together as can be, and returns how many that were each time, and what they are when they are cut again.
fn coalesced(packets: &[Packet]) -> (Vec<usize>, Vec<Vec<u8>>) {
    let (mut counts, mut all, mut at) = (Vec::new(), Vec::new(), 0);
    while at < packets.len() {
        let first = &packets[at];
        let mut coalescer = Coalescer::begin(first);
        let count = match &mut coalescer {
            Some(coalescer) => 1 + packets[at + 1..].iter().take_while(|next| coalescer.add(first, next)).count(),
            None => 1,
        };
        match coalescer {
            Some(coalescer) if count > 1 => {
                assert_eq!(coalescer.count(), count);
                let front = coalescer.front(first);
                assert_eq!(front.len(), coalescer.headers_length());
                let mut payload = Vec::new();
                for packet in &packets[at..at + count] {
                    let mut bytes = Vec::new();
                    packet.append_to(&mut bytes);
                    payload.extend_from_slice(&bytes[coalescer.headers_length()..]);
                }
                let whole = front.with_tail(Tail::Bytes(payload.into()));
                assert_eq!(whole.sidecar.original_length as usize, whole.len());
                assert!(whole.is_ready_to_cut());
                whole.segment(|segment| all.push(bytes(segment))).expect("it can be cut");
            }
            _ => all.push(bytes(first.clone())),
        }
        counts.push(count);
        at += count;
    }
    (counts, all)
}

fn flows() -> impl Strategy<Value = Flow> {
    let flags = (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>(), 0..3usize);
    flags.prop_map(|(is_ipv6, is_udp, is_atomic, counts, is_partial, words)| Flow {
        is_ipv6,
        is_udp,
        is_atomic,
        counts,
        is_partial,
        options: words * 4,
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn packets_of_a_flow_become_one_and_are_cut_into_the_same(
        flow in flows(), size in 1..1400usize, count in 2..80usize, last in 1..1400usize, in_head in 0..100usize,
    ) {
        let length = |number: usize| if number + 1 == count { last.min(size) } else { size };
        let flags = |number: usize| if number + 1 == count { 0x18 } else { 0x10 };
        let packets: Vec<_> = (0..count)
            .map(|number| flow.packet(number as u16, number * size, length(number), flags(number), in_head))
            .collect();
        let (counts, cut) = coalesced(&packets);
        prop_assert_eq!(cut, packets.into_iter().map(bytes).collect::<Vec<_>>());
        // Identifications that neither count nor have no meaning would be lost.
        if flow.is_ipv6 || flow.counts || flow.is_atomic {
            let fits = |first: usize, end: usize| {
                let payload: usize = (first..end).map(length).sum();
                end - first <= 64 && flow.payload() - 14 + payload <= 65_535
            };
            let mut first = 0;
            for own in counts {
                let end = first + own;
                prop_assert!(fits(first, end) && (end == count || !fits(first, end + 1)), "{own} from {first} on");
                first = end;
            }
        } else {
            prop_assert_eq!(counts.len(), count);
        }
    }

    #[test]
    fn whatever_packets_follow_one_another_nothing_of_them_is_lost(
        flow in flows(),
        packets in prop::collection::vec((1..9usize, 0..3u8, prop::option::weighted(0.3, (0..100usize, any::<u8>()))), 1..12),
    ) {
        let (mut at, mut all) = (0, Vec::new());
        for (number, (length, flags, change)) in packets.into_iter().enumerate() {
            let length = if length < 6 { 5 } else { length };
            let mut packet = flow.packet(number as u16, at, length, [0x10, 0x18, 0x11][usize::from(flags)], 100);
            if let Some((place, byte)) = change {
                let place = place % packet.head.len();
                packet.head.bytes_mut()[place] = byte;
            }
            at += length;
            all.push(packet);
        }
        let (_, cut) = coalesced(&all);
        prop_assert_eq!(cut, all.into_iter().map(bytes).collect::<Vec<_>>());
    }
}

const PLAIN: Flow =
    Flow { is_ipv6: false, is_udp: false, is_atomic: true, counts: true, is_partial: false, options: 0 };

#[test]
fn a_segment_that_ends_something_is_the_last() {
    for (flags, counts) in [
        ([0x18, 0x10], vec![1, 1]),
        ([0x10, 0x18], vec![2]),
        ([0x10, 0x11], vec![2]),
        ([0x12, 0x10], vec![1, 1]),
        ([0x10, 0x14], vec![1, 1]),
        ([0x90, 0x10], vec![1, 1]),
    ] {
        let packets =
            [0, 1].map(|number| PLAIN.packet(number, usize::from(number) * 10, 10, flags[usize::from(number)], 100));
        assert_eq!(coalesced(&packets).0, counts, "{flags:x?}");
    }
}

/// A length of 0 in the header of IP reaches to the end of the packet (RFC 2675, and Linux for packets that are to be cut). A segment
/// would have its own length there, so that the packet would be another one.
#[test]
fn a_length_of_0_is_not_put_right() {
    for (is_ipv6, is_udp, changed) in [
        (false, false, 0),
        (false, false, 1),
        (false, true, 0),
        (true, false, 0),
        (true, false, 1),
        (true, true, 0),
        (true, true, 1),
    ] {
        let flow = Flow { is_ipv6, is_udp, ..PLAIN };
        let mut packets = [0, 1].map(|number| flow.packet(number, usize::from(number) * 10, 10, 0x10, 100));
        let header = &mut packets[changed].head.bytes_mut()[14..];
        if is_ipv6 {
            header[4..6].fill(0);
        } else {
            let mut ip = Ipv4::new(header).expect("a header");
            ip.set_total_length(0);
            ip.fill_checksum();
        }
        assert_eq!(coalesced(&packets).0, [1, 1], "IPv6: {is_ipv6}, UDP: {is_udp}, packet {changed}");
    }
}

#[test]
fn a_wrong_checksum_is_not_put_right() {
    for wrong in [0, 1] {
        let mut packets = [0, 1, 2].map(|number| PLAIN.packet(number, usize::from(number) * 10, 10, 0x10, 100));
        *packets[wrong].head.bytes_mut().last_mut().expect("payload") ^= 1;
        assert_eq!(coalesced(&packets).0, [[1, 2].to_vec(), [1, 1, 1].to_vec()][wrong]);
    }
    let none = Flow { is_udp: true, ..PLAIN };
    let mut packets = [0, 1].map(|number| none.packet(number, usize::from(number) * 10, 10, 0, 100));
    packets[1].head.bytes_mut()[40..42].fill(0);
    assert_eq!(coalesced(&packets).0, [1, 1], "a datagram without a checksum stays one");
}
