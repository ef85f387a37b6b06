//! Groups of members, of which a hash selects one by weight.

use serde::{Deserialize, Serialize};

use super::bits::GroupBits;
use super::down_ports::DownPorts;
use super::selection::{Choice, Selection, SelectionMode};

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
    /// Where the bits of the members are, if the profile has bits.
    pub(super) bits: Option<GroupBits>,
    selection: Selection,
}

impl Group {
    /// Creates a group; `members` are in order of their numbers.
    pub(super) fn new(members: Vec<GroupMember>, maximum_size: u32, bits: Option<GroupBits>, down: &DownPorts) -> Self {
        let mut group = Self { members, maximum_size, bits, selection: Selection::default() };
        group.select(down);
        group
    }

    /// Works out anew what can be selected.
    pub(super) fn select(&mut self, down: &DownPorts) {
        let choices = self.members.iter().map(|member| (member.member, member.weight, member.watch_port));
        self.selection = Selection::of(choices, down);
    }

    /// Returns whether a member depends on a port.
    pub(super) fn watches(&self, port: u32) -> bool {
        self.members.iter().any(|member| member.watch_port == Some(port))
    }

    /// Returns the number of the member that a hash selects. With bits, `array` has them, and a member counts as often as
    /// bits of its are 1.
    #[inline]
    pub(super) fn choose(&self, mode: SelectionMode, hash: u64, array: &[u64], size: u32) -> Option<u32> {
        let position = match &self.bits {
            None => self.selection.choose(mode, hash),
            Some(bits) => {
                let counted = self.selection.choices().filter_map(|choice| {
                    let weight = bits.count(choice.position as usize, array, size);
                    (weight > 0).then_some(Choice { weight, ..choice })
                });
                mode.choose(hash, counted)
            }
        };
        position.map(|position| self.members[position].member)
    }
}
