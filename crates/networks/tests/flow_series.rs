//! Tests of what senders know of flows over time, held against what their transports must do.

use std::num::NonZeroUsize;
use std::path::Path;

use basis::{Duration, Instant};
use networks::plan::read;
use networks::results::FlowSample;
use networks::{Next, Outcome, Running, run};

fn ran(text: &str) -> Outcome {
    let plan = read("test", "test.toml", text, Path::new(""), None);
    let plan = plan.unwrap_or_else(|failure| panic!("{}", failure.render(false)));
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("flow-series");
    let outcome = run(plan, &Running::through(&folder, NonZeroUsize::MIN), &mut |_| Next::GoOn);
    outcome.unwrap_or_else(|failure| panic!("{}", failure.render(false))).outcome().expect("the end")
}

/// Hosts at one switch send to the first of them; the round trip without queues is a little above 80 us.
fn senders(count: usize, transport: &str, probes: &str) -> String {
    format!(
        "[topology]\nkind = \"single-switch\"\nhosts = {}\n[link]\ndelay = \"20 us\"\n[transport]\n{transport}\n\
         [[workload]]\nkind = \"incast\"\nsenders = {count}\nbytes = \"1 MB\"\nreceiver = 0\n[probes]\n{probes}\n",
        count + 1
    )
}

/// The samples of the flow of a host.
fn of_host(outcome: &Outcome, host: u32) -> Vec<FlowSample> {
    let samples = outcome.flow_series.samples().iter();
    samples.filter(|sample| outcome.flows[sample.flow as usize].source == host).copied().collect()
}

/// With an acknowledgement for each segment, the window of slow start doubles each round trip (RFC 5681): the SYN is
/// acknowledged after one, and the first ten segments of 1448 bytes after two.
#[test]
fn slow_start_doubles_the_window_each_round_trip() {
    let transport = "kind = \"newreno\"\nsegments_per_ack = 1";
    let outcome = ran(&senders(1, transport, "every = \"40 us\"\nflows = [\"*\"]"));
    let samples = of_host(&outcome, 1);
    assert_eq!(samples[0].state.window, None, "the SYN is not acknowledged");
    // In the middle of each round trip.
    let windows: Vec<u64> = [3, 5, 7, 9].iter().filter_map(|at| samples[*at].state.window).collect();
    assert_eq!(windows, [10, 20, 40, 80].map(|segments| segments * 1448));
    let acknowledged: Vec<u64> = [3, 5, 7, 9].map(|at| samples[at].state.acknowledged).to_vec();
    assert_eq!(acknowledged, [0, 10, 30, 70].map(|segments| segments * 1448));
    let round_trip = samples[5].state.round_trip.expect("it was measured");
    assert!((80_000_000..84_000_000).contains(&round_trip.picoseconds()), "{round_trip:?}");
    assert!(samples.iter().all(|sample| sample.state.rate.is_none()), "nothing limits the rate");
}

/// In slow start, a paced sender sends two windows each round trip.
#[test]
fn a_paced_sender_has_a_rate() {
    let outcome = ran(&senders(1, "kind = \"newreno\"\npacing = true", "every = \"40 us\"\nflows = [\"*\"]"));
    let samples = of_host(&outcome, 1);
    let paced: Vec<_> = samples.iter().map(|sample| sample.state).filter(|state| state.rate.is_some()).collect();
    assert!(paced.len() > 5, "{samples:?}");
    for state in paced {
        let (window, round_trip) = (state.window.expect("it is open"), state.round_trip.expect("it was measured"));
        let expected = 2.0 * 8.0 * window as f64 / round_trip.seconds();
        let rate = state.rate.expect("a rate").bits_per_second() as f64;
        assert!((rate / expected - 1.0).abs() < 1e-6, "{rate} for {expected}");
    }
}

/// A queue pair begins at the rate of the link. The first notification halves it, as DCQCN's alpha begins at 1. There is
/// only one here, so that each 55 us later half of what is missing has come back, until the flow ends.
#[test]
fn the_rate_of_dcqcn_is_halved_and_recovers() {
    let transport = "kind = \"rocev2\"\nnotification_interval = \"100 ms\"";
    let outcome = ran(&senders(2, transport, "every = \"1 us\"\nflows = [\"host-1\"]"));
    let samples = of_host(&outcome, 1);
    let rate = |sample: &FlowSample| sample.state.rate.map(|rate| rate.bits_per_second() / 1_000_000);
    let mut rates: Vec<(Instant, u64)> = samples.iter().filter_map(|sample| Some((sample.at, rate(sample)?))).collect();
    rates.dedup_by_key(|(_, rate)| *rate);
    assert_eq!(rates.iter().map(|(_, rate)| *rate).take(3).collect::<Vec<_>>(), [100_000, 50_000, 75_000]);
    assert_eq!(rates[2].0.since(rates[1].0), Duration::from_microseconds(55));
    assert!(samples.iter().all(|sample| sample.state.window.is_none() && sample.state.round_trip.is_none()));
}

#[test]
fn senders_without_windows_know_round_trips_and_bytes() {
    for transport in ["kind = \"ndp\"", "kind = \"eqds\""] {
        let outcome = ran(&senders(3, transport, "every = \"7 us\"\nflows = [\"*\"]"));
        for host in 1..=3 {
            let samples = of_host(&outcome, host);
            assert!(samples.iter().all(|sample| sample.state.window.is_none() && sample.state.rate.is_none()));
            assert!(samples.iter().any(|sample| sample.state.round_trip.is_some()), "{transport}");
        }
    }
}

/// The bytes that are acknowledged between samples add up to the flow, whatever its transport, and a flow that is over has
/// one sample behind its end.
#[test]
fn samples_add_up_to_the_flow() {
    for transport in ["ndp", "eqds", "newreno", "cubic", "dctcp", "rocev2"] {
        let probes = "every = \"7 us\"\nflows = [\"*\"]";
        let outcome = ran(&senders(3, &format!("kind = \"{transport}\""), probes));
        for (host, flow) in (1..).zip(&outcome.flows) {
            let samples = of_host(&outcome, host);
            let sum: f64 = samples
                .iter()
                .map(|sample| sample.bits_per_second() / 8.0 * sample.at.since(sample.since).seconds())
                .sum();
            assert!((sum - 1e6).abs() < 1.0, "{transport}: {sum}");
            let completed = flow.completed.expect("it is completed");
            let behind = samples.iter().filter(|sample| sample.at >= completed).count();
            assert_eq!(behind, 1, "{transport}: {samples:?}");
            assert!(samples.windows(2).all(|pair| pair[0].state.acknowledged <= pair[1].state.acknowledged));
        }
    }
}

#[test]
fn a_run_that_ends_early_has_a_last_sample_at_its_end() {
    let text = senders(3, "kind = \"dctcp\"", "every = \"7 us\"\nflows = [\"host-2\", \"*:0->host-0\"]");
    let outcome = ran(&(text + "[end]\nat = \"200 us\"\nunfinished = \"accepted\"\n"));
    for host in 1..=3 {
        let last = *of_host(&outcome, host).last().expect("a sample");
        assert_eq!(last.at, Instant::from_microseconds(200));
        assert!(last.state.window.is_some() && last.state.acknowledged > 0);
    }
}

#[test]
fn only_flows_that_the_plan_names_are_sampled() {
    let sampled = |flows: &str| {
        let outcome = ran(&senders(3, "kind = \"ndp\"", &format!("every = \"7 us\"\nflows = [{flows}]")));
        let mut hosts: Vec<u32> =
            outcome.flow_series.samples().iter().map(|sample| outcome.flows[sample.flow as usize].source).collect();
        hosts.sort_unstable();
        hosts.dedup();
        (hosts, outcome.tables.iter().any(|table| table.name == "flow-series"))
    };
    assert_eq!(sampled("\"host-2\""), (vec![2], true));
    assert_eq!(sampled("\"host-1:0\", \"host-3->host-0\""), (vec![1, 3], true));
    assert_eq!(sampled("\"host-1:1\", \"*->host-2\""), (vec![], true));
    assert_eq!(sampled(""), (vec![], false));
}

/// The page about probes shows a plan and rows of its table.
#[test]
fn the_manual_shows_rows_of_the_table() {
    let page = include_str!("../../../docs/simulator/README.md");
    let block = |behind: &str| {
        let from = page.find(behind).expect("it is in the page") + behind.len();
        let text = &page[from..];
        let text = &text[text.find("```").expect("a block")..];
        text[text.find('\n').expect("a line") + 1..].split("```").next().expect("its text").to_owned()
    };
    let table =
        ran(&block("<!-- file: slow-start.toml -->")).tables.into_iter().find(|table| table.name == "flow-series");
    let table = table.expect("flows are sampled").to_csv();
    let shown = block("beginning with ten segments");
    let lines: Vec<&str> = shown.lines().filter(|line| *line != "…").collect();
    assert!(lines.len() > 5 && lines.iter().all(|line| table.lines().any(|row| row == *line)), "{table}");
}
