//! Small panels with one curve each, all of one scale: so many curves that one pair of axes could not hold them.

use super::curve::{Curve, corners};
use super::quantity::Axis;
use super::scale::Scale;
use super::svg::{Anchor, GRID, INK, PixelPosition, SMALL, SOFT, Svg, colour};

/// The width of figures over the whole width of a page.
pub(crate) const WIDE: f64 = 1120.0;
const PANELS_IN_A_ROW: usize = 4;
const HEIGHT: f64 = 96.0;
const LEFT: f64 = 56.0;
const GAP: f64 = 16.0;
const TOP: f64 = 26.0;
/// More points than this nobody sees in a panel.
const MOST_POINTS: usize = 300;
/// The number of columns of a panel that show their values under the mouse.
const TIPS: usize = 16;

/// Draws panels, four in a row, with steps that keep a value until the next point. Both axes begin at 0 and are the
/// same in all panels; the horizontal one ends at `end`.
pub fn panels(curves: &[Curve], end: f64, x: &Axis, y: &Axis) -> String {
    let mut svg = Svg::new();
    let highest = curves.iter().map(Curve::highest).fold(0.0, f64::max);
    let y_scale = Scale::new((0.0, highest), y.quantity, 2, true);
    let x_scale = Scale::new((0.0, end), x.quantity, 4, false);
    let width = (WIDE - LEFT - 12.0) / PANELS_IN_A_ROW as f64 - GAP;
    let rows = curves.len().div_ceil(PANELS_IN_A_ROW);
    svg.text((4.0, 10.0), Anchor::Start, SMALL, SOFT, &y.in_unit(y_scale.unit));
    for (number, curve) in curves.iter().enumerate() {
        let (row, column) = (number / PANELS_IN_A_ROW, number % PANELS_IN_A_ROW);
        let left = LEFT + (width + GAP) * column as f64;
        let top = TOP + HEIGHT * row as f64 + 14.0;
        let (right, bottom) = (left + width, top + HEIGHT - 28.0);
        let (x_scale, y_scale) = (x_scale.onto(left, right), y_scale.onto(bottom, top));
        for (at, label) in y_scale.ticks() {
            svg.line((left, at), (right, at), GRID, 1.0);
            if column == 0 {
                svg.text((left - 6.0, at), Anchor::End, SMALL, INK, &label);
            }
        }
        let name = format!("{}: at most {}", curve.name, y.quantity.text(curve.highest()));
        svg.text((left, top - 8.0), Anchor::Start, SMALL, INK, &name);
        let steps = corners(curve.thinned(0.0, end, MOST_POINTS), end);
        let mut positions: Vec<PixelPosition> =
            steps.into_iter().map(|(at, value)| (x_scale.at(at), y_scale.at(value))).collect();
        svg.polyline(&positions, &colour(curve.colour), 1.2, "");
        if let (Some(first), Some(last)) = (positions.first().copied(), positions.last().copied()) {
            positions.extend([(last.0, bottom), (first.0, bottom)]);
            svg.area(&positions, &colour(curve.colour), 0.2);
        }
        svg.line((left, bottom), (right, bottom), INK, 1.0);
        // Only where no panel stands below.
        if number + PANELS_IN_A_ROW >= curves.len() {
            x_scale.ticks().iter().for_each(|(at, label)| {
                svg.text((*at, bottom + 11.0), Anchor::Middle, SMALL, INK, label);
            });
        }
        for tip in 0..TIPS {
            let at = end * (tip as f64 + 0.5) / TIPS as f64;
            let value = curve.step_at(at).unwrap_or(0.0);
            let text = format!("{}\n{}: {}\n{}", curve.name, x.label, x.quantity.text(at), y.quantity.text(value));
            let from = left + width * tip as f64 / TIPS as f64;
            svg.tip((from, top), (from + width / TIPS as f64, bottom), &text);
        }
    }
    let bottom = TOP + HEIGHT * rows as f64 + 12.0;
    svg.text((LEFT, bottom), Anchor::Start, SMALL, SOFT, &x.in_unit(x_scale.unit));
    svg.finish(WIDE, bottom + 12.0)
}

#[cfg(test)]
mod tests {
    use super::super::quantity::Quantity;
    use super::*;

    #[test]
    fn every_curve_has_a_panel_with_its_name_and_its_peak() {
        let curve = |port: u32| Curve {
            name: format!("leaf-0:{port}"),
            colour: 0,
            points: vec![(0.0, 0.0), (1e-6, f64::from(port) * 1024.0)],
        };
        let all: Vec<Curve> = (2..9).map(curve).collect();
        let svg = panels(&all, 2e-6, &Axis::new("time", Quantity::Time), &Axis::new("queue", Quantity::Bytes));
        assert!((2..9).all(|port| svg.contains(&format!(">leaf-0:{port}: at most {port} KiB<"))), "{svg}");
    }
}
