//! The sizes of groups and action sets (P4Runtime specification 1.4, sections 6.4.3 and 9.2), and the action sets of
//! entries.

use runtime::ProgramState;
use runtime::profile::{ProfileSize, WeightedMember};
use runtime::tables::Target as StoredTarget;

use super::Plane;
use super::actions::Checked;
use crate::{Error, Group, Info, ProfileError, ProfileNumber, Selector, SelectorSize, Table};

/// A list of weights that is to become a group or an action set.
struct Weights<'w> {
    weights: &'w [u32],
    /// The size of what it replaces.
    replaced: ProfileSize,
    /// The maximum size; 0 if only the profile limits it.
    most: u32,
    /// The error if it is larger.
    too_large: ProfileError,
}

impl Info {
    /// Checks weights, the size of one group or action set, and the size of all of them.
    fn check_weights(&self, number: ProfileNumber, asked: &Weights<'_>, state: &ProgramState) -> Result<(), Error> {
        let profile = self.profile(number);
        let error = |error| Err(self.profile_error(number, error));
        let counts = profile.selector.and_then(|selector| selector.counts);
        let maximum = match counts {
            Some(SelectorSize::Members { maximum_weight }) if maximum_weight > 0 => maximum_weight,
            _ => u32::MAX,
        };
        if asked.weights.contains(&0) {
            return error(ProfileError::NoWeight);
        }
        if let Some(&weight) = asked.weights.iter().find(|weight| **weight > maximum) {
            return error(ProfileError::WeightTooLarge { weight, maximum });
        }
        // Without a statement of the program, sizes are sums of weights.
        let quantity = |size: ProfileSize| match counts {
            Some(SelectorSize::Members { .. }) => size.members,
            Some(SelectorSize::Weights) | None => size.weights,
        };
        let own = quantity(asked.weights.iter().copied().collect());
        if asked.most > 0 && own > u64::from(asked.most) {
            return error(asked.too_large);
        }
        let before = quantity(state.profiles[number.index()].size());
        match before - quantity(asked.replaced) + own > u64::from(profile.size) {
            true => error(ProfileError::SelectorFull { size: profile.size }),
            false => Ok(()),
        }
    }

    /// Checks the sizes of a group that is to be inserted, or to replace the group with its number.
    pub(super) fn check_group(&self, number: ProfileNumber, group: &Group, state: &ProgramState) -> Result<(), Error> {
        let stored = &state.profiles[number.index()];
        let selector = self.profile(number).selector.unwrap_or_default();
        let Selector { maximum_group_size: size, .. } = selector;
        let Group { group: id, members, maximum_size: given } = group;
        if size > 0 && *given > size {
            let error = ProfileError::MaximumSizeTooLarge { group: *id, given: *given, size };
            return Err(self.profile_error(number, error));
        }
        let most = if *given > 0 { *given } else { size };
        let weights: Vec<u32> = members.iter().map(|member| member.weight).collect();
        let replaced = stored.group(*id).unwrap_or_default().iter().map(|member| member.weight);
        let too_large = ProfileError::GroupFull { group: *id, size: most };
        let asked = Weights { weights: &weights, replaced: replaced.collect(), most, too_large };
        self.check_weights(number, &asked, state)
    }

    fn check_action_set(
        &self,
        number: ProfileNumber,
        actions: &[WeightedMember],
        replaced: Option<&StoredTarget>,
        state: &ProgramState,
    ) -> Result<(), Error> {
        let stored = &state.profiles[number.index()];
        // Section 9.2.3: either action sets or members and groups.
        if stored.members().next().is_some() || stored.groups().next().is_some() {
            return Err(self.profile_error(number, ProfileError::HasMembers));
        }
        let size = self.profile(number).selector.unwrap_or_default().maximum_group_size;
        let weights: Vec<u32> = actions.iter().map(|action| action.weight).collect();
        let replaced = match replaced {
            Some(StoredTarget::ActionSet(set)) => stored.set(*set).unwrap_or_default(),
            _ => &[],
        };
        let replaced = replaced.iter().map(|action| action.weight).collect();
        let too_large = ProfileError::ActionSetTooLarge { size };
        self.check_weights(number, &Weights { weights: &weights, replaced, most: size, too_large }, state)
    }
}

impl Plane {
    /// Returns a checked target as the state stores it, after its action set, if it is one, was put into the profile.
    /// `replaced` is the target whose place it takes.
    pub(super) fn store_target(
        &self,
        checked: Checked,
        replaced: Option<&StoredTarget>,
        state: &mut ProgramState,
    ) -> Result<StoredTarget, Error> {
        match checked {
            Checked::Stored(target) => Ok(target),
            Checked::ActionSet(profile, actions) => {
                self.info.check_action_set(profile, &actions, replaced, state)?;
                Ok(StoredTarget::ActionSet(state.profiles[profile.index()].insert_set(actions)))
            }
        }
    }

    /// Removes the action set of a target that no entry has any more, if it is one.
    pub(super) fn release_target(&self, table: &Table, target: &StoredTarget, state: &mut ProgramState) {
        if let (StoredTarget::ActionSet(set), Some(profile)) = (target, table.profile) {
            state.profiles[profile.index()].remove_set(*set);
        }
    }
}
