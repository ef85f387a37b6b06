//! Whatever the network does to packets, each message is delivered exactly once and in bounded time.

use basis::Instant;
use proptest::prelude::*;
use transports::FlowEvent;
use transports::tcp::{Algorithm, TcpParameters};

use crate::network::harm::{Harm, Lateness, harm, marking};
use crate::network::turns::turn;
use crate::network::{Fate, Network, Seen, microseconds, parameters};

fn any_harm() -> impl Strategy<Value = Harm<1>> {
    harm([0..=50u64])
}

fn rule(harm: Harm<1>) -> impl FnMut(&Seen) -> Fate {
    // Late packets are up to ten round trips late, and sometimes later than a timeout and TIME-WAIT.
    marking(harm, Lateness { step: microseconds(1), usually: 1000, seldom: 4000 })
}

/// The time within which a message is delivered and both sides know it, except in less than one run in a billion.
///
/// After each longest timeout a connection has retransmitted its first missing segment; it and its acknowledgement
/// arrive with a probability of at least p, which is a quarter at 50 % loss. So a message takes at most (segments + 2)
/// / p timeouts on average, including SYN and FIN, and the tail decays like (1 - p)^n.
fn bound(harm: Harm<1>, segments: u64, parameters: &TcpParameters) -> Instant {
    let arrives = 1.0 - harm.lost as f64 / 100.0;
    let timeouts = (2.0 * (segments + 2) as f64 + 21.0) / (arrives * arrives);
    Instant::ZERO + parameters.longest_timeout.times(timeouts as u64)
}

fn check(harm: Harm<1>, sizes: &[u64], parameters: TcpParameters) -> Vec<(Instant, Vec<u8>)> {
    let send = |(index, &bytes): (usize, &u64)| {
        let (at, from, to) = turn(index);
        (at, from, to, bytes)
    };
    let sends: Vec<_> = sizes.iter().enumerate().map(send).collect();
    // Long silences are possible, so hosts must not give up early.
    let parameters = TcpParameters {
        first_timeout: microseconds(2000),
        longest_timeout: microseconds(16_000),
        attempts: u8::MAX,
        opening_attempts: u8::MAX,
        time_wait: microseconds(1000),
        ..parameters
    };
    let mut network = Network::new(3, parameters, &sends, rule(harm));
    network.run();
    network.assert_turns_delivered(sizes, |bytes| bound(harm, bytes.div_ceil(1400), &parameters));
    assert_eq!(network.discarded, []);
    network.seen.iter().map(|seen| (seen.at, seen.packet.head.bytes().to_vec())).collect()
}

fn any_parameters() -> impl Strategy<Value = TcpParameters> {
    const ALGORITHMS: [Algorithm; 3] = [Algorithm::NEW_RENO, Algorithm::CUBIC, Algorithm::DCTCP];
    (prop::sample::select(&ALGORITHMS[..]), any::<[bool; 4]>(), 1..12u32, 1..4u8).prop_map(
        |(algorithm, [sack, timestamps, ecn, pacing], initial_window, segments_per_ack)| TcpParameters {
            algorithm,
            sack,
            timestamps,
            ecn,
            pacing,
            initial_window,
            segments_per_ack,
            ..parameters()
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn every_message_is_delivered_exactly_once_in_bounded_time(
        harm in any_harm(),
        sizes in proptest::collection::vec(1..60_000u64, 1..6),
        parameters in any_parameters(),
    ) {
        check(harm, &sizes, parameters);
    }

    #[test]
    fn every_message_is_either_completed_or_abandoned(
        harm in any_harm(),
        sizes in proptest::collection::vec(1..60_000u64, 1..6),
        attempts in 0..5u8,
        parameters in any_parameters(),
    ) {
        let sends: Vec<_> = sizes.iter().map(|&bytes| (0, 0, 1, bytes)).collect();
        let impatient = TcpParameters { attempts, opening_attempts: attempts, ..parameters };
        let mut network = Network::new(2, impatient, &sends, rule(harm));
        // The run ends with no message waiting.
        network.run();
        let mut completed = 0;
        for message in 0..sizes.len() as u32 {
            let times = |happened| network.when(0, message, happened).len();
            let told = [FlowEvent::Delivered, FlowEvent::Completed, FlowEvent::Abandoned].map(times);
            // An abandoned message may have arrived without its sender knowing.
            prop_assert!(matches!(told, [1, 1, 0] | [0 | 1, 0, 1]), "{:?}", told);
            completed += told[1] as u64;
        }
        prop_assert_eq!(network.counter(0, "messages_completed"), completed);
        prop_assert_eq!(network.counter(0, "messages_abandoned"), sizes.len() as u64 - completed);
    }

    #[test]
    fn the_same_seed_gives_the_same_bytes(
        harm in any_harm(),
        sizes in proptest::collection::vec(1..30_000u64, 1..4),
        parameters in any_parameters(),
    ) {
        prop_assert_eq!(check(harm, &sizes, parameters), check(harm, &sizes, parameters));
    }
}
