//! Execution of requests about action profiles.

use runtime::profile::{Member, ProfileError as Refusal};
use runtime::tables::Target as StoredTarget;
use runtime::{Profile as StoredProfile, ProgramState};

use super::Plane;
use super::actions::Runner;
use crate::{
    ActionCall, Error, Group, ProfileError, ProfileMember, ProfileNumber, ProfileRequest, Response, TableNumber,
};

impl Plane {
    pub(super) fn profile(
        &self,
        number: ProfileNumber,
        request: &ProfileRequest,
        state: &mut ProgramState,
    ) -> Result<Response, Error> {
        let info = &self.info;
        let error = |error| info.profile_error(number, error);
        let about_groups = matches!(
            request,
            ProfileRequest::InsertGroup(_) | ProfileRequest::ModifyGroup(_) | ProfileRequest::DeleteGroup(_)
        );
        if about_groups && info.profile(number).selector.is_none() {
            return Err(error(ProfileError::NoGroups));
        }
        let inserts = matches!(request, ProfileRequest::InsertMember(..) | ProfileRequest::InsertGroup(_));
        if inserts && state.profiles[number.index()].count_sets() > 0 {
            return Err(error(ProfileError::HasActionSets));
        }
        match request {
            ProfileRequest::InsertMember(member, call) => {
                let stored = self.member(number, call)?;
                let done = state.profiles[number.index()].insert_member(*member, stored);
                done.map_err(|refusal| error(refused(refusal, 0, *member)))?;
            }
            ProfileRequest::ModifyMember(member, call) => {
                let stored = self.member(number, call)?;
                let done = state.profiles[number.index()].modify_member(*member, stored);
                done.map_err(|refusal| error(refused(refusal, 0, *member)))?;
            }
            ProfileRequest::DeleteMember(member) => {
                if self.is_named(number, &StoredTarget::Member(*member), state) {
                    return Err(error(ProfileError::MemberInUse(*member)));
                }
                let done = state.profiles[number.index()].delete_member(*member);
                done.map_err(|refusal| error(refused(refusal, 0, *member)))?;
            }
            ProfileRequest::InsertGroup(group) => {
                if state.profiles[number.index()].group(group.group).is_some() {
                    return Err(error(ProfileError::GroupExists(group.group)));
                }
                info.check_group(number, group, state)?;
                let Group { group, members, maximum_size } = group;
                let done = state.insert_group(number.index(), *group, members, *maximum_size);
                done.map_err(|refusal| error(refused(refusal, *group, 0)))?;
            }
            ProfileRequest::ModifyGroup(group) => {
                match state.profiles[number.index()].maximum_size(group.group) {
                    None => return Err(error(ProfileError::NoGroup(group.group))),
                    Some(size) if size != group.maximum_size => {
                        return Err(error(ProfileError::MaximumSizeChanged { group: group.group, size }));
                    }
                    Some(_) => info.check_group(number, group, state)?,
                }
                let done = state.modify_group(number.index(), group.group, &group.members);
                done.map_err(|refusal| error(refused(refusal, group.group, 0)))?;
            }
            ProfileRequest::DeleteGroup(group) => {
                if self.is_named(number, &StoredTarget::Group(*group), state) {
                    return Err(error(ProfileError::GroupInUse(*group)));
                }
                let done = state.delete_group(number.index(), *group);
                done.map_err(|refusal| error(refused(refusal, *group, 0)))?;
            }
            ProfileRequest::ReadMembers(wanted) => {
                return self.read_members(number, *wanted, &state.profiles[number.index()]);
            }
            ProfileRequest::ReadGroups(wanted) => {
                return self.read_groups(number, *wanted, &state.profiles[number.index()]);
            }
        }
        Ok(Response::Done)
    }

    /// Returns a table of a profile, which determines its actions: all tables of a profile have the same ones.
    fn table_of(&self, profile: ProfileNumber) -> Result<TableNumber, Error> {
        let name = || self.info.profile(profile).identity.name.clone();
        self.info.tables_of(profile).next().ok_or_else(|| Error::ProfileWithoutTable { profile: name() })
    }

    fn member(&self, profile: ProfileNumber, call: &ActionCall) -> Result<Member, Error> {
        let action = self.info.check_action(self.table_of(profile)?, call.action, Runner::Entry)?;
        Ok(Member { action, data: self.info.check_data(call)? })
    }

    /// Returns whether an entry or a default uses a member or group.
    fn is_named(&self, profile: ProfileNumber, target: &StoredTarget, state: &ProgramState) -> bool {
        let mut tables = self.info.tables_of(profile).map(|table| &state.tables[table.index()]);
        tables.any(|table| table.matches().uses(target) || table.default_target() == target)
    }

    fn read_members(
        &self,
        number: ProfileNumber,
        wanted: Option<u32>,
        stored: &StoredProfile,
    ) -> Result<Response, Error> {
        if let Some(member) = wanted.filter(|member| stored.member(*member).is_none()) {
            return Err(self.info.profile_error(number, ProfileError::NoMember(member)));
        }
        let table = self.info.table(self.table_of(number)?);
        let chosen = stored.members().filter(|(member, _)| wanted.is_none_or(|wanted| wanted == *member));
        let shown = chosen.map(|(member, stored)| {
            let action = table.actions[stored.action as usize].action;
            ProfileMember { member, action: ActionCall { action, data: stored.data.clone() } }
        });
        Ok(Response::Members(shown.collect()))
    }

    fn read_groups(
        &self,
        number: ProfileNumber,
        wanted: Option<u32>,
        stored: &StoredProfile,
    ) -> Result<Response, Error> {
        if let Some(group) = wanted.filter(|group| stored.group(*group).is_none()) {
            return Err(self.info.profile_error(number, ProfileError::NoGroup(group)));
        }
        let chosen = stored.groups().filter(|(group, _)| wanted.is_none_or(|wanted| wanted == *group));
        let shown = chosen.map(|(group, members)| Group {
            group,
            members: members.to_vec(),
            maximum_size: stored.maximum_size(group).unwrap_or(0),
        });
        Ok(Response::Groups(shown.collect()))
    }
}

/// Converts a refusal by the state of a profile to an error about a group or member.
fn refused(refusal: Refusal, group: u32, member: u32) -> ProfileError {
    match refusal {
        Refusal::TooManyMembers { limit } => ProfileError::Full { size: limit },
        Refusal::TooManyGroups { limit } => ProfileError::TooManyGroups { size: limit },
        Refusal::GroupTooLarge { limit } => ProfileError::GroupFull { group, size: limit },
        Refusal::DuplicateMember(member) => ProfileError::MemberExists(member),
        Refusal::DuplicateGroup(group) => ProfileError::GroupExists(group),
        Refusal::NoSuchMember(member) => ProfileError::NoMember(member),
        Refusal::NoSuchGroup(group) => ProfileError::NoGroup(group),
        Refusal::AlreadyInGroup(member) => ProfileError::SameMember { group, member },
        Refusal::NoWeight(_) => ProfileError::NoWeight,
        Refusal::MemberInUse { .. } => ProfileError::MemberInUse(member),
    }
}
