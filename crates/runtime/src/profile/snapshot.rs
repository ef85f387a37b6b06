//! Saving and restoring a profile.

use std::collections::{BTreeMap, BTreeSet};

use basis::snapshot::{Loader, Saver, Snapshot, Unfit};

use super::{GroupBits, GroupMember, KeptGroup, Member, Profile, ProfileSize, StoredMember, WeightedMember};

/// The most action sets that a saved state may have, so that a broken one does not take all memory.
const MOST_SETS: u32 = 1 << 24;

/// Saves members, groups with the places of their bits, and action sets as they were written, and the ports that are down; what can be selected is
/// worked out anew.
impl Snapshot for Profile {
    fn save(&self, into: &mut Saver) -> Result<(), Unfit> {
        into.put(&self.down)?;
        into.put(&self.members().collect::<Vec<(u32, &Member)>>())?;
        let groups = self.groups.iter().map(|(id, group)| (id, &group.members, group.maximum_size, &group.bits));
        into.put(&groups.collect::<Vec<_>>())?;
        let sets = (0_u32..).zip(&self.sets).filter_map(|(number, set)| Some((number, &set.as_ref()?.actions)));
        into.put(&sets.collect::<BTreeMap<_, _>>())
    }

    fn restore(&mut self, from: &mut Loader<'_>) -> Result<(), Unfit> {
        self.down = from.take()?;
        let members: Vec<(u32, Member)> = from.take()?;
        self.members = members.into_iter().map(|(id, member)| (id, StoredMember::new(member, 0))).collect();
        self.groups.clear();
        self.size = ProfileSize::default();
        let groups: Vec<(u32, Vec<GroupMember>, u32, Option<GroupBits>)> = from.take()?;
        for (id, members, maximum_size, bits) in groups {
            self.check_bits(id, &members, bits.as_ref())?;
            self.restore_group(id, Some(KeptGroup { members, maximum_size, bits }));
        }
        (self.sets, self.unused_sets) = (Vec::new(), BTreeSet::new());
        let sets: BTreeMap<u32, Vec<WeightedMember>> = from.take()?;
        for (number, actions) in sets {
            if number >= MOST_SETS {
                return Err(Unfit(format!("the state has an action set with the number {number}")));
            }
            self.restore_set(number, actions);
        }
        Ok(())
    }
}
