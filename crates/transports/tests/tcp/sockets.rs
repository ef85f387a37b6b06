//! Connections that carry bytes (the user commands of RFC 9293), through a network that loses and delays packets.

use basis::{Duration, Random};
use proptest::prelude::*;
use transports::tcp::{Algorithm, SEND_BUFFER, TcpParameters};

use crate::network::{microseconds, parameters};
use crate::pair::Pair;

/// The time for which the side that closes first must be able to answer: the peer cannot know that its FIN has arrived
/// if the last acknowledgement is lost. It is many of the longest timeouts, so that almost no run of losses exceeds it.
const TIME_WAIT: Duration = LONGEST_TIMEOUT.times(60);
const LONGEST_TIMEOUT: Duration = microseconds(1_000_000);

fn bytes(random: &mut Random, count: usize) -> Vec<u8> {
    (0..count).map(|_| random.bits() as u8).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn both_sides_receive_the_bytes_of_the_other(
        seed in any::<u64>(),
        counts in [0..200_000usize, 0..200_000usize],
        loss in 0.0..0.2f64,
        sack in any::<bool>(),
        buffers in [2000..300_000u32, 2000..300_000u32],
        greed in 1..1_000_000u64,
    ) {
        let of = |host: usize| TcpParameters {
            sack,
            receive_buffer: buffers[host],
            time_wait: TIME_WAIT,
            longest_timeout: LONGEST_TIMEOUT,
            ..parameters()
        };
        let mut pair = Pair::new([of(0), of(1)], loss, seed);
        let mut random = Random::for_part(seed, 1);
        let sent = counts.map(|count| bytes(&mut random, count));
        let sockets = [pair.open(), pair.accepted()];
        let mut rest = [&sent[0][..], &sent[1][..]];
        let mut received = [Vec::new(), Vec::new()];
        let mut steps = 0;
        loop {
            let now = pair.now;
            for (side, host) in pair.hosts.iter_mut().enumerate() {
                // Bytes are sent in pieces of any size, and read only now and then.
                let piece = rest[side].len().min(1 + random.below(greed) as usize);
                rest[side] = &rest[side][host.send(now, sockets[side], &rest[side][..piece])..];
                if rest[side].is_empty() {
                    host.close(now, sockets[side]);
                }
                if random.chance(0.3) {
                    host.receive_bytes(now, sockets[side], &mut received[side]);
                }
                prop_assert!(host.status(sockets[side]).unread <= buffers[side] as usize);
            }
            if !pair.step() && rest.iter().all(|rest| rest.is_empty()) {
                break;
            }
            steps += 1;
            prop_assert!(steps < 2_000_000, "no end");
        }
        for side in 0..2 {
            pair.hosts[side].receive_bytes(pair.now, sockets[side], &mut received[side]);
            let status = pair.hosts[side].status(sockets[side]);
            prop_assert!(status.is_over && status.has_ended && status.is_closed && !status.is_broken, "{:?}", status);
            prop_assert!(received[side] == sent[1 - side]);
            pair.hosts[side].release(pair.now, sockets[side]);
        }
        prop_assert!(pair.notices.iter().all(Vec::is_empty), "no message is sent here");
    }
}

#[test]
fn bytes_can_be_read_after_the_connection_has_ended() {
    let mut pair = Pair::new([parameters(); 2], 0.0, 1);
    let (ours, theirs) = (pair.open(), pair.accepted());
    pair.hosts[0].send(pair.now, ours, b"good bye");
    pair.hosts[0].release(pair.now, ours);
    pair.hosts[1].close(pair.now, theirs);
    while pair.step() {}
    assert!(pair.hosts[0].status(ours).is_over);
    let status = pair.hosts[1].status(theirs);
    assert!(status.is_over && !status.has_ended && status.unread == 8);
    let mut received = Vec::new();
    assert_eq!(pair.hosts[1].receive_bytes(pair.now, theirs, &mut received), 8);
    assert_eq!(received, b"good bye");
    assert!(pair.hosts[1].status(theirs).has_ended);
    pair.hosts[1].release(pair.now, theirs);
    assert_eq!(pair.hosts[1].receive_bytes(pair.now, theirs, &mut received), 0);
}

#[test]
fn one_direction_can_be_closed_before_the_other() {
    let mut pair = Pair::new([parameters(); 2], 0.0, 1);
    let (ours, theirs) = (pair.open(), pair.accepted());
    pair.hosts[0].close(pair.now, ours);
    while pair.step() {}
    // This is longer than the wait for a FIN on a released connection.
    pair.now += microseconds(120_000_000);
    assert_eq!(pair.hosts[1].send(pair.now, theirs, b"late"), 4);
    pair.hosts[1].close(pair.now, theirs);
    while pair.step() {}
    let mut received = Vec::new();
    pair.hosts[0].receive_bytes(pair.now, ours, &mut received);
    assert_eq!(received, b"late");
}

#[test]
fn the_send_buffer_is_limited() {
    let mut pair = Pair::new([parameters(); 2], 0.0, 1);
    let ours = pair.open();
    assert_eq!(pair.hosts[0].send(pair.now, ours, &vec![7; SEND_BUFFER + 5]), SEND_BUFFER);
    assert_eq!(pair.hosts[0].send(pair.now, ours, &[7]), 0);
    pair.hosts[0].close(pair.now, ours);
    pair.accepted();
    while pair.hosts[0].status(ours).unacknowledged == SEND_BUFFER {
        assert!(pair.step());
    }
    assert_eq!(pair.hosts[0].send(pair.now, ours, &[7]), 0, "it is closed");
}

/// Regression test against a kernel without DCTCP: all packets were ECN-capable, although the SYN-ACK had not agreed to
/// it, so that marks would not have been reported.
#[test]
fn without_agreement_only_dctcps_syn_is_ecn_capable() {
    let dctcp = TcpParameters { algorithm: Algorithm::DCTCP, ..parameters() };
    let mut pair = Pair::new([dctcp, parameters()], 0.0, 1);
    let ours = pair.open();
    pair.hosts[0].send(pair.now, ours, &[7; 10_000]);
    pair.hosts[0].release(pair.now, ours);
    while pair.step() {}
    let (syn, others) = pair.fields.split_first().expect("something was sent");
    assert!(*syn == 2 && others.len() > 7 && others.iter().all(|&field| field == 0), "{:?}", pair.fields);
}
