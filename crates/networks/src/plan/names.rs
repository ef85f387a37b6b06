//! Names of stations and ports that a plan uses, held against the network that it describes.

use std::ops::Range;

use diagnostics::there_are;
use netsim::topology::{Role, StationPlan, Topology};

use plans::{Mention, Pattern, Section};

/// What a name or pattern has to name at least one of.
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

/// Tells all names that a plan mentions and that fit nothing in its network, with what there is. `pairs` must be joined by
/// cables.
pub(super) fn check(section: &Section<'_>, topology: &Topology, pairs: &[([Pattern; 2], Range<usize>)]) {
    let errors = section.errors();
    for Mention { what, text, span } in section.mentions().take() {
        let of = Of::ALL.into_iter().find(|of| of.word() == what).expect("a plan mentions stations and ports");
        of.check(section, topology, &text, &span);
    }
    for (pair, span) in pairs {
        // Who names nobody has been told so.
        if section.errors() == errors && !topology.cables.iter().any(|cable| joins(pair, cable, topology)) {
            let message = format!("no cable joins `{}` and `{}`", pair[0], pair[1]);
            section.error(span, message, "a line is a cable between one station and the next");
        }
    }
}

/// True if a cable joins a station that one of the patterns names and one that the other names.
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

    /// The word by which plans mention it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Station => "station",
            Self::Host => "host",
            Self::Switch => "switch",
            Self::Port => "port",
        }
    }

    /// Says that a name is none of these, if it is none, with what there is.
    pub fn check(self, section: &Section<'_>, topology: &Topology, text: &str, span: &Range<usize>) {
        let pattern = Pattern::new(text);
        let fits = if self == Self::Port {
            // Whoever looks at many ports names a station or uses a star; there are few others.
            topology.stations.iter().any(|station| pattern.matches(&station.name))
                || ends(topology).any(|(station, port)| pattern.matches_port(&topology.stations[station].name, port))
        } else {
            topology.stations.iter().any(|station| self.is(station) && pattern.matches(&station.name))
        };
        if !fits {
            section.error(span, format!("there is no {} called `{text}`", self.word()), self.hint(topology, text));
        }
    }

    /// What there is instead.
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

/// The ports that have a cable.
fn ends(topology: &Topology) -> impl Iterator<Item = (usize, u16)> {
    topology.cables.iter().flat_map(|cable| cable.ends)
}
