//! The end of connections (RFC 9293, section 3.6), and the answers to segments without a connection (section 3.5.2).

use basis::Instant;
use transports::FlowEvent;
use wire::tcp::flag;
use wire::{Packet, Tcp};

use crate::network::{DELAY, Fate, Network, SEGMENT, Seen, microseconds, parameters};

#[test]
fn a_lost_fin_is_retransmitted_with_its_payload() {
    let network = Network::one_message(3, parameters(), |seen| {
        if seen.has(flag::FIN) && seen.from == 0 && seen.copies == 0 { Fate::Drop } else { Fate::Pass }
    });
    assert!(network.is_completed());
    let fins = network.filter(|seen| seen.has(flag::FIN) && seen.from == 0);
    assert_eq!((fins.len(), fins[1].payload as u64), (2, SEGMENT));
    assert_eq!(network.counter(0, "timeouts"), 1);
}

#[test]
fn the_receivers_fin_is_retransmitted_until_acknowledged() {
    let network = Network::one_message(3, parameters(), |seen| {
        if seen.has(flag::FIN) && seen.from == 1 && seen.copies < 2 { Fate::Drop } else { Fate::Pass }
    });
    assert!(network.is_completed());
    assert_eq!(network.filter(|seen| seen.has(flag::FIN) && seen.from == 1).len(), 3);
    assert_eq!(network.counter(0, "messages_abandoned"), 0);
}

#[test]
fn a_repeated_fin_in_time_wait_is_acknowledged_again() {
    // The acknowledgement of the receiver's FIN is lost.
    let mut lost = 0;
    let network = Network::one_message(3, parameters(), |seen| {
        if seen.from == 0 && seen.is_plain_ack() && seen.acknowledgement == 2 && lost < 1 {
            lost += 1;
            return Fate::Drop;
        }
        Fate::Pass
    });
    assert_eq!(network.filter(|seen| seen.from == 0 && seen.acknowledgement == 2).len(), 2);
    assert_eq!(network.counter(0, "resets_sent") + network.counter(1, "resets_sent"), 0);
}

#[test]
fn a_fin_after_time_wait_is_answered_by_a_reset() {
    let network = Network::one_message(3, parameters(), |seen| {
        if seen.from == 0 && seen.is_plain_ack() && seen.acknowledgement == 2 { Fate::Drop } else { Fate::Pass }
    });
    assert_eq!(network.counter(0, "resets_sent"), 1);
    assert_eq!(network.counter(1, "resets_received"), 1);
    assert!(network.is_completed());
}

/// Returns a changed packet from host 1 to host 0.
fn forged(network: &Network, change: impl Fn(&mut Tcp<&mut [u8]>)) -> Packet {
    let mut packet = network.seen.iter().find(|seen| seen.from == 1).unwrap().packet.clone();
    let bytes = packet.head.bytes_mut();
    let (ip, tcp) = bytes.split_at_mut(34);
    let mut header = Tcp::new(&mut tcp[..]).unwrap();
    change(&mut header);
    header.set_checksum(0);
    let mut sum = wire::checksum::Sum::default();
    sum.add(&ip[26..34]);
    sum.add_word(6);
    sum.add_word(header.bytes().len() as u16);
    sum.add(header.bytes());
    header.set_checksum(sum.checksum());
    packet
}

#[test]
fn segments_without_a_connection_are_answered_by_a_reset() {
    let reference = Network::one_message(1, parameters(), |_| Fate::Pass);
    for (flags, expected) in [
        (flag::ACK, (flag::RST, 77, 0)),
        (flag::FIN, (flag::RST | flag::ACK, 0, 1001)),
        // A SYN for a port that does not belong to a service.
        (flag::SYN, (flag::RST | flag::ACK, 0, 1001)),
    ] {
        let mut network = Network::new(2, parameters(), &[], |_| Fate::Pass);
        let packet = forged(&reference, |header| {
            header.set_sequence(1000);
            header.set_acknowledgement(77);
            header.set_destination_port(80);
            header.set_header_length_and_flags(header.header_length(), flags);
        });
        network.inject(Instant::ZERO, 0, packet);
        network.run();
        let answers: Vec<_> =
            network.seen.iter().map(|seen| (seen.flags, seen.sequence, seen.acknowledgement)).collect();
        assert_eq!(answers, [expected]);
    }
}

#[test]
fn only_exact_resets_end_a_connection() {
    for (off, is_over) in [(0, true), (1, false), (1 << 30, false)] {
        let reference = Network::one_message(40, parameters(), |_| Fate::Pass);
        let packet = forged(&reference, |header| {
            let next = header.sequence().wrapping_add(1);
            header.set_sequence(next.wrapping_add(off));
            header.set_header_length_and_flags(header.header_length(), flag::RST | flag::ACK);
        });
        let mut network = Network::new(2, parameters(), &[(0, 0, 1, 40 * SEGMENT)], |_| Fate::Pass);
        network.inject(Instant::ZERO + DELAY.times(3), 0, packet);
        network.run();
        assert_eq!(network.when(0, 0, FlowEvent::Abandoned).len(), usize::from(is_over), "{off}");
        assert_eq!(network.when(0, 0, FlowEvent::Completed).len(), usize::from(!is_over), "{off}");
    }
}

#[test]
fn a_silent_peer_is_given_up_after_r2() {
    let network = Network::one_message(40, parameters(), |seen| {
        if seen.from == 1 && seen.at > Instant::ZERO + microseconds(250) { Fate::Drop } else { Fate::Pass }
    });
    let abandoned = network.when(0, 0, FlowEvent::Abandoned);
    assert_eq!((abandoned.len(), network.when(0, 0, FlowEvent::Completed).len()), (1, 0));
    // A timeout of 1 ms that doubles until there were 15 (R2 of RFC 9293, section 3.8.3).
    let silent = abandoned[0].since(Instant::ZERO);
    assert!(silent > microseconds(65_000_000) && silent < microseconds(66_000_000), "{silent:?}");
    assert_eq!(network.counter(0, "connections_dead"), 1);
    let last = network.filter(|seen| seen.from == 0).last().copied().cloned().unwrap();
    assert!(last.has(flag::RST));
}

#[test]
fn messages_in_both_directions_are_kept_apart() {
    let sends: Vec<_> =
        (0..200).map(|index| (index * 3, (index % 2) as usize, 1 - (index % 2) as usize, 5000)).collect();
    let mut network = Network::new(2, parameters(), &sends, |_| Fate::Pass);
    network.run();
    for host in 0..2 {
        assert_eq!(network.counter(host, "messages_completed"), 100);
        assert_eq!(network.counter(host, "messages_delivered"), 100);
        for message in 0..100 {
            assert_eq!(network.when(host, message, FlowEvent::Delivered).len(), 1);
        }
    }
    assert!(network.filter(Seen::is_data).len() == 800);
}
