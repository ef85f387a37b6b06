//! The batches of `Write` (P4Runtime specification 1.4, section 12).

use control::{DigestNumber, Entity, Request};

use crate::failure::{Failure, status};
use crate::message::google::rpc::{Code, Status};
use crate::message::p4::v1::entity::Entity as Kind;
use crate::message::p4::v1::update::Type;
use crate::message::p4::v1::write_request::Atomicity;
use crate::message::p4::v1::{DigestEntry, Update, digest_entry};
use crate::switch::{Access, Switch, check_access};
use crate::translate::Translator;

/// The number of requests that the switch carries out at once if each stands for itself, so that packets do not wait for
/// a long batch. Section 12.2 lets packets see what is between two updates.
const TURN: usize = 256;

/// What an update asks for.
enum Step {
    Request(Request),
    /// New delivery of the digests of a kind; `None` ends it.
    Digest(DigestNumber, Option<digest_entry::Config>),
}

/// Carries out a batch of updates in their order. Nobody else may write or read meanwhile.
///
/// With [`Atomicity::ContinueOnError`] each update stands for itself. With the others all updates are carried out between
/// two packets, or none if one is refused: `ROLLBACK_ON_ERROR` promises less, and needs nothing else.
///
/// # Errors
/// Fails with `UNKNOWN` if an update is refused; the details have an error for each update, in order. Updates that were
/// not carried out because of another one have `ABORTED`. Fails with `INVALID_ARGUMENT` and without details if the
/// atomicity is unknown.
pub fn write(
    translator: &Translator,
    switch: &mut impl Switch,
    access: &dyn Access,
    updates: &[Update],
    atomicity: i32,
) -> Result<(), Status> {
    let results = match Atomicity::try_from(atomicity) {
        Ok(Atomicity::ContinueOnError) => write_each(translator, switch, access, updates),
        Ok(Atomicity::RollbackOnError | Atomicity::DataplaneAtomic) => {
            write_together(translator, switch, access, updates)
        }
        Err(_) => return Err(Failure::invalid(format!("there is no atomicity {atomicity}")).into()),
    };
    status("updates", &results).map_or(Ok(()), Err)
}

fn write_each(
    translator: &Translator,
    switch: &mut impl Switch,
    access: &dyn Access,
    updates: &[Update],
) -> Vec<Result<(), Failure>> {
    let mut results = Vec::with_capacity(updates.len());
    let (mut requests, mut places) = (Vec::with_capacity(TURN), Vec::with_capacity(TURN));
    for piece in updates.chunks(TURN) {
        for update in piece {
            let step = step(translator, switch, access, update);
            match step {
                Ok(Step::Request(request)) => {
                    requests.push(request);
                    places.push(results.len());
                    results.push(Ok(()));
                }
                Ok(Step::Digest(digest, config)) => {
                    switch.set_digest_config(digest, config);
                    results.push(Ok(()));
                }
                Err(failure) => results.push(Err(failure)),
            }
        }
        for (place, response) in places.drain(..).zip(switch.execute_each(&requests)) {
            results[place] = response.map(|_| ()).map_err(Failure::from);
        }
        requests.clear();
    }
    results
}

fn write_together(
    translator: &Translator,
    switch: &mut impl Switch,
    access: &dyn Access,
    updates: &[Update],
) -> Vec<Result<(), Failure>> {
    let (mut requests, mut places) = (Vec::with_capacity(updates.len()), Vec::new());
    let (mut results, mut before) = (Vec::with_capacity(updates.len()), Vec::new());
    for (at, update) in updates.iter().enumerate() {
        results.push(step(translator, switch, access, update).map(|step| match step {
            Step::Request(request) => {
                requests.push(request);
                places.push(at);
            }
            Step::Digest(digest, config) => {
                // A later update of the batch must see it.
                before.push((digest, switch.digest_config(digest)));
                switch.set_digest_config(digest, config);
            }
        }));
    }
    let mut has_failed = results.iter().any(Result::is_err);
    if !has_failed && let Err(refused) = switch.execute_together(&requests) {
        results[places[refused.at]] = Err(refused.error.into());
        has_failed = true;
    }
    if has_failed {
        before.into_iter().rev().for_each(|(digest, config)| switch.set_digest_config(digest, config));
        let aborted = || Failure::new(Code::Aborted, "another update of the batch was refused");
        results.iter_mut().filter(|result| result.is_ok()).for_each(|result| *result = Err(aborted()));
    }
    results
}

/// Returns what an update asks for, as far as that can be checked without carrying it out.
fn step(translator: &Translator, switch: &impl Switch, access: &dyn Access, update: &Update) -> Result<Step, Failure> {
    let kind = match Type::try_from(update.r#type) {
        Ok(kind @ (Type::Insert | Type::Modify | Type::Delete)) => kind,
        Ok(Type::Unspecified) => return Err(Failure::invalid("the type of the update is missing")),
        Err(_) => return Err(Failure::invalid(format!("there is no type {} of updates", update.r#type))),
    };
    let entity = update.entity.as_ref().and_then(|entity| entity.entity.as_ref());
    let entity = entity.ok_or_else(|| Failure::invalid("the entity of the update is missing"))?;
    let request = match entity {
        Kind::TableEntry(entry) => translator.write_entry(kind, entry)?,
        Kind::ActionProfileMember(member) => translator.write_member(kind, member)?,
        Kind::ActionProfileGroup(group) => translator.write_group(kind, group)?,
        Kind::MeterEntry(entry) => translator.write_meter(kind, entry)?,
        Kind::DirectMeterEntry(entry) => translator.write_direct_meter(kind, entry)?,
        Kind::CounterEntry(entry) => translator.write_counter(kind, entry)?,
        Kind::DirectCounterEntry(entry) => translator.write_direct_counter(kind, entry)?,
        Kind::PacketReplicationEngineEntry(entry) => translator.write_replication(kind, entry)?,
        Kind::ValueSetEntry(entry) => translator.write_value_set(kind, entry)?,
        Kind::RegisterEntry(entry) => translator.write_register(kind, entry)?,
        Kind::DigestEntry(entry) => return digest(translator, switch, access, kind, entry),
        Kind::ExternEntry(_) => {
            return Err(Failure::unimplemented("programs have no externs beyond the specification's"));
        }
    };
    check_access(access, entity_of(&request))?;
    translator.check(&request)?;
    Ok(Step::Request(request))
}

/// Returns the entity of the program that a request concerns.
fn entity_of(request: &Request) -> Option<Entity> {
    Some(match request {
        Request::Table(table, _) => Entity::Table(*table),
        Request::Profile(profile, _) => Entity::Profile(*profile),
        Request::Counter(counter, _) => Entity::Counter(*counter),
        Request::Meter(meter, _) => Entity::Meter(*meter),
        Request::Register(register, _) => Entity::Register(*register),
        Request::ValueSet(set, _) => Entity::ValueSet(*set),
        _ => return None,
    })
}

/// Returns the new delivery of the digests of a kind (section 9.8).
fn digest(
    translator: &Translator,
    switch: &impl Switch,
    access: &dyn Access,
    kind: Type,
    entry: &DigestEntry,
) -> Result<Step, Failure> {
    let digest = translator.digest(entry.digest_id)?;
    check_access(access, Some(Entity::Digest(digest)))?;
    let name = || format!("digest `{}`", translator.name(Entity::Digest(digest)));
    match (kind, switch.digest_config(digest)) {
        (Type::Insert, Some(_)) => {
            return Err(Failure::new(Code::AlreadyExists, "it is delivered already").about(name()));
        }
        (Type::Modify | Type::Delete, None) => return Err(Failure::not_found("it is not delivered").about(name())),
        (Type::Delete, Some(_)) => return Ok(Step::Digest(digest, None)),
        _ => {}
    }
    let config = entry.config.clone().unwrap_or_default();
    if config.max_timeout_ns < 0 || config.max_list_size < 0 || config.ack_timeout_ns < 0 {
        return Err(Failure::invalid("a time or size is negative").about(name()));
    }
    Ok(Step::Digest(digest, Some(config)))
}
