//! Random workloads have the rates and means of their plans.
//!
//! The tolerances are four standard deviations of the counted quantity, derived from its distribution.

mod ideal;

use std::collections::BTreeMap;

use basis::{Duration, Instant};
use ideal::{Asked, carry, hosts, run, workload};

const MILLISECOND: u64 = 1000;

#[track_caller]
fn near(actual: f64, expected: f64, deviation: f64) {
    assert!((actual - expected).abs() < 4.0 * deviation, "{actual}, expected {expected} with deviation {deviation}");
}

fn sum(asked: &[Asked]) -> f64 {
    asked.iter().map(|one| one.bytes() as f64).sum()
}

#[test]
fn poisson_arrivals_have_the_planned_rate_and_variance() {
    // Half of 12.5 bytes per nanosecond and host, in messages of 12,500 bytes: one every 2 us, for 10 ms.
    let (asked, left) = run(&["poisson:12500B:50%:10ms"], 8, 3, Instant::MAX);
    assert_eq!(left, Some(0));
    let expected = 8.0 * 5000.0;
    near(asked.len() as f64, expected, expected.sqrt());
    assert!(asked.iter().all(|one| one.microseconds() < 10 * MILLISECOND));
    // The variance of the counts equals their mean, over 500 intervals of 20 us and all hosts together.
    let mut counts = vec![0.0; 500];
    for one in &asked {
        counts[one.microseconds() as usize / 20] += 1.0;
    }
    let mean = asked.len() as f64 / 500.0;
    let variance = counts.iter().map(|count: &f64| (count - mean).powi(2)).sum::<f64>() / 499.0;
    near(variance / mean, 1.0, (2.0_f64 / 499.0).sqrt());
    // All destinations are equally likely.
    let mut pairs: BTreeMap<(usize, usize), f64> = BTreeMap::new();
    for one in &asked {
        *pairs.entry((one.host, one.to())).or_default() += 1.0;
    }
    assert_eq!(pairs.len(), 56);
    assert!(pairs.values().all(|&count| (count - expected / 56.0).abs() < 5.0 * (expected / 56.0).sqrt()));
}

#[test]
fn published_sizes_give_the_planned_load() {
    for sizes in ["websearch", "hadoop"] {
        let text = format!("poisson:{sizes}:0.8:40000");
        let (asked, left) = run(&[&text], 16, 5, Instant::MAX);
        assert_eq!((asked.len(), left), (40_000, Some(0)));
        // The time of each host's messages: their bytes over 80% of 12.5 bytes per nanosecond.
        let last = |host| asked.iter().rfind(|one| one.host == host).map_or(0, |one| one.at.picoseconds());
        let load = sum(&asked) / ((0..16).map(last).sum::<u64>() as f64 * 12.5e-3);
        let mean = sum(&asked) / 40_000.0;
        let variance = asked.iter().map(|one| (one.bytes() as f64 - mean).powi(2)).sum::<f64>() / 40_000.0;
        // Both sizes and gaps vary; the standard deviation of the gaps is their mean.
        near(load, 0.8, 0.8 * ((variance / mean.powi(2) + 1.0) / 40_000.0).sqrt());
        assert!(asked.iter().all(|one| one.bytes() <= 30_000_000));
    }
}

#[test]
fn arrivals_depend_on_the_seed_alone() {
    let plan = workload("poisson:websearch:0.5:1ms");
    let asked = |seed| carry(&mut plan.applications(&hosts(4), seed).unwrap(), Instant::MAX);
    assert_eq!(asked(1), asked(1));
    assert_ne!(asked(1), asked(2));
    // A longer run begins like the shorter one.
    let longer = workload("poisson:websearch:0.5:3ms");
    let longer = carry(&mut longer.applications(&hosts(4), 1).unwrap(), Instant::MAX);
    assert_eq!(longer[..asked(1).len()], asked(1));
}

#[test]
fn on_and_off_times_have_the_planned_means() {
    // A message takes 1 us on the link. The mean times are 20 us on and 80 us off: each 100 us have a burst of 1 / (1 -
    // e^-0.05) messages.
    let (asked, _) = run(&["on-off:12500B:20us:80us:20ms"], 8, 11, Instant::MAX);
    let bursts = 8.0 * 200.0;
    let in_burst = 1.0 / (1.0 - (-0.05_f64).exp());
    // The number of messages in a burst is geometric; the number of bursts varies as the on and off times do.
    let deviation = in_burst * (bursts * 2.0_f64).sqrt();
    near(asked.len() as f64, bursts * in_burst, deviation);
    let of_one: Vec<&Asked> = asked.iter().filter(|one| one.host == 0).collect();
    let in_bursts: Vec<_> =
        of_one.windows(2).filter(|pair| pair[1].at.since(pair[0].at) == Duration::from_microseconds(1)).collect();
    assert!(in_bursts.len() > of_one.len() * 9 / 10);
    assert!(in_bursts.iter().all(|pair| pair[0].to() == pair[1].to()));
}

#[test]
fn pings_repeat_at_their_interval() {
    let (asked, left) = run(&["ping:100us:1ms"], 6, 2, Instant::MAX);
    assert_eq!((asked.len(), left), (120, Some(0)));
    for host in 0..6 {
        let pings: Vec<&Asked> = asked.iter().filter(|one| one.host == host && one.wanted.service == 0).collect();
        assert!(pings[0].microseconds() < 100 && pings.len() == 10);
        assert!(pings.windows(2).all(|pair| pair[1].at.since(pair[0].at) == Duration::from_microseconds(100)));
        assert!(pings.iter().all(|one| one.to() == pings[0].to() && one.bytes() == 64));
    }
}
