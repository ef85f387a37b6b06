//! Figures of distributions, of which measures are percentiles.

use super::{Selected, agrees, in_words, measured, name_of, series};
use crate::plan::{FigurePlan, Published};
use plans::Record;
use report::{Axis, COLOURS, Curve, CurveChart, Quantity};

/// The chart of the distribution of a figure: a curve for each combination of its series, and published percentiles.
pub(super) fn of(
    plan: &FigurePlan,
    percentiles: &[(u32, String)],
    selected: &Selected<'_>,
    published: &[Published],
) -> CurveChart {
    let (series, telling) = series(plan, selected.iter().map(|(point, _)| point));
    let curve = |(number, line): (usize, &Record)| {
        let of_line: Selected<'_> = selected.iter().filter(|(point, _)| agrees(point, line)).cloned().collect();
        let point = |(percent, measure): &(u32, String)| {
            let means: Vec<f64> = measured(measure, &of_line).iter().map(|(_, spread)| spread.mean).collect();
            let mean = means.iter().sum::<f64>() / means.len() as f64;
            mean.is_finite().then_some((mean, f64::from(*percent) / 100.0))
        };
        let points = percentiles.iter().filter_map(point).collect();
        Curve { name: name_of(line, &telling), colour: number % COLOURS, points }
    };
    let curves: Vec<Curve> = series.iter().enumerate().map(curve).collect();
    let mut marks: Vec<Curve> = Vec::new();
    for (percent, measure) in percentiles {
        for published in published.iter().filter(|published| published.measure == *measure) {
            for (value, number) in &published.points {
                let is_at =
                    |point: &Record| published.selection.selects(point) && point.get(&published.axis) == Some(value);
                let Some((point, _)) = selected.iter().find(|(point, _)| is_at(point)) else { continue };
                let line = series.iter().position(|line| agrees(point, line)).unwrap_or(0);
                let words: Vec<String> =
                    telling.iter().filter_map(|axis| Some(in_words(axis, point.get(axis)?))).collect();
                let name =
                    if words.is_empty() { "published".to_owned() } else { format!("published {}", words.join(", ")) };
                let mark = (*number, f64::from(*percent) / 100.0);
                match marks.iter_mut().find(|mark| mark.colour == line % COLOURS) {
                    Some(curve) => curve.points.push(mark),
                    None => marks.push(Curve { name, colour: line % COLOURS, points: vec![mark] }),
                }
            }
        }
    }
    CurveChart {
        curves,
        marks: Vec::new(),
        published: marks,
        x: Axis::new(&plan.x_label, Quantity::Number),
        y: Axis::new(&plan.y_label, Quantity::Number),
        are_steps: false,
        is_from_zero: false,
    }
}
