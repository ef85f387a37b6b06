//! Action profiles: their members and groups.

use super::pairs::pair;
use super::transfer::Transfer;
use super::{ActionLinks, Misfit, Part, What};
use crate::{EntityKind, Error, Group, Info, ProfileMember, ProfileNumber, ProfileRequest, Request, Response};

/// A profile of the new program with the name of one of the old.
#[derive(Clone, Debug)]
pub struct ProfileLink {
    profile: ProfileNumber,
    pub actions: ActionLinks,
}

/// Links each profile of the old program to the one of the new program that has its name.
pub fn link(old: &Info, new: &Info) -> Vec<Result<ProfileLink, Misfit>> {
    let pairs = pair(old.profiles.iter().map(|it| &it.identity), new.profiles.iter().map(|it| &it.identity));
    let link = |(at, place): (usize, Option<usize>)| {
        let profile = ProfileNumber::from(place.ok_or(Misfit::Missing)?);
        // All tables of a profile have the same actions; a profile without tables has no members.
        let Some(own) = old.tables_of(ProfileNumber::from(at)).next() else {
            return Ok(ProfileLink { profile, actions: ActionLinks::default() });
        };
        let name = || new.profile(profile).identity.name.clone();
        let other = new.tables_of(profile).next();
        let other = other.ok_or_else(|| Misfit::Refused(Error::ProfileWithoutTable { profile: name() }))?;
        Ok(ProfileLink { profile, actions: ActionLinks::new(old, own, new, other) })
    };
    pairs.into_iter().enumerate().map(link).collect()
}

impl Transfer<'_> {
    pub fn carry_profiles(&mut self) -> Result<(), Error> {
        for (at, profile) in self.plan.old.profiles.iter().enumerate() {
            let number = ProfileNumber::from(at);
            if self.plan.old.tables_of(number).next().is_none() {
                continue;
            }
            let part = Part::Entity { kind: EntityKind::Profile, name: profile.identity.name.clone() };
            let read = Request::Profile(number, ProfileRequest::ReadGroups(None));
            self.by_pipe(&read, |transfer| transfer.carry_profile(&part, number))?;
        }
        Ok(())
    }

    fn carry_profile(&mut self, part: &Part, number: ProfileNumber) -> Result<(), Error> {
        let members = match self.ask_old(Request::Profile(number, ProfileRequest::ReadMembers(None)))? {
            Response::Members(members) => members,
            other => unreachable!("members were asked for, and not {other:?}"),
        };
        let groups = match self.ask_old(Request::Profile(number, ProfileRequest::ReadGroups(None)))? {
            Response::Groups(groups) => groups,
            other => unreachable!("groups were asked for, and not {other:?}"),
        };
        self.carry_members(part, number.index(), members, groups);
        Ok(())
    }

    /// Carries members, and groups with those of their members that were carried.
    fn carry_members(&mut self, part: &Part, at: usize, members: Vec<ProfileMember>, groups: Vec<Group>) {
        let (plan, pipe) = (self.plan, self.pipe);
        let link = plan.profiles[at].as_ref();
        let mut ask = |request: ProfileRequest| {
            let profile = link.map_err(|misfit| misfit.clone())?.profile;
            (self.new)(&Request::Profile(profile, request).in_pipe(pipe)).map_err(Misfit::Refused)
        };
        let mut lost = Vec::new();
        let (mut misfits, mut taken) = (Vec::new(), [0, 0]);
        for ProfileMember { member, action } in members {
            let call = link.map_err(|misfit| misfit.clone()).and_then(|link| link.actions.call(&action));
            match call.and_then(|call| ask(ProfileRequest::InsertMember(member, call))) {
                Ok(_) => taken[0] += 1,
                Err(misfit) => {
                    // Members come in order of their numbers.
                    lost.push(member);
                    misfits.push((misfit, What::Members, member));
                }
            }
        }
        for mut group in groups {
            group.members.retain(|member| lost.binary_search(&member.member).is_err());
            let number = group.group;
            match ask(ProfileRequest::InsertGroup(group)) {
                Ok(_) => taken[1] += 1,
                Err(misfit) => misfits.push((misfit, What::Groups, number)),
            }
        }
        for (what, count) in [What::Members, What::Groups].into_iter().zip(taken) {
            self.outcome.carry(part, what, count);
        }
        for (misfit, what, number) in misfits {
            self.outcome.lose(part, &misfit, what, || number.to_string());
        }
    }
}
