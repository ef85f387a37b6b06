//! Action profiles and selectors: actions that several entries share, and groups of them from which a hash selects one
//! (v1model: `action_profile`, `action_selector`; P4Runtime specification 1.4, section 9.2).

mod error;

use std::collections::BTreeMap;

pub use error::{ProfileError, ProfileLimits};

use basis::snapshot::{Loader, Saver, Snapshot, Unfit};
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
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Profile {
    limits: ProfileLimits,
    members: BTreeMap<u32, (Member, ActionWords)>,
    groups: BTreeMap<u32, Vec<u32>>,
}

fn below(limit: Option<u32>, count: usize, error: impl Fn(u32) -> ProfileError) -> Result<(), ProfileError> {
    limit.filter(|&limit| count >= limit as usize).map_or(Ok(()), |limit| Err(error(limit)))
}

impl Profile {
    /// Creates a profile without members.
    pub fn new(limits: ProfileLimits) -> Self {
        Self { limits, ..Self::default() }
    }

    /// Returns the limits of the profile.
    pub fn limits(&self) -> ProfileLimits {
        self.limits
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
        self.members.insert(id, with_words(member));
        Ok(())
    }

    /// Changes the action of a member, for all entries and groups that refer to it.
    ///
    /// # Errors
    /// If there is no such member.
    pub fn modify_member(&mut self, id: u32, member: Member) -> Result<(), ProfileError> {
        *self.members.get_mut(&id).ok_or(ProfileError::NoSuchMember(id))? = with_words(member);
        Ok(())
    }

    /// Deletes a member.
    ///
    /// # Errors
    /// If there is no such member, or it is in a group.
    pub fn delete_member(&mut self, id: u32) -> Result<Member, ProfileError> {
        if let Some((&group, _)) = self.groups.iter().find(|(_, members)| members.contains(&id)) {
            return Err(ProfileError::MemberInUse { group });
        }
        self.members.remove(&id).map(|(member, _)| member).ok_or(ProfileError::NoSuchMember(id))
    }

    /// Adds a group with these members.
    ///
    /// # Errors
    /// If the id is taken, the profile is full, a member does not exist or is listed twice, or the group would be too
    /// large.
    pub fn insert_group(&mut self, id: u32, members: &[u32]) -> Result<(), ProfileError> {
        if self.groups.contains_key(&id) {
            return Err(ProfileError::DuplicateGroup(id));
        }
        below(self.limits.groups, self.groups.len(), |limit| ProfileError::TooManyGroups { limit })?;
        let members = self.group_of(members)?;
        self.groups.insert(id, members);
        Ok(())
    }

    /// Replaces the members of a group.
    ///
    /// # Errors
    /// If there is no such group, a member does not exist or is listed twice, or the group would be too large. The
    /// group then keeps its members.
    pub fn modify_group(&mut self, id: u32, members: &[u32]) -> Result<(), ProfileError> {
        let members = self.group_of(members)?;
        *self.groups.get_mut(&id).ok_or(ProfileError::NoSuchGroup(id))? = members;
        Ok(())
    }

    fn group_of(&self, members: &[u32]) -> Result<Vec<u32>, ProfileError> {
        if let Some(&id) = members.iter().find(|id| !self.members.contains_key(id)) {
            return Err(ProfileError::NoSuchMember(id));
        }
        if let Some(limit) = self.limits.group_size.filter(|&limit| members.len() > limit as usize) {
            return Err(ProfileError::GroupTooLarge { limit });
        }
        let mut sorted = members.to_vec();
        sorted.sort_unstable();
        match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(ProfileError::AlreadyInGroup(pair[0])),
            None => Ok(sorted),
        }
    }

    /// Deletes a group. Its members stay in the profile.
    ///
    /// # Errors
    /// If there is no such group.
    pub fn delete_group(&mut self, id: u32) -> Result<(), ProfileError> {
        self.groups.remove(&id).map(|_| ()).ok_or(ProfileError::NoSuchGroup(id))
    }

    /// Adds a member to a group.
    ///
    /// # Errors
    /// If there is no such group or member, the member is in the group already, or the group is full.
    pub fn add_to_group(&mut self, group: u32, member: u32) -> Result<(), ProfileError> {
        let members = self.groups.get_mut(&group).ok_or(ProfileError::NoSuchGroup(group))?;
        if !self.members.contains_key(&member) {
            return Err(ProfileError::NoSuchMember(member));
        }
        let Err(place) = members.binary_search(&member) else { return Err(ProfileError::AlreadyInGroup(member)) };
        below(self.limits.group_size, members.len(), |limit| ProfileError::GroupTooLarge { limit })?;
        members.insert(place, member);
        Ok(())
    }

    /// Removes a member from a group.
    ///
    /// # Errors
    /// If there is no such group, or the member is not in it.
    pub fn remove_from_group(&mut self, group: u32, member: u32) -> Result<(), ProfileError> {
        let members = self.groups.get_mut(&group).ok_or(ProfileError::NoSuchGroup(group))?;
        let place = members.binary_search(&member).map_err(|_| ProfileError::NotInGroup(member))?;
        members.remove(place);
        Ok(())
    }

    /// Deletes all members and groups.
    pub fn clear(&mut self) {
        self.members.clear();
        self.groups.clear();
    }

    /// Returns the member of an id.
    #[inline]
    pub fn member(&self, id: u32) -> Option<&Member> {
        self.members.get(&id).map(|(member, _)| member)
    }

    /// Returns the action of a member with its data in words, for executors that work on words.
    #[inline]
    pub fn member_words(&self, id: u32) -> Option<&ActionWords> {
        self.members.get(&id).map(|(_, words)| words)
    }

    /// Returns the ids of a group's members, in ascending order.
    pub fn group(&self, id: u32) -> Option<&[u32]> {
        self.groups.get(&id).map(Vec::as_slice)
    }

    /// Returns all members, ordered by id.
    pub fn members(&self) -> impl Iterator<Item = (u32, &Member)> {
        self.members.iter().map(|(&id, (member, _))| (id, member))
    }

    /// Returns all groups with the ids of their members, ordered by id.
    pub fn groups(&self) -> impl Iterator<Item = (u32, &[u32])> {
        self.groups.iter().map(|(&id, members)| (id, members.as_slice()))
    }

    /// Returns the least id that no member has, for control planes that leave the choice of ids to the switch.
    pub fn unused_member(&self) -> u32 {
        unused(self.members.keys())
    }

    /// Returns the least id that no group has.
    pub fn unused_group(&self) -> u32 {
        unused(self.groups.keys())
    }

    /// Returns the id of the member of a group that a hash selects: the one at the hash modulo the number of members,
    /// as in BMv2. `None` if the group is empty or does not exist.
    #[inline]
    pub fn choose(&self, group: u32, hash: u64) -> Option<u32> {
        let members = self.groups.get(&group)?;
        let place = hash.checked_rem(members.len() as u64)?;
        members.get(place as usize).copied()
    }
}

impl Snapshot for Profile {
    fn save(&self, into: &mut Saver) -> Result<(), Unfit> {
        let members: Vec<(u32, &Member)> = self.members().collect();
        into.put(&members)?;
        into.put(&self.groups)
    }

    fn restore(&mut self, from: &mut Loader<'_>) -> Result<(), Unfit> {
        let members: Vec<(u32, Member)> = from.take()?;
        self.members = members.into_iter().map(|(id, member)| (id, with_words(member))).collect();
        self.groups = from.take()?;
        Ok(())
    }
}

fn with_words(member: Member) -> (Member, ActionWords) {
    let words = ActionWords::new(member.action, &member.data);
    (member, words)
}

fn unused<'a>(taken: impl Iterator<Item = &'a u32>) -> u32 {
    // The ids come in ascending order, so up to the first gap each equals its position.
    taken.zip(0..).take_while(|&(&id, counted)| id == counted).count() as u32
}
