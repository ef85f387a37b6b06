//! Checks of actions and their data against the program.

use runtime::profile::{Member, WeightedMember};
use runtime::tables::Target as StoredTarget;
use runtime::{Bits, ProgramState};

use crate::{
    ActionCall, ActionNumber, EntryError, Error, Info, ProfileError, ProfileNumber, Scope, Table, TableNumber, Target,
    WeightedAction,
};

/// The place in which an action is to be used.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Runner {
    /// In an entry, or in a member of a profile.
    Entry,
    /// As the default action.
    Default,
}

/// A target that has been checked.
pub(super) enum Checked {
    /// The target as the state stores it.
    Stored(StoredTarget),
    /// An action set that is to be put into a profile.
    ActionSet(ProfileNumber, Vec<WeightedMember>),
}

impl Info {
    /// Resizes a number to the width of a parameter or leaf.
    pub(crate) fn fit(value: &Bits, width: u32, place: impl FnOnce() -> String) -> Result<Bits, Error> {
        if value.fits(width) {
            Ok(Bits::from_limbs(value.limbs(), width))
        } else {
            Err(Error::TooWide { place: place(), width, value: value.clone(), written: None })
        }
    }

    /// Returns the arguments of an action, resized to the widths of its parameters.
    pub(crate) fn check_data(&self, call: &ActionCall) -> Result<Vec<Bits>, Error> {
        let action = self.action(call.action);
        let name = &action.identity.name;
        if call.data.len() != action.parameters.len() {
            let parameters = action.parameters.iter().map(|parameter| parameter.name.clone()).collect();
            return Err(Error::ParameterCount { action: name.clone(), parameters, given: call.data.len() });
        }
        let pairs = action.parameters.iter().zip(&call.data);
        let fitted = pairs.map(|(parameter, value)| {
            Self::fit(value, parameter.width, || format!("parameter `{}` of action `{name}`", parameter.name))
        });
        fitted.collect()
    }

    /// Returns the position of an action in a table, if `runner` may run it.
    pub(super) fn check_action(&self, table: TableNumber, action: ActionNumber, runner: Runner) -> Result<u32, Error> {
        let about = self.table(table);
        let name = || self.action(action).identity.name.clone();
        let Some(position) = about.position_of(action) else {
            let actions = self.actions_of(table).map(|(_, action)| action.identity.name.clone()).collect();
            return Err(Error::NoSuchAction { table: about.identity.name.clone(), action: name(), actions });
        };
        match (about.actions[position as usize].scope, runner) {
            (Scope::Default, Runner::Entry) => Err(about.error(EntryError::OnlyDefault { action: name() })),
            (Scope::Entries, Runner::Default) => Err(about.error(EntryError::OnlyEntries { action: name() })),
            _ => Ok(position),
        }
    }

    /// Checks the target of an entry or of a default, and converts it to the form in which the state stores it. The actions
    /// of an action set are still to be put into the profile.
    pub(super) fn check_target(
        &self,
        table: TableNumber,
        target: &Target,
        runner: Runner,
        state: &ProgramState,
    ) -> Result<Checked, Error> {
        let about = self.table(table);
        let stored = match (target, about.profile) {
            // The default of a table with a profile is also an action, until it is set to a member or group.
            (Target::Action(_), Some(profile)) if runner == Runner::Entry => {
                let profile = self.profile(profile).identity.name.clone();
                return Err(about.error(EntryError::Indirect { profile }));
            }
            (Target::Action(call), _) => {
                let action = self.check_action(table, call.action, runner)?;
                StoredTarget::Action { action, data: self.check_data(call)? }
            }
            (Target::Member(member), Some(profile)) => match state.profiles[profile.index()].member(*member) {
                Some(_) => StoredTarget::Member(*member),
                None => return Err(self.profile_error(profile, ProfileError::NoMember(*member))),
            },
            (Target::Group(_) | Target::ActionSet(_), Some(profile)) if self.profile(profile).selector.is_none() => {
                return Err(about.error(EntryError::NotIndirect { what: "groups" }));
            }
            (Target::Group(group), Some(profile)) => match state.profiles[profile.index()].group(*group) {
                Some(_) => StoredTarget::Group(*group),
                None => return Err(self.profile_error(profile, ProfileError::NoGroup(*group))),
            },
            (Target::ActionSet(_), Some(_)) if runner == Runner::Default => {
                return Err(about.error(EntryError::DefaultActionSet));
            }
            (Target::ActionSet(actions), Some(profile)) => {
                let member = |action: &WeightedAction| {
                    let number = self.check_action(table, action.call.action, runner)?;
                    let member = Member { action: number, data: self.check_data(&action.call)? };
                    Ok(WeightedMember { member, weight: action.weight, watch_port: action.watch_port })
                };
                return Ok(Checked::ActionSet(profile, actions.iter().map(member).collect::<Result<_, Error>>()?));
            }
            (Target::Member(_), None) => return Err(about.error(EntryError::NotIndirect { what: "members" })),
            (Target::Group(_), None) => return Err(about.error(EntryError::NotIndirect { what: "groups" })),
            (Target::ActionSet(_), None) => return Err(about.error(EntryError::NotIndirect { what: "action sets" })),
        };
        Ok(Checked::Stored(stored))
    }

    /// Creates an error about a profile.
    pub(super) fn profile_error(&self, profile: ProfileNumber, error: ProfileError) -> Error {
        Error::Profile { profile: self.profile(profile).identity.name.clone(), error }
    }
}

impl Table {
    fn call_of(&self, action: u32, data: &[Bits]) -> ActionCall {
        ActionCall { action: self.actions[action as usize].action, data: data.to_vec() }
    }

    /// Converts a stored target to the form that requests use. An action set is in the profile: see [`target_of`].
    pub(crate) fn target_of(&self, stored: &StoredTarget) -> Option<Target> {
        match stored {
            StoredTarget::Action { action, data } => Some(Target::Action(self.call_of(*action, data))),
            StoredTarget::Member(member) => Some(Target::Member(*member)),
            StoredTarget::Group(group) => Some(Target::Group(*group)),
            StoredTarget::ActionSet(_) => None,
        }
    }
}

/// Converts a stored target of a table to the form that requests use.
pub(super) fn target_of(about: &Table, stored: &StoredTarget, state: &ProgramState) -> Target {
    match stored {
        StoredTarget::ActionSet(set) => {
            let actions = about.profile.and_then(|profile| state.profiles[profile.index()].set(*set));
            let weighted = |WeightedMember { member, weight, watch_port }: &WeightedMember| WeightedAction {
                call: about.call_of(member.action, &member.data),
                weight: *weight,
                watch_port: *watch_port,
            };
            Target::ActionSet(actions.unwrap_or_default().iter().map(weighted).collect())
        }
        other => about.target_of(other).expect("it is not an action set"),
    }
}
