//! Reading members and groups, counters, meters, registers, value sets, replication and digests (P4Runtime specification
//! 1.4, sections 9.2 to 9.8).

use control::{
    CounterNumber, CounterRequest, DigestNumber, ElementSelection, Entity, MeterNumber, MeterRequest, ProfileNumber,
    ProfileRequest, RegisterNumber, RegisterRequest, ReplicationRequest, Request, Response, Size, ValueSetNumber,
    ValueSetRequest,
};

use super::answer::Part;
use super::{NotRead, Reader, selected};
use crate::failure::Failure;
use crate::message::p4::v1::packet_replication_engine_entry::Type;
use crate::message::p4::v1::{CounterEntry, MeterEntry, PacketReplicationEngineEntry, RegisterEntry};
use crate::switch::Switch;
use crate::translate::index;

impl<S: Switch> Reader<'_, S> {
    pub(super) fn members(&mut self, profile: u32, member: u32) -> Result<(), NotRead> {
        for profile in self.profiles(profile, member)? {
            let request = Request::Profile(profile, ProfileRequest::ReadMembers((member != 0).then_some(member)));
            let members = self.ask(request, |response| match response {
                Response::Members(members) => Some(members),
                _ => None,
            })?;
            self.parts.push(Part::Members { profile, members });
        }
        Ok(())
    }

    pub(super) fn groups(&mut self, profile: u32, group: u32) -> Result<(), NotRead> {
        let is_all = profile == 0;
        for profile in self.profiles(profile, group)? {
            if is_all && self.translator.info().profile(profile).selector.is_none() {
                continue;
            }
            let request = Request::Profile(profile, ProfileRequest::ReadGroups((group != 0).then_some(group)));
            let groups = self.ask(request, |response| match response {
                Response::Groups(groups) => Some(groups),
                _ => None,
            })?;
            self.parts.push(Part::Groups { profile, groups });
        }
        Ok(())
    }

    fn profiles(&self, id: u32, number: u32) -> Result<Vec<ProfileNumber>, Failure> {
        if id == 0 && number != 0 {
            return Err(Failure::invalid("a number needs the id of its action profile"));
        }
        let named = (id != 0).then(|| self.translator.profile(id)).transpose()?;
        let mut profiles = selected(named, self.translator.info().profiles.len(), ProfileNumber::from);
        profiles.retain(|profile| self.is_shown(Entity::Profile(*profile)));
        Ok(profiles)
    }

    pub(super) fn counters(&mut self, entry: &CounterEntry) -> Result<(), NotRead> {
        let (info, place) = (self.translator.info().clone(), index(entry.index)?);
        let named = (entry.counter_id != 0).then(|| self.translator.counter(entry.counter_id)).transpose()?;
        check_index(named.is_some(), place)?;
        for counter in selected(named, info.counters.len(), CounterNumber::from) {
            let Size::Array(size) = info.counter(counter).size else { continue };
            if self.is_shown(Entity::Counter(counter)) {
                let request = |at| Request::Counter(counter, CounterRequest::Read(ElementSelection::Index(at)));
                let (first, counts) = self.cells(place, size, request, |response| match response {
                    Response::Counters(counts) => Some(counts),
                    _ => None,
                })?;
                self.parts.push(Part::Counters { counter, first, counts });
            }
        }
        Ok(())
    }

    pub(super) fn meters(&mut self, entry: &MeterEntry) -> Result<(), NotRead> {
        if entry.counter_data.is_some() {
            return Err(crate::translate::no_colours().into());
        }
        let (info, place) = (self.translator.info().clone(), index(entry.index)?);
        let named = (entry.meter_id != 0).then(|| self.translator.meter(entry.meter_id)).transpose()?;
        check_index(named.is_some(), place)?;
        for meter in selected(named, info.meters.len(), MeterNumber::from) {
            let Size::Array(size) = info.meter(meter).size else { continue };
            if self.is_shown(Entity::Meter(meter)) {
                let request = |at| Request::Meter(meter, MeterRequest::Read(ElementSelection::Index(at)));
                let (first, rates) = self.cells(place, size, request, |response| match response {
                    Response::Meters(rates) => Some(rates),
                    _ => None,
                })?;
                self.parts.push(Part::Meters { meter, first, rates });
            }
        }
        Ok(())
    }

    pub(super) fn registers(&mut self, entry: &RegisterEntry) -> Result<(), NotRead> {
        let (info, place) = (self.translator.info().clone(), index(entry.index)?);
        let named = (entry.register_id != 0).then(|| self.translator.register(entry.register_id)).transpose()?;
        check_index(named.is_some(), place)?;
        for register in selected(named, info.registers.len(), RegisterNumber::from) {
            if self.is_shown(Entity::Register(register)) {
                let request = |at| Request::Register(register, RegisterRequest::Read(Some(at)));
                let size = info.register(register).size;
                let (first, cells) = self.cells(place, size, request, |response| match response {
                    Response::Registers(cells) => Some(cells),
                    _ => None,
                })?;
                self.parts.push(Part::Registers { register, first, cells });
            }
        }
        Ok(())
    }

    pub(super) fn value_sets(&mut self, id: u32) -> Result<(), NotRead> {
        let named = (id != 0).then(|| self.translator.value_set(id)).transpose()?;
        for set in selected(named, self.translator.info().value_sets.len(), ValueSetNumber::from) {
            if self.is_shown(Entity::ValueSet(set)) {
                let members = self.ask(Request::ValueSet(set, ValueSetRequest::Read), |response| match response {
                    Response::ValueSet(members) => Some(members),
                    _ => None,
                })?;
                self.parts.push(Part::ValueSet { set, members });
            }
        }
        Ok(())
    }

    pub(super) fn replication(&mut self, entry: &PacketReplicationEngineEntry) -> Result<(), NotRead> {
        if !self.access.permits(None) {
            return Ok(());
        }
        let (group, session) = match &entry.r#type {
            Some(Type::MulticastGroupEntry(group)) => (Some(group.multicast_group_id), None),
            Some(Type::CloneSessionEntry(session)) => (None, Some(session.session_id)),
            None => {
                return Err(Failure::invalid("the entry is neither a multicast group nor a clone session").into());
            }
        };
        if let Some(number) = group {
            let request = match number {
                0 => Request::ReadMulticastGroups,
                _ => Request::MulticastGroup(number, ReplicationRequest::Read),
            };
            let groups = self.ask(request, |response| match response {
                Response::MulticastGroup(group) => Some(vec![(number, group)]),
                Response::MulticastGroups(groups) => Some(groups),
                _ => None,
            })?;
            self.parts.push(Part::MulticastGroups(groups));
        }
        if let Some(number) = session {
            let request = match number {
                0 => Request::ReadCloneSessions,
                _ => Request::CloneSession(number, ReplicationRequest::Read),
            };
            let sessions = self.ask(request, |response| match response {
                Response::CloneSession(session) => Some(vec![(number, session)]),
                Response::CloneSessions(sessions) => Some(sessions),
                _ => None,
            })?;
            self.parts.push(Part::Sessions(sessions));
        }
        Ok(())
    }

    pub(super) fn digests(&mut self, id: u32) -> Result<(), NotRead> {
        let named = (id != 0).then(|| self.translator.digest(id)).transpose()?;
        for digest in selected(named, self.translator.info().digests.len(), DigestNumber::from) {
            if self.is_shown(Entity::Digest(digest)) {
                match self.switch.digest_config(digest) {
                    Some(config) => self.parts.push(Part::Digest { digest, config }),
                    None if named.is_some() => {
                        let name = self.translator.name(Entity::Digest(digest));
                        return Err(Failure::not_found(format!("digest `{name}` is not delivered")).into());
                    }
                    None => {}
                }
            }
        }
        Ok(())
    }
}

/// Checks that an index belongs to an array.
fn check_index(is_named: bool, place: Option<u32>) -> Result<(), Failure> {
    match place {
        Some(_) if !is_named => Err(Failure::invalid("an index needs the id of its array")),
        _ => Ok(()),
    }
}
