//! What messages mean to a program: ids become numbers of [`Info`], byte strings become values of the program's width,
//! and the other way. [`Translator`] holds everything that is looked up for each message.

mod actions;
pub mod byte_string;
mod data;
mod entries;
mod kept;
mod keys;
mod names;
mod profiles;
mod replication;
mod representation;
mod state;

use std::collections::HashMap;
use std::sync::Arc;

use constraints::Constraints;
use control::{ActionNumber, Entity, Info, Request, TableNumber};

use crate::failure::Failure;
use keys::KeyForm;
pub use representation::{Representation, Types};
pub(crate) use state::{no_colours, write_count, write_rates};

/// The translation between the messages and the requests about one program.
#[derive(Clone, Debug)]
pub struct Translator {
    info: Arc<Info>,
    types: Types,
    entities: HashMap<u32, Entity>,
    /// By the numbers of the tables.
    keys: Vec<KeyForm>,
    /// By the numbers of the actions, a representation and an id for each parameter.
    parameters: Vec<Vec<(u32, Representation)>>,
    /// By the numbers of the value sets.
    value_sets: Vec<KeyForm>,
    ports: Representation,
    constraints: Constraints,
}

impl Translator {
    /// Creates the translation for a program. It shares the strings of translated types with the program before, if there
    /// is one.
    pub fn new(info: Arc<Info>, before: Option<&Self>) -> Self {
        let types = Types::new(&info, before.map(|before| &before.types));
        let keys = info.tables.iter().map(|table| {
            let is_profile_table = table.profile.is_some();
            KeyForm::new(format!("table `{}`", table.identity.name), &table.fields, &types, is_profile_table)
        });
        let value_sets = info
            .value_sets
            .iter()
            .map(|set| KeyForm::new(format!("value set `{}`", set.identity.name), &set.fields, &types, false));
        let parameters = info.actions.iter().map(|action| {
            let form = |own: &control::Parameter| (own.id, types.of(own.width, own.type_name.as_deref()));
            action.parameters.iter().map(form).collect()
        });
        Self {
            entities: entities(&info),
            keys: keys.collect(),
            parameters: parameters.collect(),
            value_sets: value_sets.collect(),
            ports: types.of_ports(info.replication.port),
            constraints: Constraints::read(&info).0,
            types,
            info,
        }
    }

    /// Returns what the control plane knows about the program.
    pub fn info(&self) -> &Arc<Info> {
        &self.info
    }

    /// Returns the representations of the program's types.
    pub fn types(&self) -> &Types {
        &self.types
    }

    /// Returns the representation of ports in messages.
    pub fn ports(&self) -> &Representation {
        &self.ports
    }

    /// Checks a request against the constraints of the program's tables and actions (`@entry_restriction` and
    /// `@action_restriction`).
    ///
    /// # Errors
    /// Fails with `INVALID_ARGUMENT` and what does not hold.
    pub(crate) fn check(&self, request: &Request) -> Result<(), Failure> {
        self.constraints.check(request).map_err(|violation| Failure::invalid(violation.to_string()))
    }

    /// Returns the entity with this id, which must be of one kind.
    ///
    /// # Errors
    /// Fails with `NOT_FOUND` if the program has none with this id, and with `INVALID_ARGUMENT` if the id is 0 or of
    /// another kind.
    pub(crate) fn find<T>(&self, what: &str, id: u32, of_kind: impl Fn(Entity) -> Option<T>) -> Result<T, Failure> {
        match self.entities.get(&id) {
            Some(&entity) => of_kind(entity).ok_or_else(|| {
                let name = self.name(entity);
                Failure::invalid(format!("{id:#010x} is the id of `{name}`, which is no {what}"))
            }),
            None if id == 0 => Err(Failure::invalid(format!("the id of the {what} is missing"))),
            None => Err(Failure::not_found(format!("the program has no {what} with id {id:#010x}"))),
        }
    }

    pub(crate) fn table(&self, id: u32) -> Result<TableNumber, Failure> {
        self.find("table", id, |entity| if let Entity::Table(number) = entity { Some(number) } else { None })
    }

    pub(crate) fn action(&self, id: u32) -> Result<ActionNumber, Failure> {
        self.find("action", id, |entity| if let Entity::Action(number) = entity { Some(number) } else { None })
    }

    /// Returns the name of an entity.
    pub(crate) fn name(&self, entity: Entity) -> &str {
        &self.identity(entity).name
    }

    /// Returns whether the program hides an entity from controllers.
    pub(crate) fn is_hidden(&self, entity: Entity) -> bool {
        self.identity(entity).is_hidden
    }

    fn identity(&self, entity: Entity) -> &control::Identity {
        identity_of(&self.info, entity)
    }
}

/// Returns the identity of an entity of a program.
pub(crate) fn identity_of(info: &Info, entity: Entity) -> &control::Identity {
    match entity {
        Entity::Table(number) => &info.table(number).identity,
        Entity::Action(number) => &info.action(number).identity,
        Entity::Profile(number) => &info.profile(number).identity,
        Entity::Counter(number) => &info.counter(number).identity,
        Entity::Meter(number) => &info.meter(number).identity,
        Entity::Register(number) => &info.register(number).identity,
        Entity::Digest(number) => &info.digest(number).identity,
        Entity::ValueSet(number) => &info.value_set(number).identity,
        Entity::ControllerHeader(number) => &info.controller_header(number).identity,
    }
}

/// Returns all entities with an id, which hidden ones do not have.
fn entities(info: &Info) -> HashMap<u32, Entity> {
    let ids = None
        .into_iter()
        .chain(info.tables.iter().map(|own| own.identity.id))
        .chain(info.actions.iter().map(|own| own.identity.id))
        .chain(info.profiles.iter().map(|own| own.identity.id))
        .chain(info.counters.iter().map(|own| own.identity.id))
        .chain(info.meters.iter().map(|own| own.identity.id))
        .chain(info.registers.iter().map(|own| own.identity.id))
        .chain(info.digests.iter().map(|own| own.identity.id))
        .chain(info.value_sets.iter().map(|own| own.identity.id))
        .chain(info.controller_headers.iter().map(|own| own.identity.id));
    ids.filter_map(|id| Some((id, info.entity_with_id(id)?))).collect()
}

/// Returns the index of an element of an array; `None` stands for all of them.
///
/// # Errors
/// Fails with `INVALID_ARGUMENT` for a negative index and with `OUT_OF_RANGE` for one that no array has.
pub(crate) fn index(index: Option<crate::message::p4::v1::Index>) -> Result<Option<u32>, Failure> {
    let Some(index) = index.map(|own| own.index) else { return Ok(None) };
    if index < 0 {
        return Err(Failure::invalid(format!("the index {index} is negative")));
    }
    u32::try_from(index).map(Some).map_err(|_| Failure::out_of_range(format!("no array has an index {index}")))
}
