//! The batches of `Write` (P4Runtime specification 1.4, section 12).

use control::{DigestNumber, Entity, ProfileRequest, Request, Response, TableRequest, Target};

use crate::batch_status::batch_status;
use crate::failure::Failure;
use crate::message::google::rpc::{Code, Status};
use crate::message::p4::v1::entity::Entity as Kind;
use crate::message::p4::v1::update::Type;
use crate::message::p4::v1::write_request::Atomicity;
use crate::message::p4::v1::{DigestEntry, Update, digest_entry};
use crate::switch::{Access, Switch, Unavailable, check_access};
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
/// atomicity is unknown, and with `UNAVAILABLE` if the switch has ended or another program has taken the place of the one that the
/// updates are for; updates before that may have been carried out.
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
    batch_status("updates", &results.map_err(Failure::from)?).map_or(Ok(()), Err)
}

fn write_each(
    translator: &Translator,
    switch: &mut impl Switch,
    access: &dyn Access,
    updates: &[Update],
) -> Result<Vec<Result<(), Failure>>, Unavailable> {
    let mut results = Vec::with_capacity(updates.len());
    let (mut requests, mut places) = (Vec::with_capacity(TURN), Vec::with_capacity(TURN));
    for piece in updates.chunks(TURN) {
        for update in piece {
            match step(translator, switch, access, update) {
                Ok(Step::Request(mut request)) => {
                    keep_set(translator, switch, &requests, &mut request)?;
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
        let responses = switch.execute_each(std::mem::take(&mut requests))?;
        for (place, response) in places.drain(..).zip(responses) {
            results[place] = response.map(|_| ()).map_err(Failure::from);
        }
    }
    Ok(results)
}

fn write_together(
    translator: &Translator,
    switch: &mut impl Switch,
    access: &dyn Access,
    updates: &[Update],
) -> Result<Vec<Result<(), Failure>>, Unavailable> {
    let (mut requests, mut places) = (Vec::with_capacity(updates.len()), Vec::new());
    let (mut results, mut before) = (Vec::with_capacity(updates.len()), Vec::new());
    for (at, update) in updates.iter().enumerate() {
        let step = step(translator, switch, access, update).map(|step| match step {
            Step::Request(request) => {
                requests.push(request);
                places.push(at);
            }
            Step::Digest(digest, config) => {
                // A later update of the batch must see it.
                before.push((digest, switch.digest_config(digest)));
                switch.set_digest_config(digest, config);
            }
        });
        results.push(step);
    }
    let mut executed = Ok(());
    for at in 0..requests.len() {
        let (earlier, rest) = requests.split_at_mut(at);
        executed = executed.and_then(|()| keep_set(translator, switch, earlier, &mut rest[0]));
    }
    let mut has_failed = results.iter().any(Result::is_err);
    if executed.is_ok() && !has_failed {
        executed = switch.execute_together(requests).map(|outcome| {
            if let Err(refused) = outcome {
                results[places[refused.at]] = Err(refused.error.into());
                has_failed = true;
            }
        });
    }
    if has_failed || executed.is_err() {
        before.into_iter().rev().for_each(|(digest, config)| switch.set_digest_config(digest, config));
        let aborted = || Failure::new(Code::Aborted, "another update of the batch was refused");
        results.iter_mut().filter(|result| result.is_ok()).for_each(|result| *result = Err(aborted()));
    }
    executed.map(|()| results)
}

/// Completes a request that leaves the actions of an entry as they are with what is kept of those: by earlier requests of the
/// batch that have not been carried out, or else by the switch.
fn keep_set(
    translator: &Translator,
    switch: &mut impl Switch,
    earlier: &[Request],
    request: &mut Request,
) -> Result<(), Unavailable> {
    let Some(read) = translator.needs_entry(request) else { return Ok(()) };
    let kept = match earlier.iter().rev().find_map(|before| translator.metadata_written(before, request)) {
        Some(metadata) => Some(metadata),
        None => match switch.execute_each(vec![read])?.pop() {
            Some(Ok(Response::Entries(mut entries))) => entries.pop().map(|entry| entry.metadata),
            // There is no such entry, as the request will hear.
            _ => None,
        },
    };
    if let Some(metadata) = kept {
        Translator::keep_set(request, metadata);
    }
    Ok(())
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
    check_watch_ports(switch, &request)?;
    check_access(access, entity_of(&request))?;
    translator.check(&request)?;
    Ok(Step::Request(request))
}

/// Checks that the switch has the ports on which members and actions depend (sections 9.2.3 and 9.2.4).
fn check_watch_ports(switch: &impl Switch, request: &Request) -> Result<(), Failure> {
    let watched: Vec<u32> = match request {
        Request::Profile(_, ProfileRequest::InsertGroup(group) | ProfileRequest::ModifyGroup(group)) => {
            group.members.iter().filter_map(|member| member.watch_port).collect()
        }
        Request::Table(
            _,
            TableRequest::Insert { target: Target::ActionSet(actions), .. }
            | TableRequest::Modify { target: Some(Target::ActionSet(actions)), .. },
        ) => actions.iter().filter_map(|action| action.watch_port).collect(),
        _ => return Ok(()),
    };
    match watched.into_iter().find(|port| !switch.has_port(*port)) {
        None => Ok(()),
        Some(port) => Err(Failure::invalid(format!("the watch port {port} is not a port of this switch"))),
    }
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
