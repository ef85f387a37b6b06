//! The requests of `Read` (P4Runtime specification 1.4, section 13): what is selected is read first, and written as
//! messages in pieces afterwards, so that nobody waits for a slow controller.

mod answer;
mod entries;
mod pipes;
mod state;

use control::{Entity, Error, Request, Response};

pub use answer::Answer;
use answer::Part;

use crate::failure::Failure;
use crate::message::google::rpc::Code;
use crate::message::p4::v1;
use crate::message::p4::v1::entity::Entity as Kind;
use crate::switch::{Access, Switch, Unavailable};
use crate::translate::Translator;

/// The number of entries, or of cells of an array, that the switch reads at once, so that packets do not wait for a large
/// table.
const TURN: usize = 256;

/// Reads what the requests of a batch select, in pieces of bounded size between which packets pass. No other controller may
/// write meanwhile. A request that is refused leaves the others as they are; [`Answer::send`] reports it after the entities
/// of the others.
///
/// # Errors
/// Fails with `UNAVAILABLE` if the switch has ended or another program has taken the place of the one that the requests are
/// for.
pub fn read(
    translator: &Translator,
    switch: &mut impl Switch,
    access: &dyn Access,
    requests: &[v1::Entity],
) -> Result<Answer, Failure> {
    let mut reader = Reader { translator, switch, access, parts: Vec::new() };
    let mut results = Vec::with_capacity(requests.len());
    for request in requests {
        let parts = reader.parts.len();
        let result = match reader.read(request) {
            Ok(()) => Ok(()),
            Err(NotRead::Unavailable(unavailable)) => return Err(unavailable.into()),
            Err(NotRead::Refused(failure)) => {
                reader.parts.truncate(parts);
                Err(failure)
            }
        };
        results.push(result);
    }
    Ok(Answer { parts: reader.parts, results })
}

struct Reader<'r, S> {
    translator: &'r Translator,
    switch: &'r mut S,
    access: &'r dyn Access,
    parts: Vec<Part>,
}

/// The reason why a request was not answered.
enum NotRead {
    /// It is refused, and others may be answered.
    Refused(Failure),
    /// The switch answers nothing more.
    Unavailable(Unavailable),
}

impl From<Failure> for NotRead {
    fn from(failure: Failure) -> Self {
        Self::Refused(failure)
    }
}

impl From<Error> for NotRead {
    fn from(error: Error) -> Self {
        Self::Refused(error.into())
    }
}

impl From<Unavailable> for NotRead {
    fn from(unavailable: Unavailable) -> Self {
        Self::Unavailable(unavailable)
    }
}

impl<S: Switch> Reader<'_, S> {
    fn read(&mut self, request: &v1::Entity) -> Result<(), NotRead> {
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
            Kind::ExternEntry(_) => {
                Err(Failure::unimplemented("programs have no externs beyond the specification's").into())
            }
        }
    }

    /// Carries out a request, and returns what `part` takes from the response, which is of the expected kind.
    fn ask<T>(&mut self, request: Request, part: impl Fn(Response) -> Option<T>) -> Result<T, NotRead> {
        self.ask_each(vec![request], part)?.pop().ok_or_else(another_answer)
    }

    /// Carries out requests together, and returns what `part` takes from each response.
    fn ask_each<T>(&mut self, requests: Vec<Request>, part: impl Fn(Response) -> Option<T>) -> Result<Vec<T>, NotRead> {
        let responses = self.switch.execute_each(requests)?;
        responses.into_iter().map(|response| part(pipes::as_one(response?)?).ok_or_else(another_answer)).collect()
    }

    /// Reads cells of an array: the one at `place`, or all `size` in pieces. Returns the place of the first one as well.
    fn cells<T>(
        &mut self,
        place: Option<u32>,
        size: u32,
        request: impl Fn(u32) -> Request,
        cells: impl Fn(Response) -> Option<Vec<T>>,
    ) -> Result<(u32, Vec<T>), NotRead> {
        let places = place.map_or(0..size, |place| place..place.saturating_add(1));
        let (first, mut all) = (places.start, Vec::new());
        for start in places.clone().step_by(TURN) {
            let piece = start..places.end.min(start.saturating_add(TURN as u32));
            let found = self.ask_each(piece.map(&request).collect(), &cells)?;
            all.extend(found.into_iter().flatten());
        }
        Ok((first, all))
    }

    /// Returns whether an entity is to be read: it is not hidden, and belongs to the controller's role.
    fn is_shown(&self, entity: Entity) -> bool {
        !self.translator.is_hidden(entity) && self.access.permits(Some(entity))
    }
}

fn another_answer() -> NotRead {
    NotRead::Refused(Failure::new(Code::Internal, "the switch gave another answer"))
}

/// Returns the entities that a request selects: the one that it names, or all.
fn selected<T: Copy>(named: Option<T>, count: usize, number: impl Fn(usize) -> T) -> Vec<T> {
    named.map_or_else(|| (0..count).map(number).collect(), |one| vec![one])
}
