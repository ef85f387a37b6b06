//! Every host sends to one and receives from one for a long time: the share of its link that each of them gets.

use demand::Permutation;
use netsim::Simulation;
use netsim::switch::Spread;
use transports::ndp::PathChoice;

use crate::test_network::{TestNetwork, counter_of, run_to, topology};
use crate::watch::{Watch, at_100_gigabits};

const HOSTS: usize = 16;

/// The middle of the run, in microseconds, before which no flow ends.
const FROM: u64 = 200;
const TO: u64 = 900;

/// Returns the new payload that each host received in the middle of the run, as a fraction of what its link can carry.
fn goodput(spread: Spread, path_choice: PathChoice) -> Vec<f64> {
    // A path holds 23 packets: those of the 12 us and six transmission times of the path, and those of an answer's way
    // back. Nearly as many wait in queues on the path when those are half full, which a window of 30 packets does not
    // cover.
    let plan = TestNetwork { spread, path_choice, first_window: 60, ..TestNetwork::new(topology("fat-tree:k=4")) };
    let mut simulation = plan.simulation(Permutation { bytes: 20_000_000 });
    let mut watch = Watch::default();
    let received = |simulation: &Simulation| -> Vec<u64> {
        let of = |host, name| counter_of(simulation, host, name);
        (0..HOSTS).map(|host| of(host, "data_packets_received") - of(host, "duplicates_received")).collect()
    };
    run_to(&mut simulation, FROM, &mut watch);
    let before = received(&simulation);
    run_to(&mut simulation, TO, &mut watch);
    simulation.conservation().expect("packets are conserved");
    assert!(watch.flows.values().all(|flow| flow.delivered.is_empty()), "all flows are long");
    let time = at_100_gigabits(plan.bytes_on_link()).picoseconds();
    let most = (TO - FROM) as f64 * 1e6 / time as f64;
    received(&simulation).iter().zip(before).map(|(after, before)| (after - before) as f64 / most).collect()
}

fn mean(parts: &[f64]) -> f64 {
    parts.iter().sum::<f64>() / parts.len() as f64
}

fn least(parts: &[f64]) -> f64 {
    parts.iter().copied().fold(f64::INFINITY, f64::min)
}

#[test]
fn hosts_that_choose_paths_fill_all_links() {
    // 0.987 to 0.990 each with eleven seeds; the rest are acknowledgements and pulls for the other direction.
    let parts = goodput(Spread::Host, PathChoice::Permutation);
    assert!(least(&parts) > 0.97 && parts.iter().all(|&part| part <= 1.0), "{parts:?}");
}

#[test]
fn switches_that_spread_packets_nearly_fill_all_links() {
    // Means of 0.924 to 0.961 with eleven seeds.
    for spread in [Spread::Random, Spread::RoundRobin] {
        let parts = goodput(spread, PathChoice::OnePerMessage);
        assert!(mean(&parts) > 0.9 && parts.iter().all(|&part| part <= 1.0), "{spread:?}: {parts:?}");
    }
}

#[test]
fn flows_with_a_single_path_collide() {
    // Sixteen flows share as many uplinks: the mean is 0.45 to 0.86 with eleven seeds.
    let parts = goodput(Spread::Flow, PathChoice::OnePerMessage);
    assert!(mean(&parts) < 0.9 && least(&parts) < 0.6, "{parts:?}");
}
