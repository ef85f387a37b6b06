//! Checks of actions and their data against the program.

use runtime::tables::Target as StoredTarget;
use runtime::{Bits, ProgramState};

use crate::{
    ActionCall, ActionNumber, EntryError, Error, Info, ProfileError, ProfileNumber, Scope, Table, TableNumber, Target,
};

/// The place in which an action is to be used.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Runner {
    /// In an entry, or in a member of a profile.
    Entry,
    /// As the default action.
    Default,
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

    /// Checks a target, and converts it to the form in which the state stores it.
    pub(super) fn check_target(
        &self,
        table: TableNumber,
        target: &Target,
        runner: Runner,
        state: &ProgramState,
    ) -> Result<StoredTarget, Error> {
        let about = self.table(table);
        match (target, about.profile) {
            // The default of a table with a profile is also an action, until it is set to a member or group.
            (Target::Action(_), Some(profile)) if runner == Runner::Entry => {
                let profile = self.profile(profile).identity.name.clone();
                Err(about.error(EntryError::Indirect { profile }))
            }
            (Target::Action(call), _) => {
                let action = self.check_action(table, call.action, runner)?;
                Ok(StoredTarget::Action { action, data: self.check_data(call)? })
            }
            (Target::Member(member), Some(profile)) => match state.profiles[profile.index()].member(*member) {
                Some(_) => Ok(StoredTarget::Member(*member)),
                None => Err(self.profile_error(profile, ProfileError::NoMember(*member))),
            },
            (Target::Group(_), Some(profile)) if self.profile(profile).selector.is_none() => {
                Err(about.error(EntryError::NotIndirect { what: "groups" }))
            }
            (Target::Group(group), Some(profile)) => match state.profiles[profile.index()].group(*group) {
                Some(_) => Ok(StoredTarget::Group(*group)),
                None => Err(self.profile_error(profile, ProfileError::NoGroup(*group))),
            },
            (Target::Member(_), None) => Err(about.error(EntryError::NotIndirect { what: "members" })),
            (Target::Group(_), None) => Err(about.error(EntryError::NotIndirect { what: "groups" })),
        }
    }

    /// Creates an error about a profile.
    pub(super) fn profile_error(&self, profile: ProfileNumber, error: ProfileError) -> Error {
        Error::Profile { profile: self.profile(profile).identity.name.clone(), error }
    }
}

impl Table {
    /// Converts a stored target to the form that requests use.
    pub(crate) fn target_of(&self, stored: &StoredTarget) -> Target {
        match stored {
            StoredTarget::Action { action, data } => {
                Target::Action(ActionCall { action: self.actions[*action as usize].action, data: data.clone() })
            }
            StoredTarget::Member(member) => Target::Member(*member),
            StoredTarget::Group(group) => Target::Group(*group),
        }
    }
}
