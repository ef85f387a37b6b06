//! The picture of the topology, coloured by the use of links, and the busiest links.

use std::collections::BTreeMap;

use super::table;
use crate::results::{CabledPort, LinkUse, Outcome};
use basis::Rate;
use netsim::topology::{Role, Topology};
use report::{Axis, Block, Cable, Curve, CurveChart, Figure, MOST_CABLES, Quantity, Section, Station, curves, network};

/// So many of the busiest links are listed.
const MOST_LISTED: usize = 10;

/// The part of the page about links.
pub(super) fn blocks(outcome: &Outcome) -> Vec<Block> {
    let layers = layers(&outcome.plan.topology);
    let figure = if outcome.plan.topology.cables.len() <= MOST_CABLES {
        picture(outcome, &layers)
    } else {
        distributions(outcome, &layers)
    };
    let mut blocks = vec![Block::Figures(vec![figure])];
    let busiest = busiest(outcome);
    if !busiest.is_empty() {
        let header = ["busiest links", "rate", "packets", "bytes with framing", "use"];
        blocks.push(Block::Table(table(header, busiest)));
    }
    blocks
}

/// The ports where most waited at once during the run, the most first.
pub(super) fn high_waters(outcome: &Outcome) -> Option<Section> {
    let mut links: Vec<&LinkUse> = outcome.links.iter().filter(|link| link.high_water > Some(0)).collect();
    let count = links.len();
    // Sorting is stable: ports of one mark stay in their order.
    links.sort_by_key(|link| std::cmp::Reverse(link.high_water));
    let stations = &outcome.plan.topology.stations;
    let row = |link: &&LinkUse| {
        let CabledPort { station, port, other, .. } = link.ends;
        let [name, to] = [station, other].map(|station| &stations[station as usize].name);
        let high_water = link.high_water.unwrap_or(0);
        let at_rate = Rate::from_bits_per_second(link.rate).time_of(high_water).seconds();
        vec![
            format!("{name}:{port}"),
            to.clone(),
            Quantity::Bytes.text(high_water as f64),
            Quantity::Time.text(at_rate),
        ]
    };
    let rows: Vec<Vec<String>> = links.iter().take(MOST_LISTED).map(row).collect();
    if rows.is_empty() {
        return None;
    }
    let words = format!(
        "The most bytes, with framing, that waited at once at a port during the run, at any time and not only when a \
         probe looked. The first {} of {count} ports with queues; all are in",
        rows.len()
    );
    let header = ["port", "towards", "most that waited", "time on the link"];
    let blocks = vec![Block::File(words, "links.csv".to_owned()), Block::Table(table(header, rows))];
    Some(Section::new("High-water marks of queues", blocks))
}

/// By station, how far it is above the hosts, which are in layer 0: by the fewest cables, and at least 1 for a switch.
fn layers(topology: &Topology) -> Vec<usize> {
    let is_host = |station: usize| matches!(topology.stations[station].role, Role::Host { .. });
    let mut layers: Vec<Option<usize>> =
        (0..topology.stations.len()).map(|station| is_host(station).then_some(0)).collect();
    for layer in 1..=topology.stations.len() {
        let before = layers.clone();
        for cable in &topology.cables {
            for [(from, _), (to, _)] in cable.directions() {
                if before[from] == Some(layer - 1) && layers[to].is_none() {
                    layers[to] = Some(layer);
                }
            }
        }
        if before == layers {
            break;
        }
    }
    layers.into_iter().map(|layer| layer.unwrap_or(1)).collect()
}

fn picture(outcome: &Outcome, layers: &[usize]) -> Figure {
    let topology = &outcome.plan.topology;
    let stations: Vec<Station> = topology
        .stations
        .iter()
        .zip(layers)
        .map(|(station, &layer)| Station { name: station.name.clone(), layer })
        .collect();
    let use_at = |(station, port): (usize, u16)| {
        let key = |link: &LinkUse| (link.ends.station as usize, link.ends.port);
        outcome.links.binary_search_by_key(&(station, port), key).ok().map(|at| outcome.links[at])
    };
    let note = |link: &LinkUse| {
        let [rate, bytes] = [Quantity::Rate.text(link.rate as f64), Quantity::Bytes.text(link.bytes as f64)];
        let waited = |mark: u64| format!("; at most {} waited", Quantity::Bytes.text(mark as f64));
        let waited = link.high_water.map(waited).unwrap_or_default();
        format!("\nport {}, {rate}, {} packets, {bytes}{waited}", link.ends.port, link.packets)
    };
    let cable = |cable: &netsim::topology::Cable| {
        let links = cable.ends.map(use_at);
        Cable {
            ends: cable.ends.map(|(station, _)| station),
            use_of: links.map(|link| link.map_or(0.0, |link| link.utilisation)),
            notes: links.map(|link| link.as_ref().map(note).unwrap_or_default()),
        }
    };
    let cables: Vec<Cable> = topology.cables.iter().map(cable).collect();
    Figure {
        name: "network".into(),
        title: "The network and the use of its links".into(),
        caption: "Hosts at the bottom, switches above them by their distance. Each cable has two links, one for each \
                  direction; use is over the time with traffic anywhere."
            .into(),
        svg: network(&stations, &cables),
        is_wide: true,
    }
}

/// The use of more links than a picture can show: by the layers that they connect.
fn distributions(outcome: &Outcome, layers: &[usize]) -> Figure {
    let mut by_layers: BTreeMap<(usize, usize), Vec<f64>> = BTreeMap::new();
    for link in &outcome.links {
        let CabledPort { station, other, .. } = link.ends;
        by_layers.entry((layers[station as usize], layers[other as usize])).or_default().push(100.0 * link.utilisation);
    }
    let layer = |layer| if layer == 0 { "hosts".to_owned() } else { format!("switches {layer}") };
    let curve = |(colour, ((from, to), uses)): (usize, ((usize, usize), Vec<f64>))| {
        Curve::distribution(format!("{} → {}", layer(from), layer(to)), colour, uses)
    };
    let chart = CurveChart {
        curves: by_layers.into_iter().enumerate().map(curve).collect(),
        x: Axis::new("use of the link (%)", Quantity::Number),
        y: Axis::new("fraction of links", Quantity::Number),
        are_steps: true,
        is_from_zero: true,
        marks: Vec::new(),
        published: Vec::new(),
    };
    let cables = outcome.plan.topology.cables.len();
    Figure {
        name: "network".into(),
        title: "Use of links".into(),
        caption: format!(
            "The fraction of links with at most this use, by what they connect: switches 1 are those with hosts, \
             switches 2 those above, and so on. A picture of the network is drawn up to {MOST_CABLES} cables, \
             and there are {cables}."
        ),
        svg: curves(&chart),
        is_wide: false,
    }
}

fn busiest(outcome: &Outcome) -> Vec<Vec<String>> {
    let mut links: Vec<&LinkUse> = outcome.links.iter().filter(|link| link.packets > 0).collect();
    // Sorting is stable: links of one use stay in the order of the ports where they begin.
    links.sort_by(|a, b| b.utilisation.total_cmp(&a.utilisation));
    let stations = &outcome.plan.topology.stations;
    let end = |station: u32, port: u16| format!("{}:{port}", stations[station as usize].name);
    let row = |link: &&LinkUse| {
        let CabledPort { station, port, other, other_port } = link.ends;
        vec![
            format!("{} → {}", end(station, port), end(other, other_port)),
            Quantity::Rate.text(link.rate as f64),
            link.packets.to_string(),
            Quantity::Bytes.text(link.bytes as f64),
            format!("{:.1} %", 100.0 * link.utilisation),
        ]
    };
    links.iter().take(MOST_LISTED).map(row).collect()
}
