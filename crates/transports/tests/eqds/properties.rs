//! Whatever the network does to packets, each message is delivered exactly once, in a bounded time.

use basis::{Duration, Instant, Random};
use measure::FlowEvent;
use node::Station;
use proptest::prelude::*;
use transports::eqds::{Parameters, PathChoice};

use crate::network::{Fate, Seen, packets};
use crate::{hosts, parameters};

/// How often the network does what, in percent.
#[derive(Clone, Copy, Debug)]
struct Harm {
    lost: u64,
    trimmed: u64,
    returned: u64,
    late: u64,
    twice: u64,
    seed: u64,
}

fn harm() -> impl Strategy<Value = Harm> {
    (0..=50u64, 0..=50u64, 0..=30u64, 0..=50u64, 0..=50u64, any::<u64>())
        .prop_map(|(lost, trimmed, returned, late, twice, seed)| Harm { lost, trimmed, returned, late, twice, seed })
}

fn rule(harm: Harm) -> impl FnMut(&Seen) -> Fate {
    let mut random = Random::new(harm.seed);
    move |seen| {
        let mut is = |percent: u64| random.below(100) < percent;
        let (lost, late, twice) = (is(harm.lost), is(harm.late), is(harm.twice));
        let (trimmed, returned) = (is(harm.trimmed), is(harm.returned));
        // Up to ten round trips late, and sometimes later than a timeout.
        let more = if random.below(20) == 0 { 3_000_000 } else { 100_000 };
        let more = Duration::from_nanoseconds(random.below(more));
        match () {
            () if lost => Fate::Drop,
            () if seen.is_data() && returned => Fate::Return,
            () if seen.is_data() && trimmed => Fate::Trim,
            () if twice => Fate::Twice(more),
            () if late => Fate::Late(more),
            () => Fate::Pass,
        }
    }
}

/// The time in which a message of so many packets is delivered and both sides know it, but for less than one run in a
/// thousand million.
///
/// After each longest timeout an RTS is sent, if nothing else was heard. For one packet more to be acknowledged it is
/// enough that it, the CREDIT that answers it, a data packet and the ACK of that arrive, one after the other; that is p
/// at least, and the timeouts that this takes, tried one after the other, end like (1 - p)^n.
fn bound(harm: Harm, packets: u64, parameters: &Parameters) -> Instant {
    let whole = |percent: u64| 1.0 - percent as f64 / 100.0;
    let arrives = whole(harm.lost);
    let chance = arrives * arrives * arrives * arrives * whole(harm.trimmed) * whole(harm.returned);
    let timeouts = (2.0 * packets as f64 + 21.0) / chance;
    Instant::ZERO + parameters.longest_timeout.times(timeouts as u64)
}

fn check(harm: Harm, sizes: &[u64], parameters: Parameters) -> Vec<(Instant, Vec<u8>)> {
    // Hosts 0 and 1 take turns, and send to host 2 and to each other.
    let send = |(index, &bytes): (usize, &u64)| {
        let from = index % 2;
        let to = if index % 3 == 1 { 1 - from } else { 2 };
        (index as u64 * 20, from, to, bytes)
    };
    let sends: Vec<_> = sizes.iter().enumerate().map(send).collect();
    // Silence can last.
    let parameters = Parameters { attempts: u8::MAX, ..parameters };
    let mut network = hosts(3, parameters, &sends, rule(harm));
    network.run(Instant::MAX);
    let mut numbers = [0; 3];
    for (index, &bytes) in sizes.iter().enumerate() {
        let source = index % 2;
        let message = numbers[source];
        numbers[source] += 1;
        let delivered = network.when(source, message, FlowEvent::Delivered);
        let completed = network.when(source, message, FlowEvent::Completed);
        assert_eq!((delivered.len(), completed.len()), (1, 1), "message {message} of host {source}");
        assert!(delivered[0] <= completed[0]);
        let limit = bound(harm, bytes.div_ceil(packets(1)), &parameters);
        assert!(completed[0] <= limit, "{} and not {limit}", completed[0]);
    }
    let bytes: u64 = (0..3).map(|host| network.counter(host, "bytes_delivered")).sum();
    assert_eq!(bytes, sizes.iter().sum::<u64>());
    for host in &network.hosts {
        assert!(host.waiting(network.now).is_empty());
    }
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
        // 16 bits of demand hold a fourth of a window.
        let quantum = quantum.max(window * 1500 / 16_000 + 1);
        let parameters = Parameters { first_window, window, credit_bytes, quantum, paths, path_choice, ..parameters() };
        check(harm, &sizes, parameters);
    }

    #[test]
    fn the_same_seed_gives_the_same_bytes(harm in harm(), sizes in proptest::collection::vec(1..30_000u64, 1..4)) {
        let parameters = Parameters { paths: 8, ..parameters() };
        prop_assert_eq!(check(harm, &sizes, parameters), check(harm, &sizes, parameters));
    }
}
