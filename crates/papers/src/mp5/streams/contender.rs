//! The designs that MP5's evaluation compares (section 4.3), by name.

use std::fmt;

/// A design that a stream is run on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Contender {
    /// MP5.
    Mp5,
    /// The published "ideal": an MP5 that knows how often each index will be accessed and packs the indices
    /// accordingly, and whose packets wait only for packets that access the same index.
    Ideal,
    /// The design that the evaluation calls "without dynamic sharding": indices never move, and are placed at random by
    /// the paper's rules, in the worst way by those of the published simulator
    /// ([`machines::mp5::Departure::SortedRuns`]).
    NoRemapping,
    /// An MP5 whose indices never move.
    Static(Placement),
    /// An MP5 without phantom packets: nothing keeps accesses in the order of arrival (section 4.3.2, D4).
    NoPhantoms,
    /// Today's switch, which reaches another pipeline's state by recirculation (section 2.3; 4.3.2, D3).
    Recirculating,
    /// An MP5 that keeps all state in one pipeline: the naive design (section 3.1, D1).
    Naive,
}

/// The placement of indices that never move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Placement {
    /// Each index in a pipeline drawn at random.
    Random,
    /// Index i in pipeline i modulo k.
    Modulo,
    /// Sorted by how often they are accessed and cut into equal runs: the worst case for a known load.
    Sorted,
}

impl Contender {
    /// Every contender.
    pub const ALL: [Self; 9] = [
        Self::Mp5,
        Self::Ideal,
        Self::NoRemapping,
        Self::Static(Placement::Random),
        Self::Static(Placement::Modulo),
        Self::Static(Placement::Sorted),
        Self::NoPhantoms,
        Self::Recirculating,
        Self::Naive,
    ];

    /// Returns its name in plans and tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Mp5 => "mp5",
            Self::Ideal => "ideal",
            Self::NoRemapping => "no-remapping",
            Self::Static(Placement::Random) => "static-random",
            Self::Static(Placement::Modulo) => "static-modulo",
            Self::Static(Placement::Sorted) => "static-sorted",
            Self::NoPhantoms => "no-phantoms",
            Self::Recirculating => "recirculating",
            Self::Naive => "naive",
        }
    }

    /// Returns the contender of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|contender| contender.name() == name)
    }
}

impl fmt::Display for Contender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
