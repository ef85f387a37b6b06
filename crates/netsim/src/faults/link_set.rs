//! The links on which a rule acts.

use crate::topology::{Role, Topology};

/// A set of links of a topology. A link is one direction of a cable.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum LinkSet {
    /// All links.
    #[default]
    All,
    /// The links that begin or end at a host.
    OfHosts,
    /// The links on which hosts transmit.
    FromHosts,
    /// The links that end at hosts.
    ToHosts,
    /// The links that begin or end at one of these stations, given by their indices in the topology.
    Of(Vec<usize>),
    /// The links from one of the stations in `from` to one of those in `to`.
    Between {
        /// The stations where the links begin.
        from: Vec<usize>,
        /// The stations where the links end.
        to: Vec<usize>,
        /// True if the other direction of their cables is included.
        both_ways: bool,
    },
}

impl LinkSet {
    /// Returns true if the set contains the link from one station to another.
    pub fn have(&self, topology: &Topology, from: usize, to: usize) -> bool {
        let is_host = |station: usize| matches!(topology.stations[station].role, Role::Host { .. });
        match self {
            Self::All => true,
            Self::OfHosts => is_host(from) || is_host(to),
            Self::FromHosts => is_host(from),
            Self::ToHosts => is_host(to),
            Self::Of(stations) => stations.contains(&from) || stations.contains(&to),
            Self::Between { from: first, to: second, both_ways } => {
                let goes = |from: usize, to: usize| first.contains(&from) && second.contains(&to);
                goes(from, to) || (*both_ways && goes(to, from))
            }
        }
    }
}
