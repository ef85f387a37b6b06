//! The bytes of packets, compared with packets composed by hand.

use basis::Instant;
use transports::rocev2::{Dcqcn, Recovery, RoceV2Parameters};
use wire::{Packet, Tail};

use crate::network::{Fate, Network, Seen, parameters};

fn bytes(text: &str) -> Vec<u8> {
    let digits: Vec<u32> = text.chars().filter_map(|digit| digit.to_digit(16)).collect();
    digits.chunks(2).map(|pair| (pair[0] << 4 | pair[1]) as u8).collect()
}

/// The bytes of the head after the UDP ports, which depend on the path, and the length of the tail.
fn behind_ports(seen: &Seen) -> (Vec<u8>, usize) {
    (seen.packet.head.bytes()[38..].to_vec(), seen.packet.tail.len())
}

#[test]
fn a_message_and_its_acknowledgement_have_the_right_bytes() {
    let mut network = Network::new(2, parameters(Recovery::GoBackN), &[(0, 0, 1, 2 * 1024 + 5, 7)], |_| Fate::Pass);
    network.run();
    let seen: Vec<_> = network.seen.iter().map(behind_ports).collect();
    // UDP length and no checksum; WRITE First, padding and version 0, default partition, queue pair 0, PSN; address 0,
    // key 7 (the service), 2053 bytes.
    let first = bytes("0428 0000  06 00 ffff 00000000 00ffff38  0000000000000000 00000007 00000805");
    assert_eq!(seen[0], (first, 1024 + 4));
    assert_eq!(seen[1], (bytes("0418 0000  07 00 ffff 00000000 00ffff39"), 1024 + 4));
    // WRITE Last with immediate: three bytes of padding, acknowledgement request; message 0. Five bytes, padding and
    // CRC.
    assert_eq!(seen[2], (bytes("0024 0000  09 30 ffff 00000000 80ffff3a  00000000"), 5 + 3 + 4));
    // ACK of the last packet, without a credit limit; one message is complete. The CRC follows.
    assert_eq!(network.seen[3].packet.tail, Tail::Length(0));
    let (ack, crc) = seen[3].0.split_at(20);
    assert_eq!(ack, bytes("001c 0000  11 00 ffff 00000000 00ffff3a  1f000001"));
    assert_eq!(crc.len(), 4);
    let ip = &network.seen[0].packet.head.bytes()[14..24];
    assert_eq!(ip, bytes("4500 043c 0000 4000 4011"));
}

#[test]
fn selective_repeat_adds_locations_and_arrivals() {
    let sends = [(0, 0, 1, 2 * 1024 + 5, 7)];
    let rule = |seen: &Seen| if seen.is_first(0) { Fate::Drop } else { Fate::Pass };
    let mut network = Network::new(2, parameters(Recovery::SelectiveRepeat), &sends, rule);
    network.run();
    let data = network.filter(Seen::is_data);
    // Each packet has its location and the remaining length of the write.
    let middle = "0428 0000  07 00 ffff 00000000 80ffff39  0000000000000400 00000007 00000405";
    assert_eq!(behind_ports(data[1]), (bytes(middle), 1024 + 4));
    let last = "0034 0000  09 30 ffff 00000000 80ffff3a  0000000000000800 00000007 00000005  00000000";
    assert_eq!(behind_ports(data[2]), (bytes(last), 5 + 3 + 4));
    // A sequence error has the first missing packet and, after the AETH, the one that has arrived.
    let error = network.filter(|seen| seen.is_error)[0];
    let head = error.packet.head.bytes();
    assert_eq!(head[38..head.len() - 4], bytes("0020 0000  11 00 ffff 00000000 00ffff38  60000000  00ffff39"));
}

#[test]
fn notifications_have_the_right_bytes() {
    let dcqcn = RoceV2Parameters { dcqcn: Some(Dcqcn::default()), ..parameters(Recovery::GoBackN) };
    let network = Network::one_message(1, dcqcn, |seen| if seen.is_data() { Fate::Mark } else { Fate::Pass });
    let data = &network.seen[0].packet.head.bytes()[14..];
    assert_eq!(data[1], 2, "ECT(0)");
    let notification = network.filter(Seen::is_notification)[0];
    let head = notification.packet.head.bytes();
    // The code point is 46.
    assert_eq!(head[15], 46 << 2 | 2);
    // BECN, no sequence number, 16 reserved bytes.
    let expected = format!("0028 0000  81 00 ffff 40000000 00000000 {}", "00".repeat(16));
    assert_eq!(head[38..head.len() - 4], bytes(&expected));
    assert_eq!(head.len(), 14 + 20 + 8 + 12 + 16 + 4);
    // The notification precedes the acknowledgement.
    assert!(network.seen[1].is_notification() && network.seen[2].is_ack());
}

#[test]
fn the_crc_protects_packets_with_bytes() {
    // The first packet above with four bytes of payload, as WRITE Only with immediate 9. Its CRC was computed with
    // Python's zlib.crc32, with all fields masked that annex A17 masks.
    let text = "02000a000001 02000a000000 0800 4500 0044 0000 4000 4011 26a9 0a000000 0a000001 \
                c000 12b7 0030 0000 0b 00 ffff 00000000 80ffff38 0000000000000000 00000007 00000004 00000009 \
                01020304";
    let whole = [bytes(text), bytes(CRC)].concat();
    let run = |packet: Packet| {
        let mut network = Network::new(2, parameters(Recovery::GoBackN), &[], |_| Fate::Pass);
        network.inject(Instant::ZERO, 1, packet);
        network.run();
        (network.counter(1, "bytes_delivered"), network.seen.len())
    };
    assert_eq!(run(Packet::of_bytes(&whole)), (4, 1));
    for cut in [74, 76, 78, 80, 82] {
        let packet = Packet::of_bytes(&whole[..cut]).with_tail(Tail::Bytes(whole[cut..].into()));
        assert_eq!(run(packet), (4, 1), "the tail begins at {cut}");
    }
    for place in 42..whole.len() {
        // The byte that is reserved for congestion may change.
        let mut changed = whole.clone();
        changed[place] ^= 0x40;
        assert_eq!(run(Packet::of_bytes(&changed)).0, if place == 46 { 4 } else { 0 }, "byte {place}");
    }
}

/// The CRC of the packet, in wire order.
const CRC: &str = "e8573641";
