//! The host itself: the packets that it accepts and refuses, its events, and pauses.

mod network;

use basis::{Duration, Instant};
use measure::Interest;
use network::{DELAY, Fate, Network, Seen, address, packets, parameters};
use node::{Account, Node, Outbox, Port, Reason, Station};
use transports::FlowEvent;
use transports::reasons;
use wire::{Ipv4, Packet, PriorityPause};

/// Gives a changed packet to an idle host, and returns what becomes of it.
fn given(change: impl FnOnce(&mut Packet)) -> (Account, Vec<Reason>) {
    let mut network = Network::one_message(1, parameters(), |_| Fate::Pass);
    let mut packet = network.seen[0].packet.clone();
    change(&mut packet);
    let before = network.hosts[1].account();
    let mut out = Outbox::new(Interest::default());
    network.hosts[1].receive(network.now, Port(0), &mut vec![packet], &mut out);
    let after = network.hosts[1].account();
    let account = Account { generated: 0, consumed: after.consumed - before.consumed, ..after };
    (account, out.discarded.iter().map(|discarded| discarded.reason).collect())
}

#[test]
fn packets_for_other_hosts_are_unexpected() {
    let (account, reasons) = given(|packet| {
        let mut ipv4 = Ipv4::new(&mut packet.head.bytes_mut()[14..]).unwrap();
        ipv4.set_destination_bits(address(7));
        ipv4.fill_checksum();
    });
    assert_eq!((account.consumed, reasons), (0, vec![reasons::UNEXPECTED]));
}

#[test]
fn a_wrong_checksum_is_malformed_unless_the_packet_was_trimmed() {
    let spoil = |packet: &mut Packet| packet.head.bytes_mut()[24] ^= 1;
    assert_eq!(given(spoil).1, [Reason::MALFORMED]);
    let (account, reasons) = given(|packet| {
        spoil(packet);
        packet.tail = wire::Tail::Length(0);
    });
    assert_eq!((account.consumed, reasons), (1, vec![]));
}

#[test]
fn foreign_or_truncated_packets_are_refused() {
    assert_eq!(given(|packet| packet.head.bytes_mut()[36] = 0).1, [reasons::UNEXPECTED]); // another port
    assert_eq!(given(|packet| packet.head.bytes_mut()[42] = 9).1, [Reason::MALFORMED]); // no such kind
    assert_eq!(given(|packet| packet.head.bytes_mut()[12] = 0x86).1, [Reason::MALFORMED]); // not IPv4
    let cut = |packet: &mut Packet| *packet = Packet::of_bytes(&packet.head.bytes()[..60]);
    assert_eq!(given(cut).1, [Reason::MALFORMED]);
    let whole = given(|_| ());
    assert_eq!((whole.0.consumed, whole.1), (1, vec![]));
}

#[test]
fn packets_are_conserved() {
    let mut network = Network::new(3, parameters(), &[((0, 0, 1, packets(50)), 0), ((3, 1, 2, 70), 0)], |_| Fate::Pass);
    network.run();
    let accounts: Vec<_> = network.hosts.iter().map(Station::account).collect();
    assert_eq!(accounts.iter().map(|account| account.generated).sum::<u64>(), network.seen.len() as u64);
    assert_eq!(accounts.iter().map(|account| account.consumed).sum::<u64>(), network.seen.len() as u64);
    assert!(accounts.iter().all(|account| account.held == 0));
}

#[test]
fn events_of_a_message_are_reported_once_and_in_order() {
    let mut network = Network::new(2, parameters(), &[((2, 0, 1, 3000), 0)], |_| Fate::Pass);
    network.run();
    let happened: Vec<_> = network.reports.iter().map(|told| told.happened).collect();
    let started = FlowEvent::Started { destination: address(1), bytes: 3000 };
    assert_eq!(happened, [started, FlowEvent::Delivered, FlowEvent::Completed]);
    assert_eq!(network.reports[0].at, Instant::from_microseconds(2));
}

#[test]
fn a_host_says_what_it_waits_for() {
    let rule = |seen: &Seen| if seen.is_data() && seen.sequence >= 3 { Fate::Drop } else { Fate::Pass };
    let mut network = Network::new(2, parameters(), &[((0, 0, 1, packets(20)), 0)], rule);
    network.run_to(Instant::from_microseconds(15));
    let waiting = network.hosts[0].waiting(network.now);
    assert_eq!(waiting.len(), 1);
    assert_eq!(waiting[0].what, "message 0 of 28720 bytes to 10.0.0.1");
    let why = "waits for PULLs: 3 of 20 packets acknowledged, 8 in flight, 0 to be retransmitted, \
               next timeout at 30.752640 us";
    assert_eq!(waiting[0].why, why);
    assert!(network.hosts[1].waiting(network.now).is_empty());
}

#[test]
fn a_paused_host_waits_for_the_end_of_the_pause() {
    // 1000 quanta are 5.12 us at 100 Gb/s.
    let pause = Duration::from_nanoseconds(5120);
    let frame = |quanta| {
        let mut all = [None; 8];
        all[0] = Some(quanta);
        PriorityPause::frame([2, 0, 0, 0, 0, 9], all)
    };
    for (ends_early, resumes) in [(false, pause), (true, Duration::from_nanoseconds(2000))] {
        let mut network = Network::new(2, parameters(), &[((0, 0, 1, packets(8)), 0)], |_| Fate::Pass);
        network.inject(Instant::ZERO, 0, frame(1000));
        if ends_early {
            network.inject(Instant::ZERO + resumes, 0, frame(0));
        }
        network.run();
        let data: Vec<_> = network.seen.iter().filter(|seen| seen.is_data()).collect();
        // The first packet leaves before the pause frame arrives.
        assert_eq!(data[0].at, Instant::ZERO);
        assert_eq!(data[1].at, Instant::ZERO + resumes);
        assert_eq!(network.when(0, 0, FlowEvent::Completed).len(), 1);
    }
    // Pauses of other priorities are ignored.
    let mut other = [Some(0xFFFF); 8];
    other[0] = None;
    let mut network = Network::new(2, parameters(), &[((0, 0, 1, packets(8)), 0)], |_| Fate::Pass);
    network.inject(Instant::ZERO, 0, PriorityPause::frame([0; 6], other));
    network.run();
    assert!(network.when(0, 0, FlowEvent::Completed)[0] < Instant::ZERO + DELAY.times(4));
}
