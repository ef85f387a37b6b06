//! The paper's rules and what its published simulator does instead, each difference by name.
//!
//! The simulator (the artifact beside the paper) departs from the text of sections 3.1 to 3.4 in the ways listed
//! in [`Departure`]. [`Rules::paper`] has none of them, [`Rules::artifact`] has all, and any other set shows what
//! one of them weighs.

use std::fmt;
use std::str::FromStr;

/// Where the published simulator does not do what the paper says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Departure {
    /// Phantoms are in the queues of all their stages as soon as addresses are resolved; in the paper they travel
    /// one stage a cycle (section 3.4, Invariant 1).
    PhantomsAtOnce,
    /// What is queued in one cycle is queued in the order of the pipelines that it comes from, in one unbounded
    /// list; in the paper, k FIFOs with timestamps keep the order of arrival at the switch (section 3.2).
    OneList,
    /// A packet enters the pipeline that its port belongs to; in the paper packets are sprayed (section 3.1, D1).
    PortsFixed,
    /// A packet of the queue is served in any cycle and waits for stateless ones only where it leaves the stage,
    /// so that two packets can be in one stage; in the paper a stateless packet takes the stage (section 3.4,
    /// Invariant 2).
    DelayedAtExit,
    /// Pipelines are updated one after the other within a cycle, so that a packet that is steered to a higher number
    /// can cross two stages in it. In the paper everything happens at once.
    OneAfterAnother,
    /// Indices move before a cycle's accesses are made and counted off, not after them; the paper does not say.
    RemapFirst,
    /// An index may move whose counter is at most half the difference, rounded down; in the paper it must be less
    /// than half (Figure 6).
    AtMostHalf,
    /// Of several pipelines with the highest or the lowest load the last one counts; the paper does not say, and
    /// here it is the first.
    LastOfTied,
    /// Figure 6 is tried again in every cycle until an index has moved; only then the counters begin again, and two
    /// cycles later the next period. In the paper it runs every t cycles and the counters then begin again.
    Retry,
    /// An index is in flight for ever once it was accessed, where queues are by index: in the published "ideal"
    /// hardly any index ever moves. In the paper it is in flight until the access is made (section 3.4).
    IdealInFlight,
    /// Maps for a load that is known beforehand are made by giving the next index to the pipeline with the
    /// smallest load, from the least busy index to the busiest; ours begins with the busiest, as bin packing does.
    IdealPacking,
    /// Without dynamic sharding indices are sorted by their load and cut into runs, the worst case; in the paper
    /// they lie at random (section 4.3.2).
    SortedRuns,
    /// Index i lies in pipeline i modulo k at first; ours lies at random, for the paper does not say.
    FirstModulo,
    /// Addresses are resolved as a packet enters; in the paper this takes the pipeline's first stages (section 3.3).
    ResolvedAtEntry,
}

impl Departure {
    /// All of them.
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

    /// Its name in plans and on the command line.
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

    /// What the simulator does, and what the paper says, in a sentence.
    pub const fn description(self) -> &'static str {
        match self {
            Self::PhantomsAtOnce => "phantoms are queued at once, instead of travelling one stage a cycle",
            Self::OneList => "one list in the order of the pipelines, instead of k FIFOs with timestamps",
            Self::PortsFixed => "ports belong to pipelines, instead of packets being sprayed",
            Self::DelayedAtExit => "stateless packets delay stateful ones only at the exit of a stage",
            Self::OneAfterAnother => "pipelines are updated one after the other within a cycle, instead of together",
            Self::RemapFirst => "indices move before a cycle's accesses are counted off, instead of after",
            Self::AtMostHalf => "an index moves if its counter is at most half the difference, instead of less",
            Self::LastOfTied => "of tied pipelines the last one counts, instead of the first",
            Self::Retry => "remapping is tried every cycle until an index moves, instead of once a period",
            Self::IdealInFlight => "\"ideal\": in-flight counters never fall",
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

/// By which rules an MP5 works: the paper's, but for the departures in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Rules {
    /// Bit n is set if the n-th departure is in it.
    departures: u16,
}

impl Rules {
    /// The rules of the paper.
    pub const fn paper() -> Self {
        Self { departures: 0 }
    }

    /// Those of the published simulator.
    pub const fn artifact() -> Self {
        Self { departures: (1 << Departure::ALL.len()) - 1 }
    }

    /// With a departure from the paper.
    #[must_use]
    pub const fn with(self, departure: Departure) -> Self {
        Self { departures: self.departures | 1 << departure as u16 }
    }

    /// Without it.
    #[must_use]
    pub const fn without(self, departure: Departure) -> Self {
        Self { departures: self.departures & !(1 << departure as u16) }
    }

    /// True if a departure is in it.
    #[inline]
    pub const fn has(self, departure: Departure) -> bool {
        self.departures & 1 << departure as u16 != 0
    }

    /// The departures in it.
    pub fn departures(self) -> impl Iterator<Item = Departure> {
        Departure::ALL.into_iter().filter(move |&departure| self.has(departure))
    }
}

impl fmt::Display for Rules {
    /// As [`Rules::from_str`] reads it.
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

    /// `paper` or `artifact`, then departures to add or take away: `paper,+retry`, `artifact,-one-list,-retry`.
    /// Departures alone are added to the paper's rules.
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
                        format!("no rules are called `{word}`: it is `paper` or `artifact`, then any of {names}")
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
    fn rules_are_read_as_they_are_written() {
        let one = |departure| [Rules::paper().with(departure), Rules::artifact().without(departure)];
        let single = Departure::ALL.into_iter().flat_map(one);
        for rules in single.chain([Rules::paper(), Rules::artifact()]) {
            assert_eq!(rules.to_string().parse(), Ok(rules), "{rules}");
        }
        assert_eq!("retry, one-list".parse(), Ok(Rules::paper().with(Departure::Retry).with(Departure::OneList)));
        assert_eq!(Rules::artifact().without(Departure::Retry).to_string(), "artifact,-retry");
    }

    #[test]
    fn an_unknown_rule_is_named_with_what_there_is() {
        let error = "artifact,-retri".parse::<Rules>().unwrap_err();
        assert!(error.contains("`-retri`") && error.contains("retry"), "{error}");
        assert!("retry,paper".parse::<Rules>().is_err(), "a base comes first");
    }
}
