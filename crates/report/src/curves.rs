//! Charts of curves over an axis of numbers: distributions, and what changes over time.

use super::curve::{Curve, corners};
use super::plane::{HEIGHT, LegendEntry, Mark, Plane, RING, WIDTH, legend};
use super::quantity::Axis;
use super::scale::Scale;
use super::svg::{PAPER, PixelPosition, Svg, colour};

/// Curves over one pair of axes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CurveChart {
    /// The curves, of which the last is drawn on top.
    pub curves: Vec<Curve>,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis, which begins at 0.
    pub y: Axis,
    /// Whether curves keep a value until their next point; else lines join the points.
    pub are_steps: bool,
    /// Points that nothing joins.
    pub marks: Vec<Curve>,
    /// Published points, which are drawn hollow and joined by dashes, with their names in the legend.
    pub published: Vec<Curve>,
    /// Whether the horizontal axis begins at 0; else where the first point is, unless that is near 0.
    pub is_from_zero: bool,
}

/// More points than there are pixels nobody sees.
const MOST_POINTS: usize = 1200;
/// The number of columns of a figure that show their values under the mouse.
const TIPS: usize = 80;
/// The radius of a point that nothing joins, in pixels.
const MARK: f64 = 2.5;

/// Draws curves.
pub fn curves(chart: &CurveChart) -> String {
    let mut svg = Svg::new();
    let all = || chart.curves.iter().chain(&chart.marks).chain(&chart.published);
    let points = || all().flat_map(|curve| &curve.points);
    let last = points().map(|point| point.0).fold(0.0, f64::max);
    let first = points().map(|point| point.0).fold(last, f64::min);
    let left =
        if chart.is_from_zero || first < last / 2.0 { 0.0 } else { first - (last - first).max(last / 100.0) / 20.0 };
    let last = if last > left { last } else { left + 1.0 };
    let right = last + (last - left) * 0.01;
    let highest = all().map(Curve::highest).fold(0.0, f64::max);
    let y = Scale::new((0.0, highest), chart.y.quantity, 5, true);
    let plane = Plane::new(&y, 24.0);
    let y = y.onto(plane.bottom, plane.top);
    let x = Scale::new((left, right), chart.x.quantity, 8, false).onto(plane.left, plane.right);
    plane.vertical(&mut svg, &y, &chart.y);
    plane.horizontal(&mut svg, &chart.x.in_unit(x.unit));
    plane.ticks(&mut svg, &x);
    if points().next().is_none() {
        plane.nothing(&mut svg);
    }
    for curve in &chart.curves {
        let thinned = curve.thinned(left, right, MOST_POINTS);
        let drawn = if chart.are_steps { corners(thinned, right) } else { thinned };
        let positions: Vec<PixelPosition> = drawn.into_iter().map(|(at, value)| (x.at(at), y.at(value))).collect();
        svg.polyline(&positions, &colour(curve.colour), 2.0, "");
    }
    for curve in &chart.marks {
        for &(at, value) in &curve.points {
            svg.circle((x.at(at), y.at(value)), MARK, &colour(curve.colour), None);
        }
    }
    for curve in &chart.published {
        let positions: Vec<PixelPosition> = curve.points.iter().map(|&(at, value)| (x.at(at), y.at(value))).collect();
        svg.polyline(&positions, &colour(curve.colour), 1.0, "6 4");
        positions.iter().for_each(|&position| svg.circle(position, RING, &colour(curve.colour), Some(PAPER)));
    }
    if points().next().is_some() {
        tips(&mut svg, chart, &plane, &x);
    }
    let entries: Vec<LegendEntry<'_>> = match &chart.curves[..] {
        [_] if chart.marks.is_empty() => Vec::new(),
        several => several.iter().map(|curve| entry(curve, Mark::Line)).collect(),
    };
    let entries = entries.into_iter().chain(chart.marks.iter().map(|curve| entry(curve, Mark::Dot)));
    let entries: Vec<LegendEntry<'_>> =
        entries.chain(chart.published.iter().map(|curve| entry(curve, Mark::Ring))).collect();
    let height = legend(&mut svg, HEIGHT, plane.left, &entries);
    svg.finish(WIDTH, height)
}

fn entry(curve: &Curve, mark: Mark) -> LegendEntry<'_> {
    LegendEntry { name: &curve.name, colour: curve.colour, mark }
}

fn tips(svg: &mut Svg, chart: &CurveChart, plane: &Plane, x: &Scale) {
    let width = (plane.right - plane.left) / TIPS as f64;
    let value = (x.high - x.low) / TIPS as f64;
    for number in 0..TIPS {
        let at = x.low + value * (number as f64 + 0.5);
        let mut text = format!("{}: {}", chart.x.label, chart.x.quantity.text(at));
        for curve in &chart.curves {
            let y = if chart.are_steps { curve.step_at(at).or(Some(0.0)) } else { curve.line_at(at) };
            let Some(y) = y else { continue };
            let name = if chart.curves.len() + chart.marks.len() > 1 { &curve.name } else { &chart.y.label };
            text.push_str(&format!("\n{name}: {}", chart.y.quantity.text(y)));
        }
        for curve in chart.marks.iter().chain(&chart.published) {
            let within = |point: &&(f64, f64)| (point.0 - at).abs() <= value / 2.0;
            for (at, y) in curve.points.iter().filter(within) {
                let [at, y] = [chart.x.quantity.text(*at), chart.y.quantity.text(*y)];
                text.push_str(&format!("\n{}: {y} at {at}", curve.name));
            }
        }
        let left = plane.left + width * number as f64;
        plane.tip(svg, left, left + width, &text);
    }
}

#[cfg(test)]
mod tests {
    use super::super::quantity::Quantity;
    use super::*;

    #[test]
    fn tooltips_show_values_with_their_units() {
        let curve = |name: &str, y| Curve { name: name.into(), colour: 0, points: vec![(0.0, 0.0), (5e-6, y)] };
        let svg = curves(&CurveChart {
            curves: vec![curve("leaf-0:1", 4096.0), curve("leaf-0:2", 65536.0)],
            x: Axis::new("time", Quantity::Time),
            y: Axis::new("queue", Quantity::Bytes),
            are_steps: true,
            ..CurveChart::default()
        });
        assert!(svg.contains("time (µs)") && svg.contains("queue (KiB)"), "{svg}");
        assert!(svg.contains("leaf-0:1: 4 KiB\nleaf-0:2: 64 KiB"), "{svg}");
    }

    #[test]
    fn published_points_stand_beside_the_curves() {
        let curve = |name: &str, points: &[(f64, f64)]| Curve { name: name.into(), colour: 0, points: points.to_vec() };
        let svg = curves(&CurveChart {
            curves: vec![curve("ideal", &[(1.0, 0.0), (6.0, 1.0)])],
            published: vec![curve("published ideal", &[(7.0, 1.0)])],
            ..CurveChart::default()
        });
        assert!(svg.contains("\npublished ideal: 1 at 7</title>") && svg.contains(">published ideal</text>"), "{svg}");
        assert_eq!(svg.matches("<circle").count(), 2, "one in the plane and one in the legend");
    }

    #[test]
    fn marks_are_points_that_nothing_joins() {
        let marks = Curve { name: "headers".into(), colour: 1, points: vec![(1.0, 2.0), (4.0, 8.0)] };
        let svg = curves(&CurveChart { marks: vec![marks], ..CurveChart::default() });
        assert!(svg.contains("\nheaders: 8 at 4</title>") && svg.contains(">headers</text>"), "{svg}");
        assert_eq!(svg.matches("<circle").count(), 3, "two in the plane and one in the legend");
    }

    #[test]
    fn a_chart_of_nothing_is_still_a_chart() {
        assert!(curves(&CurveChart::default()).contains("nothing was measured"));
    }
}
