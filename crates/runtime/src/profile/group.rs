//! Groups of members, of which a hash selects one by weight.

use serde::{Deserialize, Serialize};

use super::down_ports::DownPorts;

/// A member of a group, with its share of the packets and the port on which it depends (P4Runtime specification 1.4,
/// section 9.2.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct GroupMember {
    /// The number of the member.
    pub member: u32,
    /// The weight, at least 1: the member is selected as if it were in the group this many times.
    pub weight: u32,
    /// The port that must be up for the member to be selected; with `None` it always can be.
    pub watch_port: Option<u32>,
}

/// A member of weight 1 that depends on no port.
impl From<u32> for GroupMember {
    fn from(member: u32) -> Self {
        Self { member, weight: 1, watch_port: None }
    }
}

/// A group as it was written, and what can be selected from it now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Group {
    /// The members, in order of their numbers.
    pub(super) members: Vec<GroupMember>,
    /// The maximum size that was given with the group; 0 for none.
    pub(super) maximum_size: u32,
    /// Positions in `members`.
    selection: Selection,
}

impl Group {
    /// Creates a group; `members` are in order of their numbers.
    pub(super) fn new(members: Vec<GroupMember>, maximum_size: u32, down: &DownPorts) -> Self {
        let mut group = Self { members, maximum_size, selection: Selection::default() };
        group.select(down);
        group
    }

    /// Works out anew what can be selected.
    pub(super) fn select(&mut self, down: &DownPorts) {
        self.selection = Selection::of(self.members.iter().map(|member| (member.weight, member.watch_port)), down);
    }

    /// Returns whether a member depends on a port.
    pub(super) fn watches(&self, port: u32) -> bool {
        self.members.iter().any(|member| member.watch_port == Some(port))
    }

    /// Returns the number of the member that a hash selects.
    #[inline]
    pub(super) fn choose(&self, hash: u64) -> Option<u32> {
        self.selection.choose(hash).map(|place| self.members[place].member)
    }
}

/// The choices of a group or an action set whose ports are up, with their weights.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Selection {
    /// The positions of the choices.
    places: Vec<u32>,
    /// For each choice, the sum of its weight and of those before it. Empty if all weights are 1.
    ends: Vec<u64>,
}

impl Selection {
    /// Creates the selection among choices, given by weight and port, without those whose port is down.
    pub(super) fn of(choices: impl Iterator<Item = (u32, Option<u32>)>, down: &DownPorts) -> Self {
        let is_up = |port: Option<u32>| port.is_none_or(|port| !down.contains(port));
        let choices: Vec<(u32, u32)> = (0..)
            .zip(choices)
            .filter(|(_, (_, port))| is_up(*port))
            .map(|(place, (weight, _))| (place, weight))
            .collect();
        let places = choices.iter().map(|(place, _)| *place).collect();
        if choices.iter().all(|(_, weight)| *weight == 1) {
            return Self { places, ends: Vec::new() };
        }
        let ends = choices.iter().scan(0u64, |end, (_, weight)| {
            *end += u64::from(*weight);
            Some(*end)
        });
        Self { ends: ends.collect(), places }
    }

    /// Returns the position of the choice that a hash selects: the one at the hash modulo the sum of weights, if each
    /// choice were listed as often as its weight says.
    #[inline]
    pub(super) fn choose(&self, hash: u64) -> Option<usize> {
        let place = match self.ends.last() {
            None => hash.checked_rem(self.places.len() as u64)? as usize,
            Some(&sum) => self.place_of(hash % sum),
        };
        Some(self.places[place] as usize)
    }

    /// Returns the choice that covers a position among all weights.
    fn place_of(&self, position: u64) -> usize {
        self.ends.partition_point(|&end| end <= position)
    }
}
