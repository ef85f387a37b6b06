//! A picture of a network: stations in layers, hosts at the bottom, and links coloured by their use.

use super::panels::WIDE;
use super::quantity::fixed;
use super::svg::{Anchor, INK, PAPER, PixelPosition, SMALL, SOFT, Svg, TEXT, width_of};

/// A station of a picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Station {
    /// Its name.
    pub name: String,
    /// The number of layers above the hosts: 0 for hosts.
    pub layer: usize,
}

/// A cable of a picture, with a link in each direction.
#[derive(Clone, Debug, PartialEq)]
pub struct Cable {
    /// The stations at its ends, by their index.
    pub ends: [usize; 2],
    /// The use of the link that begins at each end: 1 if it was never idle.
    pub use_of: [f64; 2],
    /// The text about each link under the mouse, beside its ends and its use.
    pub notes: [String; 2],
}

/// A picture with more cables than this is a tangle in which nobody sees anything.
pub const MOST_CABLES: usize = 400;

/// Classes of use: from which use on, the colour, and what the legend says. Colours are the page's, with a fallback.
const CLASSES: [(f64, &str, &str); 6] = [
    (0.0, "var(--use-0,#cbd0d6)", "unused"),
    (1e-9, "var(--use-1,#9ccbe8)", "below 25 %"),
    (0.25, "var(--use-2,#4b98cb)", "25 to 50 %"),
    (0.5, "var(--use-3,#1d5c9c)", "50 to 75 %"),
    (0.75, "var(--use-4,#e8890c)", "75 to 95 %"),
    (0.95, "var(--use-5,#b5121b)", "95 % or more"),
];

const LAYER: f64 = 130.0;
const TOP: f64 = 34.0;
const SIDE: f64 = 20.0;

/// Draws a network. Hosts keep their order; a switch stands above the middle of what is below it.
pub fn network(stations: &[Station], cables: &[Cable]) -> String {
    let mut svg = Svg::new();
    let layers = stations.iter().map(|station| station.layer + 1).max().unwrap_or(1);
    let bottom = TOP + LAYER * (layers as f64 - 1.0);
    let positions: Vec<PixelPosition> = columns(stations, cables, layers)
        .into_iter()
        .zip(stations)
        .map(|(x, station)| (x, bottom - LAYER * station.layer as f64))
        .collect();
    // The busiest on top.
    let mut links: Vec<(usize, usize)> = (0..cables.len()).flat_map(|cable| [(cable, 0), (cable, 1)]).collect();
    links.sort_by(|a, b| cables[a.0].use_of[a.1].total_cmp(&cables[b.0].use_of[b.1]));
    let twins = twins(cables);
    for (cable, end) in links {
        draw_link(&mut svg, stations, &positions, &cables[cable], end, twins[cable]);
    }
    for layer in 0..layers {
        draw_layer(&mut svg, stations, &positions, layer);
    }
    let y = bottom + 46.0;
    let mut x = SIDE;
    svg.text((x, y), Anchor::Start, TEXT, SOFT, "use of links");
    x += 92.0;
    for (_, colour, words) in CLASSES {
        svg.line((x, y), (x + 22.0, y), colour, 4.0);
        svg.text((x + 28.0, y), Anchor::Start, TEXT, INK, words);
        x += 28.0 + width_of(words, TEXT) + 18.0;
    }
    svg.finish(WIDE, y + 14.0)
}

/// The horizontal position of every station.
fn columns(stations: &[Station], cables: &[Cable], layers: usize) -> Vec<f64> {
    let mut columns = vec![0.0; stations.len()];
    for layer in 0..layers {
        let mut of_layer: Vec<usize> = (0..stations.len()).filter(|&at| stations[at].layer == layer).collect();
        let wish = |station: usize| {
            let below = cables.iter().flat_map(|cable| {
                let [one, other] = cable.ends;
                let is_below = |at: usize| stations[at].layer < layer;
                let first = (one == station && is_below(other)).then_some(other);
                first.or((other == station && is_below(one)).then_some(one))
            });
            let (sum, count) = below.fold((0.0, 0.0), |(sum, count), at| (sum + columns[at], count + 1.0));
            if count > 0.0 { sum / count } else { WIDE / 2.0 }
        };
        let wishes: Vec<f64> = (0..stations.len()).map(|at| if layer > 0 { wish(at) } else { 0.0 }).collect();
        // Stable: stations with one wish stay in their order.
        of_layer.sort_by(|&a, &b| wishes[a].total_cmp(&wishes[b]));
        let slot = (WIDE - 2.0 * SIDE) / of_layer.len().max(1) as f64;
        for (number, &station) in of_layer.iter().enumerate() {
            columns[station] = SIDE + slot * (number as f64 + 0.5);
        }
    }
    columns
}

/// For every cable, its number among those between the same stations, and how many of those there are.
fn twins(cables: &[Cable]) -> Vec<(usize, usize)> {
    let key = |cable: &Cable| (cable.ends[0].min(cable.ends[1]), cable.ends[0].max(cable.ends[1]));
    let mut counts = std::collections::BTreeMap::new();
    let numbers: Vec<usize> = cables
        .iter()
        .map(|cable| {
            let count = counts.entry(key(cable)).or_insert(0);
            *count += 1;
            *count - 1
        })
        .collect();
    cables.iter().zip(numbers).map(|(cable, number)| (number, counts[&key(cable)])).collect()
}

fn class(used: f64) -> usize {
    CLASSES.iter().rposition(|(from, ..)| used >= *from).unwrap_or(0)
}

fn draw_link(
    svg: &mut Svg,
    stations: &[Station],
    positions: &[PixelPosition],
    cable: &Cable,
    end: usize,
    (number, count): (usize, usize),
) {
    let (from, to) = (cable.ends[end], cable.ends[1 - end]);
    let (a, b) = (positions[from], positions[to]);
    let (dx, dy) = (b.0 - a.0, b.1 - a.1);
    // Both directions side by side: each link on the left of its way, and further cables beside the first.
    let length = (dx * dx + dy * dy).sqrt().max(1.0);
    let way = if from < to { 1.0 } else { -1.0 };
    let aside = 1.8 + way * 7.0 * (number as f64 - (count as f64 - 1.0) / 2.0);
    let (x, y) = (-dy / length * aside, dx / length * aside);
    let used = cable.use_of[end];
    let class = class(used);
    let colour = CLASSES[class].1;
    let percent = fixed(100.0 * used, 1);
    svg.begin_group(&format!("{} → {}: {percent} %{}", stations[from].name, stations[to].name, cable.notes[end]));
    let ends = [(a.0 + x, a.1 + y), (b.0 + x, b.1 + y)];
    let width = if class == 0 { 1.0 } else { 1.4 + 0.3 * class as f64 };
    let is_between = |&(x, y): &PixelPosition| y == a.1 && x > a.0.min(b.0) && x < a.0.max(b.0);
    let between = if dy == 0.0 { positions.iter().filter(|position| is_between(position)).count() } else { 0 };
    svg.polyline(&arc(ends, 4.0 * (12.0 + 3.0 * between.min(5) as f64), between > 0), colour, width, "");
    svg.end_group();
}

/// A way from one position to another: straight, or above what stands between them in the same layer.
fn arc([from, to]: [PixelPosition; 2], height: f64, is_bent: bool) -> Vec<PixelPosition> {
    if !is_bent {
        return vec![from, to];
    }
    let position = |step: u32| {
        let part = f64::from(step) / 16.0;
        let along = |a: f64, b: f64| a + (b - a) * part;
        (along(from.0, to.0), along(from.1, to.1) - height * part * (1.0 - part))
    };
    (0..=16).map(position).collect()
}

fn draw_layer(svg: &mut Svg, stations: &[Station], positions: &[PixelPosition], layer: usize) {
    let of_layer: Vec<usize> = (0..stations.len()).filter(|&at| stations[at].layer == layer).collect();
    let slot = (WIDE - 2.0 * SIDE) / of_layer.len().max(1) as f64;
    let widest = of_layer.iter().map(|&at| width_of(&stations[at].name, SMALL)).fold(0.0, f64::max);
    let has_names = widest + 6.0 < slot;
    for at in of_layer {
        let (x, y) = positions[at];
        let name = &stations[at].name;
        svg.begin_group(name);
        if layer == 0 {
            svg.circle((x, y), (slot * 0.3).clamp(1.5, 6.0), INK, Some(PAPER));
            if has_names {
                svg.text((x, y + 17.0), Anchor::Middle, SMALL, INK, name);
            }
        } else {
            let half = if has_names { widest / 2.0 + 5.0 } else { (slot * 0.35).clamp(2.0, 12.0) };
            svg.rectangle((x - half - 1.0, y - 11.0), (x + half + 1.0, y + 11.0), INK);
            svg.rectangle((x - half, y - 10.0), (x + half, y + 10.0), PAPER);
            if has_names {
                svg.text((x, y), Anchor::Middle, SMALL, INK, name);
            }
        }
        svg.end_group();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_have_the_colour_of_their_use_and_tell_it() {
        let station = |name: &str, layer| Station { name: name.into(), layer };
        let stations = [station("left", 0), station("right", 0), station("switch", 1)];
        let cable = |host, use_of| Cable { ends: [host, 2], use_of, notes: [const { String::new() }; 2] };
        let svg = network(&stations, &[cable(0, [0.99, 0.0]), cable(1, [0.0, 0.3])]);
        assert!(svg.contains("<title>left → switch: 99 %</title>\n<polyline"), "{svg}");
        assert!(svg.contains("<title>switch → right: 30 %</title>"), "{svg}");
        assert_eq!(svg.matches(CLASSES[5].1).count(), 2, "the link and the legend: {svg}");
    }

    #[test]
    fn classes_of_use_have_no_gap() {
        assert_eq!([0.0, 0.001, 0.25, 0.949, 0.95, 1.2].map(class), [0, 1, 2, 4, 5, 5]);
    }
}
