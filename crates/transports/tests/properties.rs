//! Whatever the network does to packets, each message is delivered exactly once and in bounded time.

mod network;

use basis::Instant;
use network::harm::{Harm, harm, rule};
use network::scripted::turns::turn;
use network::{Network, packets, parameters};
use proptest::prelude::*;
use transports::ndp::{NdpParameters, PathChoice, PullOrder};

/// The time within which a message is delivered and both sides know it, except in less than one run in a billion.
///
/// A packet that is sent is acknowledged with a probability of at least p: it and its ACK arrive, and it is neither
/// trimmed nor returned; that is a quarter at 50 % loss alone. After each longest timeout every message has
/// retransmitted at least one packet, unless something else has caused that earlier; so it takes packets / p of them on
/// average at most, and the tail decays like (1 - p)^n.
fn bound(harm: Harm, packets: u64, parameters: &NdpParameters) -> Instant {
    let whole = |percent: u64| 1.0 - percent as f64 / 100.0;
    let [trimmed, returned] = harm.changed;
    let chance = whole(harm.lost) * whole(harm.lost) * whole(trimmed) * whole(returned);
    let timeouts = (2.0 * packets as f64 + 21.0) / chance;
    Instant::ZERO + parameters.longest_timeout.times(timeouts as u64)
}

fn check(harm: Harm, sizes: &[u64], parameters: NdpParameters) -> Vec<(Instant, Vec<u8>)> {
    let send = |(index, &bytes): (usize, &u64)| {
        let (at, from, to) = turn(index);
        ((at, from, to, bytes), index as u8)
    };
    let sends: Vec<_> = sizes.iter().enumerate().map(send).collect();
    // Long silences are possible: with 64 attempts one message in a hundred thousand would be abandoned.
    let parameters = NdpParameters { attempts: u8::MAX, ..parameters };
    let mut network = Network::new(3, parameters, &sends, rule(harm));
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
        first_window in 1..40u32,
        paths in 1..10u16,
        choice in 0..3,
        is_fair in any::<bool>(),
    ) {
        let path_choice = [PathChoice::Permutation, PathChoice::Random, PathChoice::OnePerMessage][choice as usize];
        let pull_order = if is_fair { PullOrder::Fair } else { PullOrder::Priority };
        check(harm, &sizes, NdpParameters { first_window, paths, path_choice, pull_order, ..parameters() });
    }

    #[test]
    fn the_same_seed_gives_the_same_bytes(harm in harm(), sizes in proptest::collection::vec(1..30_000u64, 1..4)) {
        let parameters = NdpParameters { paths: 8, ..parameters() };
        prop_assert_eq!(check(harm, &sizes, parameters), check(harm, &sizes, parameters));
    }
}
