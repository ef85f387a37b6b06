//! Execution of requests about value sets (P4Runtime specification 1.4, section 9.6).

use runtime::ProgramState;
use runtime::tables::FieldMatch;

use super::Plane;
use super::keys::check_fields;
use crate::{EntityKind, EntryError, Error, Response, ValueSet, ValueSetNumber, ValueSetRequest};

impl Plane {
    pub(super) fn value_set(
        &self,
        number: ValueSetNumber,
        request: &ValueSetRequest,
        state: &mut ProgramState,
    ) -> Result<Response, Error> {
        let about = self.info.value_set(number);
        let stored = &mut state.value_sets[number.index()];
        match request {
            ValueSetRequest::Set(members) => {
                let mut checked = Vec::new();
                for member in members {
                    add(about, member, &mut checked)?;
                }
                *stored = checked;
            }
            ValueSetRequest::Insert(member) => add(about, member, stored)?,
            ValueSetRequest::Delete(member) => {
                let member = check_fields(EntityKind::ValueSet, &about.identity.name, &about.fields, member)?;
                match stored.iter().position(|other| *other == member) {
                    Some(at) => _ = stored.remove(at),
                    None => return Err(error(about, EntryError::Missing { key: text(&member) })),
                }
            }
            ValueSetRequest::Read => return Ok(Response::ValueSet(stored.clone())),
        }
        Ok(Response::Done)
    }
}

fn add(about: &ValueSet, member: &[FieldMatch], members: &mut Vec<Vec<FieldMatch>>) -> Result<(), Error> {
    let member = check_fields(EntityKind::ValueSet, &about.identity.name, &about.fields, member)?;
    if members.contains(&member) {
        return Err(error(about, EntryError::Duplicate { key: text(&member), priority: None }));
    }
    if members.len() >= about.size as usize {
        return Err(Error::ValueSetFull { value_set: about.identity.name.clone(), size: about.size });
    }
    members.push(member);
    Ok(())
}

fn text(member: &[FieldMatch]) -> String {
    member.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

fn error(about: &ValueSet, error: EntryError) -> Error {
    Error::Entry { kind: EntityKind::ValueSet, name: about.identity.name.clone(), error }
}
