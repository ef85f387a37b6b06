//! The rules of the paper and those of its published simulator, with a name for each difference.
//!
//! The simulator (the artifact of the paper) departs from the text of sections 3.1 to 3.4 in the ways listed in
//! [`Departure`]. [`Rules::paper`] has none of them, [`Rules::artifact`] has all, and other sets show the effect of
//! individual departures.

use std::fmt;
use std::str::FromStr;

/// A difference between the published simulator and the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Departure {
    /// Phantoms are in the queues of all their stages as soon as addresses are resolved. In the paper they travel one
    /// stage per cycle (section 3.4, Invariant 1).
    PhantomsAtOnce,
    /// Packets queued in one cycle are ordered by the pipeline that they come from, in one unbounded list. In the
    /// paper, k FIFOs with timestamps keep the order of arrival at the switch (section 3.2).
    OneList,
    /// A packet enters the pipeline that its port belongs to. In the paper packets are sprayed (section 3.1, D1).
    PortsFixed,
    /// The queue is served in every cycle, and its packets give way to stateless ones only when they leave the stage,
    /// so that two packets can be in one stage. In the paper a stateless packet occupies the stage (section 3.4,
    /// Invariant 2).
    DelayedAtExit,
    /// Pipelines are updated one after the other within a cycle, so that a packet that is steered to a pipeline of a
    /// higher number can cross two stages in one cycle. In the paper all pipelines advance simultaneously.
    OneAfterAnother,
    /// Indices move before a cycle's accesses are made and counted, not afterwards. The paper does not specify this.
    RemapFirst,
    /// An index may move if its counter is at most half the difference, rounded down. In the paper the counter must be
    /// less than half (Figure 6).
    AtMostHalf,
    /// Of several pipelines with the highest or the lowest load, the last one is chosen. The paper does not specify
    /// this; our default is the first one.
    LastOfTied,
    /// Figure 6 is tried again in every cycle until an index has moved; only then are the counters reset, and the next
    /// period begins two cycles later. In the paper it runs every t cycles and the counters are reset each time.
    Retry,
    /// With per-index queues, an index stays in flight forever once it was accessed, so that in the published "ideal"
    /// hardly any index ever moves. In the paper it is in flight until the access is made (section 3.4).
    IdealInFlight,
    /// Maps for a known load assign each index to the pipeline with the smallest load so far, in order of increasing
    /// load. Ours are in order of decreasing load, as in bin packing.
    IdealPacking,
    /// Without dynamic sharding, indices are sorted by their load and divided into runs, which is the worst case. In
    /// the paper they are placed at random (section 4.3.2).
    SortedRuns,
    /// Index i is initially in pipeline i modulo k. Ours is initially at random, because the paper does not specify
    /// this.
    FirstModulo,
    /// Addresses are resolved as a packet enters. In the paper this takes the first stages of the pipeline (section
    /// 3.3).
    ResolvedAtEntry,
}

impl Departure {
    /// All departures.
    pub const ALL: [Self; 14] = [
        Self::PhantomsAtOnce,
        Self::OneList,
        Self::PortsFixed,
        Self::DelayedAtExit,
        Self::OneAfterAnother,
        Self::RemapFirst,
        Self::AtMostHalf,
        Self::LastOfTied,
        Self::Retry,
        Self::IdealInFlight,
        Self::IdealPacking,
        Self::SortedRuns,
        Self::FirstModulo,
        Self::ResolvedAtEntry,
    ];

    /// Returns the name in plans and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::PhantomsAtOnce => "phantoms-at-once",
            Self::OneList => "one-list",
            Self::PortsFixed => "ports-fixed",
            Self::DelayedAtExit => "delayed-at-exit",
            Self::OneAfterAnother => "one-after-another",
            Self::RemapFirst => "remap-first",
            Self::AtMostHalf => "at-most-half",
            Self::LastOfTied => "last-of-tied",
            Self::Retry => "retry",
            Self::IdealInFlight => "ideal-in-flight",
            Self::IdealPacking => "ideal-packing",
            Self::SortedRuns => "sorted-runs",
            Self::FirstModulo => "first-modulo",
            Self::ResolvedAtEntry => "resolved-at-entry",
        }
    }

    /// Returns a sentence on what the simulator does, compared with the paper.
    pub const fn description(self) -> &'static str {
        match self {
            Self::PhantomsAtOnce => "phantoms are queued at once, instead of travelling one stage per cycle",
            Self::OneList => "one list in the order of the pipelines, instead of k FIFOs with timestamps",
            Self::PortsFixed => "ports belong to pipelines, instead of packets being sprayed",
            Self::DelayedAtExit => "stateless packets delay stateful ones only at the exit of a stage",
            Self::OneAfterAnother => "pipelines are updated one after the other within a cycle, instead of together",
            Self::RemapFirst => "indices move before a cycle's accesses are counted, instead of after",
            Self::AtMostHalf => "an index moves if its counter is at most half the difference, instead of less",
            Self::LastOfTied => "of tied pipelines the last one counts, instead of the first",
            Self::Retry => "remapping is tried every cycle until an index moves, instead of once a period",
            Self::IdealInFlight => "\"ideal\": in-flight counters never decrease",
            Self::IdealPacking => "\"ideal\": packing begins with the least busy index, instead of the busiest",
            Self::SortedRuns => "no remapping: indices sorted by load and cut into runs, instead of at random",
            Self::FirstModulo => "index i begins in pipeline i modulo k, instead of at random",
            Self::ResolvedAtEntry => "addresses are resolved on entry, instead of in the first stage",
        }
    }
}

impl fmt::Display for Departure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The rules by which an MP5 works: those of the paper, with a set of departures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Rules {
    /// Bit n is set if the rules contain the n-th departure.
    departures: u16,
}

impl Rules {
    /// Returns the rules of the paper.
    pub const fn paper() -> Self {
        Self { departures: 0 }
    }

    /// Returns the rules of the published simulator.
    pub const fn artifact() -> Self {
        Self { departures: (1 << Departure::ALL.len()) - 1 }
    }

    /// Returns these rules with a departure.
    #[must_use]
    pub const fn with(self, departure: Departure) -> Self {
        Self { departures: self.departures | 1 << departure as u16 }
    }

    /// Returns these rules without a departure.
    #[must_use]
    pub const fn without(self, departure: Departure) -> Self {
        Self { departures: self.departures & !(1 << departure as u16) }
    }

    /// Returns true if the rules contain a departure.
    #[inline]
    pub const fn has(self, departure: Departure) -> bool {
        self.departures & 1 << departure as u16 != 0
    }

    /// Returns the departures that the rules contain.
    pub fn departures(self) -> impl Iterator<Item = Departure> {
        Departure::ALL.into_iter().filter(move |&departure| self.has(departure))
    }
}

impl fmt::Display for Rules {
    /// Formats the rules so that [`Rules::from_str`] can parse them.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = Self::artifact();
        if self.departures().count() <= Departure::ALL.len() / 2 {
            f.write_str("paper")?;
            return self.departures().try_for_each(|departure| write!(f, ",+{departure}"));
        }
        f.write_str("artifact")?;
        all.departures().filter(|&departure| !self.has(departure)).try_for_each(|departure| write!(f, ",-{departure}"))
    }
}

impl FromStr for Rules {
    type Err = String;

    /// Parses `paper` or `artifact`, followed by departures to add or remove, such as `paper,+retry` or
    /// `artifact,-one-list,-retry`. Departures alone are added to the paper's rules.
    fn from_str(text: &str) -> Result<Self, String> {
        let mut rules = Self::paper();
        for (place, word) in text.split(',').map(str::trim).enumerate() {
            rules = match word {
                "paper" if place == 0 => Self::paper(),
                "artifact" if place == 0 => Self::artifact(),
                _ => {
                    let (name, add) = match word.strip_prefix('-') {
                        Some(name) => (name, false),
                        None => (word.strip_prefix('+').unwrap_or(word), true),
                    };
                    let known = Departure::ALL.into_iter().find(|departure| departure.name() == name);
                    let departure = known.ok_or_else(|| {
                        let names = Departure::ALL.map(Departure::name).join(", ");
                        format!("unknown rule `{word}`: expected `paper` or `artifact`, then any of {names}")
                    })?;
                    if add { rules.with(departure) } else { rules.without(departure) }
                }
            };
        }
        Ok(rules)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_round_trip_through_text() {
        let one = |departure| [Rules::paper().with(departure), Rules::artifact().without(departure)];
        let single = Departure::ALL.into_iter().flat_map(one);
        for rules in single.chain([Rules::paper(), Rules::artifact()]) {
            assert_eq!(rules.to_string().parse(), Ok(rules), "{rules}");
        }
        assert_eq!("retry, one-list".parse(), Ok(Rules::paper().with(Departure::Retry).with(Departure::OneList)));
        assert_eq!(Rules::artifact().without(Departure::Retry).to_string(), "artifact,-retry");
    }

    #[test]
    fn unknown_rules_are_reported_with_the_known_ones() {
        let error = "artifact,-retri".parse::<Rules>().unwrap_err();
        assert!(error.contains("`-retri`") && error.contains("retry"), "{error}");
        assert!("retry,paper".parse::<Rules>().is_err(), "a base comes first");
    }
}
