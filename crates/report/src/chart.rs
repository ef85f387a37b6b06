//! Charts of measurements with their spread beside published numbers.
//!
//! The SVG takes its text and lines from the page's colours, so that it reads in light and dark; as a file of its own it
//! falls back to black on nothing.

use plotters::coord::Shift;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// A point of a line: its place on the axis, its value, and from where to where the value spreads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Which of the axis's values.
    pub place: usize,
    /// The value.
    pub y: f64,
    /// The lower end of the error bar.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
}

/// A line of a chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// What the legend calls it.
    pub name: String,
    /// Its points, by rising place.
    pub points: Vec<Point>,
    /// Which colour; lines of one colour belong together.
    pub colour: usize,
    /// Published, not measured: dashed, with hollow marks and without error bars.
    pub is_published: bool,
}

/// A chart whose axis has values in equal distances.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Chart {
    /// The axis's values.
    pub values: Vec<String>,
    /// The lines.
    pub lines: Vec<Line>,
    /// Below the axis.
    pub x_label: String,
    /// Beside the axis.
    pub y_label: String,
}

type Area<'s> = DrawingArea<SVGBackend<'s>, Shift>;
type Plane<'s> = ChartContext<'s, SVGBackend<'s>, Cartesian2d<RangedCoordf64, RangedCoordf64>>;
type Drawn = Result<(), Box<dyn std::error::Error>>;

/// In pixels; narrow, so that the letters stay readable on a phone.
const WIDTH: u32 = 540;
const HEIGHT: u32 = 330;
const LEGEND_ROW: u32 = 20;
const LEGEND_COLUMNS: usize = 2;
const LEFT: u32 = 62;
/// The outer radius of a published mark: a dot of ours (radius 3) fits in with air around it.
const RING: i32 = 6;

/// Colours that stand for those of the page; see [`page_colours`].
pub(super) const INK: RGBColor = RGBColor(1, 1, 1);
pub(super) const GRID: RGBColor = RGBColor(2, 2, 2);
const PAPER: RGBColor = RGBColor(3, 3, 3);

/// How many colours lines have.
pub const COLOURS: usize = 8;

pub(super) const fn stand_in(colour: usize) -> RGBColor {
    RGBColor(4, 4, (colour % COLOURS) as u8)
}

/// Okabe and Ito's palette (2008), which people with any colour vision can tell apart, and two greys; the page may
/// lighten them for the dark.
const PALETTE: [&str; COLOURS] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#767676", "#a6761d"];

/// Draws it.
pub fn chart(chart: &Chart) -> String {
    let rows = chart.lines.len().div_ceil(LEGEND_COLUMNS) as u32;
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, (WIDTH, HEIGHT + rows * LEGEND_ROW + 6)).into_drawing_area();
        // The SVG backend writes into a string and cannot fail; what plotters reports is a wrong figure of ours.
        draw(&area, chart).expect("an SVG text takes every shape");
        area.present().expect("an SVG text takes every shape");
    }
    page_colours(&svg)
}

fn draw(area: &Area<'_>, chart: &Chart) -> Drawn {
    let (upper, lower) = area.split_vertically(HEIGHT);
    let last = chart.values.len().max(1) as f64 - 1.0;
    let (bottom, top) = limits(chart);
    let mut plane = ChartBuilder::on(&upper)
        .margin(8)
        .x_label_area_size(44)
        .y_label_area_size(LEFT)
        .build_cartesian_2d(-0.4..last + 0.4, bottom..top)?;
    let text = ("sans-serif", 13).into_font().color(&INK);
    plane
        .configure_mesh()
        .disable_x_mesh()
        .x_labels(0)
        .x_desc(chart.x_label.as_str())
        .y_desc(chart.y_label.as_str())
        .y_label_formatter(&|value| tick(*value))
        .light_line_style(TRANSPARENT)
        .bold_line_style(GRID)
        .axis_style(INK)
        .label_style(text.clone())
        .axis_desc_style(text.clone())
        .draw()?;
    for (place, value) in chart.values.iter().enumerate() {
        let (x, y) = plane.backend_coord(&(place as f64, bottom));
        upper.draw(&PathElement::new([(x, y), (x, y + 4)], INK))?;
        upper.draw_text(value, &text.pos(Pos::new(HPos::Center, VPos::Top)), (x, y + 7))?;
    }
    // Ours last: where both agree a dot stands in a ring.
    let (published, ours): (Vec<&Line>, Vec<&Line>) = chart.lines.iter().partition(|line| line.is_published);
    for line in published.into_iter().chain(ours) {
        draw_line(&mut plane, line, offset(chart, line))?;
    }
    draw_legend(&lower, &chart.lines)
}

/// Lines of different colours stand a little beside each other, so that one error bar does not hide another.
fn offset(chart: &Chart, line: &Line) -> f64 {
    let colours = chart.lines.iter().map(|line| line.colour).max().unwrap_or(0) + 1;
    (line.colour as f64 - (colours as f64 - 1.0) / 2.0) * 0.3 / colours as f64
}

fn draw_line(plane: &mut Plane<'_>, line: &Line, offset: f64) -> Drawn {
    let colour = stand_in(line.colour);
    let style = colour.stroke_width(2);
    let at = |point: &Point| (point.place as f64 + offset, point.y);
    let points = line.points.iter().map(at);
    if line.is_published {
        plane.draw_series(DashedLineSeries::new(points.clone(), 6, 4, colour.stroke_width(1)))?;
        // Hollow: a disc of the page's colour within one of the line's.
        plane.draw_series(points.clone().map(|point| Circle::new(point, RING, colour.filled())))?;
        plane.draw_series(points.map(|point| Circle::new(point, RING - 1, PAPER.filled())))?;
        return Ok(());
    }
    plane.draw_series(LineSeries::new(points.clone(), style))?;
    for point in line.points.iter().filter(|point| point.high > point.low) {
        let x = point.place as f64 + offset;
        plane.draw_series([PathElement::new([(x, point.low), (x, point.high)], style)])?;
        for end in [point.low, point.high] {
            plane.draw_series([PathElement::new([(x - 0.05, end), (x + 0.05, end)], style)])?;
        }
    }
    plane.draw_series(points.map(|point| Circle::new(point, 3, colour.filled())))?;
    Ok(())
}

fn draw_legend(area: &Area<'_>, lines: &[Line]) -> Drawn {
    let text = ("sans-serif", 13).into_font().color(&INK).pos(Pos::new(HPos::Left, VPos::Center));
    let column = (WIDTH - LEFT) as usize / LEGEND_COLUMNS;
    for (number, line) in lines.iter().enumerate() {
        let x = (LEFT as usize + number % LEGEND_COLUMNS * column) as i32;
        let y = ((number / LEGEND_COLUMNS) as u32 * LEGEND_ROW + LEGEND_ROW / 2) as i32;
        let colour = stand_in(line.colour);
        if line.is_published {
            for dash in [0, 18] {
                area.draw(&PathElement::new([(x + dash, y), (x + dash + 6, y)], colour.stroke_width(1)))?;
            }
            area.draw(&Circle::new((x + 12, y), RING, colour.filled()))?;
            area.draw(&Circle::new((x + 12, y), RING - 1, PAPER.filled()))?;
        } else {
            area.draw(&PathElement::new([(x, y), (x + 24, y)], colour.stroke_width(2)))?;
            area.draw(&Circle::new((x + 12, y), 3, colour.filled()))?;
        }
        area.draw_text(&line.name, &text, (x + 32, y))?;
    }
    Ok(())
}

/// From where to where the values reach, with some air.
fn limits(chart: &Chart) -> (f64, f64) {
    let points = || chart.lines.iter().flat_map(|line| &line.points);
    let low = points().map(|point| point.low.min(point.y)).fold(f64::INFINITY, f64::min);
    let high = points().map(|point| point.high.max(point.y)).fold(f64::NEG_INFINITY, f64::max);
    if low > high {
        return (0.0, 1.0);
    }
    // What lies on one line needs air as well, and what spreads over half of its size or more begins at zero.
    let air = ((high - low) * 0.08).max(high.abs() * 0.005).max(1e-9);
    let begins_at_zero = low >= 0.0 && low < high / 2.0;
    (if begins_at_zero { 0.0 } else { low - air }, high + air)
}

/// A number of the axis without the dust of binary fractions.
pub(super) fn tick(value: f64) -> String {
    let text = format!("{value:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// The page's colours for those that stand for them.
pub(super) fn page_colours(svg: &str) -> String {
    let name = |RGBColor(red, green, blue): RGBColor| format!("\"#{red:02X}{green:02X}{blue:02X}\"");
    let mut svg = svg.replace(&name(INK), "\"currentColor\"");
    svg = svg.replace(&format!("fill={}", name(PAPER)), "style=\"fill:var(--paper,#fff)\"");
    svg = svg.replace(&format!("stroke={}", name(GRID)), "style=\"stroke:var(--grid,#ddd)\"");
    for (number, colour) in PALETTE.iter().enumerate() {
        for part in ["fill", "stroke"] {
            let of_page = format!("style=\"{part}:var(--colour-{number},{colour})\"");
            svg = svg.replace(&format!("{part}={}", name(stand_in(number))), &of_page);
        }
    }
    svg
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_colour_that_stands_for_another_is_left() {
        let line = |colour, is_published| Line {
            name: format!("line <{colour}>"),
            points: vec![
                Point { place: 0, y: 0.5, low: 0.4, high: 0.6 },
                Point { place: 1, y: 0.7, low: 0.7, high: 0.7 },
            ],
            colour,
            is_published,
        };
        let lines = (0..COLOURS).flat_map(|colour| [line(colour, false), line(colour, true)]).collect();
        let values = vec!["1".to_owned(), "16".to_owned()];
        let svg = chart(&Chart { values, lines, x_label: "pipelines".into(), y_label: "throughput".into() });
        for stand_in in ["#0101", "#0202", "#0303", "#0404"] {
            assert!(!svg.contains(stand_in), "{svg}");
        }
        assert!(svg.contains("line &lt;7&gt;") && svg.contains("var(--colour-7,#a6761d)"), "{svg}");
    }

    #[test]
    fn the_axis_holds_all_points_and_begins_at_zero_only_if_they_spread_far() {
        let of = |ys: &[f64]| {
            let points = ys.iter().map(|&y| Point { place: 0, y, low: y, high: y }).collect();
            let line = Line { name: String::new(), points, colour: 0, is_published: false };
            limits(&Chart { lines: vec![line], ..Chart::default() })
        };
        assert_eq!(of(&[0.25, 1.0]).0, 0.0);
        let (bottom, top) = of(&[0.9, 1.0]);
        assert!(bottom > 0.85 && bottom < 0.9 && top > 1.0, "{bottom} {top}");
        assert_eq!(of(&[]), (0.0, 1.0));
    }
}
