//! Bits that say which members of groups are there: a register that packets read and write, too.

use basis::snapshot::Unfit;
use serde::{Deserialize, Serialize};

use super::{Group, GroupMember, Profile, ProfileError};

/// The register with the bits of a profile: one for each place of each group. A member takes as many places of its group as
/// its weight, and is selected as often as bits of them are 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemberBits {
    /// The number of the register in the [`crate::RegisterFile`], whose values have one bit.
    pub register: usize,
    /// The number of places of a group, at least 1.
    pub places: u32,
    /// The number of groups for which the register has places.
    pub groups: u32,
}

/// The places of the members of one group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GroupBits {
    /// The number of the block of places that the group has: its first bit is at this times [`MemberBits::places`].
    block: u32,
    /// The places within the block, for each member in order of their numbers.
    places: Vec<Vec<u32>>,
}

impl GroupBits {
    /// Returns how many bits of a member are 1.
    pub(super) fn count(&self, position: usize, array: &[u64], places: u32) -> u32 {
        let is_set = |place: &&u32| array.get(self.index(**place, places)).is_some_and(|bit| *bit == 1);
        self.places[position].iter().filter(is_set).count() as u32
    }

    fn index(&self, place: u32, places: u32) -> usize {
        self.block as usize * places as usize + place as usize
    }
}

impl Profile {
    /// Gives the members of groups bits. The profile must not have groups yet.
    pub fn with_bits(mut self, bits: MemberBits) -> Self {
        self.limits.groups = Some(self.limits.groups.map_or(bits.groups, |own| own.min(bits.groups)));
        self.bits = Some(bits);
        self
    }

    /// Returns the register with the bits of members.
    pub fn bits(&self) -> Option<MemberBits> {
        self.bits
    }

    /// Returns the indices of a group's bits in the register, for each member in order of their numbers.
    pub fn bits_of(&self, group: u32) -> Option<Vec<Vec<usize>>> {
        let (own, bits) = (self.bits?, self.groups.get(&group)?.bits.as_ref()?);
        let of_member = |places: &Vec<u32>| places.iter().map(|&place| bits.index(place, own.places)).collect();
        Some(bits.places.iter().map(of_member).collect())
    }

    /// Returns the indices of the block of bits that a group has, or of that which it gets when it is inserted.
    pub(crate) fn block_of(&self, group: u32) -> Option<std::ops::Range<usize>> {
        let own = self.bits?;
        let block = self.groups.get(&group).and_then(|group| Some(group.bits.as_ref()?.block));
        let start = block.unwrap_or_else(|| self.free_block()) as usize * own.places as usize;
        Some(start..start + own.places as usize)
    }

    /// Returns the least block that no group has.
    fn free_block(&self) -> u32 {
        let mut taken: Vec<u32> = self.groups.values().filter_map(|group| Some(group.bits.as_ref()?.block)).collect();
        taken.sort_unstable();
        (0..).zip(taken).take_while(|(free, block)| free == block).count() as u32
    }

    /// Returns the places of the members that a group is to have. Members that it has already keep theirs.
    ///
    /// # Errors
    /// If the group has fewer places.
    pub(super) fn placed(&self, group: u32, members: &[GroupMember]) -> Result<Option<GroupBits>, ProfileError> {
        let Some(own) = self.bits else { return Ok(None) };
        let sum: u64 = members.iter().map(|member| u64::from(member.weight)).sum();
        if sum > u64::from(own.places) {
            return Err(ProfileError::GroupTooLarge { limit: own.places });
        }
        let before = self.groups.get(&group).and_then(|group| Some((group, group.bits.as_ref()?)));
        let kept = |member: &GroupMember| {
            let Some((group, bits)) = before else { return Vec::new() };
            let position = group.members.binary_search_by_key(&member.member, |own| own.member);
            position.map_or_else(|_| Vec::new(), |position| bits.places[position].clone())
        };
        let mut places: Vec<Vec<u32>> = members.iter().map(kept).collect();
        let mut is_free = vec![true; own.places as usize];
        for (own, member) in places.iter_mut().zip(members) {
            own.truncate(member.weight as usize);
            own.iter().for_each(|&place| is_free[place as usize] = false);
        }
        let mut free = (0..).zip(is_free).filter(|(_, is_free)| *is_free).map(|(place, _)| place);
        for (own, member) in places.iter_mut().zip(members) {
            let missing = member.weight as usize - own.len();
            own.extend(free.by_ref().take(missing));
        }
        let block = before.map_or_else(|| self.free_block(), |(_, bits)| bits.block);
        Ok(Some(GroupBits { block, places }))
    }

    /// Checks places that were saved.
    pub(super) fn check_bits(
        &self,
        group: u32,
        members: &[GroupMember],
        bits: Option<&GroupBits>,
    ) -> Result<(), Unfit> {
        let is_right = match (self.bits, bits) {
            (None, None) => true,
            (Some(own), Some(bits)) => {
                let has_room = |places: &Vec<u32>| places.iter().all(|&place| place < own.places);
                bits.block < own.groups && bits.places.len() == members.len() && bits.places.iter().all(has_room)
            }
            _ => false,
        };
        is_right.then_some(()).ok_or_else(|| Unfit(format!("the state has other bits of the members of group {group}")))
    }
}

impl Group {
    /// Returns the group as it is written, with the places of its members.
    pub(crate) fn kept(&self) -> KeptGroup {
        KeptGroup { members: self.members.clone(), maximum_size: self.maximum_size, bits: self.bits.clone() }
    }
}

/// A group as it is written, with the places of its members.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptGroup {
    /// The members, in order of their numbers.
    pub members: Vec<GroupMember>,
    /// The maximum size that was given with the group; 0 for none.
    pub maximum_size: u32,
    /// The places of the members, if the profile has bits.
    pub bits: Option<GroupBits>,
}
