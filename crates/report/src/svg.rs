//! An SVG text under construction: lines, shapes and texts in colours that the page may choose.
//!
//! Every colour is a CSS variable of the page with a fallback, so that a figure follows the page into the dark and, as
//! a file of its own, reads as black and colours on white.

use std::fmt::Write;

/// The number of colours for series.
pub const COLOURS: usize = 8;

/// The palette of Okabe and Ito (2008), which people with any colour vision can tell apart, and two more.
const PALETTE: [&str; COLOURS] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#767676", "#a6761d"];

/// The size of texts in pixels.
pub(crate) const TEXT: f64 = 13.0;
/// The size of texts beside the main ones.
pub(crate) const SMALL: f64 = 11.0;

/// A position in pixels, from the upper left corner.
pub(crate) type PixelPosition = (f64, f64);

/// The side of its position on which a text stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

/// The colour of a series; colours repeat after [`COLOURS`].
pub(crate) fn colour(series: usize) -> String {
    let number = series % COLOURS;
    format!("var(--colour-{number},{})", PALETTE[number])
}

/// The colour of the ground.
pub(crate) const PAPER: &str = "var(--paper,#fff)";
/// The colour of grid lines.
pub(crate) const GRID: &str = "var(--grid,#ddd)";
/// The colour of texts and axes.
pub(crate) const INK: &str = "currentColor";
/// The colour of texts that are not the main ones.
pub(crate) const SOFT: &str = "var(--soft,#555)";

/// An SVG text under construction.
pub(crate) struct Svg {
    body: String,
}

impl Svg {
    pub fn new() -> Self {
        Self { body: String::new() }
    }

    /// Draws a line through some positions; `dashes` is empty for one without gaps.
    pub fn polyline(&mut self, positions: &[PixelPosition], colour: &str, width: f64, dashes: &str) {
        let mut points = String::with_capacity(12 * positions.len());
        for (x, y) in positions {
            let _ = write!(points, "{},{} ", pixels(*x), pixels(*y));
        }
        let dashes = if dashes.is_empty() { String::new() } else { format!(" stroke-dasharray=\"{dashes}\"") };
        let _ = writeln!(
            self.body,
            "<polyline points=\"{}\" fill=\"none\" stroke-linejoin=\"round\"{dashes} \
             style=\"stroke:{colour};stroke-width:{}\"/>",
            points.trim_end(),
            pixels(width)
        );
    }

    /// Draws a line from one position to another.
    pub fn line(&mut self, from: PixelPosition, to: PixelPosition, colour: &str, width: f64) {
        self.polyline(&[from, to], colour, width, "");
    }

    /// Draws a disc; with `inside`, a ring around that colour.
    pub fn circle(&mut self, (x, y): PixelPosition, radius: f64, colour: &str, inside: Option<&str>) {
        let fill = inside.unwrap_or(colour);
        let stroke = if inside.is_some() { format!(";stroke:{colour};stroke-width:1.2") } else { String::new() };
        let (x, y, radius) = (pixels(x), pixels(y), pixels(radius));
        let _ = writeln!(self.body, "<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" style=\"fill:{fill}{stroke}\"/>");
    }

    /// Draws a rectangle from its upper left to its lower right corner.
    pub fn rectangle(&mut self, from: PixelPosition, to: PixelPosition, colour: &str) {
        let (x, y, width, height) = sides(from, to);
        let _ = writeln!(
            self.body,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" style=\"fill:{colour}\"/>"
        );
    }

    /// Draws an area between some positions.
    pub fn area(&mut self, positions: &[PixelPosition], colour: &str, opacity: f64) {
        let points: String = positions.iter().map(|(x, y)| format!("{},{} ", pixels(*x), pixels(*y))).collect();
        let points = points.trim_end();
        let _ = writeln!(
            self.body,
            "<polygon points=\"{points}\" style=\"fill:{colour};fill-opacity:{}\"/>",
            pixels(opacity)
        );
    }

    /// Writes a text, vertically centred at its position.
    pub fn text(&mut self, (x, y): PixelPosition, anchor: Anchor, size: f64, colour: &str, text: &str) {
        self.turned((x, y), 0, anchor, size, colour, text);
    }

    /// Writes a text that is turned clockwise by some degrees.
    pub fn turned(&mut self, (x, y): PixelPosition, degrees: i32, anchor: Anchor, size: f64, colour: &str, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let (x, y) = (pixels(x), pixels(y));
        let turn = if degrees == 0 { String::new() } else { format!(" transform=\"rotate({degrees} {x} {y})\"") };
        let _ = writeln!(
            self.body,
            "<text x=\"{x}\" y=\"{y}\" dy=\"0.35em\" text-anchor=\"{anchor}\" font-size=\"{}\"{turn} \
             style=\"fill:{colour}\">{}</text>",
            pixels(size),
            escaped(text)
        );
    }

    /// Puts a text under the mouse: browsers show it while the mouse is over the rectangle, without scripts.
    pub fn tip(&mut self, from: PixelPosition, to: PixelPosition, text: &str) {
        let (x, y, width, height) = sides(from, to);
        let _ = writeln!(
            self.body,
            "<rect class=\"tip\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" fill-opacity=\"0\">\
             <title>{}</title></rect>",
            escaped(text)
        );
    }

    /// Begins a group, up to [`Svg::end_group`], which shows a text under the mouse.
    pub fn begin_group(&mut self, text: &str) {
        let _ = writeln!(self.body, "<g class=\"told\"><title>{}</title>", escaped(text));
    }

    /// Ends a group.
    pub fn end_group(&mut self) {
        self.body.push_str("</g>\n");
    }

    /// The whole text of a figure of this size in pixels, on ground of the page's colour.
    pub fn finish(self, width: f64, height: f64) -> String {
        let (width, height) = (pixels(width.ceil()), pixels(height.ceil()));
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" role=\"img\" font-family=\"system-ui, sans-serif\" \
             font-size=\"13\">\n<rect width=\"{width}\" height=\"{height}\" style=\"fill:{PAPER}\"/>\n{}</svg>\n",
            self.body
        )
    }
}

fn sides((left, top): PixelPosition, (right, bottom): PixelPosition) -> (String, String, String, String) {
    (pixels(left), pixels(top), pixels((right - left).max(0.0)), pixels((bottom - top).max(0.0)))
}

/// A number of pixels to a tenth, which is finer than anybody sees.
fn pixels(number: f64) -> String {
    let text = format!("{number:.1}");
    let text = text.strip_suffix(".0").unwrap_or(&text);
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// About how wide a text is in pixels: fonts differ, so this is on the wide side.
pub(crate) fn width_of(text: &str, size: f64) -> f64 {
    text.chars().count() as f64 * size * 0.56
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_escaped_and_colours_have_a_fallback() {
        let mut svg = Svg::new();
        svg.text((1.0, 2.04), Anchor::End, TEXT, &colour(9), "a < b & c");
        svg.tip((0.0, 0.0), (5.0, 5.0), "\"x\"");
        let text = svg.finish(10.0, 20.0);
        assert!(text.contains(">a &lt; b &amp; c</text>") && text.contains("var(--colour-1,#d55e00)"), "{text}");
        assert!(text.contains("<title>&quot;x&quot;</title>") && text.contains("y=\"2\""), "{text}");
    }
}
