//! The modes of ports over time (figures 7a to 7c), from what probes of the program's registers saw.

use std::collections::BTreeMap;

use basis::Instant;
use experiments::sweep::{Timeline, TimelineInterval};
use networks::results::Outcome;
use plans::Record;

/// The labels of the probes, and what figures draw: the first on top of the second.
pub(super) const STATES: [&str; 2] = ["pessimistic", "half-pessimistic"];

/// Parts of the time while hosts send at line rate, over the ports that were ever pessimistic.
pub(super) const MEASURES: [&str; 7] = [
    "congested_ports",
    "pessimistic.min",
    "pessimistic.mean",
    "pessimistic.max",
    "half_pessimistic.min",
    "half_pessimistic.mean",
    "half_pessimistic.max",
];

/// The time in picoseconds during which hosts send first windows of 1000 packets at line rate: "the first 125 microseconds"
/// (section 6.2).
const LINE_RATE: u64 = 125_000_000;

/// Times from which and until which something was so, in picoseconds: in ascending order, without overlaps.
type Times = Vec<(u64, u64)>;

/// When each port was in each of [`STATES`] on all pipes, by device port.
fn modes(outcome: &Outcome) -> BTreeMap<u32, [Times; 2]> {
    let probes = outcome.registers.probes();
    let mut of_pipes: BTreeMap<(u32, usize), BTreeMap<u16, Times>> = BTreeMap::new();
    let held = outcome.registers.held(outcome.end);
    let pipes: Vec<u16> = {
        let mut pipes: Vec<u16> = held.iter().map(|held| held.pipe).collect();
        pipes.sort_unstable();
        pipes.dedup();
        pipes
    };
    // Until a notification a register is 0, which is no less than the time at the very beginning only.
    for held in held.iter().filter(|held| held.from > Instant::ZERO) {
        let label = &probes[held.probe as usize].label;
        let Some(state) = STATES.iter().position(|state| state == label) else { continue };
        let times = of_pipes.entry((held.index, state)).or_default().entry(held.pipe).or_default();
        times.push((held.from.picoseconds(), held.until.picoseconds()));
    }
    let mut modes: BTreeMap<u32, [Times; 2]> = BTreeMap::new();
    for ((index, state), of_pipe) in of_pipes {
        let everywhere = vec![(0, outcome.end.picoseconds())];
        let none = Times::new();
        let on_all = pipes.iter().fold(everywhere, |times, pipe| both(&times, of_pipe.get(pipe).unwrap_or(&none)));
        modes.entry(index).or_default()[state] = on_all;
    }
    // Both registers count from the same notification; the pessimistic mode comes first.
    for [pessimistic, half] in modes.values_mut() {
        *half = without(half, pessimistic);
    }
    modes
}

/// When both were so.
fn both(one: &Times, other: &Times) -> Times {
    let overlap = |a: &(u64, u64)| {
        let a = *a;
        other.iter().map(move |b| (a.0.max(b.0), a.1.min(b.1))).filter(|(from, until)| from < until)
    };
    one.iter().flat_map(overlap).collect()
}

/// When one was so, and the other not.
fn without(one: &Times, other: &Times) -> Times {
    let mut rest = Times::new();
    for &(begin, until) in one {
        let mut from = begin;
        for &(gap_from, gap_until) in other.iter().filter(|gap| gap.0 < until && gap.1 > begin) {
            if from < gap_from {
                rest.push((from, gap_from));
            }
            from = from.max(gap_until);
        }
        if from < until {
            rest.push((from, until));
        }
    }
    rest
}

/// The modes of ports over time, a row for each port that was ever in one: its number among those that the plan samples, which
/// are those of receivers.
pub(super) fn timeline(outcome: &Outcome) -> Timeline {
    let mut timeline =
        Timeline { states: STATES.map(str::to_owned).to_vec(), end: outcome.end.picoseconds(), ..Timeline::default() };
    let sampled = outcome.registers.probes().first().map_or(&[][..], |probe| &probe.indices);
    for (index, times) in modes(outcome) {
        let row = timeline.rows.len() as u32;
        let number = sampled.iter().position(|&sampled| sampled == index).map_or(index, |number| number as u32);
        timeline.rows.push(number.to_string());
        for (state, times) in (0..).zip(times) {
            let intervals = times.into_iter().map(|(from, until)| TimelineInterval { row, state, from, until });
            timeline.intervals.extend(intervals);
        }
    }
    timeline
}

/// Takes the measures from the outcome of a run.
pub(super) fn measure(outcome: &Outcome) -> Record {
    let end = outcome.end.picoseconds().min(LINE_RATE);
    let share = |times: &Times| {
        let sum: u64 = times.iter().map(|(from, until)| until.min(&end).saturating_sub(*from)).sum();
        sum as f64 / end as f64
    };
    let modes = modes(outcome);
    let mut record = Record::new().with("congested_ports", modes.len());
    for (state, name) in ["pessimistic", "half_pessimistic"].into_iter().enumerate() {
        let shares: Vec<f64> = modes.values().map(|times| share(&times[state])).collect();
        let fold = |of: fn(f64, f64) -> f64| shares.iter().copied().reduce(of).unwrap_or(f64::NAN);
        record = record
            .with(format!("{name}.min"), fold(f64::min))
            .with(format!("{name}.mean"), shares.iter().sum::<f64>() / shares.len() as f64)
            .with(format!("{name}.max"), fold(f64::max));
    }
    record
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_intersected_and_subtracted() {
        let one = vec![(0, 10), (20, 30)];
        assert_eq!(both(&one, &vec![(5, 25), (29, 40)]), [(5, 10), (20, 25), (29, 30)]);
        assert_eq!(without(&one, &vec![(5, 7), (8, 22), (30, 40)]), [(0, 5), (7, 8), (22, 30)]);
        assert_eq!(without(&one, &vec![(0, 30)]), []);
        assert_eq!(without(&one, &Times::new()), one);
    }
}
