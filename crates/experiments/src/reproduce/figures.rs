//! The figures of an experiment: ours with error bars, the published ones beside them.

mod bars;
mod courses;
mod distribution;

use super::Reproduced;
use super::tables::combinations;
use crate::plan::{Drawn, FigurePlan, Published};
use crate::results::{Spread, repetitions};
use crate::sweep::Row;
use plans::{Record, Value};
use report::{Axis, COLOURS, Chart, ChartLine, Figure, Point, Quantity, chart, curves, intervals};

/// Points without repetitions, with their rows.
type Selected<'r> = Vec<(Record, Vec<&'r Row>)>;

/// Points without repetitions, with the spread of a figure's measure.
type Spreads = Vec<(Record, Spread)>;

/// Every panel of every figure, in order.
pub(super) fn of(reproduced: &Reproduced) -> Vec<Figure> {
    let experiment = &reproduced.experiment;
    let mut figures = Vec::new();
    for (number, plan) in experiment.figures.iter().enumerate() {
        let selected = selected(plan, &reproduced.rows);
        for panel in combinations(&plan.panels, selected.iter().map(|(point, _)| point)) {
            let within: Selected<'_> = selected.iter().filter(|(point, _)| agrees(point, &panel)).cloned().collect();
            let of_panel: Vec<String> = panel.iter().map(|(name, value)| in_words(name, value)).collect();
            let words = if of_panel.is_empty() { String::new() } else { format!(": {}", of_panel.join(", ")) };
            let values: Vec<String> = panel.iter().map(|(_, value)| format!("-{value}")).collect();
            let place = if experiment.figures.len() > 1 { format!("-{}", number + 1) } else { String::new() };
            figures.push(Figure {
                name: format!("{}{place}{}", experiment.name, values.concat()),
                title: format!("{}{words}", plan.title),
                svg: match &plan.drawn {
                    Drawn::Measure { x, y } => chart(&of_points(plan, (x, y), &within, &experiment.published)),
                    Drawn::Distribution(percentiles) => {
                        curves(&distribution::of(plan, percentiles, &within, &experiment.published))
                    }
                    Drawn::Intervals(states) => intervals(&bars::of(states, &plan.x_label, &within)),
                    Drawn::OverTime(what) => curves(&courses::of(plan, what, &within)),
                },
                is_wide: matches!(plan.drawn, Drawn::Intervals(_)),
                ..Figure::default()
            });
        }
    }
    figures
}

/// An axis and its value, short: words speak for themselves, numbers need their axis.
fn in_words(name: &str, value: &Value) -> String {
    match value {
        Value::Word(word) => word.clone(),
        _ => format!("{} = {value}", name.replace('_', " ")),
    }
}

/// Returns the points of a figure that have any of its measures.
fn selected<'r>(plan: &FigurePlan, rows: &'r [Row]) -> Selected<'r> {
    let has = |row: &Row, measure: &str| row.measures.number(measure).is_some_and(f64::is_finite);
    let has_any = |row: &Row| match &plan.drawn {
        Drawn::Measure { y, .. } => has(row, y),
        Drawn::Distribution(percentiles) => percentiles.iter().any(|(_, measure)| has(row, measure)),
        Drawn::Intervals(_) | Drawn::OverTime(_) => !row.timeline.is_empty(),
    };
    // A repetition is chosen as well as any other value.
    let selected: Vec<(Record, Vec<&Row>)> = repetitions(rows)
        .into_iter()
        .map(|(point, rows)| (point, rows.into_iter().filter(|row| plan.selection.selects(&row.key)).collect()))
        .collect();
    selected.into_iter().filter(|(_, rows)| rows.iter().any(|row| has_any(row))).collect()
}

/// Returns the spread of a measure at each of some points.
fn measured(measure: &str, selected: &Selected<'_>) -> Spreads {
    let spread = |(point, rows): &(Record, Vec<&Row>)| {
        let numbers: Vec<f64> = rows.iter().filter_map(|row| row.measures.number(measure)).collect();
        Some((point.clone(), Spread::of(&numbers)?))
    };
    selected.iter().filter_map(spread).collect()
}

fn points(measured: &Spreads) -> impl Iterator<Item = &Record> + Clone {
    measured.iter().map(|(point, _)| point)
}

/// The lines of a figure, and the axes on which they do not all agree: an axis on which they do tells none from the other.
fn series<'p>(
    plan: &'p FigurePlan,
    points: impl Iterator<Item = &'p Record> + Clone,
) -> (Vec<Record>, Vec<&'p String>) {
    let series = combinations(&plan.series, points);
    let tells = |axis: &&String| series.iter().any(|line| line.get(axis) != series[0].get(axis));
    let telling = plan.series.iter().filter(tells).collect();
    (series, telling)
}

/// The name of a line of ours.
fn name_of(line: &Record, telling: &[&String]) -> String {
    let words: Vec<String> = telling.iter().filter_map(|axis| Some(in_words(axis, line.get(axis)?))).collect();
    if words.is_empty() { "measured".to_owned() } else { words.join(", ") }
}

fn agrees(point: &Record, values: &Record) -> bool {
    values.iter().all(|(name, value)| point.get(name) == Some(value))
}

fn of_points(plan: &FigurePlan, (x, y): (&str, &str), selected: &Selected<'_>, published: &[Published]) -> Chart {
    let measured = &measured(y, selected);
    let mut values: Vec<Value> = Vec::new();
    for value in measured.iter().filter_map(|(point, _)| point.get(x)) {
        if !values.contains(value) {
            values.push(value.clone());
        }
    }
    // Numbers stand by their size, in whatever order they were run, and lines may join them; words stand as they come.
    let is_ordered = values.iter().all(|value| number(value).is_some());
    if is_ordered {
        values.sort_by(|a, b| number(a).partial_cmp(&number(b)).unwrap_or(std::cmp::Ordering::Equal));
    }
    let place = |value: Option<&Value>| values.iter().position(|known| Some(known) == value);
    let (series, telling) = series(plan, points(measured));
    let mut lines = Vec::new();
    for (number, line) in series.iter().enumerate() {
        let of_line = measured.iter().filter(|(point, _)| agrees(point, line));
        let point = |(point, spread): &(Record, Spread)| Point {
            place: place(point.get(x)).unwrap_or(0),
            y: spread.mean,
            low: spread.mean - spread.standard_deviation,
            high: spread.mean + spread.standard_deviation,
        };
        let name = name_of(line, &telling);
        let mut points: Vec<Point> = of_line.map(point).collect();
        points.sort_by_key(|point| point.place);
        lines.push(ChartLine { name, points, colour: number % COLOURS, is_published: false });
    }
    for published in published.iter().filter(|published| published.measure == y && published.axis == x) {
        let Some((point, _)) = measured.iter().find(|(point, _)| published.selection.selects(point)) else { continue };
        let colour = series.iter().position(|line| agrees(point, line)).unwrap_or(0);
        let point = |(value, y): &(Value, f64)| Some(Point { place: place(Some(value))?, y: *y, low: *y, high: *y });
        let mut points: Vec<Point> = published.points.iter().filter_map(point).collect();
        points.sort_by_key(|point| point.place);
        let pinned =
            published.selection.axes.iter().filter(|(name, values)| telling.contains(&name) && values.len() == 1);
        let words: Vec<String> = pinned.map(|(name, values)| in_words(name, &values[0])).collect();
        let name = if words.is_empty() { "published".to_owned() } else { format!("published {}", words.join(", ")) };
        lines.push(ChartLine { name, points, colour: colour % COLOURS, is_published: true });
    }
    // What was published stands beside ours in the legend.
    lines.sort_by_key(|line| line.colour); // stable
    let is_count = lines.iter().flat_map(|line| &line.points).all(|point| point.y.fract() == 0.0);
    let y = Axis::new(&plan.y_label, if is_count { Quantity::Count } else { Quantity::Number });
    Chart { values: values.iter().map(Value::to_string).collect(), is_ordered, lines, x_label: plan.x_label.clone(), y }
}

fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Integer(number) => Some(*number as f64),
        Value::Number(number) => Some(*number),
        Value::Word(_) | Value::Missing => None,
    }
}
