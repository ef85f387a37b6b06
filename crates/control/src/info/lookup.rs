//! Things by their P4Info ids, as P4Runtime calls them. Each look-up goes through the things of a kind, of which programs
//! have dozens.

use arch::Architecture;

use super::{
    ActionNumber, ControllerHeaderNumber, CounterNumber, DigestNumber, Identity, Info, MeterNumber, ProfileNumber,
    RegisterNumber, TableNumber, ValueSetNumber,
};

/// Anything that has an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entity {
    /// A table.
    Table(TableNumber),
    /// An action.
    Action(ActionNumber),
    /// An action profile.
    Profile(ProfileNumber),
    /// Counters, in an array or of entries.
    Counter(CounterNumber),
    /// Meters, in an array or of entries.
    Meter(MeterNumber),
    /// A register.
    Register(RegisterNumber),
    /// A kind of digest.
    Digest(DigestNumber),
    /// A value set.
    ValueSet(ValueSetNumber),
    /// A header between controller and switch.
    ControllerHeader(ControllerHeaderNumber),
}

impl Info {
    /// What the program is written for, which is v1model if nobody says.
    pub fn architecture(&self) -> &'static Architecture {
        self.architecture.unwrap_or(arch::USUAL)
    }

    /// What has this id; ids of different kinds are never the same.
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

    /// The table of an id; `None` if no table has it, as for all look-ups here.
    pub fn table_with_id(&self, id: u32) -> Option<TableNumber> {
        place(self.tables.iter().map(|own| &own.identity), id).map(TableNumber::from)
    }

    /// The action of an id.
    pub fn action_with_id(&self, id: u32) -> Option<ActionNumber> {
        place(self.actions.iter().map(|own| &own.identity), id).map(ActionNumber::from)
    }

    /// The action profile of an id.
    pub fn profile_with_id(&self, id: u32) -> Option<ProfileNumber> {
        place(self.profiles.iter().map(|own| &own.identity), id).map(ProfileNumber::from)
    }

    /// The counters of an id, in an array or of entries.
    pub fn counter_with_id(&self, id: u32) -> Option<CounterNumber> {
        place(self.counters.iter().map(|own| &own.identity), id).map(CounterNumber::from)
    }

    /// The meters of an id, in an array or of entries.
    pub fn meter_with_id(&self, id: u32) -> Option<MeterNumber> {
        place(self.meters.iter().map(|own| &own.identity), id).map(MeterNumber::from)
    }

    /// The register of an id.
    pub fn register_with_id(&self, id: u32) -> Option<RegisterNumber> {
        place(self.registers.iter().map(|own| &own.identity), id).map(RegisterNumber::from)
    }

    /// The kind of digest of an id.
    pub fn digest_with_id(&self, id: u32) -> Option<DigestNumber> {
        place(self.digests.iter().map(|own| &own.identity), id).map(DigestNumber::from)
    }

    /// The value set of an id.
    pub fn value_set_with_id(&self, id: u32) -> Option<ValueSetNumber> {
        place(self.value_sets.iter().map(|own| &own.identity), id).map(ValueSetNumber::from)
    }

    /// The header between controller and switch of an id.
    pub fn controller_header_with_id(&self, id: u32) -> Option<ControllerHeaderNumber> {
        place(self.controller_headers.iter().map(|own| &own.identity), id).map(ControllerHeaderNumber::from)
    }

    /// The position of the match field of an id in a table.
    pub fn field_with_id(&self, table: TableNumber, id: u32) -> Option<usize> {
        self.table(table).fields.iter().position(|field| field.id == id && id != 0)
    }

    /// The position of the parameter of an id in an action.
    pub fn parameter_with_id(&self, action: ActionNumber, id: u32) -> Option<usize> {
        self.action(action).parameters.iter().position(|parameter| parameter.id == id && id != 0)
    }
}

/// Where an id stands. 0 is nobody's: what is hidden has it.
fn place<'i>(mut identities: impl Iterator<Item = &'i Identity>, id: u32) -> Option<usize> {
    identities.position(|identity| identity.id == id && id != 0)
}
