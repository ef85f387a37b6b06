//! The groups of a profile.

use super::group::Group;
use super::{GroupMember, KeptGroup, Profile, ProfileError, below};
use crate::RegisterFile;

impl Profile {
    /// Adds a group with these members. `maximum_size` is kept and returned, and limits nothing here.
    ///
    /// # Errors
    /// If the id is taken, the profile is full, a member does not exist, has no weight or is listed twice, or the group
    /// would be too large.
    pub fn insert_group(&mut self, id: u32, members: &[GroupMember], maximum_size: u32) -> Result<(), ProfileError> {
        if self.groups.contains_key(&id) {
            return Err(ProfileError::DuplicateGroup(id));
        }
        below(self.limits.groups, self.groups.len(), |limit| ProfileError::TooManyGroups { limit })?;
        let members = self.group_of(members)?;
        let bits = self.placed(id, &members)?;
        self.restore_group(id, Some(KeptGroup { members, maximum_size, bits }));
        Ok(())
    }

    /// Replaces the members of a group, whose maximum size stays.
    ///
    /// # Errors
    /// If there is no such group, a member does not exist, has no weight or is listed twice, or the group would be too
    /// large. The group then keeps its members.
    pub fn modify_group(&mut self, id: u32, members: &[GroupMember]) -> Result<(), ProfileError> {
        let members = self.group_of(members)?;
        let maximum_size = self.groups.get(&id).ok_or(ProfileError::NoSuchGroup(id))?.maximum_size;
        let bits = self.placed(id, &members)?;
        self.restore_group(id, Some(KeptGroup { members, maximum_size, bits }));
        Ok(())
    }

    /// Returns checked members in the order of their ids.
    fn group_of(&self, members: &[GroupMember]) -> Result<Vec<GroupMember>, ProfileError> {
        if let Some(unknown) = members.iter().find(|member| !self.members.contains_key(&member.member)) {
            return Err(ProfileError::NoSuchMember(unknown.member));
        }
        if let Some(weightless) = members.iter().find(|member| member.weight == 0) {
            return Err(ProfileError::NoWeight(weightless.member));
        }
        if let Some(limit) = self.limits.group_size.filter(|&limit| members.len() > limit as usize) {
            return Err(ProfileError::GroupTooLarge { limit });
        }
        let mut sorted = members.to_vec();
        sorted.sort_unstable();
        match sorted.windows(2).find(|pair| pair[0].member == pair[1].member) {
            Some(pair) => Err(ProfileError::AlreadyInGroup(pair[0].member)),
            None => Ok(sorted),
        }
    }

    /// Deletes a group. Its members stay in the profile.
    ///
    /// # Errors
    /// If there is no such group.
    pub fn delete_group(&mut self, id: u32) -> Result<(), ProfileError> {
        if !self.groups.contains_key(&id) {
            return Err(ProfileError::NoSuchGroup(id));
        }
        self.restore_group(id, None);
        Ok(())
    }

    /// Returns a group as [`Profile::restore_group`] puts it back; `None` if it does not exist.
    pub fn keep_group(&self, id: u32) -> Option<KeptGroup> {
        self.groups.get(&id).map(Group::kept)
    }

    /// Puts a group back as it was before operations that are being undone; `None` if it did not exist.
    pub fn restore_group(&mut self, id: u32, group: Option<KeptGroup>) {
        let new = group.map(|kept| Group::new(kept.members, kept.maximum_size, kept.bits, &self.down));
        let old = match new {
            Some(new) => {
                self.size.add(new.members.iter().map(|member| member.weight));
                for member in &new.members {
                    self.members.entry(member.member).and_modify(|stored| stored.groups += 1);
                }
                self.groups.insert(id, new)
            }
            None => self.groups.remove(&id),
        };
        for member in old.iter().flat_map(|old| &old.members) {
            self.members.entry(member.member).and_modify(|stored| stored.groups -= 1);
        }
        self.size.subtract(old.iter().flat_map(|old| &old.members).map(|member| member.weight));
    }

    /// Returns the members of a group, in ascending order of their ids.
    pub fn group(&self, id: u32) -> Option<&[GroupMember]> {
        self.groups.get(&id).map(|group| group.members.as_slice())
    }

    /// Returns the maximum size that was given with a group.
    pub fn maximum_size(&self, id: u32) -> Option<u32> {
        self.groups.get(&id).map(|group| group.maximum_size)
    }

    /// Returns all groups with their members, ordered by id.
    pub fn groups(&self) -> impl Iterator<Item = (u32, &[GroupMember])> {
        self.groups.iter().map(|(&id, group)| (id, group.members.as_slice()))
    }

    /// Returns the id of the member of a group that a hash selects: the one at the hash modulo the sum of weights, if
    /// each member were listed as often as its weight says. With weights of 1 this is the choice of BMv2. A resilient
    /// selection chooses as [`crate::profile::SelectionMode::Resilient`] says, and with bits, members count as often as bits of theirs are
    /// 1 in `registers`. `None` if the group does not exist, or has no member that can be selected.
    ///
    /// # Panics
    /// Panics if the profile has bits in a register that does not exist.
    #[inline]
    pub fn choose(&self, group: u32, hash: u64, registers: &RegisterFile) -> Option<u32> {
        let (array, places): (&[u64], u32) = match self.bits {
            None => (&[], 0),
            Some(own) => (registers.array(own.register), own.places),
        };
        self.groups.get(&group)?.choose(self.mode, hash, array, places)
    }
}
