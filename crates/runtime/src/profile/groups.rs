//! The groups of a profile.

use super::group::Group;
use super::{GroupMember, Profile, ProfileError, below};

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
        self.restore_group(id, Some((members, maximum_size)));
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
        self.restore_group(id, Some((members, maximum_size)));
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

    /// Puts a group back as it was before operations that are being undone, with its members in the order of their ids
    /// and its maximum size; `None` if it did not exist.
    pub fn restore_group(&mut self, id: u32, group: Option<(Vec<GroupMember>, u32)>) {
        let new = group.map(|(members, maximum_size)| Group::new(members, maximum_size, &self.down));
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
    /// each member were listed as often as its weight says. With weights of 1 this is the choice of BMv2. `None` if the
    /// group does not exist, or has no member that can be selected.
    #[inline]
    pub fn choose(&self, group: u32, hash: u64) -> Option<u32> {
        self.groups.get(&group)?.choose(hash)
    }
}
