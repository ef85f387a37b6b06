//! The bytes of packets, as specified in `docs/transports/eqds.md`.

use basis::Instant;
use transports::eqds::{Eqds, EqdsParameters};
use transports::reasons;
use wire::eqds::{flag, kind};
use wire::{Packet, Tail};

use crate::network::{Fate, Network, Seen, packets, trim};
use crate::{header, hosts, parameters};

fn hex(packet: &Packet) -> String {
    let bytes = packet.head.bytes()[42..64].iter().map(|byte| format!("{byte:02x}"));
    bytes.collect::<Vec<_>>().join(" ")
}

/// Host 1 sends two messages; packet 2 of the second one, which has 21 packets, is trimmed once.
fn network() -> Network<'static> {
    let rule = |seen: &Seen| {
        let is_it = seen.is_data() && seen.sequence == 2 && !seen.has(flag::RETRANSMISSION);
        if is_it { Fate::Change(trim) } else { Fate::Pass }
    };
    let sends = [(0, 1, 2, packets(1)), (0, 1, 0, packets(20) + 100)];
    let mut network = hosts(3, EqdsParameters { paths: 8, ..parameters() }, &sends, rule);
    network.run();
    network
}

fn first(network: &Network, kind: u8) -> Seen {
    network.seen.iter().find(|seen| seen.kind == kind && seen.message == 1).expect("one of its kind").clone()
}

#[test]
fn data_packets_have_the_documented_bytes() {
    let seen = first(&network(), kind::DATA);
    // The packet is speculative, and there is more to send than it requests. It requests a window of 12 packets less
    // what may still be sent without credit: 12 * 1500 - 7 * 1500 bytes, which are 15 quanta of 512 bytes. The oldest
    // message is one before.
    let path = format!("{:02x}", seen.packet.head.bytes()[35]);
    assert_eq!(hex(&seen.packet), "01 09 00 00 00 01 00 00 00 00 00 0f 00 01 05 9c 00 00 00 15 00 00", "{path}");
    assert_eq!((seen.packet.len(), seen.packet.tail.clone()), (1500, Tail::Length(1436)));
    assert_eq!(&seen.packet.head.bytes()[34..38], [0xC0, seen.path as u8, 0x45, 0x51]);
}

#[test]
fn control_packets_have_their_own_class_and_64_bytes() {
    let network = network();
    for kind in [kind::ACK, kind::NACK, kind::CREDIT] {
        let seen = first(&network, kind);
        assert_eq!((seen.packet.len(), seen.packet.head.bytes()[15] >> 2), (64, 46));
        assert_eq!(&seen.packet.head.bytes()[36..38], [0x45, 0x51]);
    }
    // The NACK is for packet 2 of message 1, and names its path.
    let nack = first(&network, kind::NACK);
    let data = network.seen.iter().find(|seen| seen.is_data() && seen.message == 1 && seen.sequence == 2).unwrap();
    let expected = format!("03 00 00 00 00 01 00 00 00 02 00 00 00 00 00 00 00 00 00 00 00 {:02x}", data.path);
    assert_eq!(hex(&nack.packet), expected);
}

#[test]
fn acks_have_a_cumulative_part_and_a_bitmap() {
    let network = network();
    // Packet 2 of the first window is missing, and the last packet of the window requests an ACK.
    let ack = network.seen.iter().find(|seen| {
        seen.kind == kind::ACK && seen.message == 1 && header(seen).cumulative() == 2 && header(seen).bitmap() != 0
    });
    let ack = header(ack.expect("an ACK with a hole"));
    let first = u32::from(ack.reference()) + 2;
    let last = first + 63 - ack.bitmap().leading_zeros();
    assert_eq!((last, ack.bitmap() & 1), (7, u64::from(first > 2)));
}

#[test]
fn damaged_headers_cause_no_panic() {
    // Each bit of the headers of four kinds is flipped: the packet must be accepted, refused or ignored without a
    // panic.
    let sent = network().seen;
    let mut network = hosts(3, parameters(), &[(0, 1, 0, packets(20))], |_| Fate::Pass);
    let mut at = Instant::from_microseconds(1);
    for kind in [kind::DATA, kind::ACK, kind::NACK, kind::CREDIT] {
        let seen = sent.iter().find(|seen| seen.kind == kind && seen.message == 1).unwrap();
        for bit in 0..22 * 8 {
            let mut packet = seen.packet.clone();
            packet.head.bytes_mut()[42 + bit / 8] ^= 1 << (bit % 8);
            network.inject(at, seen.to, packet);
            at += basis::Duration::from_nanoseconds(10);
        }
    }
    network.run_to(Instant::from_microseconds(2_000_000));
    assert!(!network.discarded.is_empty());
    assert!(
        network.discarded.iter().all(|&(_, reason)| reason == node::Reason::MALFORMED || reason == reasons::UNEXPECTED)
    );
}

#[test]
fn an_idle_host_needs_less_than_a_kibibyte() {
    assert!(size_of::<transports::Host>() + size_of::<Eqds>() < 1024);
}
