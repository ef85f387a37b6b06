//! The plane of a figure: two axes with a grid, a legend below, and columns that tell their values under the mouse.

use super::quantity::Axis;
use super::scale::Scale;
use super::svg::{Anchor, GRID, INK, PAPER, PixelPosition, SOFT, Svg, TEXT, colour, width_of};

/// The width of figures, in pixels; narrow, so that letters stay readable on a phone.
pub(crate) const WIDTH: f64 = 560.0;
/// The height of planes without their legend.
pub(crate) const HEIGHT: f64 = 320.0;
/// The radius of measured marks.
pub(crate) const DOT: f64 = 3.2;
/// The radius of published marks: a dot of ours fits in with air around it.
pub(crate) const RING: f64 = 5.6;

const TOP: f64 = 30.0;
const RIGHT: f64 = 18.0;
const LEGEND_ROW: f64 = 20.0;

/// The mark that a legend shows beside a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    /// A line.
    Line,
    /// A line with a dot.
    Dots,
    /// A dot.
    Dot,
    /// A ring: published.
    Ring,
}

/// An entry of a legend.
pub(crate) struct LegendEntry<'e> {
    pub name: &'e str,
    pub colour: usize,
    pub mark: Mark,
}

/// The position of the plane of a figure, in pixels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plane {
    pub left: f64,
    pub top: f64,
    pub right: f64,
    pub bottom: f64,
}

impl Plane {
    /// A plane in a figure whose ticks beside the vertical axis and below the horizontal one take so much.
    pub fn new(y: &Scale, below: f64) -> Self {
        let widest = y.ticks().iter().map(|(_, label)| width_of(label, TEXT)).fold(0.0, f64::max);
        Self { left: (widest + 16.0).max(34.0), top: TOP, right: WIDTH - RIGHT, bottom: HEIGHT - 24.0 - below }
    }

    /// Draws the vertical axis: grid lines with their values, and the label above.
    pub fn vertical(&self, svg: &mut Svg, y: &Scale, axis: &Axis) {
        for (at, label) in y.ticks() {
            svg.line((self.left, at), (self.right, at), GRID, 1.0);
            svg.text((self.left - 8.0, at), Anchor::End, TEXT, INK, &label);
        }
        svg.text((4.0, 12.0), Anchor::Start, TEXT, SOFT, &axis.in_unit(y.unit));
    }

    /// Draws the line of the horizontal axis and the label below it.
    pub fn horizontal(&self, svg: &mut Svg, label: &str) {
        svg.line((self.left, self.bottom), (self.right, self.bottom), INK, 1.0);
        svg.text(((self.left + self.right) / 2.0, HEIGHT - 11.0), Anchor::Middle, TEXT, SOFT, label);
    }

    /// Draws a tick below the horizontal axis.
    pub fn tick(&self, svg: &mut Svg, at: f64, label: &str) {
        svg.line((at, self.bottom), (at, self.bottom + 4.0), INK, 1.0);
        svg.text((at, self.bottom + 15.0), Anchor::Middle, TEXT, INK, label);
    }

    /// Draws the ticks of a horizontal scale.
    pub fn ticks(&self, svg: &mut Svg, x: &Scale) {
        x.ticks().into_iter().for_each(|(at, label)| self.tick(svg, at, &label));
    }

    /// A column of the plane that tells a text under the mouse.
    pub fn tip(&self, svg: &mut Svg, from: f64, to: f64, text: &str) {
        svg.tip((from.max(self.left), self.top), (to.min(self.right), self.bottom), text);
    }

    /// Draws a text which says that there is nothing to draw.
    pub fn nothing(&self, svg: &mut Svg) {
        let middle = ((self.left + self.right) / 2.0, (self.top + self.bottom) / 2.0);
        svg.text(middle, Anchor::Middle, TEXT, SOFT, "nothing was measured");
    }
}

/// Draws a legend below what is `top` pixels high, and says how high the figure is with it.
pub(crate) fn legend(svg: &mut Svg, top: f64, left: f64, entries: &[LegendEntry<'_>]) -> f64 {
    let (mut x, mut y) = (left, top + LEGEND_ROW / 2.0);
    for entry in entries {
        let width = 32.0 + width_of(entry.name, TEXT) + 16.0;
        if x > left && x + width > WIDTH {
            (x, y) = (left, y + LEGEND_ROW);
        }
        mark(svg, (x, y), entry);
        svg.text((x + 31.0, y), Anchor::Start, TEXT, INK, entry.name);
        x += width;
    }
    if entries.is_empty() { top } else { y + LEGEND_ROW / 2.0 + 4.0 }
}

fn mark(svg: &mut Svg, (x, y): PixelPosition, entry: &LegendEntry<'_>) {
    let colour = colour(entry.colour);
    let middle = (x + 12.0, y);
    match entry.mark {
        Mark::Line => svg.line((x, y), (x + 24.0, y), &colour, 2.0),
        Mark::Dots => {
            svg.line((x, y), (x + 24.0, y), &colour, 2.0);
            svg.circle(middle, DOT, &colour, None);
        }
        Mark::Dot => svg.circle(middle, DOT, &colour, None),
        Mark::Ring => {
            svg.polyline(&[(x, y), (x + 24.0, y)], &colour, 1.0, "6 4");
            svg.circle(middle, RING, &colour, Some(PAPER));
        }
    }
}
