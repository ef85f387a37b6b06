//! Workers and switches together, with faults.

use basis::{Duration, Instant};
use machines::Device;
use machines::aggregator::trio_ml::Defect;
use transports::Endpoint;
use transports::aggregation::Member;
use transports::aggregation::trio_ml::TrioMlParameters;
use wire::trio_ml::JobRecord;

use super::driven::{chip, job, plain};
use super::network::{Faults, Network, setup};

const PARAMETERS: TrioMlParameters =
    TrioMlParameters { gradients: 40, window: 4, timeout: Some(Duration::from_microseconds(300)) };

fn at(milliseconds: u64) -> Instant {
    Instant::ZERO + Duration::from_microseconds(1000 * milliseconds)
}

fn network(device: Box<dyn Device>, faults: Faults, seed: u64, record: &JobRecord) -> Network {
    let mut network = Network::new(device, faults, seed, PARAMETERS);
    network.switch.add_job(record);
    network
}

/// Three tensors of different lengths through one switch. Returns whether all workers have all sums over all workers.
fn sums(device: Box<dyn Device>, faults: Faults, seed: u64) -> bool {
    let mut network = network(device, faults, seed, &job(1, &[0, 1, 2]));
    for rank in 0..3 {
        for (number, length) in [(0, 900), (1, 1), (2, 410)] {
            network.begin(rank, number, length);
        }
    }
    let has_finished = network.run(3, at(400));
    has_finished
        && network.workers.iter().all(|node| {
            let values: usize = node.parts.values().map(|(_, length)| length).sum();
            node.parts.values().all(|(sources, _)| *sources == 3) && values == 900 + 1 + 410
        })
}

const WORST: Faults = Faults { loss: 5, copies: 10, late: 40 };

#[test]
fn sums_are_right_and_complete_whatever_the_network_does() {
    for faults in [Faults::default(), Faults { loss: 20, ..Faults::default() }, Faults { late: 30, ..WORST }, WORST] {
        for seed in 0..20 {
            assert!(sums(plain(None), faults, seed), "{faults:?}, seed {seed}");
        }
        assert!(sums(chip(&[]), faults, 1), "{faults:?} with the program");
    }
}

/// With a broken rule a sum is wrong or missing.
#[test]
fn broken_rules_break_sums() {
    for defect in [Defect::NoMask, Defect::NoAnswer, Defect::OneSourceFewer] {
        let is_caught = (0..20).any(|seed| {
            let outcome = std::panic::catch_unwind(|| sums(plain(Some(defect)), WORST, seed));
            !matches!(outcome, Ok(true))
        });
        assert!(is_caught, "{defect:?}");
    }
}

/// Section 5 and figure 14: a worker is away, and the others get sums over two workers within twice the timeout.
fn recovery(device: Box<dyn Device>) {
    let record = JobRecord { timeout: 10, window: 20, most_blocks: 20, ..job(1, &[0, 1, 2]) };
    let parameters = TrioMlParameters { window: 20, timeout: None, ..PARAMETERS };
    let mut network = Network::new(device, Faults::default(), 1, parameters);
    network.switch.add_job(&record);
    for rank in 0..2 {
        network.begin(rank, 0, 20 * 40);
    }
    network.workers[2].is_down = true;
    assert!(network.run(1, at(20)), "the others recover within twice the timeout of 10 ms");
    assert!(network.now >= at(10), "and not before it");
    for node in &network.workers[..2] {
        assert!(node.parts.len() == 20 && node.parts.values().all(|(sources, _)| *sources == 2));
    }
    // It comes back, and gets what the others got.
    network.workers[2].is_down = false;
    network.begin(2, 0, 20 * 40);
    assert!(network.run(1, at(40)));
    assert_eq!(network.workers[2].parts, network.workers[0].parts);
}

#[test]
fn others_recover_from_a_straggler_within_twice_the_timeout() {
    recovery(plain(None));
    recovery(chip(&[]));
}

/// A worker that is slow now and then is a temporary straggler; one that stays away is a permanent one; all are told.
#[test]
fn temporary_and_permanent_stragglers_are_told_apart() {
    let record = JobRecord { timeout: 10, ..job(1, &[0, 1, 2]) };
    let mut network = network(plain(None), Faults::default(), 1, &record);
    network.workers[2].is_down = true;
    for number in 0..80 {
        for rank in 0..2 {
            network.begin(rank, number, 40 * 4);
        }
    }
    network.run(80, at(900));
    for node in &network.workers[..2] {
        assert_eq!(node.stragglers[..2], [(2, false), (2, true)]);
    }
}

#[test]
fn a_worker_that_was_started_again_misses_what_is_over_and_goes_on() {
    for device in [plain(None), chip(&[])] {
        let mut network = network(device, Faults::default(), 1, &job(1, &[0, 1, 2]));
        for rank in 0..3 {
            network.begin(rank, 0, 40 * 30);
        }
        while network.workers[1].parts.len() < 12 {
            network.step(at(10));
        }
        let now = network.now;
        network.workers[1].collective.restart(now);
        network.workers[1].parts.clear();
        network.begin(1, 0, 40 * 30);
        assert!(network.run(1, at(100)));
        let node = &network.workers[1];
        let values: usize = node.parts.values().map(|(_, length)| length).sum();
        assert!(node.missed > 0 && node.missed as usize + values == 40 * 30, "{} and {values}", node.missed);
        assert_eq!(network.workers[0].parts.len(), 30);
    }
}

/// A worker leaves while blocks have its contribution: they begin anew without it.
#[test]
fn a_worker_that_leaves_is_in_no_sum_that_was_not_complete() {
    for device in [plain(None), chip(&[])] {
        let mut network = network(device, Faults::default(), 1, &job(1, &[0, 1, 2]));
        // The worker that leaves is ahead of the others.
        network.begin(2, 0, 40 * 30);
        for _ in 0..200 {
            network.step(at(1));
        }
        network.workers[2].is_down = true;
        network.switch.delete_job(1);
        network.switch.add_job(&JobRecord { generation: 2, ..job(1, &[0, 1]) });
        let now = network.now;
        for rank in 0..2 {
            network.workers[rank].collective.set_up(now, setup(2, &[0, 1]));
            network.begin(rank, 0, 40 * 30);
        }
        assert!(network.run(1, at(100)));
        for node in &network.workers[..2] {
            assert!(node.parts.values().all(|(sources, _)| *sources == 2));
        }
    }
}

#[test]
fn a_worker_that_waits_says_for_what() {
    let mut network = network(plain(None), Faults::default(), 1, &job(1, &[0, 1, 2]));
    network.begin(0, 0, 100);
    assert!(!network.run(1, at(5)));
    let waiting = network.workers[0].collective.waiting(network.now);
    assert_eq!(waiting.len(), 1);
    assert!(waiting[0].why.contains("block 0 has been sent"), "{}", waiting[0].why);
}
