//! On which lines a rule acts.

use crate::topology::{Role, Topology};

/// Lines of a topology; a line is one direction of a cable.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Lines {
    /// All.
    #[default]
    All,
    /// Those that begin or end at a host.
    OfHosts,
    /// Those on which hosts send.
    FromHosts,
    /// Those that end at hosts.
    ToHosts,
    /// Those that begin or end at one of these stations, by their indices in the topology.
    Of(Vec<usize>),
    /// Those from one of the first stations to one of the second.
    Between {
        /// Where they begin.
        from: Vec<usize>,
        /// Where they end.
        to: Vec<usize>,
        /// The other direction of their cables, too.
        both_ways: bool,
    },
}

impl Lines {
    /// True if the line from one station to another is one of them.
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
