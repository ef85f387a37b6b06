//! Changes of groups, with the bits of their members in registers.

use super::ProgramState;
use crate::profile::{GroupMember, KeptGroup, ProfileError};

/// A group before a change, with the bits of its block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupBefore {
    group: u32,
    kept: Option<KeptGroup>,
    /// The register, the first index, and the values.
    bits: Option<(usize, usize, Vec<u64>)>,
}

impl ProgramState {
    /// Adds a group to a profile, whose members are there then.
    ///
    /// # Errors
    /// As for [`crate::Profile::insert_group`].
    ///
    /// # Panics
    /// Panics if there is no such profile.
    pub fn insert_group(
        &mut self,
        profile: usize,
        group: u32,
        members: &[GroupMember],
        maximum_size: u32,
    ) -> Result<(), ProfileError> {
        self.profiles[profile].insert_group(group, members, maximum_size)?;
        self.mark(profile, &[], &self.indices(profile, group));
        Ok(())
    }

    /// Replaces the members of a group. Members that it had already keep their bits, and others are there then.
    ///
    /// # Errors
    /// As for [`crate::Profile::modify_group`].
    ///
    /// # Panics
    /// Panics if there is no such profile.
    pub fn modify_group(&mut self, profile: usize, group: u32, members: &[GroupMember]) -> Result<(), ProfileError> {
        let before = self.indices(profile, group);
        self.profiles[profile].modify_group(group, members)?;
        self.mark(profile, &before, &self.indices(profile, group));
        Ok(())
    }

    /// Deletes a group. Its members stay in the profile.
    ///
    /// # Errors
    /// As for [`crate::Profile::delete_group`].
    ///
    /// # Panics
    /// Panics if there is no such profile.
    pub fn delete_group(&mut self, profile: usize, group: u32) -> Result<(), ProfileError> {
        let before = self.indices(profile, group);
        self.profiles[profile].delete_group(group)?;
        self.mark(profile, &before, &[]);
        Ok(())
    }

    /// Returns what undoes a change of a group that is about to be made.
    ///
    /// # Panics
    /// Panics if there is no such profile.
    pub fn keep_group(&self, profile: usize, group: u32) -> GroupBefore {
        let stored = &self.profiles[profile];
        let bits = stored.bits().zip(stored.block_of(group)).and_then(|(own, block)| {
            // A profile that is full has no block left.
            let values = self.registers.array(own.register).get(block.clone())?;
            Some((own.register, block.start, values.to_vec()))
        });
        GroupBefore { group, kept: stored.keep_group(group), bits }
    }

    /// Makes a group what it was. Operations are undone in reverse order.
    ///
    /// # Panics
    /// Panics if there is no such profile.
    pub fn restore_group(&mut self, profile: usize, before: GroupBefore) {
        self.profiles[profile].restore_group(before.group, before.kept);
        if let Some((register, first, values)) = before.bits {
            self.registers.array_mut(register)[first..][..values.len()].copy_from_slice(&values);
        }
    }

    /// Returns the indices of the bits of a group's members; none without bits.
    fn indices(&self, profile: usize, group: u32) -> Vec<usize> {
        self.profiles[profile].bits_of(group).into_iter().flatten().flatten().collect()
    }

    /// Sets the bits of places that members have got, and clears those of places that nobody has any more.
    fn mark(&mut self, profile: usize, before: &[usize], after: &[usize]) {
        let Some(own) = self.profiles[profile].bits() else { return };
        let array = self.registers.array_mut(own.register);
        let mut write = |index: usize, bit| {
            if let Some(value) = array.get_mut(index) {
                *value = bit;
            }
        };
        before.iter().filter(|index| !after.contains(index)).for_each(|&index| write(index, 0));
        after.iter().filter(|index| !before.contains(index)).for_each(|&index| write(index, 1));
    }
}
