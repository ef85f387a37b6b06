//! Any network, written down station by station and cable by cable.
//!
//! ```text
//! # What follows a `#` is for people.
//! switch left
//! host h1 10.0.0.1
//! host h2 10.0.0.2
//! link h1 left 100G 1us
//! link h2 left 100G 500ns mtu=1500 framing=24
//! ```
//! A station's ports are numbered in the order of its links; a station is declared before its first link.

mod read;
mod routes;

use diagnostics::{Diagnostics, SourceId, Sources};

use super::Topology;

/// Reads a graph. Packets take shortest ways, counted in cables; all shortest ways are equally good.
///
/// # Errors
/// Every mistake, with its line.
pub fn read_graph(sources: &Sources, id: SourceId) -> Result<Topology, Diagnostics> {
    let mut topology = read::read(sources, id)?;
    routes::add(&mut topology);
    Ok(topology)
}
