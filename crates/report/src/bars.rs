//! Bars: horizontal ones with their values beside them, and upright ones for many things of one kind.

use super::plane::{HEIGHT, Plane, WIDTH};
use super::quantity::{Axis, Quantity};
use super::scale::Scale;
use super::svg::{Anchor, GRID, INK, SOFT, Svg, TEXT, colour, width_of};

/// One bar of a figure.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    /// The name of the thing that the bar stands for.
    pub name: String,
    /// The length of the bar; `None` if there is no value.
    pub value: Option<f64>,
    /// The value as people read it.
    pub label: String,
    /// The number of its colour.
    pub colour: usize,
}

const ROW: f64 = 34.0;

/// Draws horizontal bars, one below the other, from 0 to `end`, with their values beside them.
pub fn bars(bars: &[Bar], end: f64, axis: &str) -> String {
    let mut svg = Svg::new();
    let end = if end > 0.0 { end } else { 1.0 };
    let widest = |texts: &mut dyn Iterator<Item = &String>| texts.map(|text| width_of(text, TEXT)).fold(0.0, f64::max);
    let left = widest(&mut bars.iter().map(|bar| &bar.name)) + 12.0;
    let right = WIDTH - widest(&mut bars.iter().map(|bar| &bar.label)) - 14.0;
    let x = Scale::new((0.0, end), Quantity::Number, 5, false).onto(left, right);
    let (top, bottom) = (6.0, 10.0 + ROW * bars.len().max(1) as f64);
    for (at, label) in x.ticks() {
        svg.line((at, top), (at, bottom), GRID, 1.0);
        svg.text((at, bottom + 13.0), Anchor::Middle, TEXT, INK, &label);
    }
    for (row, bar) in bars.iter().enumerate() {
        let middle = top + ROW * (row as f64 + 0.5);
        let value = bar.value.unwrap_or(0.0).min(end);
        svg.begin_group(&format!("{}: {}", bar.name, bar.label));
        svg.rectangle((left, middle - 10.0), (x.at(value), middle + 10.0), &colour(bar.colour));
        svg.text((left - 8.0, middle), Anchor::End, TEXT, INK, &bar.name);
        svg.text((x.at(value) + 6.0, middle), Anchor::Start, TEXT, INK, &bar.label);
        svg.end_group();
    }
    svg.line((left, top), (left, bottom), INK, 1.0);
    svg.text(((left + right) / 2.0, bottom + 33.0), Anchor::Middle, TEXT, SOFT, axis);
    svg.finish(WIDTH, bottom + 44.0)
}

/// Draws upright bars, each for one thing, in their order; a cross stands where there is no value. Names and values are
/// told under the mouse.
pub fn upright_bars(bars: &[Bar], x_label: &str, axis: &Axis) -> String {
    let mut svg = Svg::new();
    let highest = bars.iter().filter_map(|bar| bar.value).fold(0.0, f64::max);
    let y = Scale::new((0.0, highest), axis.quantity, 5, true);
    let plane = Plane::new(&y, 24.0);
    let y = y.onto(plane.bottom, plane.top);
    let slot = (plane.right - plane.left) / bars.len().max(1) as f64;
    plane.vertical(&mut svg, &y, axis);
    let middle = |number: usize| plane.left + slot * (number as f64 + 0.5);
    let half = (slot * 0.35).min(14.0);
    for (number, bar) in bars.iter().enumerate() {
        let at = middle(number);
        match bar.value {
            Some(value) => svg.rectangle((at - half, y.at(value)), (at + half, plane.bottom), &colour(bar.colour)),
            None => svg.text((at, plane.bottom - 9.0), Anchor::Middle, TEXT, &colour(bar.colour), "×"),
        }
        plane.tip(&mut svg, at - slot / 2.0, at + slot / 2.0, &format!("{}\n{}", bar.name, bar.label));
    }
    if bars.is_empty() {
        plane.nothing(&mut svg);
    }
    plane.horizontal(&mut svg, x_label);
    let numbers = Scale::new((0.0, bars.len().saturating_sub(1) as f64), Quantity::Count, 8, false);
    for (_, label) in numbers.ticks() {
        if let Some(number) = label.parse().ok().filter(|&number| number < bars.len()) {
            plane.tick(&mut svg, middle(number), &label);
        }
    }
    svg.finish(WIDTH, HEIGHT)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bar(name: &str, value: Option<f64>) -> Bar {
        let label = value.map_or("not finished".into(), |value| format!("{value:.2}"));
        Bar { name: name.into(), value, label, colour: 0 }
    }

    #[test]
    fn names_and_values_stand_in_the_figure() {
        let svg = bars(&[bar("mp5 <k=4>", Some(1.0)), bar("recirculating", Some(0.25))], 1.0, "share");
        assert!(svg.contains("mp5 &lt;k=4&gt;") && svg.contains("0.25"), "{svg}");
    }

    #[test]
    fn what_has_no_value_has_a_cross_and_nothing_joins_bars() {
        let of = [bar("a", Some(2e9)), bar("b", None)];
        let svg = upright_bars(&of, "flow", &Axis::new("goodput", Quantity::Rate));
        assert!(svg.contains("×") && svg.contains("<title>b\nnot finished</title>"), "{svg}");
        assert!(svg.contains("goodput (Gb/s)"), "{svg}");
    }

    #[test]
    fn figures_of_nothing_are_still_figures() {
        assert!(bars(&[], 0.0, "share").starts_with("<svg"));
        assert!(upright_bars(&[], "x", &Axis::default()).starts_with("<svg"));
    }
}
