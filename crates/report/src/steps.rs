//! Distributions and what changes over time: curves over an axis of numbers, drawn as steps.
//!
//! As in [`super::chart`], colours are the page's.

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::chart::{COLOURS, GRID, INK, page_colours, stand_in, tick};

/// A curve that keeps a value until the next point.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Steps {
    /// What the legend calls it.
    pub name: String,
    /// Its points, by rising x.
    pub points: Vec<(f64, f64)>,
}

/// Curves over one pair of axes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepChart {
    /// The curves; those beyond eight repeat colours.
    pub curves: Vec<Steps>,
    /// Below the axis.
    pub x_label: String,
    /// Beside the axis.
    pub y_label: String,
    /// Whether the horizontal axis begins at 0; else where the first point is, unless that is near 0.
    pub is_from_zero: bool,
}

type Drawn = Result<(), Box<dyn std::error::Error>>;

const WIDTH: u32 = 640;
const HEIGHT: u32 = 340;
const LEGEND_ROW: u32 = 20;
const LEGEND_COLUMNS: usize = 3;
const LEFT: u32 = 70;
/// More points than there are pixels nobody sees.
const MOST_POINTS: usize = 1200;

impl Steps {
    /// The distribution of some numbers: which part of them is not above x.
    pub fn distribution(name: impl Into<String>, mut numbers: Vec<f64>) -> Self {
        numbers.retain(|number| number.is_finite());
        numbers.sort_by(f64::total_cmp);
        let count = numbers.len() as f64;
        let mut points: Vec<(f64, f64)> = numbers.first().map(|&first| (first, 0.0)).into_iter().collect();
        points.extend(numbers.iter().zip(1..).map(|(&number, rank)| (number, f64::from(rank) / count)));
        Self { name: name.into(), points }
    }

    /// The curve with few points: of all within a pixel the greatest, so that no peak is lost.
    fn thinned(&self, from: f64, to: f64) -> Vec<(f64, f64)> {
        if self.points.len() <= MOST_POINTS {
            return self.points.clone();
        }
        let width = ((to - from) / (MOST_POINTS / 2) as f64).max(f64::MIN_POSITIVE);
        let mut thinned: Vec<(f64, f64)> = Vec::new();
        let mut bin = f64::NEG_INFINITY;
        for &(x, y) in &self.points {
            let of_point = ((x - from) / width).floor();
            match thinned.last_mut() {
                Some(last) if of_point <= bin => last.1 = last.1.max(y),
                _ => thinned.push((x, y)),
            }
            bin = bin.max(of_point);
        }
        // What it ends with stays what it is.
        thinned.extend(self.points.last());
        thinned
    }
}

/// Draws it.
pub fn steps(chart: &StepChart) -> String {
    let legend = if chart.curves.len() > 1 { chart.curves.len().div_ceil(LEGEND_COLUMNS) as u32 } else { 0 };
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, (WIDTH, HEIGHT + legend * LEGEND_ROW + 6)).into_drawing_area();
        // The SVG backend writes into a string and cannot fail; what plotters reports is a wrong figure of ours.
        draw(&area, chart).expect("an SVG text takes every shape");
        area.present().expect("an SVG text takes every shape");
    }
    page_colours(&svg)
}

fn draw(area: &DrawingArea<SVGBackend<'_>, Shift>, chart: &StepChart) -> Drawn {
    let (upper, lower) = area.split_vertically(HEIGHT);
    let points = || chart.curves.iter().flat_map(|curve| &curve.points);
    let right = points().map(|point| point.0).fold(0.0, f64::max).max(1e-9);
    let first = points().map(|point| point.0).fold(right, f64::min);
    let left =
        if chart.is_from_zero || first < right / 2.0 { 0.0 } else { first - (right - first).max(right / 100.0) / 20.0 };
    let top = points().map(|point| point.1).fold(0.0, f64::max).max(1e-9) * 1.04;
    let mut plane = ChartBuilder::on(&upper)
        .margin(8)
        .margin_right(24)
        .x_label_area_size(44)
        .y_label_area_size(LEFT)
        .build_cartesian_2d(left..right + (right - left) * 0.01, 0.0..top)?;
    let text = ("sans-serif", 13).into_font().color(&INK);
    plane
        .configure_mesh()
        .x_desc(chart.x_label.as_str())
        .y_desc(chart.y_label.as_str())
        .x_labels(8)
        .x_label_formatter(&|value| tick(*value))
        .y_label_formatter(&|value| tick(*value))
        .light_line_style(TRANSPARENT)
        .bold_line_style(GRID)
        .axis_style(INK)
        .label_style(text.clone())
        .axis_desc_style(text.clone())
        .draw()?;
    for (number, curve) in chart.curves.iter().enumerate() {
        let mut corners: Vec<(f64, f64)> = Vec::new();
        for (x, y) in curve.thinned(left, right) {
            if let Some(&(_, before)) = corners.last() {
                corners.push((x, before));
            }
            corners.push((x, y));
        }
        corners.extend(corners.last().map(|&(_, y)| (right, y)));
        plane.draw_series(LineSeries::new(corners, stand_in(number).stroke_width(2)))?;
    }
    if chart.curves.len() > 1 {
        let style = ("sans-serif", 13).into_font().color(&INK).pos(Pos::new(HPos::Left, VPos::Center));
        let column = (WIDTH - LEFT) as usize / LEGEND_COLUMNS;
        for (number, curve) in chart.curves.iter().enumerate() {
            let x = (LEFT as usize + number % LEGEND_COLUMNS * column) as i32;
            let y = ((number / LEGEND_COLUMNS) as u32 * LEGEND_ROW + LEGEND_ROW / 2) as i32;
            lower.draw(&PathElement::new([(x, y), (x + 24, y)], stand_in(number % COLOURS).stroke_width(2)))?;
            lower.draw_text(&curve.name, &style, (x + 32, y))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_distribution_rises_from_nothing_to_all() {
        let steps = Steps::distribution("times", vec![3.0, 1.0, f64::NAN, 2.0, 2.0]);
        assert_eq!(steps.points, [(1.0, 0.0), (1.0, 0.25), (2.0, 0.5), (2.0, 0.75), (3.0, 1.0)]);
        assert!(Steps::distribution("none", Vec::new()).points.is_empty());
    }

    #[test]
    fn a_long_curve_keeps_its_peaks_and_its_end() {
        let points = (0..100_000u32).map(|x| (f64::from(x), f64::from(u32::from(x == 77_777)))).collect();
        let thinned = Steps { name: String::new(), points }.thinned(0.0, 99_999.0);
        assert!(thinned.len() <= MOST_POINTS, "{}", thinned.len());
        assert!(thinned.iter().any(|&(_, y)| y == 1.0) && thinned.last() == Some(&(99_999.0, 0.0)));
    }

    #[test]
    fn a_chart_of_nothing_is_still_a_chart() {
        assert!(steps(&StepChart::default()).starts_with("<svg"));
    }
}
