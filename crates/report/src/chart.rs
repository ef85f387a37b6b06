//! Charts of measurements with their spread beside published numbers, over an axis with values in equal distances.

use super::plane::{DOT, HEIGHT, LegendEntry, Mark, Plane, RING, WIDTH, legend};
use super::quantity::{Axis, Quantity, digits};
use super::scale::Scale;
use super::svg::{Anchor, INK, PAPER, PixelPosition, SMALL, Svg, TEXT, colour, width_of};

/// A point of a line: its place on the axis, its value, and from where to where the value spreads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// The index of the axis's value.
    pub place: usize,
    /// The value.
    pub y: f64,
    /// The lower end of the error bar.
    pub low: f64,
    /// The upper end of the error bar.
    pub high: f64,
}

/// A line of a chart.
#[derive(Clone, Debug, PartialEq)]
pub struct ChartLine {
    /// Its name in the legend.
    pub name: String,
    /// Its points, by rising place.
    pub points: Vec<Point>,
    /// The number of its colour; lines of one colour belong together.
    pub colour: usize,
    /// Whether it was published and not measured: then it is dashed, with hollow marks and without error bars.
    pub is_published: bool,
}

/// A chart whose axis has values in equal distances.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Chart {
    /// The values of the axis.
    pub values: Vec<String>,
    /// Whether the values have an order, as numbers have: only then lines join the points.
    pub is_ordered: bool,
    /// The lines.
    pub lines: Vec<ChartLine>,
    /// The label below the axis.
    pub x_label: String,
    /// The vertical axis.
    pub y: Axis,
}

/// The most room that turned labels take, in pixels.
const MOST_BELOW: f64 = 110.0;

/// Draws a chart.
pub fn chart(chart: &Chart) -> String {
    let mut svg = Svg::new();
    let (low, high, begins_at_zero) = limits(chart);
    let y = Scale::new((low, high), chart.y.quantity, 5, begins_at_zero);
    let slots = chart.values.len().max(1) as f64;
    let widest = chart.values.iter().map(|value| width_of(value, TEXT)).fold(0.0, f64::max);
    let is_turned = widest + 8.0 > (WIDTH - 80.0) / slots;
    let below = if is_turned { (widest * 0.6).min(MOST_BELOW) + 22.0 } else { 24.0 };
    let plane = Plane::new(&y, below);
    let y = y.onto(plane.bottom, plane.top);
    let slot = (plane.right - plane.left) / slots;
    let middle = |place: usize| plane.left + (place as f64 + 0.5) * slot;
    plane.vertical(&mut svg, &y, &chart.y);
    plane.horizontal(&mut svg, &chart.x_label);
    for (place, value) in chart.values.iter().enumerate() {
        let at = middle(place);
        if is_turned {
            svg.line((at, plane.bottom), (at, plane.bottom + 4.0), INK, 1.0);
            svg.turned((at + 2.0, plane.bottom + 10.0), -35, Anchor::End, SMALL, INK, value);
        } else {
            plane.tick(&mut svg, at, value);
        }
    }
    if chart.lines.iter().all(|line| line.points.is_empty()) {
        plane.nothing(&mut svg);
    }
    // Ours last: where both agree a dot stands in a ring.
    let (published, ours): (Vec<&ChartLine>, Vec<&ChartLine>) = chart.lines.iter().partition(|line| line.is_published);
    for line in published.into_iter().chain(ours) {
        let beside = offset(chart, line) * slot;
        let positions: Vec<PixelPosition> =
            line.points.iter().map(|point| (middle(point.place) + beside, y.at(point.y))).collect();
        draw(&mut svg, chart, line, &positions, &y);
    }
    for (place, value) in chart.values.iter().enumerate() {
        let at = middle(place);
        plane.tip(&mut svg, at - slot / 2.0, at + slot / 2.0, &tip_text(chart, place, value));
    }
    let entries: Vec<LegendEntry<'_>> = chart.lines.iter().map(|line| entry(chart, line)).collect();
    let height = legend(&mut svg, HEIGHT, plane.left, &entries);
    svg.finish(WIDTH, height)
}

fn entry<'e>(chart: &Chart, line: &'e ChartLine) -> LegendEntry<'e> {
    let mark = match (line.is_published, chart.is_ordered) {
        (true, _) => Mark::Ring,
        (false, true) => Mark::Dots,
        (false, false) => Mark::Dot,
    };
    LegendEntry { name: &line.name, colour: line.colour, mark }
}

fn draw(svg: &mut Svg, chart: &Chart, line: &ChartLine, positions: &[PixelPosition], y: &Scale) {
    let colour = colour(line.colour);
    if line.is_published {
        if chart.is_ordered {
            svg.polyline(positions, &colour, 1.0, "6 4");
        }
        positions.iter().for_each(|&position| svg.circle(position, RING, &colour, Some(PAPER)));
        return;
    }
    if chart.is_ordered {
        svg.polyline(positions, &colour, 2.0, "");
    }
    for (point, &(x, at)) in line.points.iter().zip(positions) {
        if point.high > point.low {
            let (low, high) = (y.at(point.low), y.at(point.high));
            svg.line((x, low), (x, high), &colour, 1.5);
            [low, high].iter().for_each(|&end| svg.line((x - 3.0, end), (x + 3.0, end), &colour, 1.5));
        }
        svg.circle((x, at), DOT, &colour, None);
    }
}

/// Returns the text of a value's column under the mouse: every line's number there.
fn tip_text(chart: &Chart, place: usize, value: &str) -> String {
    let mut text = if chart.x_label.is_empty() { value.to_owned() } else { format!("{}: {value}", chart.x_label) };
    for line in &chart.lines {
        let Some(point) = line.points.iter().find(|point| point.place == place) else { continue };
        text.push_str(&format!("\n{}: {}", line.name, chart.y.quantity.text(point.y)));
        if point.high > point.low {
            text.push_str(&format!(" ± {}", digits((point.high - point.low) / 2.0)));
        }
    }
    text
}

/// By which part of a slot a line stands beside the middle, so that one error bar does not hide another.
fn offset(chart: &Chart, line: &ChartLine) -> f64 {
    let colours = chart.lines.iter().map(|line| line.colour).max().unwrap_or(0) + 1;
    (line.colour as f64 - (colours as f64 - 1.0) / 2.0) * 0.3 / colours as f64
}

/// From where to where the values reach, with some air, and whether the axis begins at zero.
fn limits(chart: &Chart) -> (f64, f64, bool) {
    let points = || chart.lines.iter().flat_map(|line| &line.points);
    let low = points().map(|point| point.low.min(point.y)).fold(f64::INFINITY, f64::min);
    let high = points().map(|point| point.high.max(point.y)).fold(f64::NEG_INFINITY, f64::max);
    if low > high {
        return (0.0, 1.0, true);
    }
    // What lies on one line needs air as well, and what spreads over half of its size or more begins at zero.
    let air = ((high - low) * 0.08).max(high.abs() * 0.005).max(1e-9);
    let begins_at_zero = low >= 0.0 && (low < high / 2.0 || chart.y.quantity == Quantity::Count);
    (if begins_at_zero { 0.0 } else { low - air }, high + air, begins_at_zero)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(colour: usize, ys: &[f64], is_published: bool) -> ChartLine {
        let point = |(place, &y): (usize, &f64)| Point { place, y, low: y - 0.1, high: y + 0.1 };
        let points = ys.iter().enumerate().map(point).collect();
        ChartLine { name: format!("line <{colour}>"), points, colour, is_published }
    }

    #[test]
    fn tooltips_show_values_and_unordered_points_are_not_joined() {
        let lines = vec![line(0, &[0.5, 0.7], false), line(0, &[0.5, 0.75], true)];
        let values = ["1", "16"].map(str::to_owned).to_vec();
        let y = Axis::new("throughput", Quantity::Number);
        let mut one = Chart { values, is_ordered: true, lines, x_label: "pipelines".into(), y };
        let svg = chart(&one);
        assert!(svg.contains("pipelines: 16\nline &lt;0&gt;: 0.7 ± 0.1\nline &lt;0&gt;: 0.75"), "{svg}");
        let joined = svg.matches("<polyline").count();
        one.is_ordered = false;
        // Two lines less in the plane, and one less in the legend.
        assert_eq!(chart(&one).matches("<polyline").count(), joined - 3);
    }

    #[test]
    fn the_axis_holds_all_points_and_begins_at_zero_only_if_they_spread_far() {
        let of = |ys: &[f64]| {
            let points = ys.iter().map(|&y| Point { place: 0, y, low: y, high: y }).collect();
            let line = ChartLine { name: String::new(), points, colour: 0, is_published: false };
            limits(&Chart { lines: vec![line], ..Chart::default() })
        };
        assert_eq!(of(&[0.25, 1.0]).0, 0.0);
        let (bottom, top, _) = of(&[0.9, 1.0]);
        assert!(bottom > 0.85 && bottom < 0.9 && top > 1.0, "{bottom} {top}");
        assert_eq!(of(&[]), (0.0, 1.0, true));
    }

    #[test]
    fn a_chart_of_nothing_is_still_a_chart() {
        assert!(chart(&Chart::default()).starts_with("<svg"));
    }
}
