//! The requests of `Read` (P4Runtime specification 1.4, section 13): what is selected is read at once, and written as
//! messages in pieces afterwards, so that nobody waits for a slow controller.

mod answer;
mod entries;
mod state;

use control::{Entity, Error, Request, Response};

pub use answer::Answer;
use answer::Part;

use crate::failure::Failure;
use crate::message::p4::v1;
use crate::message::p4::v1::entity::Entity as Kind;
use crate::switch::{Access, Switch};
use crate::translate::Translator;

/// Reads what the requests of a batch select. Nobody may write meanwhile. A request that is refused leaves the others as
/// they are; [`Answer::send`] reports it after the entities of the others.
pub fn read(translator: &Translator, switch: &mut impl Switch, access: &dyn Access, requests: &[v1::Entity]) -> Answer {
    let mut reader = Reader { translator, switch, access, parts: Vec::new() };
    let mut results = Vec::with_capacity(requests.len());
    for request in requests {
        let parts = reader.parts.len();
        let result = reader.read(request);
        if result.is_err() {
            reader.parts.truncate(parts);
        }
        results.push(result);
    }
    Answer { parts: reader.parts, results }
}

struct Reader<'r, S> {
    translator: &'r Translator,
    switch: &'r mut S,
    access: &'r dyn Access,
    parts: Vec<Part>,
}

impl<S: Switch> Reader<'_, S> {
    fn read(&mut self, request: &v1::Entity) -> Result<(), Failure> {
        // Nothing stands for the whole state, so that a request of a later version is not mistaken for one (section 13.2).
        match request.entity.as_ref().ok_or_else(|| Failure::invalid("the entity of the request is missing"))? {
            Kind::TableEntry(entry) => self.table_entries(entry),
            Kind::ActionProfileMember(member) => self.members(member.action_profile_id, member.member_id),
            Kind::ActionProfileGroup(group) => self.groups(group.action_profile_id, group.group_id),
            Kind::MeterEntry(entry) => self.meters(entry),
            Kind::DirectMeterEntry(entry) => self.direct_meters(entry),
            Kind::CounterEntry(entry) => self.counters(entry),
            Kind::DirectCounterEntry(entry) => self.direct_counters(entry),
            Kind::PacketReplicationEngineEntry(entry) => self.replication(entry),
            Kind::ValueSetEntry(entry) => self.value_sets(entry.value_set_id),
            Kind::RegisterEntry(entry) => self.registers(entry),
            Kind::DigestEntry(entry) => self.digests(entry.digest_id),
            // All externs of no extern are none.
            Kind::ExternEntry(entry) if entry.extern_type_id == 0 && entry.extern_id == 0 => Ok(()),
            Kind::ExternEntry(_) => Err(Failure::unimplemented("programs have no externs beyond the specification's")),
        }
    }

    /// Carries out a request, and turns a response of the expected kind into a part of the answer.
    fn ask(&mut self, request: &Request, part: impl FnOnce(Response) -> Option<Part>) -> Result<(), Failure> {
        self.try_ask(request, part)?.map_err(Failure::from)
    }

    /// Does the same, and returns the reason if the switch refuses the request.
    fn try_ask(
        &mut self,
        request: &Request,
        part: impl FnOnce(Response) -> Option<Part>,
    ) -> Result<Result<(), Error>, Failure> {
        let response = match self.switch.execute(request) {
            Ok(response) => response,
            Err(error) => return Ok(Err(error)),
        };
        let internal = || Failure::new(crate::message::google::rpc::Code::Internal, "the switch gave another answer");
        self.parts.push(part(response).ok_or_else(internal)?);
        Ok(Ok(()))
    }

    /// Returns whether an entity is to be read: it is not hidden, and belongs to the controller's role.
    fn is_shown(&self, entity: Entity) -> bool {
        !self.translator.is_hidden(entity) && self.access.permits(Some(entity))
    }
}

/// Returns the entities that a request selects: the one that it names, or all.
fn selected<T: Copy>(named: Option<T>, count: usize, number: impl Fn(usize) -> T) -> Vec<T> {
    named.map_or_else(|| (0..count).map(number).collect(), |one| vec![one])
}
