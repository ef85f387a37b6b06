//! The method `pings`: messages of 64 bytes to a host while it is idle, then beside nine flows to it (figure 13).

use basis::{Duration, Instant, Random};
use experiments::sweep::REPEATED_OVER;
use networks::NetworkMethod;
use networks::results::{Outcome, percentile};
use plans::Record;

use super::{EQDS, STACK, TCP, shipped};

/// The time at which the nine flows begin, in microseconds; pings before it find the host idle. `ping.cm` has both.
const BULK_BEGINS: f64 = 2000.0;

/// Between these times, in microseconds, the queue is that of nine flows which are past their first windows, and pings
/// find the host busy.
const BUSY: [f64; 2] = [7000.0, 17_100.0];

/// The number of bytes of a ping. All other messages are longer.
const PING: u64 = 64;

/// By how many picoseconds at most a message begins later than `ping.cm` says, drawn for each with the seed: the
/// distance of two pings while the host is idle.
const LATER: u64 = 50_000_000;

const MEASURES: [&str; 7] =
    ["idle_median_us", "busy_median_us", "busy_p90_us", "increase_us", "longest_queue_us", "mean_queue_us", "pings"];

pub(super) fn method() -> NetworkMethod {
    NetworkMethod::new("pings", shipped::PINGS, (STACK, &[(TCP, "ping-tcp.toml"), (EQDS, "ping-eqds.toml")]))
        .with_files_by_point(|matrix, point| later(matrix, point.integer(REPEATED_OVER).unwrap_or(1)))
        .with_measures(&MEASURES, measure)
}

/// A connection matrix in which every message begins a little later, by the seed.
fn later(matrix: &str, seed: u64) -> String {
    let mut random = Random::new(seed);
    let mut text = String::with_capacity(matrix.len());
    for line in matrix.lines() {
        let mut is_start = false;
        let word = |word: &str| {
            let start = word.parse::<u64>().ok().filter(|_| is_start);
            is_start = word == "start";
            start.map_or_else(|| word.to_owned(), |start| (start + random.below(LATER)).to_string())
        };
        text.push_str(&line.split(' ').map(word).collect::<Vec<_>>().join(" "));
        text.push('\n');
    }
    text
}

fn measure(outcome: &Outcome) -> Record {
    let pings = || outcome.flows.iter().filter(|flow| flow.bytes == PING);
    let times = |from: f64, to: f64| -> Vec<f64> {
        let within = pings().filter(|flow| (from..to).contains(&microseconds(flow.started)));
        let mut times: Vec<f64> = within.filter_map(|flow| Some(micro(flow.completion_time()?))).collect();
        times.sort_by(f64::total_cmp);
        times
    };
    let (idle, busy) = (times(0.0, BULK_BEGINS), times(BUSY[0], BUSY[1]));
    let quantile = |times: &[f64], percent| percentile(times, percent).unwrap_or(f64::NAN);
    let idle_median = quantile(&idle, 50);
    let busy_median = quantile(&busy, 50);
    let (longest, mean) = queue(outcome);
    Record::new()
        .with("idle_median_us", idle_median)
        .with("busy_median_us", busy_median)
        .with("busy_p90_us", quantile(&busy, 90))
        .with("increase_us", busy_median - idle_median)
        .with("longest_queue_us", longest)
        .with("mean_queue_us", mean)
        .with("pings", idle.len() + busy.len())
}

/// The longest queue that was seen in front of the host, and the mean one while it was busy, each as the time that the
/// line needs for it in microseconds.
fn queue(outcome: &Outcome) -> (f64, f64) {
    let queues = outcome.series.queues();
    let (Some((_, lengths)), Some(cable)) = (queues.first(), outcome.plan.topology.cables.first()) else {
        return (f64::NAN, f64::NAN);
    };
    let time = |bytes: u64| micro(cable.link.rate.time_of(bytes));
    let longest = lengths.iter().map(|&(_, bytes)| bytes).max().unwrap_or(0);
    // A length holds until the next look that saw another.
    let ends = lengths.iter().skip(1).map(|&(at, _)| microseconds(at)).chain([BUSY[1]]);
    let area = |(&(at, bytes), end): (&(Instant, u64), f64)| {
        let held = end.min(BUSY[1]) - microseconds(at).max(BUSY[0]);
        held.max(0.0) * time(bytes)
    };
    (time(longest), lengths.iter().zip(ends).map(area).sum::<f64>() / (BUSY[1] - BUSY[0]))
}

fn microseconds(at: Instant) -> f64 {
    micro(at.since(Instant::ZERO))
}

fn micro(time: Duration) -> f64 {
    time.picoseconds() as f64 / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_begin_later_and_all_else_stays() {
        let matrix = "Nodes 3\nConnections 1\n1->0 id 1 start 7000000000 size 64\n";
        let (one, two) = (later(matrix, 1), later(matrix, 2));
        assert_ne!(one, two);
        assert_eq!(one, later(matrix, 1));
        let start = |text: &str| -> u64 {
            let words: Vec<&str> = text.lines().nth(2).expect("a connection").split(' ').collect();
            assert_eq!((words.len(), words[0], words[4], words[6]), (7, "1->0", words[4], "64"));
            words[4].parse().expect("a time")
        };
        assert!((7_000_000_000..7_000_000_000 + LATER).contains(&start(&one)), "{one}");
    }
}
