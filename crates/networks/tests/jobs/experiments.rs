//! The shipped plans of sums, with smaller tensors.

use networks::Outcome;

use super::on_all_cores::on_all_cores;
use super::{bytes_of, finished, ran};

/// Returns a plan of `experiments` with tensors of another length.
fn shipped(name: &str, bytes: [&str; 2]) -> String {
    let path = format!("{}/../../experiments/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let [from, to] = bytes.map(|bytes| format!("bytes = \"{bytes}\""));
    assert!(text.contains(&from), "{path} has tensors of another length");
    text.replace(&from, &to)
}

/// Returns what a job's workers, and its servers, sent and received in the mean, in bytes a byte of its tensors.
fn amounts(outcome: &Outcome, job: &str, all_bytes: f64) -> [f64; 4] {
    let job = outcome.summary.jobs.iter().find(|known| known.name == job).expect("a job");
    println!(
        "{}: {:.0} us, {:.1} Gb/s, worker {:?}, server {:?}",
        job.name,
        job.time_us.unwrap_or_default(),
        job.goodput_bits_per_second.unwrap_or_default() / 1e9,
        job.worker_link,
        job.server_link
    );
    let of = |link: Option<networks::results::LinkBytes>| link.map_or([0.0; 2], |link| [link.sent, link.received]);
    let ([a, b], [c, d]) = (of(job.worker_link), of(job.server_link));
    [a, b, c, d].map(|bytes| bytes / all_bytes)
}

/// A worker of a ring sends and receives 4 (n-1) U / n, and one whose sums are formed in the network 2 U (ATP, section A.5).
#[test]
fn every_scheme_moves_what_it_must() {
    let outcome = finished(&shipped("aggregation/compare", ["1 MB", "100 kB"]));
    // Headers, framing and acknowledgements: at most a third more, for packets of 306 bytes.
    let is = |found: f64, least: f64| assert!((least..least * 1.4).contains(&found), "{found} of {least}");
    for name in ["ring, TCP", "ring, RoCEv2", "8 to 8, TCP", "8 to 8, RoCEv2"] {
        let [sent, received, ..] = amounts(&outcome, name, 400e3);
        is(sent + received, 4.0 * 7.0 / 8.0);
    }
    for name in ["8 to 1, TCP", "8 to 1, RoCEv2"] {
        let [sent, received, from_server, to_server] = amounts(&outcome, name, 400e3);
        is(sent + received, 2.0);
        is(from_server, 8.0);
        is(to_server, 8.0);
    }
    for name in ["ATP", "SwitchML", "Trio-ML"] {
        let [sent, received, ..] = amounts(&outcome, name, 400e3);
        is(sent + received, 2.0);
    }
    let [.., from_server, to_server] = amounts(&outcome, "ATP", 400e3);
    is(from_server, 1.0);
    is(to_server, 1.0);
}

#[test]
fn figure_9_has_three_times_the_traffic_by_racks() {
    let outcome = finished(&shipped("atp/figure-9", ["1 MB", "100 kB"]));
    let ratio = bytes_of(&outcome, "host-2-3").1 as f64 / bytes_of(&outcome, "host-2-2").1 as f64;
    println!("figure 9: {ratio}");
    assert!((2.9..3.1).contains(&ratio), "{ratio}");
}

#[test]
fn the_microbenchmark_finishes() {
    let outcome = finished(&shipped("atp/microbenchmark", ["4 MB", "200 kB"]));
    amounts(&outcome, "microbenchmark", 800e3);
}

/// Indices by a hash settle until jobs meet nowhere, as if each had a range of its own; by sequence numbers they go on to meet
/// (figure 14).
#[test]
fn figure_14_prefers_a_hash_to_sequence_numbers() {
    let path = format!("{}/../../experiments/atp/sharing.toml", env!("CARGO_MANIFEST_DIR"));
    let plan = std::fs::read_to_string(&path).expect("the plan").replace("end = \"8 ms\"", "end = \"2 ms\"");
    // The values that all workers have the sums of in the second half of the run.
    let sums = |plan: &str| -> u64 {
        let outcome = ran(plan);
        let half = basis::Instant::from_picoseconds(1_000_000_000);
        let late = outcome.jobs.tensors().filter(|tensor| tensor.finished.is_some_and(|at| at >= half));
        late.map(|tensor| tensor.values).sum()
    };
    let linear = plan.replace("index = \"hash\"", "index = \"linear\"");
    let mut own = plan.clone();
    for job in 0..8 {
        let range = format!("index = \"static\"\naggregators = 247\nfirst_aggregator = {}", 247 * job);
        own = own.replacen("index = \"hash\"\naggregators = 1976", &range, 1);
    }
    let sums = on_all_cores(&[plan, linear, own], |plan| sums(plan) as f64);
    let [hash, linear, own] = sums[..] else { panic!("a sum of each plan") };
    println!("figure 14: hash {hash:.3e}, linear {linear:.3e}, static {own:.3e}");
    // Indices still settle then; in 8 ms they have.
    assert!(hash > 0.7 * own, "{hash} by a hash and {own} in own ranges");
    assert!(hash > 2.0 * linear, "{hash} by a hash and {linear} by sequence numbers");
}

/// Returns the goodput of the first worker's tensors, in Gb/s.
fn goodputs(outcome: &Outcome) -> Vec<f64> {
    let own = outcome.jobs.tensors().filter(|tensor| tensor.worker == 0);
    own.filter_map(|tensor| Some(tensor.goodput()? / 1e9)).collect()
}

/// With too few aggregators, congestion control keeps the goodput steady, and windows that do not give way lose packets
/// again and again (figure 15).
#[test]
fn figure_15_is_steady_with_congestion_control() {
    let plan = shipped("atp/figure-15", ["250 kB", "250 kB"]);
    let without = plan.replace(
        "congestion_control = true\ninitial_window = 200",
        "congestion_control = false\ninitial_window = 1024",
    );
    let [with, without] = [plan.as_str(), &without].map(|plan| {
        let outcome = finished(plan);
        println!("{:?} drops {:?}", outcome.summary.hops, outcome.summary.drops);
        amounts(&outcome, "half", 5e6);
        goodputs(&outcome)
    });
    println!("with {with:.2?}\nwithout {without:.2?}");
    // The window begins above what the server takes, so the first tensor takes longer. Then it is what the server's 60 Gb/s are if half
    // of the traffic is added up, 10.8 Gb/s, give or take a fourth; 7.5 are published, as the plan says.
    assert!(with[2..].iter().all(|goodput| (8.1..13.5).contains(goodput)), "10.8 Gb/s by arithmetic: {with:?}");
    assert!(without.iter().all(|&goodput| goodput < 4.0), "0 to 4 Gb/s are published: {without:?}");
}
