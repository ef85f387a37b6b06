//! Members and groups of action profiles (P4Runtime specification 1.4, sections 9.2.3 and 9.2.4).

use std::collections::BTreeSet;

use control::{Entity, Group, ProfileMember, ProfileNumber, ProfileRequest, Request};
use runtime::GroupMember;

use super::Translator;
use super::actions::{deprecated_watch, read_weight};
use crate::failure::Failure;
use crate::message::p4::v1::action_profile_group::{Member, WatchKind};
use crate::message::p4::v1::update::Type;
use crate::message::p4::v1::{ActionProfileGroup, ActionProfileMember};

impl Translator {
    pub(crate) fn profile(&self, id: u32) -> Result<ProfileNumber, Failure> {
        let of_kind = |entity| if let Entity::Profile(number) = entity { Some(number) } else { None };
        self.find("action profile", id, of_kind)
    }

    /// Returns the request that an update of a member asks for.
    ///
    /// # Errors
    /// Fails if the member is malformed.
    pub(crate) fn write_member(&self, kind: Type, member: &ActionProfileMember) -> Result<Request, Failure> {
        let profile = self.profile(member.action_profile_id)?;
        let number = member.member_id;
        if number == 0 {
            return Err(Failure::invalid("members have numbers above 0"));
        }
        let call = || {
            let action = member.action.as_ref().ok_or_else(|| Failure::invalid("a member needs an action"))?;
            self.read_call(action)
        };
        let request = match kind {
            Type::Insert => ProfileRequest::InsertMember(number, call()?),
            Type::Modify => ProfileRequest::ModifyMember(number, call()?),
            _ => ProfileRequest::DeleteMember(number),
        };
        Ok(Request::Profile(profile, request))
    }

    /// Writes a member that was read.
    pub(crate) fn read_member(&self, profile: ProfileNumber, member: &ProfileMember) -> ActionProfileMember {
        ActionProfileMember {
            action_profile_id: self.info.profile(profile).identity.id,
            member_id: member.member,
            action: Some(self.write_call(&member.action)),
        }
    }

    /// Returns the request that an update of a group asks for.
    ///
    /// # Errors
    /// Fails if the group is malformed.
    pub(crate) fn write_group(&self, kind: Type, group: &ActionProfileGroup) -> Result<Request, Failure> {
        let profile = self.profile(group.action_profile_id)?;
        if group.group_id == 0 {
            return Err(Failure::invalid("groups have numbers above 0"));
        }
        let request = match kind {
            Type::Insert => ProfileRequest::InsertGroup(self.read_group(profile, group)?),
            Type::Modify => ProfileRequest::ModifyGroup(self.read_group(profile, group)?),
            _ => ProfileRequest::DeleteGroup(group.group_id),
        };
        Ok(Request::Profile(profile, request))
    }

    fn read_group(&self, profile: ProfileNumber, group: &ActionProfileGroup) -> Result<Group, Failure> {
        let about = self.info.profile(profile);
        let largest = about.selector.map_or(0, |selector| selector.maximum_group_size);
        let maximum_size =
            u32::try_from(group.max_size).ok().filter(|size| largest == 0 || (1..=largest).contains(size));
        let Some(maximum_size) = maximum_size else {
            // Section 9.2.4.1.
            let range = if largest == 0 { "not negative".to_owned() } else { format!("from 1 to {largest}") };
            let (name, given) = (&about.identity.name, group.max_size);
            let message = format!("the maximum size of a group of `{name}` is {range}, and this is {given}");
            return Err(Failure::invalid(message));
        };
        let mut numbers = BTreeSet::new();
        let members = group.members.iter().map(|member| {
            if !numbers.insert(member.member_id) {
                let message =
                    format!("member {} is given twice; its weight says how often it counts", member.member_id);
                return Err(Failure::invalid(message));
            }
            let watch_port = match &member.watch_kind {
                Some(WatchKind::WatchPort(port)) => self.read_watch_port(port)?,
                Some(WatchKind::Watch(port)) => deprecated_watch(*port)?,
                None => None,
            };
            Ok(GroupMember { member: member.member_id, weight: read_weight(member.weight)?, watch_port })
        });
        Ok(Group { group: group.group_id, members: members.collect::<Result<_, _>>()?, maximum_size })
    }

    /// Writes a group that was read.
    pub(crate) fn write_read_group(&self, profile: ProfileNumber, group: &Group) -> ActionProfileGroup {
        let members = group.members.iter().map(|member| Member {
            member_id: member.member,
            weight: member.weight as i32,
            watch_kind: member.watch_port.map(|port| WatchKind::WatchPort(self.write_port(port))),
        });
        ActionProfileGroup {
            action_profile_id: self.info.profile(profile).identity.id,
            group_id: group.group,
            members: members.collect(),
            max_size: group.maximum_size as i32,
        }
    }
}
