//! Horizontal bars over time: for each of several rows, when something was so.

use super::panels::WIDE;
use super::plane::{LegendEntry, Mark, legend};
use super::quantity::Axis;
use super::scale::Scale;
use super::svg::{Anchor, GRID, INK, SOFT, Svg, TEXT, colour, width_of};

/// What was so in one row, from one time until another.
#[derive(Clone, Debug, PartialEq)]
pub struct Interval {
    /// The number of what was so, in [`IntervalChart::states`].
    pub state: usize,
    /// The beginning, in the base unit of the axis.
    pub from: f64,
    /// The end.
    pub until: f64,
}

/// Rows of intervals over one horizontal axis.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IntervalChart {
    /// The names of what can be so, each with a colour of its own. Where several are so at once, the first is drawn on
    /// top.
    pub states: Vec<String>,
    /// The rows from top to bottom: their names, and their intervals by rising time.
    pub rows: Vec<(String, Vec<Interval>)>,
    /// The horizontal axis, which begins at 0.
    pub axis: Axis,
    /// The end of the axis.
    pub end: f64,
}

/// The height of a row in pixels.
const ROW: f64 = 18.0;
/// Intervals that nearly touch are drawn as one, and so is what is told of them under the mouse: their distance is less
/// than this many pixels.
const GAP: f64 = 0.1;

/// Draws the intervals. The part of the time during which each state was so stands under the mouse at the name of a row,
/// and the times of an interval at its bar.
pub fn intervals(chart: &IntervalChart) -> String {
    let mut svg = Svg::new();
    let end = if chart.end > 0.0 { chart.end } else { 1.0 };
    let left = chart.rows.iter().map(|(name, _)| width_of(name, TEXT)).fold(20.0, f64::max) + 12.0;
    let right = WIDE - 18.0;
    let x = Scale::new((0.0, end), chart.axis.quantity, 10, false).onto(left, right);
    let (top, bottom) = (6.0, 10.0 + ROW * chart.rows.len().max(1) as f64);
    for (at, label) in x.ticks() {
        svg.line((at, top), (at, bottom), GRID, 1.0);
        svg.text((at, bottom + 13.0), Anchor::Middle, TEXT, INK, &label);
    }
    for (number, (name, of_row)) in chart.rows.iter().enumerate() {
        let middle = top + ROW * (number as f64 + 0.5);
        svg.begin_group(&shares(chart, name, of_row, end));
        svg.text((left - 8.0, middle), Anchor::End, TEXT, INK, name);
        svg.end_group();
        for (state, word) in chart.states.iter().enumerate().rev() {
            let of_state = of_row.iter().filter(|interval| interval.state == state && interval.from < end);
            for interval in merged(of_state, GAP * end / (right - left)) {
                let (from, until) = (interval.from.max(0.0), interval.until.min(end));
                let [from_text, until_text, length] =
                    [from, until, until - from].map(|time| chart.axis.quantity.text(time));
                svg.begin_group(&format!("{name}\n{word}: {from_text} to {until_text}, {length}"));
                svg.rectangle((x.at(from), middle - 6.0), (x.at(until), middle + 6.0), &colour(state));
                svg.end_group();
            }
        }
    }
    if chart.rows.is_empty() {
        svg.text(((left + right) / 2.0, (top + bottom) / 2.0), Anchor::Middle, TEXT, SOFT, "nothing was measured");
    }
    svg.line((left, top), (left, bottom), INK, 1.0);
    svg.text(((left + right) / 2.0, bottom + 33.0), Anchor::Middle, TEXT, SOFT, &chart.axis.in_unit(x.unit));
    let entry = |(state, name)| LegendEntry { name, colour: state, mark: Mark::Line };
    let entries: Vec<LegendEntry<'_>> = chart.states.iter().map(String::as_str).enumerate().map(entry).collect();
    let height = legend(&mut svg, bottom + 44.0, left, &entries);
    svg.finish(WIDE, height)
}

/// The name of a row, and for each state the part of the time during which it was so.
fn shares(chart: &IntervalChart, name: &str, of_row: &[Interval], end: f64) -> String {
    let share = |state: usize| {
        let of_state = of_row.iter().filter(|interval| interval.state == state && interval.from < end);
        let time: f64 = of_state.map(|interval| interval.until.min(end) - interval.from.max(0.0)).sum();
        100.0 * time / end
    };
    let lines =
        chart.states.iter().enumerate().map(|(state, word)| format!("\n{word}: {:.1} % of the time", share(state)));
    std::iter::once(name.to_owned()).chain(lines).collect()
}

/// The intervals, with those put together whose distance is less than `gap`.
fn merged<'i>(intervals: impl Iterator<Item = &'i Interval>, gap: f64) -> Vec<Interval> {
    let mut merged: Vec<Interval> = Vec::new();
    for interval in intervals {
        match merged.last_mut() {
            Some(last) if interval.from - last.until < gap => last.until = last.until.max(interval.until),
            _ => merged.push(interval.clone()),
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::super::quantity::Quantity;
    use super::*;

    fn interval(state: usize, from: f64, until: f64) -> Interval {
        Interval { state, from, until }
    }

    fn chart() -> IntervalChart {
        IntervalChart {
            states: vec!["pessimistic".into(), "half".into()],
            rows: vec![
                ("port <0>".into(), vec![interval(0, 10e-6, 16e-6), interval(1, 16e-6, 40e-6)]),
                ("port 1".into(), vec![interval(0, 90e-6, 120e-6)]),
            ],
            axis: Axis::new("time", Quantity::Time),
            end: 100e-6,
        }
    }

    #[test]
    fn rows_and_bars_tell_their_values() {
        let svg = intervals(&chart());
        assert!(
            svg.contains("<title>port &lt;0&gt;\npessimistic: 6.0 % of the time\nhalf: 24.0 % of the time"),
            "{svg}"
        );
        assert!(svg.contains("<title>port &lt;0&gt;\nhalf: 16 µs to 40 µs, 24 µs</title>"), "{svg}");
        assert!(svg.contains("time (µs)") && svg.contains(">pessimistic</text>"), "{svg}");
        // What goes on behind the end of the axis is drawn up to it.
        assert!(svg.contains("<title>port 1\npessimistic: 90 µs to 100 µs, 10 µs</title>"), "{svg}");
    }

    #[test]
    fn intervals_that_nobody_could_tell_apart_are_one_bar() {
        let many = (0..10_000).map(|number| interval(0, f64::from(number), f64::from(number) + 0.99)).collect();
        let svg = intervals(&IntervalChart { rows: vec![("a".into(), many)], end: 10_000.0, ..chart() });
        assert_eq!(svg.matches("pessimistic: 0 to 10000").count(), 1, "{}", svg.len());
        let apart = vec![interval(0, 0.0, 0.4), interval(0, 0.6, 1.0)];
        let svg = intervals(&IntervalChart { rows: vec![("a".into(), apart)], end: 1.0, ..chart() });
        assert_eq!(svg.matches("\npessimistic: ").count(), 1 + 2, "{svg}");
    }

    #[test]
    fn a_chart_of_nothing_is_still_a_chart() {
        assert!(intervals(&IntervalChart::default()).contains("nothing was measured"));
    }
}
