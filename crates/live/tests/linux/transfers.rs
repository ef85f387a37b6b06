//! Random bytes in both directions, with and without faults: what arrives is what was sent.

use std::ops::ControlFlow;

use basis::{Duration, Random};
use transports::tcp::{Algorithm, TcpParameters};

use crate::faults::Faults;
use crate::host::{Exchange, LINUX, Live};
use crate::linux;
use crate::namespace::{set, within};

/// The side that opens the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opener {
    Linux,
    Ours,
}

const BYTES: usize = 3 << 20;

pub fn random_bytes(seed: u64, count: usize) -> Vec<u8> {
    let mut random = Random::new(seed);
    let mut bytes: Vec<u8> = (0..count.div_ceil(8)).flat_map(|_| random.bits().to_le_bytes()).collect();
    bytes.truncate(count);
    bytes
}

/// Transfers `counts` bytes to the kernel and from it, and returns the host with all its counters.
///
/// Each transfer of a test has its own seed and therefore its own port, because the kernel remembers closed
/// connections.
pub fn transfer(parameters: TcpParameters, faults: Faults, opener: Opener, counts: (usize, usize), seed: u64) -> Live {
    let port = 1000 + seed as u16;
    let (to_linux, from_linux) = (random_bytes(seed, counts.0), random_bytes(seed + 1, counts.1));
    let mut live = Live::new(parameters, faults, faults, seed);
    let started = std::time::Instant::now();
    let (mut exchange, mut thread) = (None, None);
    let received = live.run(|tcp, now| {
        if thread.is_none() {
            match opener {
                Opener::Linux => {
                    tcp.listen(port);
                    thread = Some(linux::connect(port, from_linux.clone()));
                }
                Opener::Ours => {
                    thread = Some(linux::serve(port, from_linux.clone()));
                    let socket = tcp.open(now, LINUX.to_bits(), port).expect("ports are free");
                    exchange = Some(Exchange::new(socket, &to_linux));
                }
            }
        }
        if exchange.is_none() {
            exchange = tcp.accept().map(|(socket, _)| Exchange::new(socket, &to_linux));
        }
        let Some(exchange) = &mut exchange else { return ControlFlow::Continue(()) };
        let status = exchange.turn(tcp, now);
        assert!(!status.is_broken, "the connection broke");
        if !(status.has_ended && status.is_closed) {
            return ControlFlow::Continue(());
        }
        ControlFlow::Break(std::mem::take(&mut exchange.received))
    });
    let seen = thread.expect("the thread was started in the first turn").join().expect("the thread has not panicked");
    assert!(received == from_linux, "what came from the kernel differs from what it sent");
    assert!(seen == to_linux, "what the kernel received differs from what was sent");
    let (came, went) = live.done();
    eprintln!(
        "{opener:?} opens, {:?}, {counts:?} bytes in {:?}; faults of what came {came:?}, of what went {went:?}",
        parameters.algorithm,
        started.elapsed()
    );
    live
}

fn of(algorithm: Algorithm) -> TcpParameters {
    // In real time the kernel may be late by more than the detours of a data centre.
    TcpParameters { algorithm, time_wait: Duration::from_microseconds(1_000_000), ..TcpParameters::default() }
}

/// The faults of a bad network, in both directions.
const UNKIND: Faults = Faults { loss: 0.01, late: 0.02, twice: 0.005, mark: 0.0, damage: 0.002 };

#[test]
fn transfers_both_ways_whoever_opens() {
    within("transfers::transfers_both_ways_whoever_opens", || {
        for (seed, opener) in [(1, Opener::Linux), (2, Opener::Ours)] {
            for (more, counts) in [(BYTES, BYTES), (BYTES, 0), (0, BYTES), (1, 1), (0, 0)].into_iter().enumerate() {
                let live = transfer(of(Algorithm::CUBIC), Faults::default(), opener, counts, seed + 10 * more as u64);
                assert_eq!(live.discarded(), 0);
            }
        }
    });
}

#[test]
fn every_algorithm_repairs_all_faults() {
    within("transfers::every_algorithm_repairs_all_faults", || {
        for (seed, algorithm) in (1..).zip([Algorithm::NEW_RENO, Algorithm::CUBIC, Algorithm::DCTCP]) {
            for (opener, seed) in [(Opener::Linux, seed), (Opener::Ours, seed + 10)] {
                let live = transfer(of(algorithm), UNKIND, opener, (BYTES, BYTES), seed);
                assert!(live.counter("fast_retransmits") > 0 && live.counter("out_of_order_received") > 0);
                // Whichever bit of a packet is wrong, a checksum detects it.
                let (came, _) = live.done();
                assert_eq!(live.discarded(), came.damaged);
            }
        }
    });
}

#[test]
fn transfers_with_pacing() {
    within("transfers::transfers_with_pacing", || {
        for (seed, faults) in [(1, Faults::default()), (2, UNKIND)] {
            let parameters = TcpParameters { pacing: true, ..of(Algorithm::CUBIC) };
            transfer(parameters, faults, Opener::Ours, (BYTES, BYTES), seed);
        }
    });
}

/// Each option may be missing at either side; then neither side uses it.
#[test]
fn options_unknown_to_one_side_are_not_used() {
    within("transfers::options_unknown_to_one_side_are_not_used", || {
        let ours = of(Algorithm::NEW_RENO);
        let without = [
            TcpParameters { sack: false, ..ours },
            TcpParameters { timestamps: false, ..ours },
            // No window scale is requested if 16 bits are enough.
            TcpParameters { receive_buffer: 60_000, ..ours },
            // Segments differ in length from the kernel's.
            TcpParameters { packet_bytes: 800, ..ours },
        ];
        for (seed, parameters) in (1..).zip(without) {
            transfer(parameters, UNKIND, Opener::Linux, (BYTES / 4, BYTES / 4), seed);
            transfer(parameters, UNKIND, Opener::Ours, (BYTES / 4, BYTES / 4), seed + 10);
        }
        for (seed, option) in (5..).zip(["tcp_sack", "tcp_timestamps", "tcp_window_scaling"]) {
            assert!(set(&format!("ipv4/{option}"), "0"), "the kernel has no option {option}");
            transfer(ours, UNKIND, Opener::Linux, (BYTES / 4, BYTES / 4), seed);
            transfer(ours, UNKIND, Opener::Ours, (BYTES / 4, BYTES / 4), seed + 10);
        }
        // The last two transfers used none of the options.
    });
}

/// RFC 3168 at both ends; DCTCP falls back to what the kernel echoes.
#[test]
fn congestion_marks_work_both_ways() {
    within("transfers::congestion_marks_work_both_ways", || {
        assert!(set("ipv4/tcp_ecn", "1"), "the kernel can be told to request ECN");
        let marking = Faults { mark: 0.01, ..Faults::default() };
        for (seed, algorithm) in (1..).zip([Algorithm::NEW_RENO, Algorithm::CUBIC, Algorithm::DCTCP]) {
            let parameters = TcpParameters { ecn: true, ..of(algorithm) };
            for (opener, seed) in [(Opener::Linux, seed), (Opener::Ours, seed + 10)] {
                let live = transfer(parameters, marking, opener, (BYTES, BYTES), seed);
                let (came, went) = live.done();
                if (algorithm, opener) == (Algorithm::DCTCP, Opener::Ours) {
                    // A kernel without DCTCP does not negotiate ECN with a peer that marks a SYN as DCTCP does. Then
                    // no other packet may be marked, because no peer would echo it.
                    assert!(came.marked == 0 && went.marked <= 1, "{came:?} {went:?}");
                    assert_eq!(live.counter("ecn_echoes"), 0);
                    continue;
                }
                assert!(came.marked > 0 && went.marked > 0, "both sides have negotiated ECN");
                // The kernel has echoed the marks on our packets, and the marks on its packets have arrived.
                assert!(live.counter("ecn_reductions") > 0 && live.counter("ecn_echoes") > 0);
                assert_eq!(live.counter("ecn_marks"), came.marked);
            }
        }
    });
}
