//! Which member of a group, or action of a set, a hash selects.

use basis::mix;

use super::down_ports::DownPorts;

/// The way in which a hash selects among the choices that are there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SelectionMode {
    /// The hash modulo the sum of weights is the place in the list of choices. When a choice comes or goes, most hashes
    /// select another one.
    #[default]
    Fair,
    /// When a choice goes, only the hashes that selected it select another one, and when one comes, only hashes that then
    /// select it change: rendezvous hashing (Thaler and Ravishankar, "Using Name-Based Mappings to Increase Hit Rates",
    /// IEEE/ACM Transactions on Networking, 1998), by weight as in "Weighted Distributed Hash Tables" (Schindelhauer and
    /// Schomaker, SPAA 2005). The work grows with the number of choices.
    Resilient,
}

/// A choice that can be selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Choice {
    /// Its position in the list of members or actions.
    pub(super) position: u32,
    /// The number by which a resilient selection knows it.
    pub(super) key: u32,
    /// How often it counts, at least 1.
    pub(super) weight: u32,
}

impl SelectionMode {
    /// Returns the position of the choice that a hash selects.
    pub(super) fn choose(self, hash: u64, choices: impl Iterator<Item = Choice> + Clone) -> Option<usize> {
        let chosen = match self {
            Self::Fair => {
                let sum: u64 = choices.clone().map(|choice| u64::from(choice.weight)).sum();
                let mut rest = hash.checked_rem(sum)?;
                let mut choices = choices;
                choices.find(|choice| {
                    let is_here = rest < u64::from(choice.weight);
                    rest = rest.saturating_sub(choice.weight.into());
                    is_here
                })
            }
            Self::Resilient => {
                let scored = choices.map(|choice| (delay(hash, choice), choice));
                scored.min_by(|(one, _), (other, _)| one.total_cmp(other)).map(|(_, choice)| choice)
            }
        };
        chosen.map(|choice| choice.position as usize)
    }
}

/// Returns a number that hash and key draw from the exponential distribution whose rate is the weight: the least one of
/// several choices is each one's with a probability in proportion to its weight.
fn delay(hash: u64, choice: Choice) -> f64 {
    let drawn = mix(hash ^ mix(u64::from(choice.key) + 1));
    let unit = ((drawn >> 11) + 1) as f64 / (1_u64 << 53) as f64;
    -libm::log(unit) / f64::from(choice.weight)
}

/// The choices of a group or an action set whose ports are up, with their weights.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Selection {
    choices: Vec<Choice>,
    /// For each choice, the sum of its weight and of those before it. Empty if all weights are 1.
    ends: Vec<u64>,
}

impl Selection {
    /// Creates the selection among choices, given by key, weight and port, without those whose port is down.
    pub(super) fn of(choices: impl Iterator<Item = (u32, u32, Option<u32>)>, down: &DownPorts) -> Self {
        let is_up = |port: Option<u32>| port.is_none_or(|port| !down.contains(port));
        let choices: Vec<Choice> = (0..)
            .zip(choices)
            .filter(|(_, (_, _, port))| is_up(*port))
            .map(|(position, (key, weight, _))| Choice { position, key, weight })
            .collect();
        if choices.iter().all(|choice| choice.weight == 1) {
            return Self { choices, ends: Vec::new() };
        }
        let ends = choices.iter().scan(0u64, |end, choice| {
            *end += u64::from(choice.weight);
            Some(*end)
        });
        Self { ends: ends.collect(), choices }
    }

    /// Returns the choices.
    pub(super) fn choices(&self) -> impl Iterator<Item = Choice> + Clone {
        self.choices.iter().copied()
    }

    /// Returns the position of the choice that a hash selects. A fair selection selects the one at the hash modulo the sum
    /// of weights, if each choice were listed as often as its weight says.
    #[inline]
    pub(super) fn choose(&self, mode: SelectionMode, hash: u64) -> Option<usize> {
        if mode == SelectionMode::Resilient {
            return mode.choose(hash, self.choices());
        }
        let place = match self.ends.last() {
            None => hash.checked_rem(self.choices.len() as u64)? as usize,
            Some(&sum) => self.place_of(hash % sum),
        };
        Some(self.choices[place].position as usize)
    }

    /// Returns the choice that covers a position among all weights.
    fn place_of(&self, position: u64) -> usize {
        self.ends.partition_point(|&end| end <= position)
    }
}
