//! Arbitrary networks, described station by station and cable by cable.
//!
//! ```text
//! # Everything after a `#` is a comment.
//! switch left
//! host h1 10.0.0.1
//! host h2 10.0.0.2
//! link h1 left 100G 1us
//! link h2 left 100G 500ns mtu=1500 framing=24
//! ```
//! A station's ports are numbered in the order of its links; a station must be declared before its first link.

mod read;
mod routes;

use diagnostics::{Diagnostics, SourceId, Sources};

use super::Topology;

/// Reads a graph. Packets take shortest paths, counted in cables; all shortest paths are equally good.
///
/// # Errors
///
/// Returns every mistake with its line.
pub fn read_graph(sources: &Sources, id: SourceId) -> Result<Topology, Diagnostics> {
    let mut topology = read::read(sources, id)?;
    add_shortest_routes(&mut topology);
    Ok(topology)
}

/// Gives the switches of a topology, which must have none yet, routes to all hosts along shortest paths, counted in cables;
/// all shortest paths are equally good.
pub fn add_shortest_routes(topology: &mut Topology) {
    routes::add(topology);
}
