//! Saving and restoring a profile.

use basis::snapshot::{Loader, Saver, Snapshot, Unfit};

use super::action_set::ActionSet;
use super::{GroupMember, Member, Profile, ProfileSize, StoredMember, WeightedMember};

/// Saves members, groups and action sets as they were written, and the ports that are down; what can be selected is
/// worked out anew.
impl Snapshot for Profile {
    fn save(&self, into: &mut Saver) -> Result<(), Unfit> {
        into.put(&self.down)?;
        into.put(&self.members().collect::<Vec<(u32, &Member)>>())?;
        let groups = self.groups.iter().map(|(id, group)| (id, &group.members, group.maximum_size));
        into.put(&groups.collect::<Vec<_>>())?;
        let sets = self.sets.iter().map(|set| set.as_ref().map(|set| &set.actions));
        into.put(&sets.collect::<Vec<_>>())?;
        into.put(&self.unused_sets)
    }

    fn restore(&mut self, from: &mut Loader<'_>) -> Result<(), Unfit> {
        self.down = from.take()?;
        let members: Vec<(u32, Member)> = from.take()?;
        self.members = members.into_iter().map(|(id, member)| (id, StoredMember::new(member, 0))).collect();
        self.groups.clear();
        self.size = ProfileSize::default();
        let groups: Vec<(u32, Vec<GroupMember>, u32)> = from.take()?;
        for (id, members, maximum_size) in groups {
            self.restore_group(id, Some((members, maximum_size)));
        }
        let sets: Vec<Option<Vec<WeightedMember>>> = from.take()?;
        let unused: Vec<u32> = from.take()?;
        let is_unused = |number: &u32| sets.get(*number as usize).is_some_and(Option::is_none);
        if unused.len() != sets.iter().filter(|set| set.is_none()).count() || !unused.iter().all(is_unused) {
            return Err(Unfit("the state has an action set whose number counts as unused".to_owned()));
        }
        for actions in sets.iter().flatten() {
            self.size.add(actions.iter().map(|action| action.weight));
        }
        let set = |actions: Option<Vec<WeightedMember>>| Some(ActionSet::new(actions?, &self.down));
        self.sets = sets.into_iter().map(set).collect();
        self.unused_sets = unused;
        Ok(())
    }
}
