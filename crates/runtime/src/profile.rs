//! Action profiles and selectors: actions that several entries share, and groups of them of which a hash chooses one
//! (v1model: `action_profile`, `action_selector`; P4Runtime specification 1.4, section 9.2).

mod error;

use std::collections::BTreeMap;

pub use error::{ProfileError, ProfileLimits};

use basis::snapshot::{Loader, Saver, Snapshot, Unfit};
use serde::{Deserialize, Serialize};

use crate::Bits;
use crate::tables::ActionWords;

/// An action with its arguments, that entries and groups name by an id.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Member {
    /// The action's number in the list of actions of the tables that share the profile.
    pub action: u32,
    /// The arguments that the control plane gives.
    pub data: Vec<Bits>,
}

/// An action profile; with groups, an action selector.
///
/// The members of a group are kept in the order of their ids, whatever order they came in, so that a hash chooses the
/// same one however the group was built; BMv2 orders them so. Which entries of tables name a member or a group the
/// profile does not know: see [`crate::tables::MatchTable::uses`].
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
    /// A profile without members.
    pub fn new(limits: ProfileLimits) -> Self {
        Self { limits, ..Self::default() }
    }

    /// How much it holds.
    pub fn limits(&self) -> ProfileLimits {
        self.limits
    }

    /// Adds a member.
    ///
    /// # Errors
    /// The id is taken, or the profile full.
    pub fn insert_member(&mut self, id: u32, member: Member) -> Result<(), ProfileError> {
        if self.members.contains_key(&id) {
            return Err(ProfileError::DuplicateMember(id));
        }
        below(self.limits.members, self.members.len(), |limit| ProfileError::TooManyMembers { limit })?;
        self.members.insert(id, with_words(member));
        Ok(())
    }

    /// Changes the action of a member, wherever it is named.
    ///
    /// # Errors
    /// There is no such member.
    pub fn modify_member(&mut self, id: u32, member: Member) -> Result<(), ProfileError> {
        *self.members.get_mut(&id).ok_or(ProfileError::NoSuchMember(id))? = with_words(member);
        Ok(())
    }

    /// Takes a member out.
    ///
    /// # Errors
    /// There is no such member, or it is in a group.
    pub fn delete_member(&mut self, id: u32) -> Result<Member, ProfileError> {
        if let Some((&group, _)) = self.groups.iter().find(|(_, members)| members.contains(&id)) {
            return Err(ProfileError::MemberInUse { group });
        }
        self.members.remove(&id).map(|(member, _)| member).ok_or(ProfileError::NoSuchMember(id))
    }

    /// Adds a group of these members.
    ///
    /// # Errors
    /// The id is taken, the profile full, or the members are none for a group.
    pub fn insert_group(&mut self, id: u32, members: &[u32]) -> Result<(), ProfileError> {
        if self.groups.contains_key(&id) {
            return Err(ProfileError::DuplicateGroup(id));
        }
        below(self.limits.groups, self.groups.len(), |limit| ProfileError::TooManyGroups { limit })?;
        let members = self.group_of(members)?;
        self.groups.insert(id, members);
        Ok(())
    }

    /// Gives a group other members.
    ///
    /// # Errors
    /// There is no such group, or the members are none for a group; then it keeps its own.
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

    /// Takes a group out. Its members stay.
    ///
    /// # Errors
    /// There is no such group.
    pub fn delete_group(&mut self, id: u32) -> Result<(), ProfileError> {
        self.groups.remove(&id).map(|_| ()).ok_or(ProfileError::NoSuchGroup(id))
    }

    /// Adds a member to a group.
    ///
    /// # Errors
    /// There is no such group or member, the member is in the group, or the group is full.
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

    /// Takes a member out of a group.
    ///
    /// # Errors
    /// There is no such group, or the member is not in it.
    pub fn remove_from_group(&mut self, group: u32, member: u32) -> Result<(), ProfileError> {
        let members = self.groups.get_mut(&group).ok_or(ProfileError::NoSuchGroup(group))?;
        let place = members.binary_search(&member).map_err(|_| ProfileError::NotInGroup(member))?;
        members.remove(place);
        Ok(())
    }

    /// Takes all members and groups out.
    pub fn clear(&mut self) {
        self.members.clear();
        self.groups.clear();
    }

    /// The member of an id.
    #[inline]
    pub fn member(&self, id: u32) -> Option<&Member> {
        self.members.get(&id).map(|(member, _)| member)
    }

    /// The action of a member and its data in words, for executors on words.
    #[inline]
    pub fn member_words(&self, id: u32) -> Option<&ActionWords> {
        self.members.get(&id).map(|(_, words)| words)
    }

    /// The ids of a group's members, in their order.
    pub fn group(&self, id: u32) -> Option<&[u32]> {
        self.groups.get(&id).map(Vec::as_slice)
    }

    /// All members, in the order of their ids.
    pub fn members(&self) -> impl Iterator<Item = (u32, &Member)> {
        self.members.iter().map(|(&id, (member, _))| (id, member))
    }

    /// All groups with the ids of their members, in the order of their ids.
    pub fn groups(&self) -> impl Iterator<Item = (u32, &[u32])> {
        self.groups.iter().map(|(&id, members)| (id, members.as_slice()))
    }

    /// The least id that no member has, for a control plane that leaves ids to the switch.
    pub fn unused_member(&self) -> u32 {
        unused(self.members.keys())
    }

    /// The least id that no group has.
    pub fn unused_group(&self) -> u32 {
        unused(self.groups.keys())
    }

    /// The id of the member of a group that a hash chooses: the one whose place is the hash modulo the number of
    /// members, as in BMv2. `None` if the group is empty or unknown.
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
    // Taken ids come in their order, so up to the first gap each is what counting says.
    taken.zip(0..).take_while(|&(&id, counted)| id == counted).count() as u32
}
