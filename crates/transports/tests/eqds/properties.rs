//! Whatever the network does to packets, each message is delivered exactly once and in bounded time.

use basis::Instant;
use proptest::prelude::*;
use transports::eqds::{EqdsParameters, PathChoice};

use crate::network::harm::{Harm, harm, rule};
use crate::network::packets;
use crate::network::scripted::turns::turn;
use crate::{hosts, parameters};

/// The time within which a message is delivered and both sides know it, except in less than one run in a billion.
///
/// After each longest timeout an RTS is sent, unless something else was received. One more packet is acknowledged if
/// that RTS, the CREDIT that answers it, a data packet and its ACK arrive one after the other, which has a probability
/// of at least p; the number of timeouts that this takes has a tail that decays like (1 - p)^n.
fn bound(harm: Harm, packets: u64, parameters: &EqdsParameters) -> Instant {
    let whole = |percent: u64| 1.0 - percent as f64 / 100.0;
    let [trimmed, returned] = harm.changed;
    let arrives = whole(harm.lost);
    let chance = arrives * arrives * arrives * arrives * whole(trimmed) * whole(returned);
    let timeouts = (2.0 * packets as f64 + 21.0) / chance;
    Instant::ZERO + parameters.longest_timeout.times(timeouts as u64)
}

fn check(harm: Harm, sizes: &[u64], parameters: EqdsParameters) -> Vec<(Instant, Vec<u8>)> {
    let send = |(index, &bytes): (usize, &u64)| {
        let (at, from, to) = turn(index);
        (at, from, to, bytes)
    };
    let sends: Vec<_> = sizes.iter().enumerate().map(send).collect();
    // Long silences are possible, so hosts must not give up early.
    let parameters = EqdsParameters { attempts: u8::MAX, ..parameters };
    let mut network = hosts(3, parameters, &sends, rule(harm));
    network.run();
    network.assert_turns_delivered(sizes, |bytes| bound(harm, bytes.div_ceil(packets(1)), &parameters));
    network.seen.iter().map(|seen| (seen.at, seen.packet.head.bytes().to_vec())).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn every_message_is_delivered_exactly_once_in_bounded_time(
        harm in harm(),
        sizes in proptest::collection::vec(1..60_000u64, 1..6),
        first_window in 0..40u32,
        window in 1..40u32,
        credit_bytes in 1..20_000u32,
        quantum in 1..3000u32,
        paths in 1..10u16,
        choice in 0..3,
    ) {
        let path_choice = [PathChoice::Permutation, PathChoice::Random, PathChoice::OnePerMessage][choice as usize];
        // The window must not exceed a quarter of the range of the 16 bits of demand.
        let quantum = quantum.max(window * 1500 / 16_000 + 1);
        let parameters = EqdsParameters { first_window, window, credit_bytes, quantum, paths, path_choice, ..parameters() };
        check(harm, &sizes, parameters);
    }

    #[test]
    fn the_same_seed_gives_the_same_bytes(harm in harm(), sizes in proptest::collection::vec(1..30_000u64, 1..4)) {
        let parameters = EqdsParameters { paths: 8, ..parameters() };
        prop_assert_eq!(check(harm, &sizes, parameters), check(harm, &sizes, parameters));
    }
}
