//! The check that the names of stations and ports in a plan exist in its network.

use std::ops::Range;

use diagnostics::there_are;
use netsim::topology::{Role, StationPlan, Topology};

use plans::{Mention, Pattern, Section};

/// The kind of thing of which a name or pattern must match at least one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Of {
    /// A host or a switch.
    Station,
    /// A host.
    Host,
    /// A switch.
    Switch,
    /// A port of a host or switch: `edge-0-0:3`, or `edge-0-0` for all of its ports.
    Port,
}

/// Reports every name in a plan that matches nothing in its network, with a hint about what exists, and every pair of
/// `pairs` that no cable joins.
pub(super) fn check(section: &Section<'_>, topology: &Topology, pairs: &[([Pattern; 2], Range<usize>)]) {
    let errors = section.errors();
    for Mention { what, text, span } in section.mentions().take() {
        let of = Of::ALL.into_iter().find(|of| of.word() == what).expect("a plan mentions stations and ports");
        of.check(section, topology, &text, &span);
    }
    for (pair, span) in pairs {
        // Names that match nothing have been reported already.
        if section.errors() == errors && !topology.cables.iter().any(|cable| joins(pair, cable, topology)) {
            let message = format!("no cable joins `{}` and `{}`", pair[0], pair[1]);
            section.error(span, message, "name neighbours: a link is one cable between two stations");
        }
    }
}

/// Returns whether a cable joins a station that one of the patterns names and one that the other names.
pub(crate) fn joins(pair: &[Pattern; 2], cable: &netsim::topology::Cable, topology: &Topology) -> bool {
    let [x, y] = cable.ends.map(|(station, _)| topology.stations[station].name.as_str());
    let are = |x, y| pair[0].matches(x) && pair[1].matches(y);
    are(x, y) || are(y, x)
}

impl Of {
    const ALL: [Self; 4] = [Self::Station, Self::Host, Self::Switch, Self::Port];

    fn is(self, station: &StationPlan) -> bool {
        let is_host = matches!(station.role, Role::Host { .. });
        match self {
            Self::Station | Self::Port => true,
            Self::Host => is_host,
            Self::Switch => !is_host,
        }
    }

    /// Returns the word for it in diagnostics.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Station => "station",
            Self::Host => "host",
            Self::Switch => "switch",
            Self::Port => "port",
        }
    }

    /// Reports an error if a name matches none of these, with a hint about what exists.
    pub fn check(self, section: &Section<'_>, topology: &Topology, text: &str, span: &Range<usize>) {
        let pattern = Pattern::new(text);
        let fits = if self == Self::Port {
            // Patterns for many ports are usually of stations, which are fewer, so stations are tried first.
            topology.stations.iter().any(|station| pattern.matches(&station.name))
                || ends(topology).any(|(station, port)| pattern.matches_port(&topology.stations[station].name, port))
        } else {
            topology.stations.iter().any(|station| self.is(station) && pattern.matches(&station.name))
        };
        if !fits {
            section.error(span, format!("there is no {} called `{text}`", self.word()), self.hint(topology, text));
        }
    }

    /// Returns a hint about what exists.
    fn hint(self, topology: &Topology, text: &str) -> String {
        let name = match text.rsplit_once(':') {
            Some((station, _)) if self == Self::Port => {
                let known = Pattern::new(station);
                let of_known = ends(topology).filter(|(station, _)| known.matches(&topology.stations[*station].name));
                let mut ports: Vec<u16> = of_known.map(|(_, port)| port).collect();
                ports.sort_unstable();
                ports.dedup();
                if let (Some(first), Some(last)) = (ports.first(), ports.last()) {
                    return match ports.len() {
                        1 => format!("`{station}` has only port {first}"),
                        count if usize::from(last - first) + 1 == count => {
                            format!("`{station}` has the ports {first} to {last}")
                        }
                        count => format!("`{station}` has {count} ports from {first} to {last}"),
                    };
                }
                station
            }
            _ => text,
        };
        let names = topology.stations.iter().filter(|station| self.is(station)).map(|station| station.name.as_str());
        format!("{}; `*` stands for any text", there_are(name, names))
    }
}

/// Returns the ports that have a cable.
fn ends(topology: &Topology) -> impl Iterator<Item = (usize, u16)> {
    topology.cables.iter().flat_map(|cable| cable.ends)
}
