//! Figures of horizontal bars over time, each of one run.

use super::Selected;
use crate::sweep::Timeline;
use report::{Axis, Interval, IntervalChart, Quantity};

pub(super) const PICOSECOND: f64 = 1e-12;

/// The first run that tells what was so over time.
pub(super) fn timeline<'r>(selected: &Selected<'r>) -> Option<&'r Timeline> {
    let mut timelines = selected.iter().flat_map(|(_, rows)| rows).map(|row| &row.timeline);
    timelines.find(|timeline| !timeline.is_empty())
}

/// The chart of the first run that tells a timeline, with these states.
pub(super) fn of(states: &[String], x_label: &str, selected: &Selected<'_>) -> IntervalChart {
    let axis = Axis::new(x_label, Quantity::Time);
    match timeline(selected) {
        Some(timeline) => chart(states, axis, timeline),
        None => IntervalChart { states: states.to_vec(), axis, ..IntervalChart::default() },
    }
}

fn chart(states: &[String], axis: Axis, timeline: &Timeline) -> IntervalChart {
    let state = |number: u32| states.iter().position(|state| timeline.states.get(number as usize) == Some(state));
    let intervals = |row: usize| {
        let of_row = timeline.intervals.iter().filter(|interval| interval.row as usize == row);
        let interval = |interval: &crate::sweep::TimelineInterval| {
            let [from, until] = [interval.from, interval.until].map(|at| at as f64 * PICOSECOND);
            Some(Interval { state: state(interval.state)?, from, until })
        };
        of_row.filter_map(interval).collect()
    };
    let rows = timeline.rows.iter().enumerate().map(|(number, name)| (name.clone(), intervals(number))).collect();
    IntervalChart { states: states.to_vec(), rows, axis, end: timeline.end as f64 * PICOSECOND }
}
