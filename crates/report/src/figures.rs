//! Figures as SVG texts.

use plotters::coord::Shift;
use plotters::prelude::*;

/// One bar of a figure.
#[derive(Clone, Debug)]
pub struct Bar {
    /// What the bar stands for.
    pub name: String,
    /// How long it is.
    pub value: f64,
    /// The value as people read it, written beside the bar.
    pub label: String,
}

/// One line of a figure.
#[derive(Clone, Debug)]
pub struct Curve {
    /// What the line stands for.
    pub name: String,
    /// Its points, by rising x.
    pub points: Vec<(f64, f64)>,
}

/// Colours that people with any colour vision can tell apart (Okabe and Ito, 2008).
const COLOURS: [RGBColor; 6] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
];

type Drawn = Result<(), Box<dyn std::error::Error>>;

fn drawn(width: u32, height: u32, draw: impl FnOnce(&DrawingArea<SVGBackend<'_>, Shift>) -> Drawn) -> String {
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, (width, height)).into_drawing_area();
        // The SVG backend writes into a string and cannot fail; what plotters reports is a wrong figure of ours.
        area.fill(&WHITE).expect("an SVG text takes every shape");
        draw(&area).expect("an SVG text takes every shape");
        area.present().expect("an SVG text takes every shape");
    }
    svg
}

/// Horizontal bars, one below the other, from 0 to `end`.
pub fn bars(bars: &[Bar], end: f64, axis: &str) -> String {
    let rows = bars.len().max(1);
    drawn(720, 60 + 46 * rows as u32, |area| {
        let end = if end > 0.0 { end } else { 1.0 };
        let mut chart = ChartBuilder::on(area)
            .margin(12)
            .x_label_area_size(36)
            .y_label_area_size(150)
            .build_cartesian_2d(0.0..end * 1.18, 0.0..rows as f64)?;
        chart
            .configure_mesh()
            .disable_y_mesh()
            .disable_y_axis()
            .x_desc(axis)
            .light_line_style(TRANSPARENT)
            .bold_line_style(RGBColor(225, 225, 225))
            .label_style(("sans-serif", 13))
            .draw()?;
        for (row, bar) in bars.iter().enumerate() {
            let top = rows as f64 - row as f64;
            let colour = COLOURS[row % COLOURS.len()];
            chart.draw_series([Rectangle::new([(0.0, top - 0.2), (bar.value, top - 0.8)], colour.filled())])?;
            let (x, y) = chart.backend_coord(&(bar.value, top - 0.5));
            area.draw(&Text::new(bar.label.clone(), (x + 6, y - 7), ("sans-serif", 14)))?;
            let (x, _) = chart.backend_coord(&(0.0, top - 0.5));
            let style = ("sans-serif", 14).into_text_style(area);
            let anchor = plotters::style::text_anchor::Pos::new(
                plotters::style::text_anchor::HPos::Right,
                plotters::style::text_anchor::VPos::Center,
            );
            area.draw_text(&bar.name, &style.pos(anchor), (x - 8, y))?;
        }
        Ok(())
    })
}

/// Lines over one pair of axes, with a legend.
pub fn curves(curves: &[Curve], x_axis: &str, y_axis: &str) -> String {
    let points = || curves.iter().flat_map(|curve| &curve.points);
    let right = points().map(|point| point.0).fold(0.0, f64::max);
    let top = points().map(|point| point.1).fold(0.0, f64::max);
    drawn(720, 380, |area| {
        let mut chart = ChartBuilder::on(area)
            .margin(12)
            .x_label_area_size(44)
            .y_label_area_size(64)
            .build_cartesian_2d(0.0..right.max(1e-9), 0.0..(top * 1.05).max(1e-9))?;
        chart
            .configure_mesh()
            .x_desc(x_axis)
            .y_desc(y_axis)
            .light_line_style(TRANSPARENT)
            .bold_line_style(RGBColor(230, 230, 230))
            .label_style(("sans-serif", 13))
            .draw()?;
        for (number, curve) in curves.iter().enumerate() {
            let style = COLOURS[number % COLOURS.len()].stroke_width(2);
            chart
                .draw_series(LineSeries::new(curve.points.iter().copied(), style))?
                .label(&curve.name)
                .legend(move |(x, y)| PathElement::new([(x, y), (x + 22, y)], style));
        }
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::LowerRight)
            .background_style(WHITE.mix(0.85))
            .border_style(RGBColor(210, 210, 210))
            .label_font(("sans-serif", 13))
            .draw()?;
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_values_stand_in_the_figure_and_nothing_leaves_it() {
        let bar = |name: &str, value: f64| Bar { name: name.into(), value, label: format!("{value:.2}") };
        let svg = bars(&[bar("mp5 <k=4>", 1.0), bar("recirculating", 0.25)], 1.0, "share");
        assert!(svg.contains("mp5 &lt;k=4&gt;") && svg.contains("0.25"), "{svg}");
        let line = Curve { name: "offered".into(), points: vec![(0.0, 0.0), (2.0, 10.0)] };
        assert!(curves(&[line], "us", "packets").contains("polyline"));
    }

    #[test]
    fn a_figure_of_nothing_is_still_a_figure() {
        assert!(bars(&[], 0.0, "share").starts_with("<svg"));
        assert!(curves(&[], "x", "y").starts_with("<svg"));
    }
}
