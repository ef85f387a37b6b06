//! Look-up of entities by their P4Info ids, which P4Runtime uses. Each look-up is a linear search through the entities
//! of a kind, of which programs have dozens.

use arch::Architecture;

use super::{
    ActionNumber, ControllerHeaderNumber, CounterNumber, DigestNumber, Identity, Info, MeterNumber, ProfileNumber,
    RegisterNumber, TableNumber, ValueSetNumber,
};

/// An entity with an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entity {
    /// A table.
    Table(TableNumber),
    /// An action.
    Action(ActionNumber),
    /// An action profile.
    Profile(ProfileNumber),
    /// Indexed or direct counters.
    Counter(CounterNumber),
    /// Indexed or direct meters.
    Meter(MeterNumber),
    /// A register.
    Register(RegisterNumber),
    /// A kind of digest.
    Digest(DigestNumber),
    /// A value set.
    ValueSet(ValueSetNumber),
    /// A header of packets between controller and switch.
    ControllerHeader(ControllerHeaderNumber),
}

impl Info {
    /// Returns true if a register array has the bits that say which members of a profile's groups are there.
    pub fn has_bits(&self, array: u32) -> bool {
        self.profiles.iter().any(|profile| profile.selector.is_some_and(|selector| selector.bits == Some(array)))
    }

    /// Returns the architecture of the program; v1model if none is specified.
    pub fn architecture(&self) -> &'static Architecture {
        self.architecture.unwrap_or(arch::USUAL)
    }

    /// Returns the entity with this id. Ids of different kinds are never equal.
    pub fn entity_with_id(&self, id: u32) -> Option<Entity> {
        None.or_else(|| self.table_with_id(id).map(Entity::Table))
            .or_else(|| self.action_with_id(id).map(Entity::Action))
            .or_else(|| self.profile_with_id(id).map(Entity::Profile))
            .or_else(|| self.counter_with_id(id).map(Entity::Counter))
            .or_else(|| self.meter_with_id(id).map(Entity::Meter))
            .or_else(|| self.register_with_id(id).map(Entity::Register))
            .or_else(|| self.digest_with_id(id).map(Entity::Digest))
            .or_else(|| self.value_set_with_id(id).map(Entity::ValueSet))
            .or_else(|| self.controller_header_with_id(id).map(Entity::ControllerHeader))
    }

    /// Returns the table with this id, or `None` if there is none. The other look-ups behave in the same way.
    pub fn table_with_id(&self, id: u32) -> Option<TableNumber> {
        place(self.tables.iter().map(|own| &own.identity), id).map(TableNumber::from)
    }

    /// Returns the action with this id.
    pub fn action_with_id(&self, id: u32) -> Option<ActionNumber> {
        place(self.actions.iter().map(|own| &own.identity), id).map(ActionNumber::from)
    }

    /// Returns the action profile with this id.
    pub fn profile_with_id(&self, id: u32) -> Option<ProfileNumber> {
        place(self.profiles.iter().map(|own| &own.identity), id).map(ProfileNumber::from)
    }

    /// Returns the indexed or direct counters with this id.
    pub fn counter_with_id(&self, id: u32) -> Option<CounterNumber> {
        place(self.counters.iter().map(|own| &own.identity), id).map(CounterNumber::from)
    }

    /// Returns the indexed or direct meters with this id.
    pub fn meter_with_id(&self, id: u32) -> Option<MeterNumber> {
        place(self.meters.iter().map(|own| &own.identity), id).map(MeterNumber::from)
    }

    /// Returns the register with this id.
    pub fn register_with_id(&self, id: u32) -> Option<RegisterNumber> {
        place(self.registers.iter().map(|own| &own.identity), id).map(RegisterNumber::from)
    }

    /// Returns the kind of digest with this id.
    pub fn digest_with_id(&self, id: u32) -> Option<DigestNumber> {
        place(self.digests.iter().map(|own| &own.identity), id).map(DigestNumber::from)
    }

    /// Returns the value set with this id.
    pub fn value_set_with_id(&self, id: u32) -> Option<ValueSetNumber> {
        place(self.value_sets.iter().map(|own| &own.identity), id).map(ValueSetNumber::from)
    }

    /// Returns the header of packets between controller and switch with this id.
    pub fn controller_header_with_id(&self, id: u32) -> Option<ControllerHeaderNumber> {
        place(self.controller_headers.iter().map(|own| &own.identity), id).map(ControllerHeaderNumber::from)
    }

    /// Returns the position of the match field with this id in a table.
    pub fn field_with_id(&self, table: TableNumber, id: u32) -> Option<usize> {
        self.table(table).fields.iter().position(|field| field.id == id && id != 0)
    }

    /// Returns the position of the parameter with this id in an action.
    pub fn parameter_with_id(&self, action: ActionNumber, id: u32) -> Option<usize> {
        self.action(action).parameters.iter().position(|parameter| parameter.id == id && id != 0)
    }
}

/// Returns the position of the entity with this id. No entity is found by 0, which is the id of hidden entities.
fn place<'i>(mut identities: impl Iterator<Item = &'i Identity>, id: u32) -> Option<usize> {
    identities.position(|identity| identity.id == id && id != 0)
}
