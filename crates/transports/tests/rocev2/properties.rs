//! Whatever the network does to packets, each message is delivered at most once, and in bounded time its sender either
//! learns of the delivery or gives the message up.

use basis::Instant;
use proptest::prelude::*;
use transports::FlowEvent;
use transports::rocev2::{Dcqcn, Recovery, RoceV2Parameters};

use crate::network::harm::{Harm, Lateness, harm, marking};
use crate::network::turns::turn;
use crate::network::{Fate, Network, Seen, Sends, microseconds, parameters};

fn any_harm() -> impl Strategy<Value = Harm<1>> {
    harm([0..=50u64])
}

fn rule(harm: Harm<1>) -> impl FnMut(&Seen) -> Fate {
    // Late packets are up to ten round trips late, and sometimes later than a timeout.
    marking(harm, Lateness { step: microseconds(1), usually: 100, seldom: 5000 })
}

fn any_parameters() -> impl Strategy<Value = RoceV2Parameters> {
    let recovery = prop::sample::select(vec![Recovery::GoBackN, Recovery::SelectiveRepeat]);
    (recovery, any::<bool>(), 1..40u32, 1..20u8, 1..6u32).prop_map(
        |(recovery, has_dcqcn, window, packets_per_ack, packets_per_write)| RoceV2Parameters {
            window,
            packets_per_ack,
            payload: 256,
            longest_write: 256 * packets_per_write,
            timeout: microseconds(300),
            short_timeout: microseconds(300),
            dcqcn: has_dcqcn.then(Dcqcn::default),
            ..parameters(recovery)
        },
    )
}

fn sends(sizes: &[u64]) -> Vec<Sends> {
    let send = |(index, &bytes): (usize, &u64)| {
        let (at, from, to) = turn(index);
        (at, from, to, bytes, (index % 4 / 2) as u16)
    };
    sizes.iter().enumerate().map(send).collect()
}

/// The time within which a message is delivered and its sender knows it, except in less than one run in a billion, if
/// no queue pair fails.
///
/// After each timeout the first missing packet is retransmitted; it and its acknowledgement arrive with a probability
/// of at least p, which is a quarter at 50 % loss. Both must be in time, too: half of them are not later than a third
/// of the timeout. So a message takes (packets + 2) / p timeouts on average, and the tail decays like (1 - p)^n. Pacing
/// adds to each timeout: at the minimum rate of 100 Mb/s, a window takes up to 300 us.
fn bound(harm: Harm<1>, packets: u64, parameters: &RoceV2Parameters) -> Instant {
    let arrives = 1.0 - harm.lost as f64 / 100.0;
    let timeouts = (2.0 * (packets + 2) as f64 + 21.0) / (arrives * arrives * 0.5);
    let pacing = microseconds(30).times(u64::from(parameters.window) + packets);
    Instant::ZERO + (parameters.timeout + pacing).times(timeouts as u64)
}

type Trace = Vec<(Instant, Vec<u8>)>;

/// Checks that each message is delivered once and in time if no queue pair fails.
fn check(harm: Harm<1>, sizes: &[u64], parameters: RoceV2Parameters) -> Trace {
    // Long silences are possible: 255 failures with a probability of 7/8 each happen once in 10^14 cases.
    let patient = RoceV2Parameters { retries: u8::MAX, ..parameters };
    let mut network = Network::new(3, patient, &sends(sizes), rule(harm));
    network.run();
    let packets: u64 = sizes.iter().map(|bytes| bytes.div_ceil(256)).sum();
    network.assert_turns_delivered(sizes, |_| bound(harm, packets, &patient));
    assert_eq!(network.discarded, []);
    network.seen.iter().map(|seen| (seen.at, seen.packet.head.bytes().to_vec())).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(80))]

    #[test]
    fn every_message_is_delivered_exactly_once_in_bounded_time(
        harm in any_harm(),
        sizes in proptest::collection::vec(1..12_000u64, 1..7),
        parameters in any_parameters(),
    ) {
        check(harm, &sizes, parameters);
    }

    #[test]
    fn every_message_is_either_completed_or_abandoned(
        harm in any_harm(),
        sizes in proptest::collection::vec(1..12_000u64, 1..7),
        retries in 0..4u8,
        parameters in any_parameters(),
    ) {
        let impatient = RoceV2Parameters { retries, ..parameters };
        let mut network = Network::new(3, impatient, &sends(&sizes), rule(harm));
        // The run ends with no message waiting.
        network.run();
        let mut completed = [0, 0];
        let mut numbers = [0, 0];
        for index in 0..sizes.len() {
            let source = index % 2;
            let times = |happened| network.when(source, numbers[source], happened).len();
            let told = [FlowEvent::Delivered, FlowEvent::Completed, FlowEvent::Abandoned].map(times);
            // An abandoned message may have arrived without its sender knowing.
            prop_assert!(matches!(told, [1, 1, 0] | [0 | 1, 0, 1]), "{:?}", told);
            completed[source] += told[1] as u64;
            numbers[source] += 1;
        }
        for source in [0, 1] {
            prop_assert_eq!(network.counter(source, "messages_completed"), completed[source]);
            let abandoned = u64::from(numbers[source]) - completed[source];
            prop_assert_eq!(network.counter(source, "messages_abandoned"), abandoned);
        }
    }

    #[test]
    fn the_same_network_gives_the_same_bytes(
        harm in any_harm(),
        sizes in proptest::collection::vec(1..6000u64, 1..4),
        parameters in any_parameters(),
    ) {
        prop_assert_eq!(check(harm, &sizes, parameters), check(harm, &sizes, parameters));
    }
}
