//! The bytes of packets, as specified in `docs/transports/ndp.md`.

mod network;

use network::{Fate, Network, Seen, packets, parameters, trim};
use transports::ndp::{Ndp, NdpParameters};
use wire::ndp::{flag, kind};
use wire::{Layers, Packet, Tail};

fn hex(packet: &Packet) -> String {
    let lines = [0..14, 14..34, 34..42, 42..64].map(|range| {
        let bytes = packet.head.bytes()[range].iter().map(|byte| format!("{byte:02x}"));
        bytes.collect::<Vec<_>>().join(" ")
    });
    lines.join("\n")
}

/// A message of two packets, of which the first is trimmed once. Another message keeps the pacer busy.
fn network() -> Network<'static> {
    let rule = |seen: &Seen| {
        let is_it = seen.is_data() && seen.sequence == 0 && !seen.has(flag::RETRANSMISSION);
        if is_it { Fate::Change(trim) } else { Fate::Pass }
    };
    let sends = [((0, 2, 0, packets(1)), 0), ((0, 1, 0, packets(1) + 100), 5)];
    let mut network = Network::new(3, NdpParameters { paths: 8, ..parameters() }, &sends, rule);
    network.run();
    network
}

fn first(network: &Network, kind: u8) -> Packet {
    network.seen.iter().find(|seen| seen.kind == kind && seen.message == 0).unwrap().packet.clone()
}

#[test]
fn data_packets_have_the_documented_bytes() {
    let network = network();
    let packet = &network.seen.iter().find(|seen| seen.is_data() && seen.from == 1).unwrap().packet;
    let expected = "\
02 00 0a 00 00 00 02 00 0a 00 00 01 08 00
45 00 05 ce 00 00 40 00 40 11 21 1f 0a 00 00 01 0a 00 00 00
c0 02 4e 44 05 ba 00 00
01 51 00 00 00 00 00 00 00 00 00 00 00 00 00 00 05 9c 00 00 00 02";
    assert_eq!(hex(packet), expected);
    assert_eq!((packet.len(), packet.tail.clone()), (1500, Tail::Length(1436)));
    let layers = Layers::of(packet);
    assert_eq!((layers.payload, layers.network_end), (Some(42), 1500));
}

#[test]
fn control_packets_have_their_own_class_and_64_bytes() {
    let network = network();
    for kind in [kind::ACK, kind::NACK, kind::PULL] {
        let packet = first(&network, kind);
        let text = hex(&packet);
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(packet.len(), 64);
        assert!(lines[1].starts_with("45 b8 00 32"), "{text}");
        assert!(lines[2].ends_with("4e 44 00 1e 00 00"), "{text}");
        assert!(lines[3].starts_with(&format!("{kind:02x}")), "{text}");
    }
    // The NACK is for packet 0 of the two packets of message 0, which took path 2, and carries the first pull.
    let nack = hex(&first(&network, kind::NACK));
    assert!(nack.ends_with("03 00 00 00 00 00 00 00 00 00 00 00 00 01 00 02 05 9c 00 00 00 02"), "{nack}");
}

#[test]
fn an_idle_host_needs_less_than_a_kibibyte() {
    assert!(size_of::<transports::Host>() + size_of::<Ndp>() < 1024);
}
