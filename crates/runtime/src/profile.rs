//! Action profiles and selectors: actions that several entries share, and groups of them from which a hash selects one
//! (v1model: `action_profile`, `action_selector`; P4Runtime specification 1.4, section 9.2).

mod action_set;
mod bits;
mod down_ports;
mod error;
mod group;
mod groups;
mod selection;
mod sets;
mod snapshot;

use std::collections::{BTreeMap, BTreeSet};

pub use action_set::WeightedMember;
pub use bits::{GroupBits, KeptGroup, MemberBits};
pub use down_ports::DownPorts;
pub use error::{ProfileError, ProfileLimits};
pub use group::GroupMember;
pub use selection::SelectionMode;

use action_set::ActionSet;
use group::Group;
use serde::{Deserialize, Serialize};

use crate::Bits;
use crate::tables::ActionWords;

/// An action with its arguments, to which entries and groups refer by an id.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Member {
    /// The index of the action in the list of actions of the tables that share the profile.
    pub action: u32,
    /// The arguments from the control plane.
    pub data: Vec<Bits>,
}

/// An action profile or, with groups, an action selector.
///
/// The members of a group are kept in the order of their ids, as in BMv2, so that a hash selects the same member
/// however the group was built. The profile does not know which table entries refer to a member or a group: see
/// [`crate::tables::MatchTable::uses`].
///
/// It also holds the action sets of the entries of its tables: groups without a name, whose actions nobody else can
/// refer to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Profile {
    limits: ProfileLimits,
    mode: SelectionMode,
    bits: Option<MemberBits>,
    members: BTreeMap<u32, StoredMember>,
    groups: BTreeMap<u32, Group>,
    /// The action sets by number.
    sets: Vec<Option<ActionSet>>,
    /// The numbers below the length of `sets` that no set has.
    unused_sets: BTreeSet<u32>,
    /// The number of members of all groups and sets, and the sum of their weights.
    size: ProfileSize,
    down: DownPorts,
}

/// How much of a profile its groups and action sets take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProfileSize {
    /// The number of members of all groups and actions of all sets.
    pub members: u64,
    /// The sum of the weights of all of them.
    pub weights: u64,
}

/// A member with the words of its data, and the number of groups that it is in.
#[derive(Clone, Debug, PartialEq, Eq)]
struct StoredMember {
    member: Member,
    words: ActionWords,
    groups: u32,
}

fn below(limit: Option<u32>, count: usize, error: impl Fn(u32) -> ProfileError) -> Result<(), ProfileError> {
    limit.filter(|&limit| count >= limit as usize).map_or(Ok(()), |limit| Err(error(limit)))
}

impl Profile {
    /// Creates a profile without members.
    pub fn new(limits: ProfileLimits) -> Self {
        Self { limits, ..Self::default() }
    }

    /// Selects among members and actions in another way.
    pub fn with_mode(mut self, mode: SelectionMode) -> Self {
        self.mode = mode;
        self
    }

    /// Returns the limits of the profile.
    pub fn limits(&self) -> ProfileLimits {
        self.limits
    }

    /// Returns how much its groups and action sets take.
    pub fn size(&self) -> ProfileSize {
        self.size
    }

    /// Adds a member.
    ///
    /// # Errors
    /// If the id is taken, or the profile is full.
    pub fn insert_member(&mut self, id: u32, member: Member) -> Result<(), ProfileError> {
        if self.members.contains_key(&id) {
            return Err(ProfileError::DuplicateMember(id));
        }
        below(self.limits.members, self.members.len(), |limit| ProfileError::TooManyMembers { limit })?;
        self.members.insert(id, StoredMember::new(member, 0));
        Ok(())
    }

    /// Changes the action of a member, for all entries and groups that refer to it.
    ///
    /// # Errors
    /// If there is no such member.
    pub fn modify_member(&mut self, id: u32, member: Member) -> Result<(), ProfileError> {
        let stored = self.members.get_mut(&id).ok_or(ProfileError::NoSuchMember(id))?;
        *stored = StoredMember::new(member, stored.groups);
        Ok(())
    }

    /// Deletes a member.
    ///
    /// # Errors
    /// If there is no such member, or it is in a group.
    pub fn delete_member(&mut self, id: u32) -> Result<Member, ProfileError> {
        let stored = self.members.get(&id).ok_or(ProfileError::NoSuchMember(id))?;
        if stored.groups > 0 {
            let holds = |group: &Group| group.members.iter().any(|member| member.member == id);
            let group = self.groups.iter().find(|(_, group)| holds(group)).map_or(0, |(&group, _)| group);
            return Err(ProfileError::MemberInUse { group });
        }
        self.members.remove(&id).map(|stored| stored.member).ok_or(ProfileError::NoSuchMember(id))
    }

    /// Puts a member back as it was before operations that are being undone; `None` if it did not exist.
    pub fn restore_member(&mut self, id: u32, member: Option<Member>) {
        match (member, self.members.get_mut(&id)) {
            (Some(member), Some(stored)) => *stored = StoredMember::new(member, stored.groups),
            (Some(member), None) => _ = self.members.insert(id, StoredMember::new(member, 0)),
            (None, _) => _ = self.members.remove(&id),
        }
    }

    /// Deletes all members and groups. The action sets stay, for they belong to entries.
    pub fn clear(&mut self) {
        let groups: Vec<u32> = self.groups.keys().copied().collect();
        for group in groups {
            self.restore_group(group, None);
        }
        self.members.clear();
    }

    /// Returns the member of an id.
    #[inline]
    pub fn member(&self, id: u32) -> Option<&Member> {
        self.members.get(&id).map(|stored| &stored.member)
    }

    /// Returns the action of a member with its data in words, for executors that work on words.
    #[inline]
    pub fn member_words(&self, id: u32) -> Option<&ActionWords> {
        self.members.get(&id).map(|stored| &stored.words)
    }

    /// Returns all members, ordered by id.
    pub fn members(&self) -> impl Iterator<Item = (u32, &Member)> {
        self.members.iter().map(|(&id, stored)| (id, &stored.member))
    }

    /// Returns the least id that no member has, for control planes that leave the choice of ids to the switch.
    pub fn unused_member(&self) -> u32 {
        unused(self.members.keys())
    }

    /// Returns the least id that no group has.
    pub fn unused_group(&self) -> u32 {
        unused(self.groups.keys())
    }

    /// Says whether a port is up. While it is down, members of groups and actions of sets that watch it are not selected;
    /// what is read back is unchanged.
    pub fn set_port(&mut self, port: u32, is_up: bool) {
        if !self.down.set(port, is_up) {
            return;
        }
        let down = &self.down;
        self.groups.values_mut().filter(|group| group.watches(port)).for_each(|group| group.select(down));
        self.sets.iter_mut().flatten().filter(|set| set.watches(port)).for_each(|set| set.select(down));
    }
}

impl StoredMember {
    fn new(member: Member, groups: u32) -> Self {
        let words = ActionWords::new(member.action, &member.data);
        Self { member, words, groups }
    }
}

fn unused<'a>(taken: impl Iterator<Item = &'a u32>) -> u32 {
    // The ids come in ascending order, so up to the first gap each equals its position.
    taken.zip(0..).take_while(|&(&id, counted)| id == counted).count() as u32
}
